/** Texts of the hub in the language of the person they are sent to; english.ts is for the API and the log. */
import { readingIn } from "./hub-texts.ts";
import type { TextKey } from "./keys.ts";
import { type Language, type Reading, type Recorded, recordedTextOf, textOf, type Values } from "./render.ts";

/** Who a text is for. */
export interface Reader {
  readonly language: Language;
  /** The zone of moments (IANA name). */
  readonly timeZone: string;
}

/** The text under `key`. */
export function textFor(reader: Reader, key: TextKey, values: Values = {}): string {
  return textOf(readingOf(reader), key, values);
}

/** The text under `PREFIX.CODE` with what was recorded, or `otherwise` if no catalogue has it or a value is missing. */
export function recordedTextFor(
  reader: Reader,
  prefix: "feed.title" | "feed.body" | "detail",
  words: Recorded | null,
  otherwise: string,
): string {
  return words === null ? otherwise : recordedTextOf(readingOf(reader), `${prefix}.${words.code}`, words, otherwise);
}

function readingOf(reader: Reader): Reading {
  return readingIn(reader.language, (iso) => momentFor(reader, Date.parse(iso)));
}

/** A moment (epoch ms) in its reader's form. */
export function momentFor({ language, timeZone }: Reader, at: number): string {
  if (!Number.isFinite(at)) return "";
  const locale = language === "hi" ? "hi-IN" : "en-GB";
  return new Intl.DateTimeFormat(locale, { timeZone, dateStyle: "medium", timeStyle: "short" }).format(at);
}
