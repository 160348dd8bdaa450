/**
 * From tokens to a tree, with the precedence of Jinja 2. Unsupported features (an unknown filter, test, function or
 * statement) fail here, so that a template is known to be unusable before its first value arrives.
 */
import { isFilter, isFunction, isMethod, isTest } from "./known.ts";
import { type Stretch, stretchesOf, type Token } from "./tokens.ts";
import { type Argument, type BinaryOperator, type Expression, type Piece, TemplateError } from "./tree.ts";

const DEEPEST = 40;

/** Parses a template; throws {@link TemplateError} naming the unsupported part. */
export function parseTemplate(source: string): readonly Piece[] {
  const reader = new PieceReader(stretchesOf(source));
  const { pieces, ended } = reader.body(0);
  if (ended !== null) throw new TemplateError("template", `${ended} without a beginning`);
  return pieces;
}

/** Reads statements and their bodies. */
class PieceReader {
  readonly #stretches: readonly Stretch[];
  #at = 0;

  constructor(stretches: readonly Stretch[]) {
    this.#stretches = stretches;
  }

  /** Pieces up to a word that ends or divides the body; the rest of its tokens is in `rest`. */
  body(depth: number): { pieces: Piece[]; ended: string | null; rest: ExpressionReader | null } {
    if (depth > DEEPEST) throw new TemplateError("limit", "the template nests too deeply");
    const pieces: Piece[] = [];
    while (this.#at < this.#stretches.length) {
      const stretch = this.#stretches[this.#at++];
      if (stretch === undefined) break;
      if (stretch.type === "text") pieces.push({ type: "text", text: stretch.text });
      else {
        const reader = new ExpressionReader(stretch.tokens);
        if (stretch.type === "output") pieces.push({ type: "output", value: reader.whole() });
        else {
          const word = reader.word();
          if (["elif", "else", "endif", "endfor"].includes(word)) return { pieces, ended: word, rest: reader };
          pieces.push(this.#statement(word, reader, depth));
        }
      }
    }
    return { pieces, ended: null, rest: null };
  }

  #statement(word: string, reader: ExpressionReader, depth: number): Piece {
    if (word === "if") return this.#choice(reader, depth);
    if (word === "for") return this.#loop(reader, depth);
    if (word === "set") {
      const name = reader.word();
      const member = reader.take(".") ? reader.word() : null;
      reader.expect("=");
      return { type: "set", name, member, value: reader.whole() };
    }
    throw new TemplateError("template", `the statement "${word}" is not supported`);
  }

  #choice(first: ExpressionReader, depth: number): Piece {
    const branches: { when: Expression | null; body: readonly Piece[] }[] = [];
    let when: Expression | null = first.whole();
    for (;;) {
      const { pieces, ended, rest } = this.body(depth + 1);
      branches.push({ when, body: pieces });
      if (ended === "endif") return { type: "if", branches };
      if (ended === "elif" && rest && when !== null) when = rest.whole();
      else if (ended === "else" && when !== null) when = null;
      else throw new TemplateError("template", "endif is missing");
    }
  }

  #loop(reader: ExpressionReader, depth: number): Piece {
    const names = [reader.word()];
    while (reader.take(",")) names.push(reader.word());
    reader.expectWord("in");
    const { over, when } = reader.members();
    const body = this.body(depth + 1);
    const otherwise = body.ended === "else" ? this.body(depth + 1) : null;
    if ((otherwise ?? body).ended !== "endfor") throw new TemplateError("template", "endfor is missing");
    return { type: "for", names, over, when, body: body.pieces, otherwise: otherwise?.pieces ?? [] };
  }
}

const COMPARISONS: ReadonlySet<string> = new Set(["==", "!=", "<", ">", "<=", ">="]);
const SUMS: ReadonlySet<string> = new Set(["+", "-"]);
const JOINS: ReadonlySet<string> = new Set(["~"]);
const PRODUCTS: ReadonlySet<string> = new Set(["*", "/", "//", "%"]);
const POWERS: ReadonlySet<string> = new Set(["**"]);
const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);
const RESERVED: ReadonlySet<string> = new Set(["if", "else", "elif", "and", "or", "not", "in", "is"]);

/** Reads one expression by recursive descent; bounded in depth. */
class ExpressionReader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** The one expression that makes up the rest. */
  whole(): Expression {
    const expression = this.#tuple(() => this.#expression());
    const left = this.#tokens[this.#at];
    if (left) throw new TemplateError("template", `"${left.text}" is not expected here`);
    return expression;
  }

  /** The expression a loop iterates over: an `if` after it belongs to the loop. */
  members(): { over: Expression; when: Expression | null } {
    const over = this.#tuple(() => this.#or());
    const left = this.#tokens[this.#at];
    if (left && !this.#takeWord("if")) throw new TemplateError("template", `"${left.text}" is not expected here`);
    return { over, when: left ? this.whole() : null };
  }

  word(): string {
    const token = this.#tokens[this.#at++];
    if (token?.type !== "name") throw new TemplateError("template", "a name is missing");
    return token.text;
  }

  take(operator: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.type !== "operator" || token.text !== operator) return false;
    this.#at++;
    return true;
  }

  expect(operator: string): void {
    if (!this.take(operator)) throw new TemplateError("template", `"${operator}" is missing`);
  }

  expectWord(word: string): void {
    if (!this.#takeWord(word)) throw new TemplateError("template", `"${word}" is missing`);
  }

  #takeWord(word: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.type !== "name" || token.text !== word) return false;
    this.#at++;
    return true;
  }

  #tuple(member: () => Expression): Expression {
    const first = member();
    if (!this.take(",")) return first;
    const members = [first];
    while (this.#at < this.#tokens.length) {
      members.push(member());
      if (!this.take(",")) break;
    }
    return { type: "list", members };
  }

  #expression(): Expression {
    if (++this.#depth > DEEPEST) throw new TemplateError("limit", "the template nests too deeply");
    let expression = this.#or();
    while (this.#takeWord("if")) {
      const when = this.#or();
      const otherwise: Expression | null = this.#takeWord("else") ? this.#expression() : null;
      expression = { type: "choice", when, chosen: expression, otherwise };
    }
    this.#depth--;
    return expression;
  }

  #or(): Expression {
    let left = this.#and();
    while (this.#takeWord("or")) left = { type: "binary", operator: "or", left, right: this.#and() };
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.#takeWord("and")) left = { type: "binary", operator: "and", left, right: this.#not() };
    return left;
  }

  #not(): Expression {
    let times = 0;
    while (this.#takeWord("not")) times++;
    const inner = this.#comparison();
    if (times === 0) return inner;
    const once: Expression = { type: "not", of: inner };
    return times % 2 === 1 ? once : { type: "not", of: once };
  }

  #comparison(): Expression {
    let left = this.#sum();
    for (;;) {
      const operator = this.#comparing();
      if (operator === null) return left;
      left = { type: "binary", operator, left, right: this.#sum() };
    }
  }

  #sum(): Expression {
    const power = (): Expression => this.#operators(POWERS, () => this.#signed());
    const product = (): Expression => this.#operators(PRODUCTS, power);
    return this.#operators(SUMS, () => this.#operators(JOINS, product));
  }

  #comparing(): BinaryOperator | null {
    const token = this.#tokens[this.#at];
    if (token?.type === "operator" && COMPARISONS.has(token.text)) {
      this.#at++;
      return token.text as BinaryOperator; // one of the set just asked
    }
    if (this.#takeWord("in")) return "in";
    const next = this.#tokens[this.#at + 1];
    if (token?.type === "name" && token.text === "not" && next?.type === "name" && next.text === "in") {
      this.#at += 2;
      return "not in";
    }
    return null;
  }

  #operators(known: ReadonlySet<string>, operand: () => Expression): Expression {
    let left = operand();
    for (;;) {
      const token = this.#tokens[this.#at];
      if (token?.type !== "operator" || !known.has(token.text)) return left;
      this.#at++;
      // one of the set just asked
      left = { type: "binary", operator: token.text as BinaryOperator, left, right: operand() };
    }
  }

  #signed(): Expression {
    let negative = false;
    for (;;) {
      if (this.take("-")) negative = !negative;
      else if (!this.take("+")) break;
    }
    // a sign belongs to the value with its members; filters and tests take both
    const inner = this.#members(this.#primary());
    return this.#filtersAndTests(negative ? { type: "negative", of: inner } : inner);
  }

  #filtersAndTests(start: Expression): Expression {
    let value = start;
    for (;;) {
      if (this.take("|")) value = this.#members(this.#filtered(value));
      else if (this.#takeWord("is")) value = this.#members(this.#tested(value));
      else return value;
    }
  }

  /** Members of a value, and calls of its methods. */
  #members(start: Expression): Expression {
    let value = start;
    for (;;) {
      if (this.take(".")) value = this.#dotted(value);
      else if (this.take("[")) value = this.#indexed(value);
      else return value;
    }
  }

  #dotted(of: Expression): Expression {
    const token = this.#tokens[this.#at++];
    if (token?.type !== "name" && token?.type !== "number")
      throw new TemplateError("template", "a name is missing after a point");
    if (token.type === "name" && this.take("(")) {
      if (!isMethod(token.text)) throw new TemplateError("template", `the method "${token.text}" is not supported`);
      return { type: "method", name: token.text, of, args: this.#arguments() };
    }
    return {
      type: "member",
      of,
      key: { type: "literal", value: token.type === "number" ? Number(token.text) : token.text },
    };
  }

  #indexed(of: Expression): Expression {
    const from = this.#peek(":") ? null : this.#expression();
    if (this.take("]")) {
      if (from === null) throw new TemplateError("template", "an index is missing");
      return { type: "member", of, key: from };
    }
    this.expect(":");
    const to = this.#peek("]") ? null : this.#expression();
    this.expect("]");
    return { type: "slice", of, from, to };
  }

  #peek(operator: string): boolean {
    const token = this.#tokens[this.#at];
    return token?.type === "operator" && token.text === operator;
  }

  #filtered(of: Expression): Expression {
    const name = this.word();
    if (!isFilter(name)) throw new TemplateError("template", `the filter "${name}" is not supported`);
    return { type: "filter", name, of, args: this.take("(") ? this.#arguments() : [] };
  }

  #tested(of: Expression): Expression {
    const negated = this.#takeWord("not");
    const name = this.word();
    if (!isTest(name)) throw new TemplateError("template", `the test "${name}" is not supported`);
    if (this.take("(")) return { type: "test", name, of, args: this.#arguments(), negated };
    const token = this.#tokens[this.#at];
    const takesOne = token !== undefined && (name === "in" || token.type === "number" || token.type === "string");
    return { type: "test", name, of, args: takesOne ? [{ name: null, value: this.#primary() }] : [], negated };
  }

  #arguments(): Argument[] {
    const args: Argument[] = [];
    while (!this.take(")")) {
      if (args.length > 0) this.expect(",");
      if (this.take(")")) break;
      const token = this.#tokens[this.#at];
      const next = this.#tokens[this.#at + 1];
      const named = token?.type === "name" && next?.type === "operator" && next.text === "=";
      if (named) this.#at += 2;
      args.push({ name: named ? token.text : null, value: this.#expression() });
    }
    return args;
  }

  #primary(): Expression {
    const token = this.#tokens[this.#at++];
    if (!token) throw new TemplateError("template", "a value is missing");
    if (token.type === "number") return { type: "literal", value: Number(token.text) };
    if (token.type === "string") return this.#texts(token.text);
    if (token.type === "name") return this.#named(token.text);
    if (token.text === "(") return this.#parenthesis();
    if (token.text === "[") return { type: "list", members: this.#entries("]") };
    if (token.text === "{") return this.#dict();
    throw new TemplateError("template", `"${token.text}" is not expected here`);
  }

  /** Adjacent texts are joined, as in Python. */
  #texts(first: string): Expression {
    let text = first;
    for (let token = this.#tokens[this.#at]; token?.type === "string"; token = this.#tokens[this.#at]) {
      text += token.text;
      this.#at++;
    }
    return { type: "literal", value: text };
  }

  #named(name: string): Expression {
    const constant = CONSTANTS.get(name);
    if (constant !== undefined) return { type: "literal", value: constant };
    if (RESERVED.has(name)) throw new TemplateError("template", `"${name}" is not expected here`);
    if (!this.take("(")) return { type: "name", name };
    if (!isFunction(name)) throw new TemplateError("template", `the function "${name}" is not supported`);
    return { type: "call", name, args: this.#arguments() };
  }

  #parenthesis(): Expression {
    const first = this.#expression();
    if (this.take(")")) return first;
    this.expect(",");
    return { type: "list", members: [first, ...this.#entries(")")] };
  }

  #entries(end: string): Expression[] {
    const members: Expression[] = [];
    while (!this.take(end)) {
      if (members.length > 0) this.expect(",");
      if (this.take(end)) break;
      members.push(this.#expression());
    }
    return members;
  }

  #dict(): Expression {
    const entries: [Expression, Expression][] = [];
    while (!this.take("}")) {
      if (entries.length > 0) this.expect(",");
      if (this.take("}")) break;
      const key = this.#expression();
      this.expect(":");
      entries.push([key, this.#expression()]);
    }
    return { type: "dict", entries };
  }
}
