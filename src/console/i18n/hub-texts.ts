/**
 * Texts of the hub: beside its English it sends a code and values, and the catalogue has them in every language. What has no code, was
 * recorded by an earlier version with other values, or is known to no catalogue, is shown as the hub says it.
 */
import type { Recorded } from "../../text/keys.js";
import { ApiError } from "../api.js";
import { language } from "../preferences.js";
import { dateTime, isTextKey, t } from "./translate.js";

/** The text under `PREFIX.CODE`, filled from the recorded values, or what the hub says. */
export function recordedText(prefix: "feed.title" | "feed.body" | "health" | "detail", words: unknown, otherwise: string): string {
  if (!isRecorded(words)) return otherwise;
  return filled(`${prefix}.${words.code}`, inWords(words), otherwise);
}

/** The text under `key`, or `otherwise`. */
export function keyedText(key: string, otherwise: string): string {
  return filled(key, {}, otherwise);
}

function filled(key: string, values: Readonly<Record<string, string | number>>, otherwise: string): string {
  if (!isTextKey(key)) return otherwise;
  try {
    return t(key, values);
  } catch (error) {
    if (error instanceof RangeError) return otherwise; // a value is missing: recorded by an earlier version, or the key of another text
    throw error;
  }
}

function isRecorded(words: unknown): words is Recorded {
  return typeof words === "object" && words !== null && "code" in words && typeof words.code === "string";
}

function inWords(words: Recorded): Record<string, string | number> {
  return Object.fromEntries(Object.entries(words).map(([name, value]) => [name, name === "at" ? dateTime(String(value)) : oneInWords(value)]));
}

function oneInWords(value: Recorded[string]): string | number {
  if (typeof value !== "object") return value;
  return isRecorded(value) ? recordedText("detail", value, value.code) : value.map((one) => recordedText("detail", one, one.code)).join(", ");
}

/** What a problem means. In English the hub's own words are the more exact ones. */
export function problemText(error: unknown): string {
  if (!(error instanceof ApiError)) return t("error.unknown");
  if (error.status === 0) return t("error.unreachable");
  if (language.value === "en") return error.message;
  return recordedText("detail", error.body.words, keyedText(`problem.${error.code}`, error.message));
}

/** What is wrong with each field, as {@link problemText}. */
export function fieldTexts(error: ApiError): Readonly<Record<string, string>> {
  if (language.value === "en") return error.fields;
  return Object.fromEntries(Object.entries(error.fields).map(([field, message]) => [field, keyedText(`refused.${error.fieldCodes[field] ?? ""}`, message)]));
}
