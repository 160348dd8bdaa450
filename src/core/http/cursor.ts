import { Problem } from "../kernel/problem.ts";

/** The end of a page of a newest-first list: the next one begins right after it. */
export interface Position {
  readonly at: number;
  readonly id: number;
}

/** Writes a position as the opaque text of `cursor`. */
export function encodeCursor(position: readonly (number | string)[]): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** Reads a cursor back as (time, id). @throws Problem `invalid_query` for text that did not come from a response. */
export function decodePosition(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const [at, id] = decode(cursor);
  if (typeof at !== "number" || typeof id !== "number" || !Number.isSafeInteger(at) || !Number.isSafeInteger(id))
    throw notACursor();
  return { at, id };
}

/** Reads a cursor back as (time, text). @throws Problem `invalid_query` */
export function decodeNamedPosition(cursor: string | undefined): { at: number; name: string } | undefined {
  if (cursor === undefined) return undefined;
  const [at, name] = decode(cursor);
  if (typeof at !== "number" || !Number.isSafeInteger(at) || typeof name !== "string") throw notACursor();
  return { at, name };
}

/** The Link header to the page after this one, with the other parameters of this request kept. */
export function nextLink(
  request: { readonly baseUrl: string; readonly search: string; readonly facts: { readonly path: string } },
  cursor: string,
): string {
  const kept = request.search.split("&").filter((part) => part !== "" && !/^cursor(=|$)/.test(part));
  const query = [...kept, `cursor=${cursor}`].join("&").replace(/[<>"\s]/g, encodeURIComponent);
  return `<${request.baseUrl}${request.facts.path}?${query}>; rel="next"`;
}

/** Splits `limit + 1` items into the page and the last item of it when there is more. */
export function pageOf<Item>(items: readonly Item[], limit: number): { page: readonly Item[]; last: Item | null } {
  if (items.length <= limit) return { page: items, last: null };
  const page = items.slice(0, limit);
  return { page, last: page.at(-1) ?? null };
}

function decode(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(value) && value.length === 2) return value;
  } catch {
    // not even JSON: refused below like any other invalid cursor
  }
  throw notACursor();
}

function notACursor(): Problem {
  return new Problem("invalid_query", "The cursor does not come from this hub.", {
    details: [{ field: "cursor", code: "bad_format", message: "must come from a Link header of this hub" }],
  });
}
