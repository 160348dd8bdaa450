/** Values of a template as Python has them: what is true, what is equal, how they are written. Plain JSON values; undefined for what is not there. */
import { isObject } from "../words.js";
import { TemplateError } from "./tree.js";

/** Counts work; every operation that costs more than a step says how much. */
export interface Budget {
  /** Throws a {@link TemplateError} once the template has done too much. */
  spend(amount: number): void;
}

/** Longest text and list that may come up. */
export const LONGEST_TEXT = 65_536;
/** Most members of a list that may come up. */
export const LONGEST_LIST = 1000;

/** Python's truth: empty texts, lists and dicts, 0 and None are false. */
export function truthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Python's `==`: numbers and booleans are equal by value, texts never equal numbers. Lists and dicts by their JSON. */
export function equals(left: unknown, right: unknown, budget: Budget): boolean {
  const [a, b] = [booleanAsNumber(left), booleanAsNumber(right)];
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  return jsonText(a, budget) === jsonText(b, budget);
}

function booleanAsNumber(value: unknown): unknown {
  return typeof value === "boolean" ? Number(value) : value;
}

/** Python's `<`: numbers with numbers, texts with texts. */
export function compare(left: unknown, right: unknown): number {
  const [a, b] = [booleanAsNumber(left), booleanAsNumber(right)];
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  throw missing("values that cannot be compared");
}

/** A number for arithmetic; booleans count as 0 and 1. Texts are none, as in Python. */
export function arithmetic(value: unknown): number {
  const number = booleanAsNumber(value);
  if (typeof number !== "number") throw missing(value === undefined ? "a value that is not there" : "arithmetic with something that is no number");
  return number;
}

/** The value as Python would print it; lists and dicts as JSON. */
export function textOf(value: unknown, budget: Budget): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return numberText(value);
  if (value === undefined) return "";
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return jsonText(value, budget);
}

function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/** JSON of a value. Its size is paid before it is written: a list that holds itself many times over is small only in memory. */
export function jsonText(value: unknown, budget: Budget): string {
  measure(value, budget, DEEPEST_VALUE);
  return checkedText(JSON.stringify(value) ?? "null");
}

const DEEPEST_VALUE = 40;

function measure(value: unknown, budget: Budget, depth: number): void {
  budget.spend(typeof value === "string" ? 0.25 + value.length / 64 : 0.25);
  if (typeof value !== "object" || value === null) return;
  if (depth === 0) throw new TemplateError("limit", "a value nests too deeply");
  for (const entry of Object.values(value)) measure(entry, budget, depth - 1);
}

/** The text, unless it is too long to be built further upon. */
export function checkedText(text: string): string {
  if (text.length > LONGEST_TEXT) throw new TemplateError("limit", "a text became too long");
  return text;
}

/** The list, unless it is too long. */
export function checkedList(list: readonly unknown[]): readonly unknown[] {
  if (list.length > LONGEST_LIST) throw new TemplateError("limit", "a list became too long");
  return list;
}

/** The members of a list, the characters of a text, the keys of a dict. */
export function membersOf(value: unknown, budget: Budget): readonly unknown[] {
  const members = Array.isArray(value)
    ? value
    : typeof value === "string"
      ? [...checkedText(value).slice(0, LONGEST_LIST + 1)]
      : isObject(value)
        ? Object.keys(value)
        : null;
  if (members === null) throw missing("a list that is not there");
  budget.spend(members.length / 16);
  return checkedList(members);
}

/** The error of a value that this message does not have. */
export function missing(what: string): TemplateError {
  return new TemplateError("missing", what);
}
