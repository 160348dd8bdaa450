/**
 * The values of a device that a rule can use: their names, current values, and possible comparisons.
 */
import { keyedText } from "../i18n/hub-texts.ts";
import { choiceWord, inWords, isNamedMeasure, measured, measureName } from "../i18n/measures.ts";
import { type TextKey, t } from "../i18n/translate.ts";
import type { Device } from "../store.ts";
import { controlName, controlsOf } from "./controls.ts";

/** One value of a device's state. */
export interface StateValue {
  /** Its key; `a.b` reaches into a nested object. */
  readonly key: string;
  readonly name: string;
  /** Undefined: the device has not reported it yet. */
  readonly now: unknown;
}

/** The kind of value, as far as it is known. */
export type ValueKind = "number" | "boolean" | "text" | "other";

const DEEPEST = 3;
const MOST_VALUES = 200;
/** Yes and no of these read as on and off. */
const SWITCHES = /^(power|relay|on|armed|state)\d*$/;
/** Yes and no of these are said of the device itself: "Driveway gate is open". */
const SAID_OF_DEVICE = [
  "open",
  "contact",
  "locked",
  "leak",
  "water_leak",
  "smoke",
  "gas",
  "motion",
  "occupancy",
  "alarm",
  "armed",
  "heating",
  "cooling",
  "charging",
] as const;
/** The states of doors, gates and shutters, which rarely report all of them. */
const BARRIER_WORDS = ["open", "opening", "closing", "closed"];

/** Whether a value is the device's on/off switch and needs no name: "Reading lamp is on". */
export function isSwitched(key: string): boolean {
  return SWITCHES.test(key);
}

/** Whether yes and no of a value say all of its device and need no name of the value. */
export function isSaidOfDevice(key: string, op: string): boolean {
  return (op === "truthy" || op === "falsy") && (isSwitched(key) || SAID_OF_DEVICE.some((one) => one === key));
}

/**
 * All values of a device, those with a name first; including those that its kind can have and it has not reported yet.
 */
export function valuesOf(device: Device | undefined): readonly StateValue[] {
  if (device === undefined) return [];
  const found = new Map<string, StateValue>();
  const walk = (state: object, before: string, depth: number): void => {
    for (const [key, now] of Object.entries(state)) {
      const path = `${before}${key}`;
      if (found.size >= MOST_VALUES || found.has(path)) continue;
      if (typeof now === "object" && now !== null && !Array.isArray(now) && depth < DEEPEST)
        walk(now, `${path}.`, depth + 1);
      else found.set(path, { key: path, name: measureName(path), now });
    }
  };
  walk(device.state, "", 1);
  for (const { field, label } of device.capabilities?.readings ?? [])
    if (!found.has(field)) found.set(field, { key: field, name: keyedText(`measure.${field}`, label), now: undefined });
  for (const control of controlsOf(device))
    if (control.kind !== "button" && !found.has(control.field))
      found.set(control.field, { key: control.field, name: controlName(control), now: undefined });
  return [...found.values()].sort((a, b) => Number(!isNamed(a)) - Number(!isNamed(b)));
}

/** Whether a value has a name that its maker or the console gave it. */
function isNamed({ key, name }: StateValue): boolean {
  return isNamedMeasure(key) || name !== inWords(key);
}

/** A value in words, with its unit. */
export function valueWord(key: string, value: unknown): string {
  if (value === undefined || value === null) return t("value.unknown");
  if (typeof value === "boolean" && SWITCHES.test(key)) return t(value ? "device.on" : "device.off");
  return typeof value === "string" ? choiceWord(value) : measured(key, value);
}

/** The kind of a device's value: by its current value, else by the control that sets it. */
export function kindOf(device: Device | undefined, key: string): ValueKind {
  const now = valuesOf(device).find((one) => one.key === key)?.now;
  if (typeof now === "number") return "number";
  if (typeof now === "boolean") return "boolean";
  if (typeof now === "string") return "text";
  const control = controlsOf(device).find((one) => one.kind !== "button" && one.field === key);
  return control?.kind === "range"
    ? "number"
    : control?.kind === "toggle"
      ? "boolean"
      : control?.kind === "choice"
        ? "text"
        : "other";
}

/** The texts that a value can have, as far as they are known. */
export function wordsOf(device: Device | undefined, key: string): readonly string[] {
  const now = valuesOf(device).find((one) => one.key === key)?.now;
  const control = controlsOf(device).find((one) => one.kind === "choice" && one.field === key);
  const offered =
    control?.kind === "choice"
      ? control.options.map(({ value }) => value)
      : BARRIER_WORDS.some((word) => word === now)
        ? BARRIER_WORDS
        : [];
  return [...new Set([...offered, now].filter((word) => typeof word === "string"))];
}

const OPERATORS = ["truthy", "falsy", "eq", "ne", "gt", "gte", "lt", "lte", "in", "contains", "changed"] as const;
const BY_KIND: Readonly<Record<ValueKind, readonly string[]>> = {
  number: ["gt", "gte", "lt", "lte", "eq", "ne", "changed"],
  boolean: ["truthy", "falsy", "changed"],
  text: ["eq", "ne", "in", "contains", "changed"],
  other: OPERATORS,
};

/** The comparisons that make sense for a kind of value; always including `chosen`. */
export function operatorsFor(kind: ValueKind, chosen: string): readonly string[] {
  return OPERATORS.filter((op) => BY_KIND[kind].includes(op) || op === chosen);
}

/** A comparison in words. */
export function operatorText(op: string, key = "power"): string {
  const said = SAID_OF_DEVICE.find((one) => one === key);
  if (said !== undefined && (op === "truthy" || op === "falsy")) return t(`op.${said}.${op}`);
  if ((op === "truthy" || op === "falsy") && !SWITCHES.test(key)) return t(op === "truthy" ? "op.yes" : "op.no");
  return t(`op.${op}` as TextKey); // operators are keys of the catalogue
}
