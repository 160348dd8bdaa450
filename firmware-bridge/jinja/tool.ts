import type { Budget } from "./values.ts";

/** Evaluated arguments: by position, and by name. */
export interface Given {
  readonly list: readonly unknown[];
  readonly named: ReadonlyMap<string, unknown>;
}

/**
 * A filter, method or function; `value` is what precedes it, or a function's first argument. The caller has paid for
 * reading its values once and pays for its result; the tool itself pays for anything that costs more.
 */
export type Tool = (value: unknown, given: Given, budget: Budget) => unknown;

/** An argument by its position or name; undefined if it is not given. */
export function argument(given: Given, index: number, name: string): unknown {
  return given.named.has(name) ? given.named.get(name) : given.list[index];
}

/** Whether a default is given, by name or at `index`. */
export function hasDefault(given: Given, index: number): boolean {
  return given.named.has("default") || given.list.length > index;
}
