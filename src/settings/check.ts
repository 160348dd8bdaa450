import type { SettingField } from "./schema.js";

/** Says what is wrong with `value`, or null when it fits; the words follow the setting's name. */
export function checkSetting(field: SettingField, value: unknown): string | null {
  const wrong = CHECKS[field.kind](field, value);
  return wrong === null ? null : `${wrong}, got ${shown(value)}`;
}

/** Reads the text of an environment variable or an argument. */
export function parseSetting(
  field: SettingField,
  text: string,
): { readonly wrong: string | null; readonly value: unknown } {
  const value = PARSERS[field.kind](text.trim());
  return {
    wrong:
      value === undefined
        ? `${CHECKS[field.kind](field, undefined) ?? "is wrong"}, got ${shown(text)}`
        : checkSetting(field, value),
    value,
  };
}

type Check = (field: SettingField, value: unknown) => string | null;

const number: Check = (field, value) => {
  const bounds = `from ${field.minimum} to ${field.maximum}`;
  const fits =
    typeof value === "number" &&
    Number.isFinite(value) &&
    value >= (field.minimum ?? value) &&
    value <= (field.maximum ?? value);
  if (field.kind === "integer") return fits && Number.isInteger(value) ? null : `must be a whole number ${bounds}`;
  return fits ? null : `must be a number ${bounds}`;
};

const CHECKS: Readonly<Record<SettingField["kind"], Check>> = {
  integer: number,
  number,
  boolean: (_field, value) => (typeof value === "boolean" ? null : "must be true or false"),
  choice: (field, value) =>
    field.choices?.some((choice) => choice === value) ? null : `must be one of ${field.choices?.join(", ")}`,
  string(field, value) {
    if (typeof value !== "string") return "must be a text";
    if (field.maxLength !== null && value.length > field.maxLength)
      return `must have at most ${field.maxLength} characters`;
    if (/\p{Cc}/u.test(value)) return "must not hold control characters";
    return field.pattern === null || new RegExp(field.pattern).test(value) ? null : `must match ${field.pattern}`;
  },
  list(field, value) {
    const fits = (item: unknown): boolean =>
      typeof item === "string" && (field.pattern === null || new RegExp(field.pattern).test(item));
    if (!Array.isArray(value) || value.length > (field.maximum ?? value.length))
      return `must be a list of at most ${field.maximum} texts`;
    const bad = value.findIndex((item) => !fits(item));
    return bad < 0 ? null : `has a wrong entry ${shown(value[bad])}`;
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
