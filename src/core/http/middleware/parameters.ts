import type { TSchema } from "typebox";
import { Problem, type ProblemDetail } from "../../kernel/problem.ts";
import type { HubMiddleware } from "../exchange.ts";
import type { Check } from "./validate.ts";

/** The parameters of an operation. */
export interface Parameters {
  readonly params: ParameterReader | null;
  readonly query: ParameterReader;
  /** The refusal of a path that names nothing. */
  readonly notFound: () => Problem;
}

/** Reads the parameters of the path, then those of the query. @throws Problem `invalid_path`, `invalid_query` */
export function parameters({ params, query, notFound }: Parameters): HubMiddleware {
  return ({ state }, next) => {
    if (params !== null) state.params = params.path(state.rawParams, notFound);
    const { values, ignored } = query.query(state.search);
    if (ignored.length > 0) state.headers["X-Ignored-Query"] = ignoredQueryHeader(ignored);
    state.query = values;
    return next();
  };
}

/** A query string as read. */
export interface QueryValues {
  readonly values: Readonly<Record<string, unknown>>;
  /** Names that the operation does not know. */
  readonly ignored: readonly string[];
}

type Kind = "string" | "integer" | "number" | "boolean";
/** A date-time whose plus sign was not percent-encoded arrives with a blank; a blank there has no other cause. */
const LOST_PLUS = /^(\d{4}-\d\d-\d\d[Tt][\d:.]+) (\d\d:\d\d)$/;
const MOST_IGNORED_NAMES = 10;

/** The parameters that a schema of the query or of the path names, with their types. */
export class ParameterReader {
  readonly #kinds: ReadonlyMap<string, Kind>;
  readonly #check: Check;
  /** The values of an empty query string: the defaults. Most requests have one. */
  #empty: QueryValues | null = null;

  constructor(schema: TSchema, check: Check) {
    this.#kinds = kindsOf(schema);
    this.#check = check;
  }

  /**
   * Reads a query string: strict types, no clamping, no parameter twice. Unknown names are returned, not refused.
   * @throws Problem `invalid_query`
   */
  query(search: string): QueryValues {
    if (search !== "") return this.#query(search);
    this.#empty ??= this.#query("");
    return this.#empty;
  }

  #query(search: string): QueryValues {
    const values: Record<string, unknown> = {};
    const ignored = new Set<string>();
    const details: ProblemDetail[] = [];
    for (const [name, text] of pairs(search)) {
      const kind = this.#kinds.get(name);
      if (kind === undefined) ignored.add(name);
      else if (Object.hasOwn(values, name)) details.push({ field: name, code: "duplicate", message: "is given twice" });
      else {
        const value = coerce(kind, text.replace(LOST_PLUS, "$1+$2"));
        if (value === undefined)
          details.push({ field: name, code: "wrong_type", message: `must be ${KIND_WORDS[kind]}` });
        values[name] = value;
      }
    }
    if (details.length > 0) throw invalidQuery(details);
    const refused = this.#check(values);
    if (refused) throw invalidQuery(refused);
    return { values, ignored: [...ignored] };
  }

  /**
   * Decodes path parameters. An id that is not a positive integer is answered like one that does not exist.
   * @throws Problem `invalid_path`, or the route's own `notFound`
   */
  path(raw: Readonly<Record<string, string>>, notFound: () => Problem): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const [name, text] of Object.entries(raw)) {
      const kind = this.#kinds.get(name) ?? "string";
      const decoded = decode(text);
      const value = kind === "integer" && !/^[1-9]\d{0,15}$/.test(decoded) ? undefined : coerce(kind, decoded);
      if (value === undefined) throw notFound();
      values[name] = value;
    }
    if (this.#check(values)) throw notFound();
    return values;
  }
}

const KIND_WORDS: Readonly<Record<Kind, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
};

/** The value of X-Ignored-Query: printable, bounded. */
function ignoredQueryHeader(names: readonly string[]): string {
  return names
    .slice(0, MOST_IGNORED_NAMES)
    .map((name) => encodeURIComponent(name).slice(0, 40))
    .join(", ");
}

function kindsOf(schema: TSchema): ReadonlyMap<string, Kind> {
  // TypeBox objects are plain JSON Schema
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> };
  // parameters are scalars; a test holds every route to it
  return new Map(Object.entries(properties).map(([name, property]) => [name, (property.type ?? "string") as Kind]));
}

function* pairs(search: string): Generator<[string, string]> {
  for (const part of search.split("&")) {
    if (part === "") continue;
    const split = part.indexOf("=");
    const name = split === -1 ? part : part.slice(0, split);
    const value = split === -1 ? "" : part.slice(split + 1);
    try {
      yield [decodeURIComponent(name.replaceAll("+", " ")), decodeURIComponent(value.replaceAll("+", " "))];
    } catch (cause) {
      throw new Problem("invalid_query", { code: "refusal.query.encoding" }, { cause });
    }
  }
}

function decode(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new Problem("invalid_path", "The path is not correctly percent-encoded.", { cause });
  }
}

function coerce(kind: Kind, text: string): unknown {
  if (kind === "string") return text;
  if (kind === "boolean") return text === "true" ? true : text === "false" ? false : undefined;
  if (kind === "integer") return /^-?(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : undefined;
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : undefined;
}

function invalidQuery(details: readonly ProblemDetail[]): Problem {
  const first = details[0];
  return new Problem(
    "invalid_query",
    first ? `The query parameter ${first.field} ${first.message}.` : "The query is not valid.",
    { details },
  );
}
