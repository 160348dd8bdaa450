import type { ErrorObject } from "ajv";

/** Which end of a range was exceeded; the text then reads "at least" or "at most". */
const SIDES: Readonly<Record<string, string>> = {
  minimum: "least",
  exclusiveMinimum: "least",
  maximum: "most",
  exclusiveMaximum: "most",
};

/**
 * The values that a text about a schema's error needs besides its code, as the member of a problem's detail; none if it
 * needs nothing.
 */
export function refusalValues({ keyword, params }: Pick<ErrorObject, "keyword" | "params">): {
  readonly values?: Record<string, string | number>;
} {
  const { limit, type }: { limit?: unknown; type?: unknown } = params;
  const side = SIDES[keyword];
  if (typeof limit === "number") return { values: { limit, ...(side === undefined ? {} : { side }) } };
  return keyword === "type" ? { values: { type: String(type) } } : {};
}
