#!/usr/bin/env node
/**
 * usage: node scripts/power-cut.mjs [--build FOLDER] [--points N] [--seconds N] [--rate N] [--starts N] [--seed N] [--control [--only-log]]
 *
 * Runs a whole hub under load (MQTT telemetry at QoS 1, rooms made over HTTP) on an ext4 whose every write and flush is logged,
 * then rebuilds that disk as a power cut could have left it at N random moments. For each: e2fsck and mount as at a start, the
 * database's integrity_check, every message and room that was acknowledged before that moment is there, the record of commands has no
 * gap (its end may be missing: a command leaves before the disk), and (for --starts of them) the hub starts on it and serves. --control runs the hub without any wait for the disk, with --only-log without the hub's own wait
 * for the log while SQLite goes on waiting for its checkpoints: it must fail, or the check sees nothing. Exits 0 when all held (control: when it did not). Root; needs qemu-utils (qemu-storage-daemon) and /dev/fuse.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hubMain } from "./lib/hub-environment.mjs";
import { prepare, root as ROOT } from "./lib/prepare.mjs";
import { CrashStates, LoggedDisk, readLog } from "./lib/write-log.mjs";

const DISK_MB = 256;
const DEVICES = 8;
const START_LIMIT_MS = 180_000;

const number = { type: "string" };
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
const random = seeded(Number(values.seed ?? Date.now() % 1e9));

if (values.build === undefined) await prepare({ tests: true });
// What follows needs the modules.
const build = join(ROOT, values.build ?? "build");
const { default: SqliteDatabase } = await import("better-sqlite3");
const { default: mqtt } = await import("mqtt");
const { startHubProcess, Person } = await import(join(build, "test/support/hub-process.js"));
const { unpackJournal } = await import(join(build, "src/telemetry/journal-format.js"));
const { unpackBlock } = await import(join(build, "src/telemetry/block-format.js"));

/** Mulberry32: the same seed gives the same cuts. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = Math.imul(state ^ (state >>> 15), 1 | state);
    word = (word + Math.imul(word ^ (word >>> 7), 61 | word)) ^ word;
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** As on a box: with certificates of its own, which the first start makes. */
const AS_INSTALLED = { GATEHOUSE_TLS: "own", GATEHOUSE_PLAIN_HTTP: "open", GATEHOUSE_HTTPS_PORT: "0", GATEHOUSE_MQTTS_PORT: "0" };

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Loads the hub and notes, for each acknowledgement, how far the disk's log was. */
async function record(disk, hub) {
  const owner = new Person(hub.url);
  await owner.claim(hub.claimCode);
  const acknowledged = { samples: [], rooms: [] };
  const commands = { sent: 0, heard: 0 };
  const clients = [];
  for (let i = 0; i < DEVICES; i++) {
    const id = `meter-${i}`;
    const { status, body } = await owner.call("POST", "/api/devices", { id, name: `Meter ${i}`, type: "energy-meter" });
    if (status !== 201) throw new Error(`device: ${status} ${JSON.stringify(body)}`);
    const client = mqtt.connect({ host: "127.0.0.1", port: hub.mqttPort, username: id, password: body.password, clientId: id, reconnectPeriod: 0 });
    client.on("error", () => {});
    await new Promise((done) => client.on("connect", done));
    clients.push({ id, client, sent: 0 });
  }
  const lamp = await owner.call("POST", "/api/devices", { id: "lamp", name: "Lamp", type: "smart-plug" });
  const listener = mqtt.connect({ host: "127.0.0.1", port: hub.mqttPort, username: "lamp", password: lamp.body.password, clientId: "lamp" });
  listener.on("message", () => (commands.heard += 1));
  await listener.subscribeAsync("gatehouse/lamp/command", { qos: 1 });
  const started = performance.now();
  const timeline = [];
  let sent = 0;
  const timer = setInterval(() => {
    timeline.push(disk.position());
    for (const due = ((performance.now() - started) / 1000) * rate; sent < due; sent++) {
      const device = clients[sent % clients.length];
      const n = device.sent++;
      device.client.publish(`gatehouse/${device.id}/telemetry`, JSON.stringify({ n, watts: 60 + (n % 40) }), { qos: 1 }, (error) => {
        if (!error) acknowledged.samples.push({ device: device.id, n, at: disk.position() });
      });
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

function storedIn(folder) {
  const database = new SqliteDatabase(join(folder, "gatehouse.db"), { fileMustExist: true });
  try {
    const verdict = database.pragma("integrity_check", { simple: true });
    const names = new Map(
      database
        .prepare("SELECT ref, device_id FROM telemetry_device")
        .all()
        .map((row) => [row.ref, row.device_id]),
    );
    const samples = new Set();
    const add = (ref, text) => samples.add(`${names.get(ref)} ${JSON.parse(text).n}`);
    for (const row of database.prepare("SELECT samples FROM telemetry_journal").iterate()) {
      for (const entry of unpackJournal(row.samples)) if (entry.kind === "message") for (const sample of entry.samples) add(entry.ref, sample.text);
    }
    for (const row of database.prepare("SELECT device, times, samples FROM telemetry_block").iterate())
      for (const sample of unpackBlock(row)) add(row.device, sample.text);
    const rooms = new Set(
      database
        .prepare("SELECT name FROM room")
        .all()
        .map((row) => row.name),
    );
    const commands = database
      .prepare("SELECT command FROM command ORDER BY id")
      .all()
      .map((row) => JSON.parse(row.command).n);
    return { verdict, samples, rooms, commands };
  } finally {
    database.close();
  }
}

/** Starts the hub on a crash state and asks it; null when it served. Patient: a busy machine is no finding. */
async function startsAndServes(folder) {
  const env = {
    PATH: process.env.PATH,
    GATEHOUSE_DATA: folder,
    GATEHOUSE_HOST: "127.0.0.1",
    GATEHOUSE_HTTP_PORT: "0",
    GATEHOUSE_MQTT_PORT: "0",
    GATEHOUSE_TLS: "off",
    GATEHOUSE_MDNS: "false",
    ...AS_INSTALLED,
  };
  const child = spawn(process.execPath, [hubMain(build)], { env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk));
  const gone = new Promise((done) => child.on("exit", done));
  const deadline = performance.now() + START_LIMIT_MS;
  while (!text.includes("Gatehouse is ready: ") && child.exitCode === null && performance.now() < deadline) await pause(50);
  const url = /Gatehouse is ready: (\S+)/.exec(text)?.[1];
  const status = url === undefined ? null : (await fetch(`${url}/v1`)).status;
  child.kill("SIGTERM");
  await gone;
  if (url === undefined) return `the hub did not start: ${text.trim().split("\n").at(-1)}`;
  return status < 500 ? null : `/v1 answers ${status}`;
}

/** What is wrong with one crash state, in words. */
async function examine({ image, mountPoint, acknowledged, position, start }) {
  const findings = [];
  const repaired = spawnSync("e2fsck", ["-p", image], { encoding: "utf8" });
  if (repaired.status >= 4) findings.push(`e2fsck: ${repaired.status}`);
  const loop = execFileSync("losetup", ["-f", "--show", image], { encoding: "utf8" }).trim();
  execFileSync("mount", ["-o", "noatime", loop, mountPoint]);
  try {
    const folder = join(mountPoint, "data");
    const expected = { samples: acknowledged.samples.filter(({ at }) => at <= position), rooms: acknowledged.rooms.filter(({ at }) => at <= position) };
    if (!existsSync(join(folder, "gatehouse.db"))) {
      if (expected.samples.length + expected.rooms.length > 0) findings.push("the database is missing");
      else if (!existsSync(folder)) mkdirSync(folder);
    } else if (expected.rooms.length > 0) {
      const stored = storedIn(folder);
      if (stored.verdict !== "ok") findings.push(`integrity_check: ${String(stored.verdict).slice(0, 80)}`);
      const lostSamples = expected.samples.filter(({ device, n }) => !stored.samples.has(`${device} ${n}`)).length;
      const lostRooms = expected.rooms.filter(({ name }) => !stored.rooms.has(name)).length;
      if (lostSamples > 0) findings.push(`${lostSamples} of ${expected.samples.length} acknowledged samples are missing`);
      // A command is sent before it is written down: a cut takes the latest off the record, and leaves none out between.
      if (stored.commands.some((n, place) => n !== place)) findings.push("a command between others is missing from the record");
      if (lostRooms > 0) findings.push(`${lostRooms} of ${expected.rooms.length} acknowledged rooms are missing`);
    }
    if (start) {
      const failure = await startsAndServes(folder);
      if (failure !== null) findings.push(failure);
    }
  } catch (error) {
    findings.push(
      String(error instanceof Error ? error.message : error)
        .split("\n")[0]
        .slice(0, 160),
    );
  } finally {
    execFileSync("umount", [mountPoint]);
    execFileSync("losetup", ["-d", loop]);
  }
  return findings;
}

const folder = mkdtempSync(join(process.env.GATEHOUSE_SCRATCH ?? tmpdir(), "gatehouse-power-cut-"));
const disk = new LoggedDisk(folder);
await disk.start(DISK_MB);
mkdirSync(join(disk.mountPoint, "data"));
execFileSync("sync", ["-f", disk.mountPoint]);
const begin = disk.position();
const control = values.control ? { NODE_OPTIONS: `--import ${join(ROOT, "scripts/lib/without-sync.mjs")}`, LEFT_OUT: values["only-log"] ? "log" : "all" } : {};
const UNLIMITED = { GATEHOUSE_RATE_COMMANDS_PER_MINUTE: "0", GATEHOUSE_RATE_DEVICE_COMMANDS_PER_10_SECONDS: "0" };
const hub = await startHubProcess(join(disk.mountPoint, "data"), { ...AS_INSTALLED, ...UNLIMITED, ...control });
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

// Half of the cuts at a random moment of the load, half at a random request of the disk: a program that does not wait for the
// disk loses in the first kind, one whose writes may not be torn apart in the second.
const atMoment = () => {
  const position = timeline[Math.floor(random() * timeline.length)];
  return Math.max(first + 1, entries.findLastIndex((entry) => entry.end <= position) + 1);
};
const atRequest = () => first + 1 + Math.floor(random() * (last - first));
const cuts = Array.from({ length: points }, (_, index) => (index % 2 === 0 ? atMoment() : atRequest())).sort((a, b) => a - b);
const states = new CrashStates({ logFile: disk.logFile, entries, baseFile: join(folder, "base.img"), bytes: DISK_MB << 20 });
const mountPoint = join(folder, "state");
mkdirSync(mountPoint);
const failures = [];
let [lostWrites, startsDone] = [0, 0];
const startedAt = performance.now();
for (const [index, cut] of cuts.entries()) {
  // A name of its own for each state: a loop device that is still being given back must not lend its cache to the next one.
  const image = join(folder, `state-${index}.img`);
  lostWrites += states.write({ cut, target: image, random }).lost;
  const start = startsDone < starts && Math.floor((index * starts) / points) >= startsDone;
  if (start) startsDone++;
  const findings = await examine({ image, mountPoint, acknowledged, position: entries[cut - 1].end, start });
  rmSync(image);
  if (findings.length > 0) failures.push(`cut ${index + 1} (request ${cut - first} of ${last - first}): ${findings.join("; ")}`);
}
states.close();
for (const failure of failures.slice(0, 12)) console.log(failure);
const took = ((performance.now() - startedAt) / 1000).toFixed(0);
console.log(
  `${points} power cuts${values.control ? ` (control: ${values["only-log"] ? "without waiting for the log" : "without waiting for the disk"})` : ""}: ${points - failures.length} without a finding, ${failures.length} with; ${lostWrites} unflushed writes lost; ${startsDone} hub starts; ${took} s`,
);
rmSync(folder, { recursive: true, force: true });
process.exit((failures.length === 0) === !values.control ? 0 : 1);
