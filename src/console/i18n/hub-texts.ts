/**
 * Texts of the hub: besides its English it sends a code and values, and the catalogue has them in every language. Texts
 * without a code, recorded by an earlier version with other values, or unknown to every catalogue are shown as the hub
 * sends them.
 */
import { type Recorded, recordedTextOf, type Values } from "../../core/text/render.ts";
import { ApiError, type Fault } from "../api.ts";
import { language } from "../preferences.ts";
import { loadFurther, reading, t } from "./translate.ts";
import { unbroken } from "./unbroken.ts";

/** The text under `PREFIX.CODE`, filled from the recorded values, or what the hub says. */
export function recordedText(
  prefix: "feed.title" | "feed.body" | "health" | "detail",
  words: unknown,
  otherwise: string,
): string {
  if (!isRecorded(words)) return unbroken(otherwise);
  if ("at" in words) void loadFurther().catch(() => {}); // the hub's own English has moments in UTC
  return unbroken(recordedTextOf(reading, `${prefix}.${words.code}`, words, otherwise));
}

/** The text under `key`, or `otherwise` if there is none, or it needs values that are not given. */
export function keyedText(key: string, otherwise: string, values: Values = {}): string {
  return unbroken(recordedTextOf(reading, key, values, otherwise));
}

function isRecorded(words: unknown): words is Recorded {
  return typeof words === "object" && words !== null && "code" in words && typeof words.code === "string";
}

/** Problems whose English comes from a validator, or is about the API, and is of no use to people. */
const UNREADABLE = /^invalid_(body|query|path|json|request|setting)$/;
/** Most faults that one message names. */
const NAMED_FAULTS = 3;

/**
 * A problem in plain words: never a validator's text, never a JSON pointer. Otherwise the hub's own English is more
 * precise.
 */
export function problemText(error: unknown): string {
  if (!(error instanceof ApiError)) return t("error.unknown");
  if (error.status === 0) return t("error.unreachable");
  if (UNREADABLE.test(error.code))
    return (
      faultsText(error) ??
      recordedText("detail", error.body.words, keyedText(`problem.${error.code}`, t("error.unknown")))
    );
  const { words } = error.body;
  if (language.value === "en")
    return isRecorded(words) && "at" in words ? recordedText("detail", words, error.message) : unbroken(error.message);
  return recordedText(
    "detail",
    error.body.words,
    keyedText(`problem.${error.code}`, faultsText(error) ?? t("error.unknown")),
  );
}

/** The first faults of a refused request, each with the name of its field; null if no field is named. */
function faultsText({ faults }: ApiError): string | null {
  return faults.length === 0 ? null : faults.slice(0, NAMED_FAULTS).map(faultWithName).join(" ");
}

/** A fault that is shown away from its field: it names the field. */
export function faultWithName(fault: Fault): string {
  return fault.field === ""
    ? faultText(fault)
    : t("refused.inField", { field: fieldName(fault.field), what: faultText(fault) });
}

/** The problem with a field, shown beside it. */
export function faultText({ code, values, words }: Fault): string {
  return sentence(recordedText("detail", words, keyedText(`refused.${code}`, t("refused.invalid"), values)));
}

function sentence(text: string): string {
  const end = language.value === "hi" ? "।" : ".";
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?।]$/.test(text) ? "" : end}`;
}

/** A field in words: `actions.0.deviceId` is "Action 1 › Device". */
function fieldName(field: string): string {
  const names: string[] = [];
  for (const part of field.split(".")) {
    const last = names.length - 1;
    if (/^\d+$/.test(part) && last >= 0) names[last] = `${names[last]} ${Number(part) + 1}`;
    else names.push(keyedText(`field.${part}`, keyedText(`measure.${part}`, spaced(part))));
  }
  return names.slice(-2).join(" › ");
}

/** `validFrom` and `valid_from` as words. */
function spaced(name: string): string {
  return sentence(
    name
      .replaceAll(/[_-]+/g, " ")
      .replaceAll(/([a-z])([A-Z])/g, (_, left: string, right: string) => `${left} ${right.toLowerCase()}`),
  ).slice(0, -1);
}

/** The problem with each field, for forms. */
export function fieldTexts(error: ApiError): Readonly<Record<string, string>> {
  return Object.fromEntries(error.faults.map((fault) => [fault.field, faultText(fault)]));
}
