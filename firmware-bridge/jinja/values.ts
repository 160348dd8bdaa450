/**
 * Values of a template with Python's semantics: truth, equality, and their text. Plain JSON values; undefined for a
 * missing one.
 */
import { isJsonObject } from "../../src/core/kernel/json-object.ts";
import { TemplateError } from "./tree.ts";

/** Counts work in steps: one is a node of the tree, or touching some sixty characters or a few members of a list. */
export interface Budget {
  /** Call before the work is done. Throws a {@link TemplateError} once the template has exceeded its budget. */
  spend(amount: number): void;
}

/**
 * Charges for reading or creating these values once from end to end. A caller that passes values to a tool pays for
 * their size.
 */
export function payFor(values: readonly unknown[], budget: Budget): void {
  for (const value of values) {
    if (typeof value === "string") budget.spend(value.length / 32);
    else if (Array.isArray(value)) budget.spend(value.length / 2);
    else if (isJsonObject(value)) budget.spend(Object.keys(value).length / 2);
  }
}

/**
 * Pays for looking for one text in another: if they are much alike, every position costs the length of the text looked
 * for.
 */
export function payForSearch(text: string, wanted: string, budget: Budget): void {
  budget.spend((text.length * (wanted.length + 8)) / 64);
}

/** Longest text and list that may come up. */
export const LONGEST_TEXT = 65_536;
/** Most members of a list that may come up. */
export const LONGEST_LIST = 1000;

/** Python's truth: empty texts, lists and dicts, 0 and None are false. */
export function truthy(value: unknown, budget: Budget): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (!isJsonObject(value)) return Boolean(value);
  const members = Object.keys(value).length;
  budget.spend(members / 2);
  return members > 0;
}

/** Python's `==`: numbers and booleans are equal by value, texts never equal numbers. Lists and dicts by their JSON. */
export function equals(left: unknown, right: unknown, budget: Budget): boolean {
  const [a, b] = [booleanAsNumber(left), booleanAsNumber(right)];
  if (typeof a === "string" && typeof b === "string") budget.spend(Math.min(a.length, b.length) / 64);
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  return jsonText(a, budget) === jsonText(b, budget);
}

function booleanAsNumber(value: unknown): unknown {
  return typeof value === "boolean" ? Number(value) : value;
}

/** Python's `<`: numbers with numbers, texts with texts. */
export function compare(left: unknown, right: unknown, budget: Budget): number {
  const [a, b] = [booleanAsNumber(left), booleanAsNumber(right)];
  budget.spend(0.5);
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "string" && typeof b === "string") {
    budget.spend(Math.min(a.length, b.length) / 16);
    return a < b ? -1 : a > b ? 1 : 0;
  }
  throw missing("values that cannot be compared");
}

/** A number for arithmetic; booleans count as 0 and 1. Texts do not count as numbers, as in Python. */
export function arithmetic(value: unknown): number {
  const number = booleanAsNumber(value);
  if (typeof number !== "number")
    throw missing(value === undefined ? "a value that is not there" : "arithmetic with something that is no number");
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

/**
 * JSON of a value. Its size is paid before it is written: a list that holds itself many times over is small only in
 * memory.
 */
export function jsonText(value: unknown, budget: Budget): string {
  measure(value, budget, DEEPEST_VALUE);
  return checkedText(JSON.stringify(value) ?? "null");
}

const DEEPEST_VALUE = 40;

function measure(value: unknown, budget: Budget, depth: number): void {
  budget.spend(typeof value === "string" ? 1 + value.length / 32 : 1);
  if (typeof value !== "object" || value === null) return;
  if (depth === 0) throw new TemplateError("limit", "a value nests too deeply");
  for (const entry of Object.values(value)) measure(entry, budget, depth - 1);
}

/** The text, unless it is too long to be built upon. */
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
      : isJsonObject(value)
        ? Object.keys(value)
        : null;
  if (members === null) throw missing("a list that is not there");
  budget.spend(members.length / 2);
  return checkedList(members);
}

/** The error of a value that this message does not have. */
export function missing(what: string): TemplateError {
  return new TemplateError("missing", what);
}
