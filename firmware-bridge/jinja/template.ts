/**
 * Templates from Home Assistant's MQTT discovery, evaluated without running code: own tokens, own tree, a walk over it.
 * In: a template's text and plain values. Out: a text and, if the template is a single expression, its value. Bounded
 * in size, depth, steps, time and output, because a template is untrusted input: every operation is charged for the
 * size of its operands before it runs. Must never know devices or topics.
 *
 * Differences from Jinja 2 on purpose: whole numbers are written without `.0`, lists and dicts as JSON; no macros, no
 * imports, no regular expressions, no access to states or time.
 */
import { member } from "../json-values.ts";
import { isIn, testOf, toolOf } from "./known.ts";
import { Loop, Namespace, type Seen } from "./loop.ts";
import { parseTemplate } from "./parse.ts";
import type { Given } from "./tool.ts";
import { type Argument, type Expression, type Piece, TemplateError } from "./tree.ts";
import {
  arithmetic,
  type Budget,
  checkedText,
  compare,
  equals,
  membersOf,
  missing,
  payFor,
  textOf,
  truthy,
} from "./values.ts";

/** The result of a template. */
export type Evaluated =
  /** `value`: the result of its only expression; for every other template the text itself. */
  | { readonly text: string; readonly value: unknown }
  /** This message lacks a required member: nothing changes. */
  | { readonly missing: string }
  /** It wanted too much. */
  | { readonly refused: string };

/** A template ready for use. */
export interface Template {
  readonly source: string;
  /** Evaluates it with these variables; never throws. */
  evaluate(variables: Readonly<Record<string, unknown>>): Evaluated;
}

/** A template that was understood. */
export interface ParsedTemplate {
  readonly source: string;
  /** Evaluates it once within these limits; never throws. */
  run(variables: Readonly<Record<string, unknown>>, limits: RunLimits): Run;
}

/** Limits of one evaluation besides its own budget. */
interface RunLimits {
  /** Steps that its budget still has. */
  readonly left: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
}

/** One evaluation: its result, its cost, and the limit that stopped it: its own, its budget, or the time. */
interface Run {
  readonly result: Evaluated;
  readonly steps: number;
  readonly stopped: "itself" | "budget" | "time" | null;
}

/** Steps of one evaluation. A step takes 0.1 µs on a desktop and less than 1 µs on the smallest box. */
export const MOST_STEPS = 10_000;
/** The cost of starting an evaluation, and of ending it with an error. */
const STEPS_OF_A_START = 10;
const STEPS_OF_AN_ERROR = 50;
/** Longest evaluation in milliseconds, for machines on which steps take longer than expected. */
const LONGEST_MS = 20;
const STEPS_BETWEEN_LOOKS = 500;
/** Python computes whole numbers of any size; nothing here needs more than this. */
const LARGEST_EXPONENT = 64;

/** Prepares a template; `{ unsupported }` names the unsupported part. */
export function parsedTemplate(source: string): ParsedTemplate | { readonly unsupported: string } {
  try {
    const pieces = parseTemplate(source);
    return { source, run: (variables, limits) => run(pieces, variables, limits) };
  } catch (error) {
    if (error instanceof TemplateError) return { unsupported: error.message };
    throw error;
  }
}

function run(pieces: readonly Piece[], variables: Readonly<Record<string, unknown>>, limits: RunLimits): Run {
  const walk = new Walk(variables, limits);
  try {
    const [only] = pieces;
    if (only?.type === "output" && pieces.length === 1) {
      const value = walk.value(only.value);
      return { result: { text: textOf(value, walk).trim(), value }, steps: walk.steps, stopped: null };
    }
    const text = walk.text(pieces).trim();
    return { result: { text, value: text }, steps: walk.steps, stopped: null };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const result = error.kind === "missing" ? { missing: error.message } : { refused: error.message };
    return { result, steps: walk.steps + STEPS_OF_AN_ERROR, stopped: walk.stopped };
  }
}

/** One evaluation, with its variables and what it may still spend. */
class Walk implements Budget {
  #variables: Map<string, unknown>;
  readonly #limits: RunLimits;
  readonly #endsAt: number;
  #nextLook = STEPS_BETWEEN_LOOKS;
  #steps = STEPS_OF_A_START;
  #stopped: Run["stopped"] = null;

  constructor(variables: Readonly<Record<string, unknown>>, limits: RunLimits) {
    this.#variables = new Map(Object.entries(variables));
    this.#limits = limits;
    this.#endsAt = limits.now() + LONGEST_MS;
  }

  /** Steps taken; refused work was not done. */
  get steps(): number {
    return this.#steps;
  }

  get stopped(): Run["stopped"] {
    return this.#stopped;
  }

  spend(amount: number): void {
    const steps = this.#steps + amount;
    if (steps > MOST_STEPS) this.#stop("itself");
    if (steps > this.#limits.left) this.#stop("budget");
    this.#steps = steps;
    if (steps < this.#nextLook) return;
    this.#nextLook = steps + STEPS_BETWEEN_LOOKS;
    if (this.#limits.now() > this.#endsAt) this.#stop("time");
  }

  #stop(by: "itself" | "budget" | "time"): never {
    this.#stopped = by;
    throw new TemplateError("limit", "the template works too long");
  }

  text(pieces: readonly Piece[]): string {
    let text = "";
    for (const piece of pieces) {
      this.spend(1);
      if (piece.type === "text") text = checkedText(text + piece.text);
      else if (piece.type === "output") text = checkedText(text + textOf(this.value(piece.value), this));
      else if (piece.type === "set") this.#set(piece);
      else if (piece.type === "if") {
        const branch = piece.branches.find(({ when }) => when === null || truthy(this.value(when), this));
        if (branch) text = checkedText(text + this.text(branch.body));
      } else text = checkedText(text + this.#loop(piece));
    }
    return text;
  }

  #set({ name, member, value }: Piece & { readonly type: "set" }): void {
    const given = this.value(value);
    if (member === null) {
      this.#variables.set(name, given);
      return;
    }
    const of = this.#variables.get(name);
    if (!(of instanceof Namespace)) throw missing("a namespace that is not there");
    of.put(member, given);
  }

  /** A variable set in an iteration exists only there; the `if` and the `else` see only the outer `loop`. */
  #loop(piece: Piece & { readonly type: "for" }): string {
    const outer = this.#variables;
    const left: unknown[] = [];
    const turns: Map<string, unknown>[] = [];
    for (const entry of membersOf(this.value(piece.over), this)) {
      this.spend(1 + outer.size / 2);
      const parts = piece.names.length === 1 ? [entry] : membersOf(entry, this);
      this.#variables = new Map(outer);
      for (const [index, name] of piece.names.entries()) this.#variables.set(name, parts[index]);
      if (piece.when !== null && !truthy(this.value(piece.when), this)) continue;
      left.push(entry);
      turns.push(this.#variables);
    }
    let text = "";
    const seen: Seen = { values: null };
    for (const [index, variables] of turns.entries()) {
      this.#variables = variables.set("loop", new Loop(left, index, seen));
      text = checkedText(text + this.text(piece.body));
    }
    this.#variables = new Map(outer);
    if (turns.length === 0) text = this.text(piece.otherwise);
    this.#variables = outer;
    return text;
  }

  value(expression: Expression): unknown {
    this.spend(1);
    switch (expression.type) {
      case "literal":
        return expression.value;
      case "name":
        return this.#variables.get(expression.name);
      case "list":
        return expression.members.map((entry) => this.value(entry));
      case "dict":
        return Object.fromEntries(
          expression.entries.map(([key, value]) => [safeKey(textOf(this.value(key), this)), this.value(value)]),
        );
      case "member":
        return this.#member(this.value(expression.of), this.value(expression.key));
      case "slice":
        return this.#slice(expression);
      case "not":
        return !truthy(this.value(expression.of), this);
      case "negative":
        return -arithmetic(this.value(expression.of));
      case "choice":
        if (truthy(this.value(expression.when), this)) return this.value(expression.chosen);
        return expression.otherwise === null ? undefined : this.value(expression.otherwise);
      case "binary":
        return this.#binary(expression);
      case "test":
        return (
          (testOf(expression.name)?.(this.#paid(this.value(expression.of)), this.#given(expression.args), this) ??
            false) !== expression.negated
        );
      default:
        return this.#tool(expression);
    }
  }

  #tool(expression: Expression & { readonly type: "filter" | "method" | "call" }): unknown {
    const given = this.#given(expression.args);
    if (expression.type === "call") {
      const [first, ...rest] = given.list;
      return this.#paid(toolOf("function", expression.name)?.(first, { list: rest, named: given.named }, this));
    }
    const value = this.value(expression.of);
    payFor([value], this);
    return this.#paid(toolOf(expression.type, expression.name)?.(value, given, this));
  }

  /** Charges for a tool's result. */
  #paid(value: unknown): unknown {
    payFor([value], this);
    return value;
  }

  #given(args: readonly Argument[]): Given {
    const list: unknown[] = [];
    const named = new Map<string, unknown>();
    for (const { name, value } of args) {
      if (name === null) list.push(this.value(value));
      else named.set(name, this.value(value));
    }
    payFor([...list, ...named.values()], this);
    return { list, named };
  }

  /** Own members only; nothing can be asked of a missing value. */
  #member(of: unknown, key: unknown): unknown {
    if (of === undefined || of === null) throw missing("a value that is not there");
    if (typeof of === "string") this.spend(of.length / 64);
    if (typeof key === "string") this.spend(key.length / 32);
    if (typeof key === "string") return member(Array.isArray(of) ? null : of, key);
    if (typeof key !== "number") return undefined;
    if (Array.isArray(of) || typeof of === "string") return of.at(Math.trunc(key));
    return member(of, String(key));
  }

  #slice(expression: Expression & { readonly type: "slice" }): unknown {
    const of = this.value(expression.of);
    const from = expression.from === null ? 0 : Math.trunc(arithmetic(this.value(expression.from)));
    const to = expression.to === null ? undefined : Math.trunc(arithmetic(this.value(expression.to)));
    payFor([of], this);
    if (typeof of === "string" || Array.isArray(of)) return of.slice(from, to);
    throw missing("a list that is not there");
  }

  #binary(expression: Expression & { readonly type: "binary" }): unknown {
    const { operator } = expression;
    const left = this.value(expression.left);
    if (operator === "or") return truthy(left, this) ? left : this.value(expression.right);
    if (operator === "and") return truthy(left, this) ? this.value(expression.right) : left;
    const right = this.value(expression.right);
    switch (operator) {
      case "==":
        return equals(left, right, this);
      case "!=":
        return !equals(left, right, this);
      case "<":
        return compare(left, right, this) < 0;
      case ">":
        return compare(left, right, this) > 0;
      case "<=":
        return compare(left, right, this) <= 0;
      case ">=":
        return compare(left, right, this) >= 0;
      case "in":
        return isIn(left, right, this);
      case "not in":
        return !isIn(left, right, this);
      case "~":
        return this.#joined(textOf(left, this), textOf(right, this));
      case "+":
        return this.#sum(left, right);
      default:
        return calculated(operator, arithmetic(left), arithmetic(right));
    }
  }

  #joined(left: string, right: string): string {
    this.spend((left.length + right.length) / 32);
    return checkedText(left + right);
  }

  #sum(left: unknown, right: unknown): unknown {
    if (typeof left === "string" && typeof right === "string") return this.#joined(left, right);
    if (Array.isArray(left) && Array.isArray(right))
      return membersOf([...membersOf(left, this), ...membersOf(right, this)], this);
    return arithmetic(left) + arithmetic(right);
  }
}

function safeKey(key: string): string {
  return key === "__proto__" ? "proto" : key;
}

function calculated(operator: "-" | "*" | "/" | "//" | "%" | "**", left: number, right: number): number {
  const result = plain(operator, left, right);
  if (!Number.isFinite(result)) throw missing("a number that has a result");
  return result;
}

/** Python's signs: `//` rounds down, `%` takes the sign of the divisor. */
function plain(operator: "-" | "*" | "/" | "//" | "%" | "**", left: number, right: number): number {
  if (operator === "-") return left - right;
  if (operator === "*") return left * right;
  if (operator === "/") return left / right;
  if (operator === "//") return Math.floor(left / right);
  if (operator === "%") return left - right * Math.floor(left / right);
  return Math.abs(right) > LARGEST_EXPONENT ? Number.NaN : left ** right;
}

/** The variables of a received value: `value`, and `value_json` if it is JSON. */
export function receivedVariables(value: string, json: unknown): Readonly<Record<string, unknown>> {
  return json === undefined ? { value } : { value, value_json: json };
}
