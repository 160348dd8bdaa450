// @ts-check
/**
 * npm run bench -- start [--build FOLDER] [--rounds N]
 *
 * Time from the start of the process to the first answered request, with an existing data folder (fifty devices, a day
 * of telemetry) and a code cache as on an installed hub, and the memory after the hub's clean-up. Baseline in the same
 * run: `node -e 0`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { benchDevices, benchEnvironment, option, percentile, provision } from "../lib/bench-hub.mjs";
import { startHub } from "../lib/hub-process.mjs";

/** src/core/platform/after-start.ts does it after five seconds. */
const TIDY_MS = 8_000;
const FURNISH_MS = 20_000;

/** @param {string[]} options */
export async function run(options) {
  const build = option(options, "--build", "build-hub");
  const rounds = Number(option(options, "--rounds", "5"));
  const data = mkdtempSync(join(tmpdir(), "gatehouse-start-"));
  try {
    const env = benchEnvironment(data, { NODE_COMPILE_CACHE: join(data, "compiled") });
    provision(build, env, fiftyPlugs());
    await startOnce(build, env, FURNISH_MS); // sets up the test household, draws its cars, and fills the code cache
    /** @type {number[]} */
    const bare = [];
    /** @type {number[]} */
    const hub = [];
    let memory = 0;
    for (let round = 0; round < rounds; round++) {
      const before = performance.now();
      spawnSync(process.execPath, ["-e", "0"]);
      bare.push(performance.now() - before);
      const started = await startOnce(build, env, round === rounds - 1 ? TIDY_MS : 0);
      hub.push(started.ms);
      memory = started.residentMegabytes;
    }
    const [bareMs, hubMs] = [percentile(bare, 0.5), percentile(hub, 0.5)];
    console.log("| what | median ms | ratio |\n| --- | --- | --- |");
    console.log(`| node -e 0 | ${bareMs.toFixed(0)} | 1 |`);
    console.log(`| hub, process start to first answer | ${hubMs.toFixed(0)} | ${(hubMs / bareMs).toFixed(1)} |`);
    console.log(`\nResident memory, idle, recogniser not loaded: ${memory.toFixed(0)} MB`);
    return { bareMs, hubMs, residentMegabytes: memory };
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

function fiftyPlugs() {
  return benchDevices("smart-plug", 50, "plug").map((device, n) => ({ ...device, room: `Room ${n % 8}` }));
}

/**
 * One start; the memory is read, and the hub stopped, this many milliseconds after its first answer.
 * @param {string} build
 * @param {Record<string, string>} env
 * @param {number} restMs
 */
async function startOnce(build, env, restMs) {
  const before = performance.now();
  const hub = await startHub({ build, env });
  const answer = await fetch(`${hub.url}/v1`);
  if (!answer.ok) throw new Error(`GET /v1: ${answer.status}`);
  const ms = performance.now() - before;
  await pause(restMs);
  const memory = hub.memory();
  await hub.stop();
  return { ms, residentMegabytes: memory };
}
