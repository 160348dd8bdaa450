// @ts-check
/**
 * Preloaded into a hub by scripts/denial.mjs, scripts/bench/large-house.mjs and a test: measures how long its event
 * loop is blocked, in processor time, which is valid on a busy machine too, and the maximum in elapsed time. On SIGUSR2
 * it writes the values since the last signal to HELD_FILE.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/** Milliseconds. @typedef {{ p50: number, p99: number, most: number, used: number, mostElapsed: number }} Held */

const TICK_MS = 5;
const usedNow = () => Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
let last = usedNow();
/** @type {number[]} */
let turns = [];
const elapsed = monitorEventLoopDelay({ resolution: 1 });
elapsed.enable();
setInterval(() => {
  const now = usedNow();
  turns.push(now - last);
  last = now;
}, TICK_MS).unref();
process.on("SIGUSR2", () => {
  const sorted = turns.sort((a, b) => a - b);
  /** @param {number} share */
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const used = sorted.reduce((sum, turn) => sum + turn, 0);
  writeFileSync(
    process.env.HELD_FILE ?? "/dev/null",
    JSON.stringify({ p50: at(0.5), p99: at(0.99), most: at(1), used, mostElapsed: elapsed.max / 1e6 }),
  );
  turns = [];
  elapsed.reset();
});
