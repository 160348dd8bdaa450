/**
 * npm run bench -- ingest [--seconds N] [--rate N] [--devices N] [--parts NAME,…] [--build FOLDER]
 *
 * Durable telemetry: samples a second, samples per second of processor time (of the whole process, threads and start of compaction
 * included; the fair measure on a machine that does other things too), time until one is acknowledged, bytes written to disk per
 * sample (write_bytes of /proc/self/io, with the compaction and the checkpoint that the samples cause) and memory. In one run, one after the other:
 *   sqlite       the baseline: better-sqlite3 inserts the same samples into a plain indexed table, one transaction per 100
 *   sqlite paced the same at the given rate, one transaction every 40 ms
 *   telemetry    the telemetry part alone, at the rate, then as fast as it takes them
 *   hub          a whole hub over MQTT at QoS 1 from real clients in a process of their own, the same two ways
 * Every part runs in a process of its own, started as the hub is (scripts/lib/hub-environment.mjs).
 */
import { fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { option } from "../lib/bench-hub.mjs";
import { NODE_ARGUMENTS } from "../lib/hub-environment.mjs";

const SELF = fileURLToPath(import.meta.url);
const ROOT = resolve(SELF, "../../..");
const PASSWORD = "bench-password";
/** Node compiles what runs often; a hub runs for weeks. */
const WARM_UP_SECONDS = 5;
/** Messages each client has in flight when it sends as fast as it can. */
const WINDOW = 20;
const WANTED = { rate: 3_000, p99: 60, bytes: 250, perSecond: 22_000, perCpuSecond: 100_000 };

/** Runs the comparison and prints it; resolves with the figures. */
export async function run(options = []) {
  const settings = {
    seconds: Number(option(options, "--seconds", "20")),
    rate: Number(option(options, "--rate", WANTED.rate)),
    devices: Number(option(options, "--devices", "50")),
    built: resolve(ROOT, option(options, "--build", process.env.GATEHOUSE_BUILD ?? "build")),
  };
  const parts = option(options, "--parts", "sqlite,telemetry,hub").split(",");
  const figures = {};
  for (const [name, part, paced] of [
    ["sqlite", "sqlite", false],
    ["sqlite paced", "sqlite", true],
    ["telemetry paced", "telemetry", true],
    ["telemetry", "telemetry", false],
    ["hub paced", "hub", true],
    ["hub", "hub", false],
  ]) {
    if (parts.includes(part)) figures[name] = await measure(part, { ...settings, paced });
  }
  print(settings, figures);
  return figures;
}

function measure(part, settings) {
  const child = fork(SELF, ["--role", part, JSON.stringify(settings)], { execArgv: NODE_ARGUMENTS });
  return new Promise((done, reject) => {
    child.once("message", done);
    child.once("exit", (code) => reject(new Error(`${part} ended with ${code}`)));
  });
}

function print({ seconds, rate, devices }, figures) {
  console.log(`telemetry from ${devices} devices, ${seconds} s each, paced parts at ${rate} samples/s`);
  console.log(`${"".padEnd(16)} samples/s   per CPU s   p50 ms   p99 ms   bytes/sample   RSS MB`);
  for (const [name, figure] of Object.entries(figures)) {
    const { perSecond, perCpuSecond, p50, p99, bytes, rss } = figure;
    const cell = (value, width, digits) => (value === null ? "-" : value.toFixed(digits)).padStart(width);
    console.log(
      `${name.padEnd(16)}${cell(perSecond, 10, 0)}${cell(perCpuSecond, 12, 0)}${cell(p50, 9, 1)}${cell(p99, 9, 1)}${cell(bytes, 15, 0)}${cell(rss, 9, 0)}`,
    );
  }
  const { "hub paced": paced, hub } = figures;
  if (paced === undefined || hub === undefined) return;
  const isPacedMet = paced.perSecond >= WANTED.rate * 0.99 && paced.p99 <= WANTED.p99 && paced.bytes <= WANTED.bytes;
  const isMet = hub.perSecond >= WANTED.perSecond && hub.perCpuSecond >= WANTED.perCpuSecond;
  const said = (met) => (met ? "met" : "NOT met");
  console.log(`wanted of the hub paced: ${WANTED.rate} samples/s, p99 ≤ ${WANTED.p99} ms, ≤ ${WANTED.bytes} bytes/sample: ${said(isPacedMet)}`);
  console.log(`wanted of the hub: ≥ ${WANTED.perSecond} samples/s, ≥ ${WANTED.perCpuSecond} per CPU second: ${said(isMet)}`);
}

/** The baseline: what one would write without Gatehouse. */
async function sqlite({ seconds, rate, devices, paced }) {
  const { default: SqliteDatabase } = await import("better-sqlite3");
  return inFolder(async (folder) => {
    const database = new SqliteDatabase(join(folder, "plain.db"));
    database.pragma("journal_mode = WAL");
    database.pragma("synchronous = FULL");
    database.exec(
      "CREATE TABLE sample (id INTEGER PRIMARY KEY, device TEXT NOT NULL, at INTEGER NOT NULL, data TEXT NOT NULL); CREATE INDEX sample_by_device ON sample (device, at)",
    );
    const insert = database.prepare("INSERT INTO sample (device, at, data) VALUES (?, ?, ?)");
    const batch = database.transaction((from, to) => {
      for (let n = from; n < to; n++) insert.run(deviceOf(n, devices), Date.now(), JSON.stringify(reading(n)));
    });
    const [before, cpu] = [written(), process.cpuUsage()];
    const started = performance.now();
    const times = [];
    let count = 0;
    while (performance.now() - started < seconds * 1000) {
      if (paced) await pause(40);
      const due = paced ? Math.floor(((performance.now() - started) / 1000) * rate) : count + 100;
      const from = performance.now();
      batch(count, due);
      for (; count < due; count++) times.push(performance.now() - from + (paced ? 20 : 0)); // a sample waits half the pause
    }
    const elapsed = performance.now() - started;
    const cpuSeconds = cpuSince(cpu);
    database.pragma("wal_checkpoint(TRUNCATE)");
    const result = { count, elapsed, times, cpuSeconds, bytes: (written() - before) / count };
    database.close();
    return result;
  });
}

async function telemetry({ seconds, rate, devices, paced, built }) {
  const part = await startTelemetry(built);
  const { telemetry, database } = part;
  const send = (n) =>
    telemetry.ingest(deviceOf(n, devices), [{ at: null, data: reading(n) }], { messageId: (n % 65_535) + 1, duplicate: false, at: Date.now() });
  const [before, cpu] = [written(), process.cpuUsage()];
  const result = await sendAll(send, { seconds, rate: paced ? rate : null, inFlight: WINDOW * devices });
  const cpuSeconds = cpuSince(cpu);
  await telemetry.compact();
  database.raw.pragma("wal_checkpoint(TRUNCATE)");
  const bytes = (written() - before) / result.count;
  await part.stop();
  return { ...result, bytes, cpuSeconds };
}

async function startTelemetry(built) {
  const from = (file) => import(join(built, "src", file));
  const [{ Telemetry }, { Database }, { Bus }, { systemClock: clock }, { silentLogger: logger }] = await Promise.all(
    ["telemetry/telemetry.js", "storage/database.js", "kernel/bus.js", "kernel/clock.js", "kernel/logger.js"].map(from),
  );
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const database = new Database({
    file: join(folder, "gatehouse.db"),
    migrationsFolder: join(ROOT, "src/storage/migrations"),
    commitIntervalMs: 20,
    clock,
    logger,
  });
  await database.start();
  const telemetry = new Telemetry({
    database,
    clock,
    logger,
    bus: new Bus(logger),
    siteOf: () => 1,
    clockTrusted: () => true,
    webhooks: { wanted: () => false, enqueue: () => {} },
    settings: { rawDays: 35, hourlyDays: 1_095, maxBytes: 2_000_000_000, reportGapMs: 1_000 },
  }); // prettier-ignore
  await telemetry.start();
  const stop = async () => {
    await telemetry.stop();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { telemetry, database, stop };
}

async function hub({ seconds, rate, devices, paced, built }) {
  return inFolder(async (folder) => {
    const running = await startHub(built, folder);
    const { seedAccount } = await import(join(built, "test/support/database.js"));
    const { siteId } = seedAccount(running.database);
    for (let i = 0; i < devices; i++)
      await running.devices.registry.create(siteId, { id: deviceOf(i, devices), name: `Meter ${i}`, type: "energy-meter", password: PASSWORD });
    const clients = fork(SELF, ["--role", "clients", JSON.stringify({ port: running.broker.port, devices })], { execArgv: [] });
    await once(clients);
    const ask = (order) => {
      clients.send(order);
      return once(clients);
    };
    await ask({ seconds: WARM_UP_SECONDS, rate: paced ? rate : null });
    const [before, cpu] = [written(), process.cpuUsage()];
    const result = await ask({ seconds, rate: paced ? rate : null });
    const cpuSeconds = cpuSince(cpu);
    await running.telemetry.compact();
    running.database.raw.pragma("wal_checkpoint(TRUNCATE)");
    const bytes = (written() - before) / result.count;
    const rss = process.memoryUsage.rss();
    clients.kill();
    await running.stop();
    return { ...result, bytes, rss, cpuSeconds };
  });
}

async function startHub(built, folder) {
  const { Hub } = await import(join(built, "src/hub.js"));
  const { systemClock } = await import(join(built, "src/kernel/clock.js"));
  const { silentLogger } = await import(join(built, "src/kernel/logger.js"));
  const { openSettings } = await import(join(built, "src/settings/store.js"));
  const env = {
    GATEHOUSE_DATA: folder,
    GATEHOUSE_HOST: "127.0.0.1",
    GATEHOUSE_HTTP_PORT: "0",
    GATEHOUSE_MQTT_PORT: "0",
    GATEHOUSE_TLS: "off",
    GATEHOUSE_MDNS: "false",
    GATEHOUSE_MQTT_MESSAGES_PER_SECOND: "0",
  }; // prettier-ignore
  const running = new Hub({
    settings: openSettings({ env, argv: [] }),
    clock: systemClock,
    logger: silentLogger,
    projectFolder: ROOT,
    dataFolder: folder,
    version: "bench",
    builtAt: 0,
  });
  await running.start();
  return running;
}

/** The devices: real MQTT clients, told over IPC how long and how fast to send. */
async function clients({ port, devices }) {
  const { default: mqtt } = await import("mqtt");
  const connect = (i) => mqtt.connectAsync({ host: "127.0.0.1", port, username: deviceOf(i, devices), clientId: deviceOf(i, devices), password: PASSWORD });
  const connected = [];
  for (let i = 0; i < devices; i++) connected.push(await connect(i)); // one after the other: the broker bounds connections that have not said who they are
  const send = (n) => connected[n % devices].publishAsync(`gatehouse/${deviceOf(n, devices)}/telemetry`, JSON.stringify(reading(n)), { qos: 1 });
  process.on("message", async ({ seconds, rate }) => {
    // Without it, a paced client's system holds each reading back until the one before is acknowledged, and the hub's time is counted twice.
    for (const { stream } of connected) stream.setNoDelay(rate !== null);
    process.send(await sendAll(send, { seconds, rate, inFlight: WINDOW * devices }));
  });
  process.send({});
}

/** Sends for some seconds, at a rate or (null) with so many in flight; resolves when all are acknowledged. */
async function sendAll(send, { seconds, rate, inFlight }) {
  const times = [];
  const started = performance.now();
  const end = started + seconds * 1000;
  let count = 0;
  const one = async () => {
    const from = performance.now();
    await send(count++);
    times.push(performance.now() - from);
  };
  if (rate === null) {
    const worker = async () => {
      while (performance.now() < end) await one();
    };
    await Promise.all([...Array(inFlight)].map(worker));
  } else {
    const all = [];
    while (performance.now() < end) {
      await pause(5);
      while (count < ((performance.now() - started) / 1000) * rate) all.push(one());
    }
    await Promise.all(all);
  }
  return { count, elapsed: performance.now() - started, times };
}

function reading(n) {
  return { watts: Math.round(Math.random() * 20_000) / 10, voltage: 228 + (n % 60) / 10 };
}

function deviceOf(n, devices) {
  return `meter-${n % devices}`;
}

function written() {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))[1]);
}

/** Seconds of processor time of this process, all its threads, since an earlier `process.cpuUsage()`. */
function cpuSince(earlier) {
  const { user, system } = process.cpuUsage(earlier);
  return (user + system) / 1e6;
}

async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function summary({ count, elapsed, times, cpuSeconds, bytes, rss = process.memoryUsage.rss() }) {
  const sorted = times.sort((left, right) => left - right);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { perSecond: (count / elapsed) * 1000, perCpuSecond: count / cpuSeconds, p50: at(0.5), p99: at(0.99), bytes, rss: rss / 1e6 };
}

function once(child) {
  return new Promise((done, reject) => {
    child.once("message", done);
    child.once("exit", (code) => reject(new Error(`a process of the bench ended with ${code}`)));
  });
}

const ROLES = { sqlite, telemetry, hub };

if (SELF === resolve(process.argv[1] ?? "")) {
  const [, , flag, role, settings] = process.argv;
  if (flag !== "--role") await run(process.argv.slice(2));
  else if (role === "clients") await clients(JSON.parse(settings));
  else process.send(summary(await ROLES[role](JSON.parse(settings))), () => process.exit(0));
}
