// @ts-check
/**
 * Loaded into a test file's process with --import: as it ends, it says on descriptor 3 how many seconds of the
 * processor it and the processes that it started and saw end have had. Linux; elsewhere it says 0.
 */
import { existsSync, readFileSync, writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const TICKS_PER_SECOND = 100;
const SAYS_TO = 3;
/** user, system, and both of the children that were waited for, counted from the field after the name. */
const FIELDS = [11, 12, 13, 14];

/** Seconds of the processor that this process, and those that it started and saw end, have had. */
export function processorSeconds() {
  const fields = existsSync("/proc/self/stat")
    ? readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ")
    : [];
  return FIELDS.reduce((sum, field) => sum + Number(fields?.[field] ?? 0), 0) / TICKS_PER_SECOND;
}

// threads load this too
if (isMainThread) process.on("exit", () => void writeSync(SAYS_TO, String(processorSeconds())));
