// @ts-check
/**
 * Loaded into a test file's process with --import: at exit, it writes to descriptor 3 the processor seconds
 * of the process and of its finished children. Linux; elsewhere 0.
 */
import { existsSync, readFileSync, writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const TICKS_PER_SECOND = 100;
const SAYS_TO = 3;
/** user and system time, own and of finished children, counted from the field after the name. */
const FIELDS = [11, 12, 13, 14];

/** Processor seconds of this process and of its finished children. */
export function processorSeconds() {
  const fields = existsSync("/proc/self/stat")
    ? readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ")
    : [];
  return FIELDS.reduce((sum, field) => sum + Number(fields?.[field] ?? 0), 0) / TICKS_PER_SECOND;
}

// threads also load this
if (isMainThread) process.on("exit", () => void writeSync(SAYS_TO, String(processorSeconds())));
