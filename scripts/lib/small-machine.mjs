// @ts-check
/**
 * Simulates a smaller machine for a process: control groups limit each of its threads to a share of a core, all
 * together to four such cores, and its memory. Each thread separately, because one thread of a small board cannot use
 * its other cores. Linux with the cpu and memory controllers of version 1 mounted, as root. Plain Node.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const CPU = "/sys/fs/cgroup/cpu";
const MEMORY = "/sys/fs/cgroup/memory";
/**
 * Short, so that a wait for the next share is about as long as the slower work would have taken. The scheduler's
 * own tick is 1 to 4 ms.
 */
const PERIOD_US = 10_000;
/** Interval at which new threads get their own share; until then they use that of their parent. */
const LOOK_MS = 20;

/** The reason why it cannot be simulated here; null if it can. */
export function whyNoSmallMachine() {
  if (process.getuid?.() !== 0) return "it needs root";
  if (!existsSync(join(CPU, "cpu.cfs_quota_us")) || !existsSync(MEMORY))
    return "it needs the cpu and memory controllers of control groups, version 1";
  return null;
}

/**
 * Makes the groups.
 * @param {{ share: number, cores: number, megabytes: number }} machine share: of one core of this machine, at most 1
 */
export function smallMachine({ share, cores, megabytes }) {
  const name = `gatehouse-${process.pid}-${Date.now()}`;
  const own = /^\d+:memory:(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1] ?? "/";
  const [cpu, memory] = [join(CPU, name), join(MEMORY, own, name)];
  /** @param {string} folder @param {number} part */
  const group = (folder, part) => {
    mkdirSync(folder);
    writeFileSync(join(folder, "cpu.cfs_period_us"), String(PERIOD_US));
    writeFileSync(join(folder, "cpu.cfs_quota_us"), String(Math.max(1_000, Math.round(PERIOD_US * part))));
  };
  group(cpu, share * cores);
  mkdirSync(memory);
  writeFileSync(join(memory, "memory.limit_in_bytes"), String(megabytes * 2 ** 20));
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const threads = new Set();
  return {
    /** Puts a process into it, with its present and future threads. @param {number} pid */
    take(pid) {
      writeFileSync(join(memory, "cgroup.procs"), String(pid));
      const look = () => {
        try {
          for (const thread of readdirSync(`/proc/${pid}/task`)) {
            if (threads.has(thread)) continue;
            group(join(cpu, thread), share);
            threads.add(thread);
            writeFileSync(join(cpu, thread, "tasks"), thread);
          }
        } catch (error) {
          if (!(error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH")))
            throw error; // the thread has just ended
        }
      };
      look();
      timer = setInterval(look, LOOK_MS);
    },
    /** Time that threads waited for their next share, in milliseconds. */
    waited() {
      let ns = 0;
      for (const thread of threads)
        ns += Number(/throttled_time (\d+)/.exec(readFileSync(join(cpu, thread, "cpu.stat"), "utf8"))?.[1] ?? 0);
      return ns / 1e6;
    },
    /** Peak memory, the page cache of its files included, MB. */
    mostMegabytes: () => Number(readFileSync(join(memory, "memory.max_usage_in_bytes"), "utf8")) / 2 ** 20,
    /** Removes the groups, after the process has ended. */
    remove() {
      clearInterval(timer);
      for (const folder of [...[...threads].map((thread) => join(cpu, thread)), cpu, memory]) rmdirSync(folder);
    },
  };
}
