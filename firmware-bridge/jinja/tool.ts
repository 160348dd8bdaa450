import type { Budget } from "./values.js";

/** Evaluated arguments: by position, and by name. */
export interface Given {
  readonly list: readonly unknown[];
  readonly named: ReadonlyMap<string, unknown>;
}

/**
 * A filter, method or function; `value` is what stands before it, the first argument for a function. Whoever calls it
 * has paid for reading its values once and pays for its result; it pays itself for what costs more than that.
 */
export type Tool = (value: unknown, given: Given, budget: Budget) => unknown;

/** An argument by its place or its name; undefined where it is not given. */
export function argument(given: Given, index: number, name: string): unknown {
  return given.named.has(name) ? given.named.get(name) : given.list[index];
}

/** Whether a default is given, by name or at `index`. */
export function hasDefault(given: Given, index: number): boolean {
  return given.named.has("default") || given.list.length > index;
}
