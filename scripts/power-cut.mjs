#!/usr/bin/env node
// @ts-check
/**
 * usage: node scripts/power-cut.mjs [--build FOLDER] [--points N] [--seconds N] [--rate N] [--starts N] [--seed N]
 * [--control [--only-log]]
 *
 * Runs a whole hub under load (MQTT telemetry at QoS 1, rooms created over HTTP) on an ext4 whose every write and flush
 * is logged, then rebuilds that disk as a power cut could have left it at N random moments. For each: e2fsck and mount
 * as at a start, the database's integrity_check, every message and room acknowledged before that moment is there, the
 * record of commands has no gap (its end may be missing: a command is sent before it is on disk), and (for --starts of
 * them) the hub starts on it and serves. --control runs the hub without any sync; with --only-log without the hub's own
 * sync of the log, while SQLite still syncs its checkpoints. A control must fail, or the check detects nothing. Exits 0
 * if all held (control: if it did not). Root; needs qemu-system-common (qemu-storage-daemon) and
 * /dev/fuse.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { loopDevice, mountLoop } from "./lib/exported-disk.mjs";
import { seeded } from "./lib/faults/random.mjs";
import { hubMain } from "./lib/hub-environment.mjs";
import { hubEnvironment, startHub } from "./lib/hub-process.mjs";
import { prepare, root as ROOT } from "./lib/prepare.mjs";
import { all, eachStoredSample, sampleFormats } from "./lib/stored-samples.mjs";
import { CrashStates, LoggedDisk, readLog } from "./lib/write-log.mjs";

const DISK_MB = 256;
const DEVICES = 8;

const number = /** @type {const} */ ({ type: "string" });
const { values } = parseArgs({
  options: {
    build: { type: "string" },
    points: number,
    seconds: number,
    rate: number,
    starts: number,
    seed: number,
    control: { type: "boolean", default: false },
    "only-log": { type: "boolean", default: false },
  },
});
const points = Number(values.points ?? 100);
const seconds = Number(values.seconds ?? 20);
const rate = Number(values.rate ?? 100);
const starts = Number(values.starts ?? points);
const random = seeded(Number(values.seed ?? Date.now() % 1e9)).next;

await prepare({ tests: true, isBuilt: values.build !== undefined });
// The rest needs the installed modules.
const build = join(ROOT, values.build ?? "build-hub");
const { default: SqliteDatabase } = await import("better-sqlite3");
const { default: mqtt } = await import("mqtt");
/** @type {typeof import("../test/support/hub-process.ts")} */
const { startHubProcess, Person } = await import("../test/support/hub-process.ts");
const formats = await sampleFormats();

/**
 * @typedef {{ samples: { device: string, n: number, at: number }[], rooms: { name: string, at: number }[] }}
 *   Acknowledged
 */

/** As installed: with the hub's own certificates, which the first start creates. */
const AS_INSTALLED = {
  GATEHOUSE_TLS: "own",
  GATEHOUSE_PLAIN_HTTP: "open",
  GATEHOUSE_HTTPS_PORT: "0",
  GATEHOUSE_MQTTS_PORT: "0",
};

/**
 * Loads the hub and records the position of the disk's log at each acknowledgement.
 * @param {LoggedDisk} disk
 * @param {import("../test/support/hub-process.ts").HubProcess} hub
 */
async function record(disk, hub) {
  const owner = new Person(hub.url);
  await owner.claim(hub.claimCode ?? "");
  /** @type {Acknowledged} */
  const acknowledged = { samples: [], rooms: [] };
  const commands = { sent: 0, heard: 0 };
  /** @type {{ id: string, client: import("mqtt").MqttClient, sent: number }[]} */
  const clients = [];
  for (let i = 0; i < DEVICES; i++) {
    const id = `meter-${i}`;
    /** @type {{ status: number, body: { password: string } }} */
    const { status, body } = await owner.call("POST", "/api/devices", { id, name: `Meter ${i}`, type: "energy-meter" });
    if (status !== 201) throw new Error(`device: ${status} ${JSON.stringify(body)}`);
    const client = mqtt.connect({
      host: "127.0.0.1",
      port: hub.mqttPort,
      username: id,
      password: body.password,
      clientId: id,
      reconnectPeriod: 0,
    });
    client.on("error", () => {});
    await new Promise((done) => client.once("connect", done));
    clients.push({ id, client, sent: 0 });
  }
  /** @type {{ body: { password: string } }} */
  const lamp = await owner.call("POST", "/api/devices", { id: "lamp", name: "Lamp", type: "smart-plug" });
  const listener = mqtt.connect({
    host: "127.0.0.1",
    port: hub.mqttPort,
    username: "lamp",
    password: lamp.body.password,
    clientId: "lamp",
  });
  listener.on("message", () => (commands.heard += 1));
  await listener.subscribeAsync("gatehouse/lamp/command", { qos: 1 });
  const started = performance.now();
  /** @type {number[]} */
  const timeline = [];
  let sent = 0;
  const timer = setInterval(() => {
    timeline.push(disk.position());
    for (const due = ((performance.now() - started) / 1000) * rate; sent < due; sent++) {
      const device = clients[sent % clients.length];
      if (device === undefined) return;
      const n = device.sent++;
      device.client.publish(
        `gatehouse/${device.id}/telemetry`,
        JSON.stringify({ n, watts: 60 + (n % 40) }),
        { qos: 1 },
        (error) => {
          if (!error) acknowledged.samples.push({ device: device.id, n, at: disk.position() });
        },
      );
    }
  }, 5);
  for (let i = 0; performance.now() - started < seconds * 1000; i++) {
    const name = `Room ${i}`;
    const { status } = await owner.call("POST", "/api/rooms", { name });
    if (status === 201) acknowledged.rooms.push({ name, at: disk.position() });
    const { status: taken } = await owner.call("POST", "/v1/devices/lamp/commands", { n: commands.sent });
    if (taken === 202) commands.sent += 1;
    await pause(150);
  }
  clearInterval(timer);
  await pause(300);
  for (const { client } of [...clients, { client: listener }]) client.end(true);
  return { acknowledged, sent, timeline, commands };
}

/** @param {string} folder */
function storedIn(folder) {
  const database = new SqliteDatabase(join(folder, "gatehouse.db"), { fileMustExist: true });
  try {
    const verdict = String(database.pragma("integrity_check", { simple: true }));
    /** @type {Set<string>} */
    const samples = new Set();
    eachStoredSample(database, formats, (deviceId, { n }) => samples.add(`${deviceId} ${n}`));
    /** @type {{ name: string }[]} */
    const roomRows = all(database, "SELECT name FROM room");
    const rooms = new Set(roomRows.map(({ name }) => name));
    /** @type {{ command: string }[]} */
    const commandRows = all(database, "SELECT command FROM command ORDER BY id");
    /** @type {number[]} */
    const commands = commandRows.map(({ command }) => JSON.parse(command).n);
    return { verdict, samples, rooms, commands };
  } finally {
    database.close();
  }
}

/**
 * Starts the hub on a crash state and queries it; null if it served. The limits are long, so that a busy machine causes
 * no finding.
 * @param {string} folder
 */
async function startsAndServes(folder) {
  try {
    const hub = await startHub({ build, env: hubEnvironment(folder, AS_INSTALLED), hearsErrors: true });
    const { status } = await fetch(`${hub.url}/v1`);
    await hub.stop();
    return status < 500 ? null : `/v1 answers ${status}`;
  } catch (error) {
    return `the hub did not start: ${String(error).trim().split("\n").at(-1)}`;
  }
}

/**
 * The problem with one crash state, in words.
 * @param {{ image: string, mountPoint: string, acknowledged: Acknowledged, position: number, start: boolean }} state
 */
async function examine({ image, mountPoint, acknowledged, position, start }) {
  /** @type {string[]} */
  const findings = [];
  const repaired = spawnSync("e2fsck", ["-p", image], { encoding: "utf8" });
  if ((repaired.status ?? 4) >= 4) findings.push(`e2fsck: ${repaired.status}`);
  const unmount = mountLoop(loopDevice(image), mountPoint);
  try {
    const folder = join(mountPoint, "data");
    const expected = {
      samples: acknowledged.samples.filter(({ at }) => at <= position),
      rooms: acknowledged.rooms.filter(({ at }) => at <= position),
    };
    if (!existsSync(join(folder, "gatehouse.db"))) {
      if (expected.samples.length + expected.rooms.length > 0) findings.push("the database is missing");
      else if (!existsSync(folder)) mkdirSync(folder);
    } else if (expected.rooms.length > 0) {
      const stored = storedIn(folder);
      if (stored.verdict !== "ok") findings.push(`integrity_check: ${stored.verdict.slice(0, 80)}`);
      const lostSamples = expected.samples.filter(({ device, n }) => !stored.samples.has(`${device} ${n}`)).length;
      const lostRooms = expected.rooms.filter(({ name }) => !stored.rooms.has(name)).length;
      if (lostSamples > 0)
        findings.push(`${lostSamples} of ${expected.samples.length} acknowledged samples are missing`);
      // A command is sent before it is written down: a cut takes the latest off the record, and leaves none out
      // between.
      if (stored.commands.some((n, place) => n !== place))
        findings.push("a command between others is missing from the record");
      if (lostRooms > 0) findings.push(`${lostRooms} of ${expected.rooms.length} acknowledged rooms are missing`);
    }
    if (start) {
      const failure = await startsAndServes(folder);
      if (failure !== null) findings.push(failure);
    }
  } catch (error) {
    const [line = ""] = String(error instanceof Error ? error.message : error).split("\n");
    findings.push(line.slice(0, 160));
  } finally {
    unmount();
  }
  return findings;
}

const folder = mkdtempSync(join(process.env.GATEHOUSE_SCRATCH ?? tmpdir(), "gatehouse-power-cut-"));
const disk = new LoggedDisk(folder);
await disk.start(DISK_MB);
mkdirSync(join(disk.mountPoint, "data"));
execFileSync("sync", ["-f", disk.mountPoint]);
const begin = disk.position();
/** @type {Record<string, string>} */
const control = values.control
  ? {
      NODE_OPTIONS: `--import ${join(ROOT, "scripts/lib/without-sync.mjs")}`,
      LEFT_OUT: values["only-log"] ? "log" : "all",
    }
  : {};
const UNLIMITED = { GATEHOUSE_RATE_COMMANDS_PER_MINUTE: "0", GATEHOUSE_RATE_DEVICE_COMMANDS_PER_10_SECONDS: "0" };
const hub = await startHubProcess(
  join(disk.mountPoint, "data"),
  { ...AS_INSTALLED, ...UNLIMITED, ...control },
  { main: hubMain(build) },
);
const { acknowledged, sent, timeline, commands } = await record(disk, hub);
await hub.kill();
const end = disk.position();
await disk.stop();

const entries = readLog(disk.logFile);
const first = entries.findIndex((entry) => entry.end > begin);
const last = entries.findLastIndex((entry) => entry.end <= end);
const flushes = entries.slice(first, last).filter((entry) => entry.flushes).length;
const written = entries.slice(first, last).reduce((total, entry) => total + entry.bytes, 0);
console.log(
  `load: ${sent} messages, ${acknowledged.samples.length} acknowledged, ${acknowledged.rooms.length} rooms, ${commands.heard} of ${commands.sent} commands heard; disk: ${last - first} requests, ${flushes} flushes, ${(written / 1e6).toFixed(1)} MB`,
);

// Half of the cuts at a random moment of the load, half at a random request of the disk: a program that does not wait
// for the disk loses in the first kind, one whose writes may not be torn apart in the second.
const atMoment = () => {
  const position = timeline[Math.floor(random() * timeline.length)] ?? 0;
  return Math.max(first + 1, entries.findLastIndex((entry) => entry.end <= position) + 1);
};
const atRequest = () => first + 1 + Math.floor(random() * (last - first));
const cuts = Array.from({ length: points }, (_, index) => (index % 2 === 0 ? atMoment() : atRequest())).sort(
  (a, b) => a - b,
);
const states = new CrashStates({
  logFile: disk.logFile,
  entries,
  baseFile: join(folder, "base.img"),
  bytes: DISK_MB << 20,
});
const mountPoint = join(folder, "state");
mkdirSync(mountPoint);
/** @type {string[]} */
const failures = [];
let [lostWrites, startsDone] = [0, 0];
const startedAt = performance.now();
for (const [index, cut] of cuts.entries()) {
  // A separate name for each state: a loop device that is still being released must not lend its cache to the next one.
  const image = join(folder, `state-${index}.img`);
  lostWrites += states.write({ cut, target: image, random }).lost;
  const start = startsDone < starts && Math.floor((index * starts) / points) >= startsDone;
  if (start) startsDone++;
  const findings = await examine({ image, mountPoint, acknowledged, position: entries[cut - 1]?.end ?? 0, start });
  rmSync(image);
  if (findings.length > 0)
    failures.push(`cut ${index + 1} (request ${cut - first} of ${last - first}): ${findings.join("; ")}`);
}
states.close();
for (const failure of failures.slice(0, 12)) console.log(failure);
const took = ((performance.now() - startedAt) / 1000).toFixed(0);
console.log(
  `${points} power cuts${values.control ? ` (control: ${values["only-log"] ? "without waiting for the log" : "without waiting for the disk"})` : ""}: ${points - failures.length} without a finding, ${failures.length} with; ${lostWrites} unflushed writes lost; ${startsDone} hub starts; ${took} s`,
);
rmSync(folder, { recursive: true, force: true });
process.exit((failures.length === 0) === !values.control ? 0 : 1);
