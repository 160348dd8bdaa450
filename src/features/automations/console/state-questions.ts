/** What is asked of a device's value when nobody has said more: "is open", "is more than 28 °C". */
import { controlsOf } from "../../../console/components/controls.ts";
import {
  isSaidOfDevice,
  isSwitched,
  kindOf,
  operatorText,
  valuesOf,
  valueWord,
  wordsOf,
} from "../../../console/components/state-values.ts";
import { baseOf } from "../../../console/i18n/measures.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { Device } from "../../../console/store.ts";
import { firstLimit, settingLimit } from "./limits.ts";

/** A comparison of one value. */
export interface Question {
  readonly op: string;
  readonly value?: unknown;
}

/** Values of a door, gate or shutter, which say all of it: "is open". */
const BARRIERS = new Set(["gate", "position", "door", "state", "moving", "cover"]);
/** How far something is open, in percent. */
const OPENED = new Set(["position", "percent"]);
/** A contact that is not closed, a lock that is not locked: what people want to know of. */
const TELLING_AT_NO = new Set(["contact", "locked"]);
const NO_VALUE = new Set(["truthy", "falsy", "changed"]);

/**
 * The first question about a value: a state that people wait for, or a limit that fits what was measured last. Never
 * one that is passed already, and never one that cannot be passed.
 */
export function firstQuestion(device: Device | undefined, key: string): Question {
  switch (kindOf(device, key)) {
    case "number":
      return limitOf(device, key);
    case "text": {
      const words = wordsOf(device, key);
      return { op: "eq", value: words.find((word) => word === "open") ?? words[0] ?? "" };
    }
    default:
      return { op: TELLING_AT_NO.has(key) ? "falsy" : "truthy" };
  }
}

function limitOf(device: Device | undefined, key: string): Question {
  const control = controlsOf(device).find((one) => one.kind === "range" && one.field === key);
  if (OPENED.has(key)) return { op: "gt", value: 0 };
  const setting = settingLimit(baseOf(key));
  if (setting !== null) return setting;
  if (control?.kind === "range") return { op: "gt", value: Math.floor((control.min + control.max) / 2) };
  const now = valuesOf(device).find((one) => one.key === key)?.now;
  return firstLimit(baseOf(key), typeof now === "number" ? now : null, device?.type === "energy-meter");
}

/**
 * What a comparison says of the device itself, without naming the value: "is open", "sees movement". Null: the value
 * has to be named.
 */
export function saidWhole(key: string, { op, value }: Question): string | null {
  if (isSaidOfDevice(key, op)) return operatorText(op, key);
  if (OPENED.has(key) && typeof value === "number") {
    if (op === "gt" && value === 0) return t("op.open.truthy");
    if ((op === "eq" || op === "lte") && value === 0) return t("op.contact.truthy");
    if ((op === "eq" || op === "gte") && value === 100) return t("say.fullyOpen");
  }
  if (BARRIERS.has(key) && typeof value === "string" && (op === "eq" || op === "ne"))
    return t(op === "eq" ? "say.isWord" : "say.isNotWord", { value: valueWord(key, value) });
  return null;
}

/** The questions about a value that are each said in one word; empty if it has to be compared. */
export function wholeQuestions(device: Device | undefined, key: string): readonly Question[] {
  const kind = kindOf(device, key);
  const found: readonly Question[] =
    kind === "text" && BARRIERS.has(key)
      ? wordsOf(device, key).map((value) => ({ op: "eq", value }))
      : kind === "number" && OPENED.has(key)
        ? [
            { op: "gt", value: 0 },
            { op: "eq", value: 0 },
            { op: "eq", value: 100 },
          ]
        : kind === "boolean" || isSwitched(key)
          ? [{ op: "truthy" }, { op: "falsy" }]
          : [];
  return found.filter((one) => saidWhole(key, one) !== null);
}

/** The value for another comparison: none, what it was, or a first one. */
export function valueFor(device: Device | undefined, key: string, op: string, before: unknown): unknown {
  if (NO_VALUE.has(op)) return undefined;
  return before ?? firstQuestion(device, key).value ?? 0;
}
