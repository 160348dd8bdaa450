import { detailEnglish } from "../text/english.ts";
import type { Detail } from "../text/keys.ts";
import type { SettingField } from "./schema.ts";

/** What is wrong with a value. */
export interface WrongValue {
  /** English that follows the name of the setting; includes the given value. */
  readonly message: string;
  /** The same for the console, which shows the given value beside it. */
  readonly words: Detail;
}

/** Describes what is wrong with `value`, or null if it is valid; the words follow the setting's name. */
export function checkSetting(field: SettingField, value: unknown): WrongValue | null {
  const words = CHECKS[field.kind](field, value);
  return words === null ? null : wrongValue(field, words, value);
}

function wrongValue({ pattern }: SettingField, words: Detail, value: unknown): WrongValue {
  // people who read the log know regular expressions, people who fill in a form do not
  const rule = words.code === "refusal.setting.form" ? `must match ${pattern}` : detailEnglish(words);
  return { message: `${rule}, got ${shown(value)}`, words };
}

/** Reads the text of an environment variable or an argument. */
export function parseSetting(
  field: SettingField,
  text: string,
): { readonly wrong: WrongValue | null; readonly value: unknown } {
  const value = PARSERS[field.kind](text.trim());
  return {
    wrong:
      value === undefined
        ? wrongValue(field, CHECKS[field.kind](field, undefined) ?? { code: "refusal.setting.form" }, text)
        : checkSetting(field, value),
    value,
  };
}

type Check = (field: SettingField, value: unknown) => Detail | null;

const number: Check = (field, value) => {
  const bounds = { least: field.minimum ?? 0, most: field.maximum ?? 0 };
  const fits =
    typeof value === "number" &&
    Number.isFinite(value) &&
    value >= (field.minimum ?? value) &&
    value <= (field.maximum ?? value);
  if (field.kind === "integer")
    return fits && Number.isInteger(value) ? null : { code: "refusal.setting.whole", ...bounds };
  return fits ? null : { code: "refusal.setting.number", ...bounds };
};

const CHECKS: Readonly<Record<SettingField["kind"], Check>> = {
  integer: number,
  number,
  boolean: (_field, value) => (typeof value === "boolean" ? null : { code: "refusal.setting.boolean" }),
  choice: (field, value) =>
    field.choices?.some((choice) => choice === value)
      ? null
      : { code: "refusal.setting.choice", choices: field.choices?.join(", ") ?? "" },
  string(field, value) {
    if (typeof value !== "string") return { code: "refusal.setting.text" };
    if (field.maxLength !== null && value.length > field.maxLength)
      return { code: "refusal.setting.longest", limit: field.maxLength };
    if (/\p{Cc}/u.test(value)) return { code: "refusal.setting.control" };
    return field.pattern === null || new RegExp(field.pattern).test(value) ? null : { code: "refusal.setting.form" };
  },
  list(field, value) {
    const fits = (item: unknown): boolean =>
      typeof item === "string" && (field.pattern === null || new RegExp(field.pattern).test(item));
    if (!Array.isArray(value) || value.length > (field.maximum ?? value.length))
      return { code: "refusal.setting.list", limit: field.maximum ?? 0 };
    const bad = value.findIndex((item) => !fits(item));
    return bad < 0 ? null : { code: "refusal.setting.entry", entry: shown(value[bad]) };
  },
};

const toNumber = (text: string): number | undefined => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined);

const PARSERS: Readonly<Record<SettingField["kind"], (text: string) => unknown>> = {
  integer: toNumber,
  number: toNumber,
  boolean: (text) =>
    ({ true: true, "1": true, yes: true, on: true, false: false, "0": false, no: false, off: false })[
      text.toLowerCase()
    ],
  choice: (text) => text,
  string: (text) => text,
  list: (text) =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== ""),
};

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
