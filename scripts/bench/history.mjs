// @ts-check
/**
 * npm run bench -- history [--build FOLDER] [--calls N] [--plugs N]
 *
 * A year of one-minute samples of a meter (kept for a year) and of plugs with a counter, written through the hub's own
 * parts; then a hub in a separate process answers every range of the history, and the energy of the whole house. For
 * each: bytes, points, p50 and p99 as the caller sees them, and the longest block of the event loop. The baseline is
 * the newest thousand samples. Wanted: a year ≤ 300 ms, every page back ≤ 100 ms, the loop never blocked > 20 ms.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { benchDevices, benchEnvironment, HELD_LOOP, held, option, percentile, provision } from "../lib/bench-hub.mjs";
import { signIn, startHub } from "../lib/hub-process.mjs";
import { fillYear } from "../lib/year-of-samples.mjs";

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const RANGES = /** @type {const} */ ([
  ["hour", HOUR_MS],
  ["day", DAY_MS],
  ["week", 7 * DAY_MS],
  ["month", 30 * DAY_MS],
  ["year", 365 * DAY_MS],
]);

/** @param {string[]} options */
export async function run(options) {
  const build = option(options, "--build", "build-hub");
  const calls = Number(option(options, "--calls", "20"));
  const plugs = Number(option(options, "--plugs", "20"));
  const data = mkdtempSync(join(tmpdir(), "gatehouse-history-"));
  try {
    const heldFile = join(data, "held.json");
    const env = benchEnvironment(data, {
      GATEHOUSE_RECOGNITION: "false",
      GATEHOUSE_TELEMETRY_RAW_DAYS: "400",
      HELD_FILE: heldFile,
    });
    const devices = [...benchDevices("energy-meter", null, "meter"), ...benchDevices("smart-plug", plugs, "plug")];
    const { account, key } = provision(build, env, devices);
    const now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const names = devices.map(({ id }) => id);
    const size = fillYear(join(data, "gatehouse.db"), names, now);
    const hub = await startHub({ build, env, preload: HELD_LOOP });
    try {
      const cookie = await signIn(hub.url, account);
      await pause(2_000);
      const v1 = { authorization: `Bearer ${key}` };
      const at = (/** @type {number} */ ms) => new Date(ms).toISOString();
      const path = (/** @type {number} */ from, /** @type {number} */ to) =>
        `/v1/devices/meter/history?metric=watts&points=800&from=${at(from)}&to=${at(to)}`;
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
      console.log(
        `${plugs + 1} devices, ${size.samples} samples of the meter, database ${(size.bytes / 1e6).toFixed(0)} MB; milliseconds\n`,
      );
      console.log(
        "| asked | points | kB | first | p50 | p99 | loop held, CPU | loop held, elapsed |\n| --- | --- | --- | --- | --- | --- | --- | --- |",
      );
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
  const figures = [times[0] ?? Number.NaN, percentile(times, 0.5), percentile(times, 0.99), most, mostElapsed].map(
    (figure) => figure.toFixed(1),
  );
  console.log(`| ${name} | ${points} | ${(text.length / 1000).toFixed(0)} | ${figures.join(" | ")} |`);
}
