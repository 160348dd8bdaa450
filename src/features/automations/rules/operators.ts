import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../../core/kernel/json-object.ts";
import type { CountOperator, Operator } from "./rule.ts";

/** Texts that devices send for "off". */
const FALSE_TEXTS: ReadonlySet<string> = new Set(["", "0", "false", "off", "no"]);

type Test = (actual: unknown, expected: unknown) => boolean;

const LEVELS: Record<Exclude<Operator, "changed">, Test> = {
  truthy: (actual) => isTruthy(actual),
  falsy: (actual) => !isTruthy(actual),
  eq: (actual, expected) => same(actual, expected),
  ne: (actual, expected) => !same(actual, expected),
  gt: (actual, expected) => ordered(actual, expected, (a, b) => a > b),
  gte: (actual, expected) => ordered(actual, expected, (a, b) => a >= b),
  lt: (actual, expected) => ordered(actual, expected, (a, b) => a < b),
  lte: (actual, expected) => ordered(actual, expected, (a, b) => a <= b),
  in: (actual, expected) => Array.isArray(expected) && expected.some((one) => same(actual, one)),
  contains: (actual, expected) =>
    Array.isArray(actual)
      ? actual.some((one) => same(one, expected))
      : typeof actual === "string" && actual.includes(String(expected)),
};

/**
 * Whether `actual` satisfies the comparison. A missing value counts as null. Order operators take numbers and numeric
 * texts; anything else satisfies none of them. `truthy` reads texts like `off`, `false`, `no`, `0` as false.
 */
export function satisfies(op: Exclude<Operator, "changed">, actual: unknown, expected: unknown): boolean {
  return LEVELS[op](actual, expected);
}

/** A comparison that a trigger watches. */
export interface Comparison {
  readonly op: Operator | CountOperator;
  readonly value?: unknown;
}

/** Whether the comparison starts to hold between two values: false before and true after; `changed`: they differ. */
export function isEdge(comparison: Comparison, before: unknown, after: unknown): boolean {
  if (comparison.op === "changed") return !same(before, after);
  return satisfies(comparison.op, after, comparison.value) && !satisfies(comparison.op, before, comparison.value);
}

/** The value of `field` in a state: the key itself, else the path that its dots describe; null when there is none. */
export function fieldOf(state: JsonObject | null, field: string): unknown {
  if (state === null) return null;
  if (Object.hasOwn(state, field)) return state[field] ?? null;
  let value: unknown = state;
  for (const key of field.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return null;
    value = (value as JsonObject)[key]; // an object that has the key
  }
  return value ?? null;
}

function isTruthy(value: unknown): boolean {
  if (typeof value === "string") return !FALSE_TEXTS.has(value.trim().toLowerCase());
  return Boolean(value);
}

function same(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a ?? null, b ?? null);
}

function ordered(actual: unknown, expected: unknown, test: (a: number, b: number) => boolean): boolean {
  const a = numberOf(actual);
  const b = numberOf(expected);
  return a !== null && b !== null && test(a, b);
}

function numberOf(value: unknown): number | null {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string" || value.trim() === "") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
