/** Cuts a template into text, expressions and statements, and those into tokens. Linear in the template's length. */
import { TemplateError } from "./tree.ts";

/** A token of an expression or statement. */
export interface Token {
  readonly type: "name" | "number" | "string" | "operator";
  readonly text: string;
}

/** A segment of a template. */
export interface Stretch {
  readonly type: "text" | "output" | "statement";
  readonly text: string;
  readonly tokens: readonly Token[];
}

const MOST_CHARACTERS = 8192;
const MOST_TOKENS = 2000;
const CLOSING: Readonly<Record<string, string>> = { "{{": "}}", "{%": "%}", "{#": "#}" };

/** Cuts `source`; throws {@link TemplateError} for one that is too long or does not close what it opens. */
export function stretchesOf(source: string): Stretch[] {
  if (source.length > MOST_CHARACTERS)
    throw new TemplateError("limit", `a template may have ${MOST_CHARACTERS} characters`);
  const stretches: Stretch[] = [];
  let at = 0;
  let budget = MOST_TOKENS;
  let trimNext = false;
  while (at < source.length) {
    const start = nextOpening(source, at);
    let text = source.slice(at, start ?? source.length);
    if (trimNext) text = text.trimStart();
    if (start !== null && source[start + 2] === "-") text = text.trimEnd();
    if (text !== "") stretches.push({ type: "text", text, tokens: [] });
    if (start === null) break;
    const opening = source.slice(start, start + 2);
    const { inner, end } = opening === "{#" ? commentAt(source, start) : { inner: null, end: start + 2 };
    if (inner === null) {
      const { tokens, after } = tokensUntil(source, end + (source[end] === "-" || source[end] === "+" ? 1 : 0), {
        closing: CLOSING[opening] ?? "}}",
        budget,
      });
      budget -= tokens.length;
      stretches.push({ type: opening === "{{" ? "output" : "statement", text: "", tokens });
      trimNext = source[after - 3] === "-";
      at = after;
      if (opening === "{%" && source[at] === "\n") at++; // as Home Assistant configures its engine: trim_blocks
    } else {
      trimNext = inner.endsWith("-");
      at = end;
    }
  }
  return stretches;
}

function nextOpening(source: string, from: number): number | null {
  for (let at = source.indexOf("{", from); at !== -1; at = source.indexOf("{", at + 1)) {
    const next = source[at + 1];
    if (next === "{" || next === "%" || next === "#") return at;
  }
  return null;
}

function commentAt(source: string, start: number): { inner: string; end: number } {
  const end = source.indexOf("#}", start + 2);
  if (end === -1) throw new TemplateError("template", "a comment is not closed");
  return { inner: source.slice(start + 2, end), end: end + 2 };
}

const OPERATORS: readonly string[] = [
  "**",
  "//",
  "==",
  "!=",
  "<=",
  ">=",
  "<",
  ">",
  "+",
  "-",
  "*",
  "/",
  "%",
  "~",
  "|",
  ".",
  ",",
  ":",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  "=",
];
const SPACE = /\s/;
const WORD_START = /[A-Za-z_]/;
const WORD = /[A-Za-z0-9_]/;
const DIGIT = /[0-9]/;

function tokensUntil(
  source: string,
  start: number,
  until: { closing: string; budget: number },
): { tokens: Token[]; after: number } {
  const tokens: Token[] = [];
  let depth = 0; // of braces: a dict literal's end is not the expression's
  let at = start;
  while (at < source.length) {
    const character = source[at] ?? "";
    if (depth === 0 && source.startsWith(until.closing, at)) return { tokens, after: at + 2 };
    if (depth === 0 && character === "-" && source.startsWith(until.closing, at + 1)) return { tokens, after: at + 3 };
    if (tokens.length >= until.budget) throw new TemplateError("limit", `a template may have ${MOST_TOKENS} words`);
    if (SPACE.test(character)) at++;
    else if (character === '"' || character === "'") {
      const { text, after } = stringAt(source, at);
      tokens.push({ type: "string", text });
      at = after;
    } else if (WORD_START.test(character)) {
      const after = endOf(source, at, WORD);
      tokens.push({ type: "name", text: source.slice(at, after) });
      at = after;
    } else if (DIGIT.test(character)) {
      const after = numberEnd(source, at);
      tokens.push({ type: "number", text: source.slice(at, after) });
      at = after;
    } else {
      const operator = OPERATORS.find((candidate) => source.startsWith(candidate, at));
      if (operator === undefined) throw new TemplateError("template", `"${character}" is not understood`);
      if (operator === "{") depth++;
      if (operator === "}") depth--;
      tokens.push({ type: "operator", text: operator });
      at += operator.length;
    }
  }
  throw new TemplateError("template", `${until.closing} is missing`);
}

function endOf(source: string, start: number, kind: RegExp): number {
  let at = start;
  while (at < source.length && kind.test(source[at] ?? "")) at++;
  return at;
}

function numberEnd(source: string, start: number): number {
  let at = endOf(source, start, DIGIT);
  if (source[at] === "." && DIGIT.test(source[at + 1] ?? "")) at = endOf(source, at + 1, DIGIT);
  const exponent = /^e[-+]?\d{1,3}/i.exec(source.slice(at, at + 6));
  return exponent ? at + exponent[0].length : at;
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\\": "\\", "'": "'", '"': '"' };

function stringAt(source: string, start: number): { text: string; after: number } {
  const quote = source[start];
  let text = "";
  for (let at = start + 1; at < source.length; at++) {
    const character = source[at] ?? "";
    if (character === quote) return { text, after: at + 1 };
    if (character === "\\") {
      const next = source[++at] ?? "";
      text += ESCAPES[next] ?? `\\${next}`;
    } else text += character;
  }
  throw new TemplateError("template", "a text is not closed");
}
