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
 * How long each thread of a process was ready to run and others ran instead, ms; none when it has ended.
 * @param {number} pid
 */
function queuedMs(pid) {
  /** @type {Map<string, number>} */
  const queued = new Map();
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const schedstat = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8");
      queued.set(thread, Number(schedstat.split(" ")[1]) / 1_000_000);
    }
  } catch {
    // a thread has ended, or all have
  }
  return queued;
}

/**
 * A clock of the time that processes had, ms: it stands while a busy machine lets others run, of each process by the
 * thread that waited longest. @param {...number} pids one, or several that wait for each other
 * @returns {() => number} the time since this call
 */
export function ownTime(...pids) {
  const began = performance.now();
  const before = pids.map(queuedMs);
  return () =>
    pids.reduce((left, pid, n) => {
      const grown = [...queuedMs(pid)].map(([thread, ms]) => ms - (before[n]?.get(thread) ?? 0));
      return left - Math.max(0, ...grown);
    }, performance.now() - began);
}
