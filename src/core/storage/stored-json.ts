import { isJsonObject } from "../kernel/json-object.ts";
import type { Recorded } from "../text/render.ts";

/**
 * JSON of a row that only its reader needs: a cell that is unreadable, or no list or object as `instead` is (null: an
 * object), costs its own part of one response, never the response. A bit may be flipped, and a person may have edited
 * it. Rows needed by the start are checked at the start instead (`bad-rows.ts`).
 */
export function storedJson<Value extends object | null>(text: string, instead: Value): Value {
  const value = parsed(text);
  const isOfKind = Array.isArray(instead) ? Array.isArray(value) : isJsonObject(value);
  return isOfKind ? (value as Value) : instead; // written by the caller's own table
}

/** A list that a row holds as JSON; null if its cell is empty, unreadable or no list. */
export function storedList<One>(text: string | null): One[] | null {
  const value = text === null ? null : parsed(text);
  return Array.isArray(value) ? (value as One[]) : null; // written by the caller's own table
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A row's text as a code with values; null where the row has only its English. */
export function storedWords(words: string | null): Recorded | null {
  return words === null ? null : storedJson<Recorded | null>(words, null);
}
