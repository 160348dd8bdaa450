// @ts-check
/** What a process got of the processor, by proc(5): a busy machine is no finding. Linux. Plain Node. */
import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

/** Processor time of a process and its threads so far, ms; 0 when it has ended. @param {number} pid */
export function processorMs(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/**
 * How long a process was ready to run and others ran instead, ms: of its threads, the one that waited longest; 0 when
 * it has ended. @param {number} pid
 */
export function queuedMs(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[1]),
    );
    return Math.max(...threads) / 1_000_000;
  } catch {
    return 0;
  }
}

/**
 * A clock of the time that a process had, ms: it stands while a busy machine lets others run. @param {number} pid
 * @returns {() => number} the time since this call
 */
export function ownTime(pid) {
  const began = performance.now();
  const queued = queuedMs(pid);
  return () => performance.now() - began - Math.max(0, queuedMs(pid) - queued);
}
