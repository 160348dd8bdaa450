/**
 * What the hub records or reports, in English: for members of the API that programs and people read as they are, and
 * for the log. The console makes other languages from the same codes and values.
 */
import { isKey, readingIn } from "./hub-texts.ts";
import type { Detail, FeedText, HealthText, Nested, TextKey, TextValue } from "./keys.ts";
import { type Recorded, recordedTextOf } from "./render.ts";

/** Moments are in UTC, as in the log. */
const ENGLISH = readingIn("en", (iso) => `${iso.slice(0, 16).replace("T", " ")} UTC`);

/** Title and body of a feed item. */
export function feedEnglish(text: FeedText): { readonly title: string; readonly body: string } {
  const body = `feed.body.${text.code}`;
  return { title: english(`feed.title.${text.code}`, text), body: isKey(body) ? english(body, text) : "" };
}

/** What a health check found. */
export function healthEnglish(text: HealthText): string {
  return english(`health.${text.code}`, text);
}

/** A reason. */
export function detailEnglish(detail: Nested): string {
  return english(`detail.${detail.code}`, detail);
}

/** A reason in the form of the API and the log: in English, and as the code with values that it was made from. */
export function withEnglish(words: Detail): { readonly text: string; readonly words: Detail } {
  return { text: detailEnglish(words), words };
}

/**
 * What was stored of a reason, for use inside another text: its code with values, or its English if there is none, or
 * one that this version does not know.
 */
export function storedReason(text: string, words: Recorded | null): string | Detail {
  if (words === null || !isKey(`detail.${words.code}`)) return text;
  const detail = words as Detail; // a code of the catalogue; its values are tried here
  try {
    detailEnglish(detail);
    return detail;
  } catch (error) {
    if (error instanceof RangeError) return text; // recorded by another version with other values
    throw error;
  }
}

/** The text under `key`. */
export function english(key: TextKey, values: Readonly<Record<string, TextValue>> = {}): string {
  return recordedTextOf(ENGLISH, key, values);
}
