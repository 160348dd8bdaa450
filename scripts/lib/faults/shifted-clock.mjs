// @ts-check
/**
 * Loaded before the hub (node --import) by scripts/faults.mjs: shifts the wall clock by the milliseconds in the file
 * CLOCK_FILE, and makes the hub's minutes pass CLOCK_SPEED times as fast, so that hourly work comes soon. Once it is
 * stopping, time passes normally: its services' time limits would be too short on a busy machine.
 */
import { readFileSync } from "node:fs";

let speed = Number(process.env.CLOCK_SPEED ?? 1);
const RealDate = Date;
const realNow = Date.now;
const began = realNow();
const realMono = performance.now.bind(performance);
const beganMono = realMono();
/** Where the present speed began: real milliseconds, and the hub's. */
let from = { real: beganMono, mono: beganMono };
let shiftMs = 0;

function look() {
  try {
    shiftMs = Number(readFileSync(process.env.CLOCK_FILE ?? "", "utf8")) || 0;
  } catch {
    // Being written: as it was.
  }
}

const mono = () => from.mono + (realMono() - from.real) * speed;
const wall = () => Math.round(began + mono() - beganMono + shiftMs);

class ShiftedDate extends RealDate {
  /** @param {(string | number)[]} parts */
  constructor(...parts) {
    if (parts.length === 0) super(wall());
    // @ts-expect-error: as many as the caller gave
    else super(...parts);
  }

  /** @override */
  static now() {
    return wall();
  }
}

process.once("SIGTERM", () => {
  from = { real: realMono(), mono: mono() };
  speed = 1;
});
look();
// @ts-expect-error: calls of Date without new, which nothing makes, are left out
globalThis.Date = ShiftedDate;
performance.now = mono;
const { setTimeout: realTimeout, setInterval: realInterval } = globalThis;
/** @typedef {(...args: unknown[]) => void} Task */
const inTime = {
  setTimeout: (/** @type {Task} */ task, ms = 0, /** @type {unknown[]} */ ...more) =>
    realTimeout(task, ms / speed, ...more),
  setInterval: (/** @type {Task} */ task, ms = 0, /** @type {unknown[]} */ ...more) =>
    realInterval(task, ms / speed, ...more),
};
Object.assign(globalThis, inTime);
realInterval(look, 20).unref();
