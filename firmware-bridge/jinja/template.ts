/**
 * Templates as they stand in Home Assistant's MQTT discovery, evaluated without running code: own tokens, own tree, a walk
 * over it. In: a template's text and plain values. Out: a text and, where the template is one expression, its value.
 * Bounded in size, depth, steps and output, whoever wrote the template. Knows no devices, no topics and no clock.
 *
 * Differences from Jinja 2 on purpose: whole numbers are written without `.0`, lists and dicts as JSON; no macros,
 * no imports, no regular expressions, no access to states or time.
 */
import { member } from "../words.js";
import { type Given, isIn, testOf, toolOf } from "./known.js";
import { parseTemplate } from "./parse.js";
import { type Argument, type Expression, type Piece, TemplateError } from "./tree.js";
import { arithmetic, type Budget, checkedText, compare, equals, membersOf, missing, textOf, truthy } from "./values.js";

/** What a template came to. */
export type Evaluated =
  /** `value`: what its only expression gave; the text itself for every other template. */
  | { readonly text: string; readonly value: unknown }
  /** This message has not what it asks for: nothing changes. */
  | { readonly missing: string }
  /** It wanted too much. */
  | { readonly refused: string };

/** A template ready for use. */
export interface Template {
  readonly source: string;
  /** Evaluates it with these variables; never throws. */
  evaluate(variables: Readonly<Record<string, unknown>>): Evaluated;
}

const MOST_STEPS = 10_000;
/** Python computes whole numbers of any size; nothing here needs more than this. */
const LARGEST_EXPONENT = 64;

/** Prepares a template; `{ unsupported }` says what of it is not understood. */
export function compileTemplate(source: string): Template | { readonly unsupported: string } {
  try {
    const pieces = parseTemplate(source);
    return { source, evaluate: (variables) => evaluated(pieces, variables) };
  } catch (error) {
    if (error instanceof TemplateError) return { unsupported: error.message };
    throw error;
  }
}

function evaluated(pieces: readonly Piece[], variables: Readonly<Record<string, unknown>>): Evaluated {
  const walk = new Walk(variables);
  try {
    const [only] = pieces;
    if (only?.type === "output" && pieces.length === 1) {
      const value = walk.value(only.value);
      return { text: textOf(value, walk).trim(), value };
    }
    const text = walk.text(pieces).trim();
    return { text, value: text };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return error.kind === "missing" ? { missing: error.message } : { refused: error.message };
  }
}

/** One evaluation, with its variables and what it may still spend. */
class Walk implements Budget {
  readonly #variables: Map<string, unknown>;
  #left = MOST_STEPS;

  constructor(variables: Readonly<Record<string, unknown>>) {
    this.#variables = new Map(Object.entries(variables));
  }

  spend(amount: number): void {
    this.#left -= amount;
    if (this.#left < 0) throw new TemplateError("limit", "the template works too long");
  }

  text(pieces: readonly Piece[]): string {
    let text = "";
    for (const piece of pieces) {
      this.spend(1);
      if (piece.type === "text") text = checkedText(text + piece.text);
      else if (piece.type === "output") text = checkedText(text + textOf(this.value(piece.value), this));
      else if (piece.type === "set") this.#variables.set(piece.name, this.value(piece.value));
      else if (piece.type === "if") {
        const branch = piece.branches.find(({ when }) => when === null || truthy(this.value(when)));
        if (branch) text = checkedText(text + this.text(branch.body));
      } else text = checkedText(text + this.#loop(piece));
    }
    return text;
  }

  #loop(piece: Piece & { readonly type: "for" }): string {
    let text = "";
    const outer = piece.names.map((name) => this.#variables.get(name));
    for (const entry of membersOf(this.value(piece.over), this)) {
      this.spend(1);
      const parts = piece.names.length === 1 ? [entry] : membersOf(entry, this);
      for (const [index, name] of piece.names.entries()) this.#variables.set(name, parts[index]);
      text = checkedText(text + this.text(piece.body));
    }
    for (const [index, name] of piece.names.entries()) this.#variables.set(name, outer[index]);
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
        return Object.fromEntries(expression.entries.map(([key, value]) => [safeKey(textOf(this.value(key), this)), this.value(value)]));
      case "member":
        return this.#member(this.value(expression.of), this.value(expression.key));
      case "slice":
        return this.#slice(expression);
      case "not":
        return !truthy(this.value(expression.of));
      case "negative":
        return -arithmetic(this.value(expression.of));
      case "choice":
        if (truthy(this.value(expression.when))) return this.value(expression.chosen);
        return expression.otherwise === null ? undefined : this.value(expression.otherwise);
      case "binary":
        return this.#binary(expression);
      case "test":
        return (testOf(expression.name)?.(this.value(expression.of), this.#given(expression.args), this) ?? false) !== expression.negated;
      default:
        return this.#tool(expression);
    }
  }

  #tool(expression: Expression & { readonly type: "filter" | "method" | "call" }): unknown {
    const given = this.#given(expression.args);
    if (expression.type === "call") {
      const [first, ...rest] = given.list;
      return toolOf("function", expression.name)?.(first, { list: rest, named: given.named }, this);
    }
    return toolOf(expression.type, expression.name)?.(this.value(expression.of), given, this);
  }

  #given(args: readonly Argument[]): Given {
    const list: unknown[] = [];
    const named = new Map<string, unknown>();
    for (const { name, value } of args) {
      if (name === null) list.push(this.value(value));
      else named.set(name, this.value(value));
    }
    return { list, named };
  }

  /** Own members only; of what is not there nothing can be asked. */
  #member(of: unknown, key: unknown): unknown {
    if (of === undefined || of === null) throw missing("a value that is not there");
    if (typeof key === "string") return member(Array.isArray(of) ? null : of, key);
    if (typeof key !== "number") return undefined;
    if (Array.isArray(of) || typeof of === "string") return of.at(Math.trunc(key));
    return member(of, String(key));
  }

  #slice(expression: Expression & { readonly type: "slice" }): unknown {
    const of = this.value(expression.of);
    const from = expression.from === null ? 0 : Math.trunc(arithmetic(this.value(expression.from)));
    const to = expression.to === null ? undefined : Math.trunc(arithmetic(this.value(expression.to)));
    if (typeof of === "string" || Array.isArray(of)) return of.slice(from, to);
    throw missing("a list that is not there");
  }

  #binary(expression: Expression & { readonly type: "binary" }): unknown {
    const { operator } = expression;
    const left = this.value(expression.left);
    if (operator === "or") return truthy(left) ? left : this.value(expression.right);
    if (operator === "and") return truthy(left) ? this.value(expression.right) : left;
    const right = this.value(expression.right);
    switch (operator) {
      case "==":
        return equals(left, right, this);
      case "!=":
        return !equals(left, right, this);
      case "<":
        return compare(left, right) < 0;
      case ">":
        return compare(left, right) > 0;
      case "<=":
        return compare(left, right) <= 0;
      case ">=":
        return compare(left, right) >= 0;
      case "in":
        return isIn(left, right, this);
      case "not in":
        return !isIn(left, right, this);
      case "~":
        return checkedText(textOf(left, this) + textOf(right, this));
      case "+":
        return this.#sum(left, right);
      default:
        return calculated(operator, arithmetic(left), arithmetic(right));
    }
  }

  #sum(left: unknown, right: unknown): unknown {
    if (typeof left === "string" && typeof right === "string") {
      this.spend((left.length + right.length) / 256);
      return checkedText(left + right);
    }
    if (Array.isArray(left) && Array.isArray(right)) return membersOf([...membersOf(left, this), ...membersOf(right, this)], this);
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

/** The variables of a received value: `value`, and `value_json` where it is JSON. */
export function receivedVariables(value: string, json: unknown): Readonly<Record<string, unknown>> {
  return json === undefined ? { value } : { value, value_json: json };
}
