/**
 * Texts that the hub sends: it gives a code and values beside its English words, and the catalogue has them in other languages.
 * What no catalogue knows is shown as the hub says it.
 */
import { ApiError } from "../api.js";
import { language } from "../preferences.js";
import en from "./en.json";
import { dateTime, type TextKey, t } from "./translate.js";

/** A code with what stands in its text; `at` is a moment in ISO form, `why` and `reason` are sentences of the hub. */
export interface Words {
  readonly code: string;
  readonly [name: string]: string | number;
}

function isKey(key: string): key is TextKey {
  return Object.hasOwn(en, key);
}

/** The text under `key`, filled from `values`, or what the hub says. */
export function hubText(key: string, values: Words | null | undefined, otherwise: string): string {
  if (!isKey(key)) return otherwise;
  const [at, why, reason] = [values?.at, values?.why, values?.reason];
  return t(key, {
    ...values,
    ...(typeof at === "string" ? { at: dateTime(at) } : {}),
    ...(typeof why === "string" ? { why: hubSentence(why) } : {}),
    ...(typeof reason === "string" ? { reason: hubSentence(reason) } : {}),
  });
}

/** One of the hub's fixed sentences in the reader's language, found by its English words; others stay as they are. */
export function hubSentence(sentence: string): string {
  if (language.value === "en") return sentence;
  const plain = bare(sentence);
  const key = Object.keys(en).find((candidate) => candidate.startsWith("sentence.") && bare(en[candidate as TextKey]) === plain); // keys of the catalogue
  return key === undefined ? sentence : t(key as TextKey); // likewise
}

/** Without what differs between a sentence and a part of one. */
function bare(sentence: string): string {
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`.replace(/\.$/, "");
}

/** What a problem means. In English the hub's own words are the more exact ones. */
export function problemText(error: unknown): string {
  if (!(error instanceof ApiError)) return t("error.unknown");
  if (error.status === 0) return t("error.unreachable");
  if (language.value === "en") return error.message;
  const known = hubSentence(error.message);
  return known === error.message ? hubText(`problem.${error.code}`, null, error.message) : known;
}

/** What is wrong with each field, as {@link problemText}. */
export function fieldTexts(error: ApiError): Readonly<Record<string, string>> {
  if (language.value === "en") return error.fields;
  return Object.fromEntries(
    Object.entries(error.fields).map(([field, message]) => [field, hubText(`refused.${error.fieldCodes[field] ?? ""}`, null, message)]),
  );
}
