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
/** From where on a measured value is worth a rule. */
const LIMITS: Readonly<Record<string, readonly [op: "gt" | "lt", value: number]>> = {
  temperature: ["gt", 28],
  humidity: ["gt", 70],
  battery: ["lt", 20],
  co2: ["gt", 1_000],
  soil: ["lt", 30],
  illuminance: ["lt", 50],
  current: ["gt", 10],
  pressure: ["lt", 1_000],
  rssi: ["lt", -85],
  target: ["gt", 25],
  brightness: ["gt", 50],
  speed: ["gt", 0],
};
/** Power of a meter, which has the whole house, and of one appliance, in watts. */
const MUCH_POWER = { meter: 2_000, appliance: 10 };
const NO_VALUE = new Set(["truthy", "falsy", "changed"]);

/**
 * The first question about a value: a state that people wait for, or a usual limit. Never the value that was measured
 * last, and never a limit that cannot be passed.
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
  const base = baseOf(key);
  const control = controlsOf(device).find((one) => one.kind === "range" && one.field === key);
  if (OPENED.has(key)) return { op: "gt", value: 0 };
  if (base === "watts")
    return { op: "gt", value: device?.type === "energy-meter" ? MUCH_POWER.meter : MUCH_POWER.appliance };
  const known = LIMITS[base];
  if (known !== undefined) return { op: known[0], value: known[1] };
  if (control?.kind === "range") return { op: "gt", value: Math.floor((control.min + control.max) / 2) };
  const now = valuesOf(device).find((one) => one.key === key)?.now;
  return { op: "gt", value: roundAbove(typeof now === "number" ? now : 0) };
}

/** A round number that is clearly more than a measured one: 1, 2 or 5 with noughts. */
function roundAbove(now: number): number {
  const wanted = Math.max(1, Math.abs(now) * 1.25);
  const size = 10 ** Math.floor(Math.log10(wanted));
  return (([1, 2, 5] as const).find((n) => n * size >= wanted) ?? 10) * size;
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
