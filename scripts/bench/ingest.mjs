// @ts-check
/**
 * npm run bench -- ingest [--seconds N] [--rate N] [--devices N] [--parts NAME,…]
 *
 * Durable telemetry: samples per second, samples per second of processor time (of the whole process, threads and start
 * of compaction included; the fair measure on a machine that is doing other things), time until a sample is
 * acknowledged, bytes written to disk per sample (write_bytes of /proc/self/io, with the compaction and the checkpoint
 * that the samples cause) and memory. The parts, one after the other in one run:
 *
 *   sqlite        the baseline: better-sqlite3 inserts the same samples into a plain indexed table, one transaction
 *                 per 100
 *   sqlite paced  the same at the given rate, one transaction every 40 ms
 *   telemetry     the telemetry part alone, at the rate, then at full speed
 *   hub           a whole hub over MQTT at QoS 1 from real clients in a separate process, the same two ways
 *
 * Every part runs in a separate process, started as the hub is (scripts/lib/hub-environment.mjs).
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { option } from "../lib/bench-hub.mjs";
import { say, startHelper } from "../lib/helper-process.mjs";
import { HUB_ENVIRONMENT, NODE_ARGUMENTS } from "../lib/hub-environment.mjs";
import { makeOwnHub } from "../lib/own-hub.mjs";

/**
 * @typedef {{ seconds: number, rate: number, devices: number }} Settings
 * @typedef {Settings & { paced: boolean }} Part
 * @typedef {{ count: number, elapsed: number, times: number[] }} Sent
 * @typedef {Sent & { cpuSeconds: number, bytes: number, rss?: number }} Result
 * @typedef {ReturnType<typeof summary>} Figures
 */

const SELF = fileURLToPath(import.meta.url);
const ROOT = resolve(SELF, "../../..");
const PASSWORD = "bench-password";
/** Warms up the code, because a hub runs for weeks. */
const WARM_UP_SECONDS = 5;
/** Messages each client has in flight when it sends as fast as it can. */
const WINDOW = 20;
const WANTED = { rate: 3_000, p99: 60, bytes: 250, perSecond: 22_000, perCpuSecond: 100_000 };

/** Runs the comparison and prints it; resolves with the figures. @param {string[]} options */
export async function run(options = []) {
  const settings = {
    seconds: Number(option(options, "--seconds", "20")),
    rate: Number(option(options, "--rate", String(WANTED.rate))),
    devices: Number(option(options, "--devices", "50")),
  };
  const parts = option(options, "--parts", "sqlite,telemetry,hub").split(",");
  /** @type {Record<string, Figures>} */
  const figures = {};
  for (const [name, part, paced] of /** @type {const} */ ([
    ["sqlite", "sqlite", false],
    ["sqlite paced", "sqlite", true],
    ["telemetry paced", "telemetry", true],
    ["telemetry", "telemetry", false],
    ["hub paced", "hub", true],
    ["hub", "hub", false],
  ])) {
    if (parts.includes(part)) figures[name] = await measure(part, { ...settings, paced });
  }
  print(settings, figures);
  return figures;
}

/** @param {string} part @param {Part} settings @returns {Promise<Figures>} */
async function measure(part, settings) {
  const wishes = ["--role", part, JSON.stringify(settings)];
  // the last two as the hub's program sets them (settleHeap in src/core/kernel/compiler.ts)
  const asHub = [...NODE_ARGUMENTS, "--heap-growing-percent=100", "--no-allocation-site-pretenuring"];
  const { ready } = await startHelper(SELF, wishes, asHub, HUB_ENVIRONMENT);
  return ready;
}

/** @param {Settings} settings @param {Record<string, Figures>} figures */
function print({ seconds, rate, devices }, figures) {
  console.log(`telemetry from ${devices} devices, ${seconds} s each, paced parts at ${rate} samples/s`);
  console.log(`${"".padEnd(16)} samples/s   per CPU s   p50 ms   p99 ms   bytes/sample   RSS MB`);
  for (const [name, figure] of Object.entries(figures)) {
    const { perSecond, perCpuSecond, p50, p99, bytes, rss } = figure;
    const cell = (/** @type {number} */ value, /** @type {number} */ width, /** @type {number} */ digits) =>
      value.toFixed(digits).padStart(width);
    console.log(
      `${name.padEnd(16)}${cell(perSecond, 10, 0)}${cell(perCpuSecond, 12, 0)}${cell(p50, 9, 1)}${cell(p99, 9, 1)}${cell(bytes, 15, 0)}${cell(rss, 9, 0)}`,
    );
  }
  const { "hub paced": paced, hub } = figures;
  if (paced === undefined || hub === undefined) return;
  const isPacedMet = paced.perSecond >= WANTED.rate * 0.99 && paced.p99 <= WANTED.p99 && paced.bytes <= WANTED.bytes;
  const isMet = hub.perSecond >= WANTED.perSecond && hub.perCpuSecond >= WANTED.perCpuSecond;
  const verdict = (/** @type {boolean} */ met) => (met ? "met" : "NOT met");
  console.log(
    `wanted of the hub paced: ${WANTED.rate} samples/s, p99 ≤ ${WANTED.p99} ms, ≤ ${WANTED.bytes} bytes/sample: ${verdict(isPacedMet)}`,
  );
  console.log(
    `wanted of the hub: ≥ ${WANTED.perSecond} samples/s, ≥ ${WANTED.perCpuSecond} per CPU second: ${verdict(isMet)}`,
  );
}

/** The baseline: what one would write without Gatehouse. @param {Part} part @returns {Promise<Result>} */
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
    const batch = database.transaction((/** @type {number} */ from, /** @type {number} */ to) => {
      for (let n = from; n < to; n++) insert.run(deviceOf(n, devices), Date.now(), JSON.stringify(reading(n)));
    });
    const [before, cpu] = [written(), process.cpuUsage()];
    const started = performance.now();
    /** @type {number[]} */
    const times = [];
    let count = 0;
    while (performance.now() - started < seconds * 1000) {
      if (paced) await pause(40);
      const due = paced ? Math.floor(((performance.now() - started) / 1000) * rate) : count + 100;
      const from = performance.now();
      batch(count, due);
      // a sample waits half the pause
      for (; count < due; count++) times.push(performance.now() - from + (paced ? 20 : 0));
    }
    const elapsed = performance.now() - started;
    const cpuSeconds = cpuSince(cpu);
    database.pragma("wal_checkpoint(TRUNCATE)");
    const result = { count, elapsed, times, cpuSeconds, bytes: (written() - before) / count };
    database.close();
    return result;
  });
}

/** @param {Part} part @returns {Promise<Result>} */
async function telemetry({ seconds, rate, devices, paced }) {
  const part = await startTelemetry();
  const { telemetry, database } = part;
  const send = (/** @type {number} */ n) =>
    telemetry.ingest(deviceOf(n, devices), [{ at: null, data: reading(n) }], {
      messageId: (n % 65_535) + 1,
      duplicate: false,
      at: Date.now(),
    });
  const [before, cpu] = [written(), process.cpuUsage()];
  const result = await sendAll(send, { seconds, rate: paced ? rate : null, inFlight: WINDOW * devices });
  const cpuSeconds = cpuSince(cpu);
  await telemetry.compact();
  database.raw.pragma("wal_checkpoint(TRUNCATE)");
  const bytes = (written() - before) / result.count;
  await part.stop();
  return { ...result, bytes, cpuSeconds };
}

async function startTelemetry() {
  const { Telemetry } = await import("../../src/features/telemetry/telemetry.ts");
  const { Database } = await import("../../src/core/storage/database.ts");
  const { systemClock: clock } = await import("../../src/core/kernel/clock.ts");
  const { silentLogger: logger } = await import("../../src/core/kernel/logger.ts");
  const { testBase } = await import("../../test/support/base.ts");
  const { EveryDevice, ListingOutbox } = await import("../../test/support/stand-ins.ts");
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const database = new Database({
    file: join(folder, "gatehouse.db"),
    migrationsFolder: join(ROOT, "src/core/storage/migrations"),
    commitIntervalMs: 20,
    clock,
    logger,
  });
  await database.start();
  const base = testBase(database, clock);
  const telemetry = new Telemetry(base, { registry: new EveryDevice(base, () => 1), outbox: new ListingOutbox(base) });
  await telemetry.start();
  const stop = async () => {
    await telemetry.stop();
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { telemetry, database, stop };
}

/** @param {Part} part @returns {Promise<Result>} */
async function hub({ seconds, rate, devices, paced }) {
  return inFolder(async (folder) => {
    const running = await makeOwnHub(folder, { GATEHOUSE_MQTT_MESSAGES_PER_SECOND: "0" });
    await running.start();
    const { seedAccount } = await import("../../test/support/database.ts");
    const { siteId } = seedAccount(running.base.database);
    for (let i = 0; i < devices; i++)
      await running.devices.registry.create(siteId, {
        id: deviceOf(i, devices),
        name: `Meter ${i}`,
        type: "energy-meter",
        password: PASSWORD,
      });
    const clients = await startHelper(
      SELF,
      ["--role", "clients", JSON.stringify({ port: running.mqtt.broker.port, devices })],
      [],
    );
    await clients.ask({ seconds: WARM_UP_SECONDS, rate: paced ? rate : null });
    const [before, cpu] = [written(), process.cpuUsage()];
    /** @type {Sent} */
    const result = await clients.ask({ seconds, rate: paced ? rate : null });
    const cpuSeconds = cpuSince(cpu);
    await running.telemetry.telemetry.compact();
    running.base.database.raw.pragma("wal_checkpoint(TRUNCATE)");
    const bytes = (written() - before) / result.count;
    const rss = process.memoryUsage.rss();
    clients.end();
    await running.stop();
    return { ...result, bytes, rss, cpuSeconds };
  });
}

/**
 * The devices: real MQTT clients, which get duration and rate over IPC.
 * @param {{ port: number, devices: number }} wishes
 */
async function clients({ port, devices }) {
  const { default: mqtt } = await import("mqtt");
  const connect = (/** @type {number} */ i) =>
    mqtt.connectAsync({
      host: "127.0.0.1",
      port,
      username: deviceOf(i, devices),
      clientId: deviceOf(i, devices),
      password: PASSWORD,
    });
  /** @type {import("mqtt").MqttClient[]} */
  const connected = [];
  // one after the other: the broker limits unauthenticated connections
  for (let i = 0; i < devices; i++) connected.push(await connect(i));
  const send = async (/** @type {number} */ n) =>
    connected[n % devices]?.publishAsync(`gatehouse/${deviceOf(n, devices)}/telemetry`, JSON.stringify(reading(n)), {
      qos: 1,
    });
  process.on("message", async (/** @type {{ seconds: number, rate: number | null }} */ { seconds, rate }) => {
    // Without it, a paced client's system delays each reading until the previous one is acknowledged, and the hub's
    // time is counted twice.
    for (const { stream } of connected) /** @type {import("node:net").Socket} */ (stream).setNoDelay(rate !== null);
    say(await sendAll(send, { seconds, rate, inFlight: WINDOW * devices }));
  });
  say({});
}

/**
 * Sends for some seconds, at a rate or (null) at full speed; resolves when all are acknowledged.
 * @param {(n: number) => Promise<unknown>} send
 * @param {{ seconds: number, rate: number | null, inFlight: number }} pace
 * @returns {Promise<Sent>}
 */
async function sendAll(send, { seconds, rate, inFlight }) {
  /** @type {number[]} */
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
    /** @type {Promise<void>[]} */
    const all = [];
    while (performance.now() < end) {
      await pause(5);
      while (count < ((performance.now() - started) / 1000) * rate) all.push(one());
    }
    await Promise.all(all);
  }
  return { count, elapsed: performance.now() - started, times };
}

/** @param {number} n */
function reading(n) {
  return { watts: Math.round(Math.random() * 20_000) / 10, voltage: 228 + (n % 60) / 10 };
}

/** @param {number} n @param {number} devices */
function deviceOf(n, devices) {
  return `meter-${n % devices}`;
}

function written() {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

/**
 * Seconds of processor time of this process, all its threads, since an earlier `process.cpuUsage()`.
 * @param {NodeJS.CpuUsage} earlier
 */
function cpuSince(earlier) {
  const { user, system } = process.cpuUsage(earlier);
  return (user + system) / 1e6;
}

/** @template Value @param {(folder: string) => Promise<Value>} work */
async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {Result} result */
function summary({ count, elapsed, times, cpuSeconds, bytes, rss = process.memoryUsage.rss() }) {
  const sorted = times.sort((left, right) => left - right);
  const at = (/** @type {number} */ share) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return {
    perSecond: (count / elapsed) * 1000,
    perCpuSecond: count / cpuSeconds,
    p50: at(0.5),
    p99: at(0.99),
    bytes,
    rss: rss / 1e6,
  };
}

const ROLES = new Map(Object.entries({ sqlite, telemetry, hub }));

if (SELF === resolve(process.argv[1] ?? "")) {
  const [, , flag, role = "", settings = "{}"] = process.argv;
  if (flag !== "--role") await run(process.argv.slice(2));
  else if (role === "clients") await clients(JSON.parse(settings));
  else {
    const result = await ROLES.get(role)?.(JSON.parse(settings));
    if (result !== undefined) say(summary(result), () => process.exit(0));
  }
}
