/**
 * What the hub records or reports, in English: for members of the API that programs and people read as they are, and
 * for the log. The console makes other languages from the same codes and values.
 */
import compile from "icu-minify/compile";
import type { CompiledMessage } from "icu-minify/format";
import { en } from "./en.ts";
import { fill, type Values } from "./fill.ts";
import type { Detail, FeedText, HealthText, Nested, Recorded, TextKey, TextValue } from "./keys.ts";

const compiled = new Map<TextKey, CompiledMessage>();

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
export function told(words: Detail): { readonly text: string; readonly words: Detail } {
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
  const message = compiled.get(key) ?? compile(en[key]);
  compiled.set(key, message);
  return fill(message, "en", inWords(values));
}

function inWords(values: Readonly<Record<string, TextValue>>): Values {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, name === "at" ? moment(String(value)) : oneInWords(value)]),
  );
}

function oneInWords(value: TextValue): string | number {
  if (typeof value !== "object") return value;
  return "code" in value ? detailEnglish(value) : value.map(detailEnglish).join(", ");
}

/** A moment in UTC, as the log has it. */
function moment(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}

function isKey(key: string): key is TextKey {
  return Object.hasOwn(en, key);
}
