import { setFlagsFromString } from "node:v8";

/** What Node is started with wherever plates are read or devices are served; see {@link settleCompiler}. */
export const COMPILER_ARGUMENT = "--no-maglev-escape-analysis";

/**
 * Switches one optimisation of V8 off in this process. Code that Maglev, V8's second compiler, made while the collector
 * of an idle process was at work gave an object the fields of the next one: two views of a picture had one size, and a
 * plate that is always read with certainty was not read. It happened to one frame in thirty that came after nine idle
 * seconds (Node 24.21, V8 13.6; scripts/idle-reads.mjs shows it), and never without Maglev, without the idle
 * collection, or without its escape analysis. Nothing says that it is only pictures.
 * @param given arguments that Node was started with; whoever names the option there has decided
 */
export function settleCompiler(given: readonly string[]): void {
  if (!given.some((word) => word.endsWith("maglev-escape-analysis"))) setFlagsFromString(COMPILER_ARGUMENT);
}

/**
 * Has V8 optimise what was called thirty times, instead of four hundred, or ends that: what persons ask of a hub, it
 * does dozens of times a day. By `npm run bench -- command`, a quarter of a millisecond less from a command's POST to
 * the device. Not an argument of Node, because what the start calls thirty times would be optimised too (50 ms). It
 * holds for functions that have hardly run before.
 */
export function optimiseSooner(isSooner: boolean): void {
  setFlagsFromString(`--invocation-count-for-maglev=${isSooner ? 30 : 400}`);
  setFlagsFromString(`--minimum-invocations-after-ic-update=${isSooner ? 30 : 500}`);
}
