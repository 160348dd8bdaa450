// @ts-check
/** The machine's clock jumps while an hour's work of the hub passes in seconds, with restarts between. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;
const JUMPS = {
  "2 hours": 2 * HOUR,
  "25 hours": 25 * HOUR,
  "40 days": 960 * HOUR,
  "2 years": 2 * YEAR,
  "10 years": 10 * YEAR,
};
const PRELOAD = new URL("./shifted-clock.mjs", import.meta.url).href;

/** @type {import("./kinds.mjs").Fault[]} */
export const clockFaults = [
  {
    name: "clock-jump",
    async run(house, random, { scratch }) {
      const file = join(scratch, "clock");
      const shift = (/** @type {number} */ ms) => writeFileSync(file, String(ms));
      shift(0);
      house.env = { CLOCK_FILE: file, CLOCK_SPEED: "30" };
      house.imports = [PRELOAD];
      await house.start();
      await house.signIn();
      await house.devices.connect();
      house.busy(40);
      await pause(500);
      const summary = [];
      for (let jumps = random.int(1, 2); jumps > 0; jumps--) {
        const name = /** @type {keyof typeof JUMPS} */ (random.of(Object.keys(JUMPS)));
        const sign = random.of([1, 1, -1]);
        shift(sign * JUMPS[name]);
        const restarted = random.of(["running", "stopped", "killed"]);
        summary.push(`${sign > 0 ? "forward" : "back"} ${name}, ${restarted}`);
        await pause(random.int(500, 2_500));
        if (restarted !== "running") {
          if (restarted === "killed") await house.hub.kill();
          else await house.hub.stop();
          if (!(await house.start())) break;
          await house.signIn();
          await pause(random.int(500, 2_500));
        }
      }
      const back = random.of([true, false]);
      if (back) shift(0);
      await pause(500);
      return `${summary.join("; then ")}${back ? "; taken back" : ""}`;
    },
  },
];
