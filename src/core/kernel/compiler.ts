/**
 * Options of V8 that the hub sets by itself, when its modules are loaded. As arguments of Node they would cost each
 * start, and each thread's: compiled code counts only under the options under which it was made, and Node brings its
 * own modules compiled (30 ms of the processor).
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Switches one optimisation of V8 off in this process, wherever plates are read or devices are served. Code that
 * Maglev, V8's second compiler, made while the collector of an idle process was at work gave an object the fields of
 * the next one: two views of a picture had one size, and a plate that is always read with certainty was not read. It
 * happened to one frame in thirty that came after nine idle seconds (Node 24.21, V8 13.6; scripts/idle-reads.mjs shows
 * it), and never without Maglev, without the idle collection, or without its escape analysis. Pictures may not be the
 * only data affected. Code compiled earlier, while modules were loading, is correct: the process was not idle.
 * @param given arguments that Node was started with; an option given there takes precedence
 */
export function settleCompiler(given: readonly string[]): void {
  if (!given.some((word) => word.endsWith("maglev-escape-analysis"))) setFlagsFromString("--no-maglev-escape-analysis");
}

/**
 * Has the heap of old objects collected when it has doubled. V8's own threshold is lower, and under load a fifth of all
 * processor time went into marking live objects (bench ingest: 70,000 messages per CPU second became 100,000, with 22
 * MB more).
 *
 * No objects are allocated directly in the old generation: V8 begins to pretenure allocation sites whose objects mostly
 * survive, and then also messages that only wait for the disk. That began in more than half of all runs, permanently,
 * and doubled the number of collections (bench ingest: an eighth of all processor time).
 */
export function settleHeap(): void {
  setFlagsFromString("--heap-growing-percent=100");
  setFlagsFromString("--no-allocation-site-pretenuring");
}

/** Returns V8's garbage collector, to be called by hand. */
export function garbageCollector(): (options: { type: "minor" | "major"; flavor?: "last-resort" }) => void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  return typeof collect === "function" ? (options) => void collect(options) : () => undefined;
}

/**
 * Makes V8 optimise functions after thirty calls instead of four hundred, or ends that: requests of persons run only
 * dozens of times a day. By `npm run bench -- command`, a quarter of a millisecond less from a command's POST to the
 * device. Not an argument of Node, because functions that the start calls thirty times would be optimised too (50 ms).
 * It applies to functions that have hardly run before.
 */
export function optimiseSooner(isSooner: boolean): void {
  setFlagsFromString(`--invocation-count-for-maglev=${isSooner ? 30 : 400}`);
  setFlagsFromString(`--minimum-invocations-after-ic-update=${isSooner ? 30 : 500}`);
}

/**
 * Does something under the options with which Node was started: compiled code that is to count at the next start is
 * made under these. The hub's own hold again afterwards.
 * @param given arguments that Node was started with
 */
export function underStartOptions<Result>(given: readonly string[], work: () => Result): Result {
  optimiseSooner(false);
  setFlagsFromString("--maglev-escape-analysis");
  setFlagsFromString("--heap-growing-percent=0");
  setFlagsFromString("--allocation-site-pretenuring");
  setFlagsFromString("--no-expose-gc");
  try {
    return work();
  } finally {
    settleCompiler(given);
    settleHeap();
    optimiseSooner(true);
  }
}
