/** Texts of the hub in the language of the person they are sent to; english.ts is for the API and the log. */
import compile from "icu-minify/compile";
import type { CompiledMessage } from "icu-minify/format";
import { en } from "./en.ts";
import { fill, type Language, type Values } from "./fill.ts";
import { hi } from "./hi.ts";
import type { Recorded, TextKey } from "./keys.ts";

const CATALOGUES: Readonly<Record<Language, Readonly<Record<TextKey, string>>>> = { en, hi };
const compiled = new Map<string, CompiledMessage>();

/** Who a text is for. */
export interface Reader {
  readonly language: Language;
  /** The zone of moments (IANA name). */
  readonly timeZone: string;
}

/** The text under `key`. */
export function textFor(reader: Reader, key: TextKey, values: Values = {}): string {
  const name = `${reader.language} ${key}`;
  const message = compiled.get(name) ?? compile(CATALOGUES[reader.language][key]);
  compiled.set(name, message);
  return fill(message, reader.language, values);
}

/** The text under `PREFIX.CODE` with what was recorded, or `otherwise` if no catalogue has it or a value is missing. */
export function recordedTextFor(
  reader: Reader,
  prefix: "feed.title" | "feed.body" | "detail",
  words: Recorded | null,
  otherwise: string,
): string {
  const key = `${prefix}.${words?.code ?? ""}`;
  if (words === null || !isKey(key)) return otherwise;
  try {
    return textFor(
      reader,
      key,
      Object.fromEntries(Object.entries(words).map(([name, value]) => [name, valueFor(reader, name, value)])),
    );
  } catch (error) {
    if (error instanceof RangeError) return otherwise; // recorded by an earlier version
    throw error;
  }
}

function valueFor(reader: Reader, name: string, value: Recorded[string]): string | number {
  if (name === "at") return momentFor(reader, Date.parse(String(value)));
  if (typeof value !== "object") return value;
  const details = "code" in value ? [value as Recorded] : (value as readonly Recorded[]); // one or a list
  return details.map((detail) => recordedTextFor(reader, "detail", detail, detail.code)).join(", ");
}

/** A moment (epoch ms) in its reader's form. */
export function momentFor({ language, timeZone }: Reader, at: number): string {
  if (!Number.isFinite(at)) return "";
  const locale = language === "hi" ? "hi-IN" : "en-GB";
  return new Intl.DateTimeFormat(locale, { timeZone, dateStyle: "medium", timeStyle: "short" }).format(at);
}

function isKey(key: string): key is TextKey {
  return Object.hasOwn(en, key);
}
