/**
 * npm run bench -- start [--build FOLDER] [--rounds N]
 *
 * Time from the start of the process to the first answered request, with a data folder that exists already (fifty
 * devices, a day of telemetry) and compiled code kept as on an installed box, and the memory once the hub has tidied up. Baseline in the same run: `node -e 0`.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { benchEnvironment, launch, option, pause, percentile, provision, residentMegabytes } from "../lib/bench-hub.mjs";

/** src/platform/after-start.ts does it after five seconds. */
const TIDY_MS = 8_000;
const FURNISH_MS = 20_000;

export async function run(options) {
  const build = option(options, "--build", "build");
  const rounds = Number(option(options, "--rounds", "5"));
  const data = mkdtempSync(join(tmpdir(), "gatehouse-start-"));
  try {
    const env = benchEnvironment(data, { NODE_COMPILE_CACHE: join(data, "compiled") });
    provision(build, env, fiftyPlugs());
    await startOnce(build, env, FURNISH_MS); // makes the test household, draws its cars, and keeps what was compiled
    const bare = [];
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
  return Array.from({ length: 50 }, (_, n) => ({ id: `plug-${n}`, name: `Plug ${n}`, type: "smart-plug", room: `Room ${n % 8}` }));
}

/** One start; the memory is looked at, and the hub stopped, so many milliseconds after its first answer. */
async function startOnce(build, env, restMs) {
  const before = performance.now();
  const hub = await launch(build, env);
  const answer = await fetch(`${hub.url}/v1`);
  if (!answer.ok) throw new Error(`GET /v1: ${answer.status}`);
  const ms = performance.now() - before;
  await pause(restMs);
  const memory = residentMegabytes(hub.pid);
  await hub.stop();
  return { ms, residentMegabytes: memory };
}
