import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Clock } from "../kernel/clock.ts";
import { makeFolderSync } from "../kernel/folder-below.ts";

const WAIT_MS = 5_000;
const LOOK_MS = 100;
/** A clock this close counts as set. */
const NEAR_MS = 3_000;

/**
 * Sets the machine's clock by asking the system's helper that may: the hub itself may not. Resolves with whether it
 * happened, within five seconds. The request includes its time, so that waiting causes no error.
 */
export function systemClockSetter({
  file,
  uptimeFile,
  clock,
}: {
  /** The file that the system's helper watches (gatehouse-clock.path). */
  readonly file: string;
  /** Seconds since boot, from the same file as that helper uses. */
  readonly uptimeFile: string;
  readonly clock: Pick<Clock, "now" | "after">;
}): (wallMs: number) => Promise<boolean> {
  return async (wallMs) => {
    const uptime = readFileSync(uptimeFile, "utf8").split(" ")[0] ?? "0";
    makeFolderSync(dirname(file));
    writeFileSync(`${file}.new`, `${Math.round(wallMs)} ${uptime}\n`, { mode: 0o600 });
    renameSync(`${file}.new`, file);
    for (let waited = 0; waited < WAIT_MS; waited += LOOK_MS) {
      if (Math.abs(clock.now() - (wallMs + waited)) < NEAR_MS) return true;
      await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
    }
    return false;
  };
}
