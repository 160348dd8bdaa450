// @ts-check
/** A year of history straight into a hub's database, as its own compaction writes it. The hub must be stopped. */
import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import SqliteDatabase from "better-sqlite3";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Samples in a block. */
const BLOCK = 500;

/**
 * Blocks and roll-ups: a year of one-minute samples of the first device, and only roll-ups of the others. Each has
 * power and a counter.
 * @param {string} file the database
 * @param {readonly string[]} names ids of devices that are there already
 * @param {number} now end of the year, epoch ms on a full hour
 * @returns {{ samples: number, bytes: number }} samples of the first device, and the size of the database
 */
export function fillYear(file, names, now) {
  const db = new SqliteDatabase(file);
  db.pragma("synchronous = OFF");
  const from = now - 365 * DAY_MS;
  /** @type {(at: number, n: number) => number} */
  const watts = (at, n) =>
    Math.round((180 + 120 * Math.sin(at / 7_000_000 + n) + 60 * Math.sin(at / 400_000)) * 10) / 10;
  const device = db.prepare("INSERT INTO telemetry_device (device_id) VALUES (?)");
  const series = db.prepare("INSERT INTO telemetry_series (device, metric) VALUES (?, ?)");
  const block = db.prepare(
    "INSERT INTO telemetry_block (device, from_at, to_at, count, bytes, times, samples) VALUES (?, ?, ?, ?, ?, ?, ?)",
  );
  const columns = [0, 1, 2, 3].flatMap((q) => [`count${q}`, `sum${q}`, `max${q}`, `min${q}`, `wh${q}`]);
  const hour = db.prepare(
    `INSERT INTO telemetry_hour (series, hour, ${columns.join(", ")}) VALUES (?, ?${", ?".repeat(20)})`,
  );
  let samples = 0;
  db.transaction(() => {
    for (const [n, name] of names.entries()) {
      const ref = Number(device.run(name).lastInsertRowid);
      const [wattsId, kwhId] = ["watts", "kwh"].map((metric) => Number(series.run(ref, metric).lastInsertRowid));
      let kwh = 1_000 + n;
      for (let start = from; start < now; start += HOUR_MS) {
        /** @type {number[]} */
        const power = [];
        /** @type {(number | null)[]} */
        const counter = [];
        for (let q = 0; q < 4; q++) {
          const values = Array.from({ length: 15 }, (_, m) => watts(start + (q * 15 + m) * MINUTE_MS, n));
          const sum = values.reduce((a, b) => a + b, 0);
          power.push(15, sum, Math.max(...values), Math.min(...values), sum / 60);
          counter.push(15, kwh * 15, kwh + sum / 60_000, kwh, null);
          kwh += sum / 60_000;
        }
        hour.run(wattsId, start / HOUR_MS, ...power);
        hour.run(kwhId, start / HOUR_MS, ...counter);
      }
      if (n > 0) continue;
      for (let start = from; start < now; start += BLOCK * MINUTE_MS) {
        const times = Array.from(
          { length: Math.min(BLOCK, (now - start) / MINUTE_MS) },
          (_, m) => start + m * MINUTE_MS,
        );
        const texts = deflateRawSync(
          times.map((at) => JSON.stringify({ watts: watts(at, 0), voltage: 230.1, kwh: 1_000 })).join("\n"),
          { level: 6 },
        );
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

/**
 * As features/telemetry/block-format.ts: differences of variable length.
 * @param {readonly number[]} times
 */
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
