// @ts-check
/**
 * npm run bench -- history [--build FOLDER] [--calls N] [--plugs N]
 *
 * A year of one-minute samples of a meter (kept for a year) and of plugs with a counter, written through the hub's own parts; then a hub of its own
 * process answers every range of the history, and the energy of the whole house. For each: bytes, points, p50 and p99 as the caller sees them, and the
 * longest time that the event loop was held. The baseline is the newest thousand samples.
 * Wanted: a year ≤ 300 ms, every page back ≤ 100 ms, the loop never held > 20 ms.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { deflateRawSync } from "node:zlib";
import SqliteDatabase from "better-sqlite3";
import { benchDevices, benchEnvironment, HELD_LOOP, held, option, percentile, provision } from "../lib/bench-hub.mjs";
import { signIn, startHub } from "../lib/hub-process.mjs";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const BLOCK = 500;
const RANGES = /** @type {const} */ ([
  ["hour", HOUR_MS],
  ["day", DAY_MS],
  ["week", 7 * DAY_MS],
  ["month", 30 * DAY_MS],
  ["year", 365 * DAY_MS],
]);

/** @param {string[]} options */
export async function run(options) {
  const build = option(options, "--build", "build");
  const calls = Number(option(options, "--calls", "20"));
  const plugs = Number(option(options, "--plugs", "20"));
  const data = mkdtempSync(join(tmpdir(), "gatehouse-history-"));
  try {
    const heldFile = join(data, "held.json");
    const env = benchEnvironment(data, { GATEHOUSE_RECOGNITION: "false", GATEHOUSE_TELEMETRY_RAW_DAYS: "400", HELD_FILE: heldFile });
    const devices = [...benchDevices("energy-meter", null, "meter"), ...benchDevices("smart-plug", plugs, "plug")];
    const { account, key } = provision(build, env, devices);
    const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const size = fill(
      join(data, "gatehouse.db"),
      devices.map(({ id }) => id),
      now,
    );
    const hub = await startHub({ build, env, preload: HELD_LOOP });
    try {
      const cookie = await signIn(hub.url, account);
      await pause(2_000);
      const v1 = { authorization: `Bearer ${key}` };
      const at = (/** @type {number} */ ms) => new Date(ms).toISOString();
      const path = (/** @type {number} */ from, /** @type {number} */ to) => `/v1/devices/meter/history?metric=watts&points=800&from=${at(from)}&to=${at(to)}`;
      /** @type {[name: string, where: string, headers: Record<string, string>][]} */
      const asked = [
        ["the newest 1,000 samples (baseline)", "/v1/devices/meter/telemetry?limit=1000", v1],
        ...RANGES.flatMap(
          ([name, length]) =>
            /** @type {[string, string, typeof v1][]} */ ([
              [name, path(now - length, now), v1],
              [`${name}, one back`, path(now - 2 * length, now - length), v1],
            ]),
        ),
        ["energy, day", "/api/energy?period=day", { cookie }],
        ["energy, month", "/api/energy?period=month", { cookie }],
        ["energy, year", "/api/energy?period=year", { cookie }],
      ];
      console.log(`${plugs + 1} devices, ${size.samples} samples of the meter, database ${(size.bytes / 1e6).toFixed(0)} MB; milliseconds\n`);
      console.log("| asked | points | kB | first | p50 | p99 | loop held, CPU | loop held, elapsed |\n| --- | --- | --- | --- | --- | --- | --- | --- |");
      for (const [name, where, headers] of asked) await measure(hub, heldFile, { name, where, headers, calls });
    } finally {
      await hub.stop();
    }
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

/**
 * @param {import("../lib/hub-process.mjs").Hub} hub
 * @param {string} heldFile
 * @param {{ name: string, where: string, headers: Record<string, string>, calls: number }} wishes
 */
async function measure(hub, heldFile, { name, where, headers, calls }) {
  await held(hub, heldFile);
  /** @type {number[]} */
  const times = [];
  let text = "";
  let status = 0;
  for (let n = 0; n < calls; n++) {
    const begun = performance.now();
    const answer = await fetch(hub.url + where, { headers });
    text = await answer.text();
    status = answer.status;
    times.push(performance.now() - begun);
  }
  const { most, mostElapsed } = await held(hub, heldFile);
  const body = status === 200 ? JSON.parse(text) : {};
  const points = (body.series ?? body.telemetry ?? body.energy?.buckets)?.length ?? `status ${status}`;
  const figures = [times[0] ?? Number.NaN, percentile(times, 0.5), percentile(times, 0.99), most, mostElapsed].map((figure) => figure.toFixed(1));
  console.log(`| ${name} | ${points} | ${(text.length / 1000).toFixed(0)} | ${figures.join(" | ")} |`);
}

/**
 * Blocks and roll-ups as a compaction writes them: a year of one-minute samples of the meter, and of the others the roll-ups.
 * @param {string} file
 * @param {string[]} names
 * @param {number} now
 */
function fill(file, names, now) {
  const db = new SqliteDatabase(file);
  db.pragma("synchronous = OFF");
  const from = now - 365 * DAY_MS;
  const watts = (/** @type {number} */ at, /** @type {number} */ n) =>
    Math.round((180 + 120 * Math.sin(at / 7_000_000 + n) + 60 * Math.sin(at / 400_000)) * 10) / 10;
  const device = db.prepare("INSERT INTO telemetry_device (device_id) VALUES (?)");
  const series = db.prepare("INSERT INTO telemetry_series (device, metric) VALUES (?, ?)");
  const block = db.prepare("INSERT INTO telemetry_block (device, from_at, to_at, count, bytes, times, samples) VALUES (?, ?, ?, ?, ?, ?, ?)");
  const columns = [0, 1, 2, 3].flatMap((q) => [`count${q}`, `sum${q}`, `max${q}`, `min${q}`, `wh${q}`]);
  const hour = db.prepare(`INSERT INTO telemetry_hour (series, hour, ${columns.join(", ")}) VALUES (?, ?${", ?".repeat(20)})`);
  let samples = 0;
  db.transaction(() => {
    for (const [n, name] of names.entries()) {
      const ref = Number(device.run(name).lastInsertRowid);
      const idOf = (/** @type {string} */ metric) => Number(series.run(ref, metric).lastInsertRowid);
      const ids = { watts: idOf("watts"), kwh: idOf("kwh") };
      let kwh = 1_000 + n;
      for (let start = from; start < now; start += HOUR_MS) {
        /** @type {(number | null)[][]} */
        const [power = [], counter = []] = [[], []];
        for (let q = 0; q < 4; q++) {
          const values = Array.from({ length: 15 }, (_, m) => watts(start + (q * 15 + m) * MINUTE_MS, n));
          const sum = values.reduce((a, b) => a + b, 0);
          power.push(15, sum, Math.max(...values), Math.min(...values), sum / 60);
          counter.push(15, kwh * 15, kwh + sum / 60_000, kwh, null);
          kwh += sum / 60_000;
        }
        hour.run(ids.watts, start / HOUR_MS, ...power);
        hour.run(ids.kwh, start / HOUR_MS, ...counter);
      }
      if (n > 0) continue;
      for (let start = from; start < now; start += BLOCK * MINUTE_MS) {
        const times = Array.from({ length: Math.min(BLOCK, (now - start) / MINUTE_MS) }, (_, m) => start + m * MINUTE_MS);
        const texts = deflateRawSync(times.map((at) => JSON.stringify({ watts: watts(at, 0), voltage: 230.1, kwh: 1_000 })).join("\n"), { level: 6 });
        const packed = packTimes(times);
        block.run(ref, times[0], times.at(-1), times.length, packed.length + texts.length, packed, texts);
        samples += times.length;
      }
    }
  })();
  db.pragma("wal_checkpoint(TRUNCATE)");
  db.close();
  return { samples, bytes: readFileSync(file).length };
}

/** As telemetry/block-format.ts: differences of variable length. @param {number[]} times */
function packTimes(times) {
  /** @type {number[]} */
  const bytes = [];
  let previous = 0;
  for (const at of times) {
    let step = at - previous;
    previous = at;
    for (; step >= 128; step = Math.floor(step / 128)) bytes.push((step % 128) + 128);
    bytes.push(step);
  }
  return Buffer.from(bytes);
}
