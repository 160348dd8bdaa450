import { isJsonObject } from "../kernel/json-object.ts";
import type { Recorded } from "../text/render.ts";

/**
 * JSON of a row that only its reader needs: unreadable text (a flipped bit, an edit by hand) costs its own part of one
 * response, never the response. Rows needed by the start are checked at the start instead (`bad-rows.ts`).
 */
export function storedJson<Value>(text: string, instead: Value): Value {
  try {
    return JSON.parse(text) as Value; // written by the caller's own table
  } catch {
    return instead;
  }
}

/** An object that a row holds as JSON; null if its text is unreadable or not an object. */
export function storedObject<Shape extends object>(text: string): Shape | null {
  const value = storedJson<Shape | null>(text, null);
  return isJsonObject(value) ? value : null;
}

/** A row's text as a code with values; null where the row has only its English. */
export function storedWords(words: string | null): Recorded | null {
  return words === null ? null : storedJson<Recorded | null>(words, null);
}
