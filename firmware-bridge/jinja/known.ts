/**
 * The filters, functions, methods and tests that emitters' templates use. Each is a plain function over values; there
 * is no other way from a template to code. Regular expressions, time, other devices' states and macros are left out on
 * purpose.
 */

import { isJsonObject } from "../../src/core/kernel/json-object.ts";
import { jsonOf, member, numberOf } from "../json-values.ts";
import { braceFormat, percentFormat, zeroFilled } from "./format.ts";
import { Loop, Namespace } from "./loop.ts";
import { capitalised, indexIn, join, replace, split, strip, stripped, text, truncate } from "./text-tools.ts";
import { argument, type Given, hasDefault, type Tool } from "./tool.ts";
import {
  arithmetic,
  type Budget,
  compare,
  equals,
  jsonText,
  LONGEST_LIST,
  membersOf,
  missing,
  payForSearch,
  textOf,
  truthy,
} from "./values.ts";

function toFloat(value: unknown, given: Given): unknown {
  const number = typeof value === "boolean" ? Number(value) : numberOf(value);
  if (number !== null) return number;
  if (hasDefault(given, 0)) return argument(given, 0, "default");
  throw missing("a number that is not there");
}

function toInt(value: unknown, given: Given): unknown {
  const base = argument(given, 1, "base") ?? 10;
  if (base !== 10 && typeof value === "string") return whole(parsedIn(value, base), given);
  const number = typeof value === "boolean" ? Number(value) : numberOf(value);
  return whole(number === null ? null : Math.trunc(number), given);
}

function whole(number: number | null, given: Given): unknown {
  if (number !== null) return number;
  if (hasDefault(given, 0)) return argument(given, 0, "default");
  throw missing("a number that is not there");
}

function parsedIn(value: string, base: unknown): number | null {
  const digits = value.trim().slice(0, 32);
  if (base === 16 && /^(0x)?[0-9a-f]+$/i.test(digits)) return Number.parseInt(digits, 16);
  return base === 2 && /^(0b)?[01]+$/i.test(digits) ? Number.parseInt(digits.replace(/^0b/i, ""), 2) : null;
}

/** Half to even, as Python rounds; `method` "floor" and "ceil" as Jinja has them, "half" as Home Assistant has it. */
function round(value: unknown, given: Given): unknown {
  const number = typeof value === "string" ? numberOf(value) : arithmetic(value);
  if (number === null) {
    if (hasDefault(given, 2)) return argument(given, 2, "default");
    throw missing("a number that is not there");
  }
  const digits = Math.min(12, Math.max(-12, Math.trunc(arithmetic(argument(given, 0, "precision") ?? 0))));
  const method = argument(given, 1, "method") ?? "common";
  if (method === "half") {
    const halves = halfToEven(number * 2) / 2;
    return digits === 0 ? Math.trunc(halves) : halves;
  }
  const factor = 10 ** digits;
  const scaled = number * factor;
  const near = method === "floor" ? Math.floor(scaled) : method === "ceil" ? Math.ceil(scaled) : halfToEven(scaled);
  return Number((near / factor).toFixed(Math.max(0, digits)));
}

function halfToEven(value: number): number {
  const low = Math.floor(value);
  const above = value - low;
  if (Math.abs(above - 0.5) > 1e-9) return Math.round(value);
  return low % 2 === 0 ? low : low + 1;
}

function numbersOf(value: unknown, given: Given, budget: Budget): number[] {
  const list = given.list.length > 0 ? [value, ...given.list] : membersOf(value, budget);
  const numbers = list.map(arithmetic);
  if (numbers.length === 0) throw missing("a list with members");
  return numbers;
}

function asBoolean(value: unknown, given: Given): unknown {
  if (typeof value === "boolean") return value;
  if (typeof value === "number") return value !== 0;
  const word = typeof value === "string" ? value.trim().toLowerCase() : "";
  if (["true", "yes", "on", "enable", "1"].includes(word)) return true;
  if (["false", "no", "off", "disable", "0"].includes(word)) return false;
  if (hasDefault(given, 0)) return argument(given, 0, "default");
  throw missing("a value that is true or false");
}

function iif(value: unknown, given: Given, budget: Budget): unknown {
  const [then, otherwise, none] = [
    argument(given, 0, "if_true") ?? true,
    argument(given, 1, "if_false") ?? false,
    argument(given, 2, "if_none"),
  ];
  if (value === null && none !== undefined) return none;
  return truthy(value, budget) ? then : otherwise;
}

function range(value: unknown, given: Given, budget: Budget): readonly unknown[] {
  const first = Math.trunc(arithmetic(value));
  const end = given.list[0] === undefined ? first : Math.trunc(arithmetic(given.list[0]));
  const start = given.list[0] === undefined ? 0 : first;
  const step = Math.trunc(arithmetic(given.list[1] ?? 1));
  const length = step === 0 ? Number.POSITIVE_INFINITY : Math.max(0, Math.ceil((end - start) / step));
  if (length > LONGEST_LIST) throw missing("a range of bearable length");
  budget.spend(length / 2);
  return Array.from({ length }, (_, index) => start + index * step);
}

function count(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  if (isJsonObject(value)) return Object.keys(value).length;
  throw missing("a list that is not there");
}

function contains(holder: unknown, wanted: unknown, budget: Budget): boolean {
  if (typeof holder === "string") {
    return typeof wanted === "string" && indexIn(holder, wanted, budget) !== -1;
  }
  if (isJsonObject(holder)) return typeof wanted === "string" && Object.hasOwn(holder, wanted);
  return membersOf(holder, budget).some((entry) => equals(entry, wanted, budget));
}

/** Whether `wanted` is in a list, a dict's keys or a text: the operator `in`. */
export function isIn(wanted: unknown, holder: unknown, budget: Budget): boolean {
  return contains(holder, wanted, budget);
}

function mapped(value: unknown, given: Given, budget: Budget): readonly unknown[] {
  const key = given.named.get("attribute");
  if (typeof key !== "string") throw missing("map() by something else than an attribute");
  return membersOf(value, budget).map((entry) => member(entry, key));
}

function fromJson(value: unknown, given: Given, budget: Budget): unknown {
  if (typeof value === "string") budget.spend(value.length / 8);
  const parsed = typeof value === "string" ? jsonOf(value) : undefined;
  if (parsed !== undefined) return parsed;
  if (hasDefault(given, 0)) return argument(given, 0, "default");
  throw missing("JSON that is not there");
}

const STRING_TOOLS: Readonly<Record<string, Tool>> = {
  lower: (value, _, budget) => text(value, budget).toLowerCase(),
  upper: (value, _, budget) => text(value, budget).toUpperCase(),
  capitalize: (value, _, budget) => capitalised(text(value, budget)),
  replace,
  split,
};

/** Capitalises the start of every match. */
function titled(pattern: RegExp): Tool {
  return (value, _, budget) => {
    const source = text(value, budget);
    budget.spend(source.length);
    return source.replaceAll(pattern, capitalised);
  };
}

const FILTERS: ReadonlyMap<string, Tool> = new Map<string, Tool>(
  Object.entries({
    ...STRING_TOOLS,
    title: titled(/[^-\s({[<]+/g), // where words begin for Jinja
    default: (value, given, budget) =>
      value === undefined || (truthy(argument(given, 1, "boolean"), budget) && !truthy(value, budget))
        ? (argument(given, 0, "default_value") ?? "")
        : value,
    float: toFloat,
    int: toInt,
    round,
    abs: (value) => Math.abs(arithmetic(value)),
    bool: asBoolean,
    string: (value, _, budget) => text(value, budget),
    trim: strip,
    truncate,
    tojson: (value, _, budget) => jsonText(value, budget),
    to_json: (value, _, budget) => jsonText(value, budget),
    from_json: fromJson,
    is_defined: (value) => {
      if (value === undefined) throw missing("a value that is not there");
      return value;
    },
    is_number: (value) => numberOf(value) !== null,
    iif,
    length: count,
    count,
    first: (value, _, budget) => membersOf(value, budget)[0],
    last: (value, _, budget) => membersOf(value, budget).at(-1),
    join,
    list: (value, _, budget) => membersOf(value, budget),
    map: mapped,
    reverse: (value, _, budget) => {
      if (typeof value !== "string") return [...membersOf(value, budget)].reverse();
      budget.spend(value.length / 2);
      return [...value].reverse().join("");
    },
    sort: sorted,
    min: (value, given, budget) => Math.min(...numbersOf(value, given, budget)),
    max: (value, given, budget) => Math.max(...numbersOf(value, given, budget)),
    sum: (value, _, budget) => membersOf(value, budget).reduce<number>((total, entry) => total + arithmetic(entry), 0),
    average: (value, given, budget) =>
      numbersOf(value, given, budget).reduce((total, entry) => total + entry, 0) /
      numbersOf(value, given, budget).length,
    add: (value, given) => changed(value, given, (number, amount) => number + amount),
    multiply: (value, given) => changed(value, given, (number, amount) => number * amount),
    bitwise_and: (value, given) => Math.trunc(arithmetic(value)) & Math.trunc(arithmetic(given.list[0])),
    bitwise_or: (value, given) => Math.trunc(arithmetic(value)) | Math.trunc(arithmetic(given.list[0])),
    sqrt: (value) => finite(Math.sqrt(arithmetic(value))),
    log: (value, given) =>
      finite(Math.log(arithmetic(value)) / (given.list[0] === undefined ? 1 : Math.log(arithmetic(given.list[0])))),
    format: (value, given, budget) => percentFormat(text(value, budget), given.list, budget),
    as_datetime: (value) => value,
    as_local: (value) => value,
  } satisfies Record<string, Tool>),
);

/** A number changed by an amount, the first argument; the second replaces a value that is not a number. */
function changed(value: unknown, given: Given, by: (number: number, amount: number) => number): unknown {
  const number = typeof value === "boolean" ? Number(value) : numberOf(value);
  if (number !== null) return by(number, arithmetic(argument(given, 0, "amount")));
  if (hasDefault(given, 1)) return argument(given, 1, "default");
  throw missing("a number that is not there");
}

/** Sorted as Jinja does, ignoring case unless asked otherwise. */
function sorted(value: unknown, given: Given, budget: Budget): readonly unknown[] {
  const isExact = truthy(argument(given, 1, "case_sensitive"), budget);
  const key = (entry: unknown): unknown => (typeof entry === "string" && !isExact ? entry.toLowerCase() : entry);
  const way = truthy(argument(given, 0, "reverse"), budget) ? -1 : 1;
  return [...membersOf(value, budget)].sort((left, right) => way * compare(key(left), key(right), budget));
}

function finite(number: number): number {
  if (!Number.isFinite(number)) throw missing("a number that has a result");
  return number;
}

const METHODS: ReadonlyMap<string, Tool> = new Map<string, Tool>(
  Object.entries({
    ...STRING_TOOLS,
    title: titled(/\p{L}+/gu), // and for Python
    strip,
    lstrip: (value, given, budget) =>
      stripped(
        text(value, budget),
        { characters: textOf(argument(given, 0, "chars") ?? " \t\r\n", budget), side: "start" },
        budget,
      ),
    rstrip: (value, given, budget) =>
      stripped(
        text(value, budget),
        { characters: textOf(argument(given, 0, "chars") ?? " \t\r\n", budget), side: "end" },
        budget,
      ),
    startswith: (value, given, budget) => text(value, budget).startsWith(text(given.list[0], budget)),
    endswith: (value, given, budget) => text(value, budget).endsWith(text(given.list[0], budget)),
    find: (value, given, budget) => indexIn(text(value, budget), text(given.list[0], budget), budget),
    count: (value, given, budget) => {
      const [source, wanted] = [text(value, budget), text(given.list[0], budget)];
      payForSearch(source, wanted, budget);
      return wanted === "" ? source.length + 1 : source.split(wanted).length - 1;
    },
    isdigit: (value, _, budget) => /^\d+$/.test(text(value, budget)),
    isnumeric: (value, _, budget) => /^\d+$/.test(text(value, budget)),
    zfill: (value, given, budget) => zeroFilled(text(value, budget), arithmetic(given.list[0])),
    join: (value, given, budget) => join(given.list[0], { list: [value], named: new Map() }, budget),
    format: (value, given, budget) => braceFormat(text(value, budget), given.list, budget),
    get: (value, given) => {
      const key = given.list[0];
      const found = typeof key === "string" ? member(value, key) : undefined;
      return found === undefined ? (given.list[1] ?? null) : found;
    },
    keys: (value) => Object.keys(isJsonObject(value) ? value : {}).slice(0, LONGEST_LIST),
    values: (value) => Object.values(isJsonObject(value) ? value : {}).slice(0, LONGEST_LIST),
    items: (value) => Object.entries(isJsonObject(value) ? value : {}).slice(0, LONGEST_LIST),
    cycle: (value, given) => loop(value).cycle(given.list),
    changed: (value, given, budget) => loop(value).changed(given.list, budget),
  } satisfies Record<string, Tool>),
);

const FUNCTIONS: ReadonlyMap<string, Tool> = new Map<string, Tool>(
  Object.entries({
    float: toFloat,
    int: toInt,
    bool: asBoolean,
    iif,
    range,
    is_number: (value) => numberOf(value) !== null,
    min: (value, given, budget) => Math.min(...numbersOf(value, given, budget)),
    max: (value, given, budget) => Math.max(...numbersOf(value, given, budget)),
    sqrt: (value) => finite(Math.sqrt(arithmetic(value))),
    log: (value, given) =>
      finite(Math.log(arithmetic(value)) / (given.list[0] === undefined ? 1 : Math.log(arithmetic(given.list[0])))),
    as_datetime: (value) => value,
    namespace: (_, given) => new Namespace(given.named),
  } satisfies Record<string, Tool>),
);

function loop(value: unknown): Loop {
  if (value instanceof Loop) return value;
  throw missing("a loop that is not there");
}

/** Texts, lists and dicts: everything iterable also has a length. */
function isSeveral(value: unknown): boolean {
  return typeof value === "string" || Array.isArray(value) || isJsonObject(value);
}

/** A test behind `is`. */
type Test = (value: unknown, given: Given, budget: Budget) => boolean;

const TESTS: ReadonlyMap<string, Test> = new Map<string, Test>(
  Object.entries({
    defined: (value) => value !== undefined,
    undefined: (value) => value === undefined,
    none: (value) => value === null,
    number: (value) => typeof value === "number" || typeof value === "boolean",
    integer: Number.isInteger,
    float: (value) => typeof value === "number" && !Number.isInteger(value),
    string: (value) => typeof value === "string",
    boolean: (value) => typeof value === "boolean",
    true: (value) => value === true,
    false: (value) => value === false,
    mapping: isJsonObject,
    iterable: isSeveral,
    sequence: isSeveral,
    list: Array.isArray,
    odd: (value) => Math.abs(arithmetic(value) % 2) === 1,
    even: (value) => arithmetic(value) % 2 === 0,
    divisibleby: (value, given) => arithmetic(value) % arithmetic(given.list[0]) === 0,
    eq: (value, given, budget) => equals(value, given.list[0], budget),
    equalto: (value, given, budget) => equals(value, given.list[0], budget),
    ne: (value, given, budget) => !equals(value, given.list[0], budget),
    gt: (value, given, budget) => compare(value, given.list[0], budget) > 0,
    lt: (value, given, budget) => compare(value, given.list[0], budget) < 0,
    in: (value, given, budget) => contains(given.list[0], value, budget),
    search: (value, given, budget) => {
      const wanted = text(given.list[0], budget);
      if (/[\\^$.*+?()[\]{}|]/.test(wanted)) throw missing("a search for a plain text");
      return indexIn(text(value, budget), wanted, budget) !== -1;
    },
  } satisfies Record<string, Test>),
);
const ALIASES: ReadonlyMap<string, string> = new Map([["d", "default"]]);

/** Whether a filter with this name is known. */
export function isFilter(name: string): boolean {
  return FILTERS.has(ALIASES.get(name) ?? name);
}
/** Whether a method of texts and dicts is known. */
export function isMethod(name: string): boolean {
  return METHODS.has(name);
}
/** Whether a function is known. */
export function isFunction(name: string): boolean {
  return FUNCTIONS.has(name);
}
/** Whether a test is known. */
export function isTest(name: string): boolean {
  return TESTS.has(name);
}
/** The tool of a kind and name; undefined for one that {@link isFilter} and the others do not know. */
export function toolOf(kind: "filter" | "method" | "function", name: string): Tool | undefined {
  return kind === "filter"
    ? FILTERS.get(ALIASES.get(name) ?? name)
    : kind === "method"
      ? METHODS.get(name)
      : FUNCTIONS.get(name);
}
/** The test of a name. */
export function testOf(name: string): Test | undefined {
  return TESTS.get(name);
}
