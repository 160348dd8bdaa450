/** Commands of devices in words: what a device's own controls say, never the JSON that is sent. */
import {
  type Choice,
  choicesOf,
  controlName,
  controlsOf,
  type Range,
  rangeCommand,
} from "../../../console/components/controls.ts";
import { valueWord } from "../../../console/components/state-values.ts";
import { keyedText } from "../../../console/i18n/hub-texts.ts";
import { measured, measureName, unitOf } from "../../../console/i18n/measures.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { Device } from "../../../console/store.ts";

/** One command as it is sent. */
export type Command = Readonly<Record<string, unknown>>;

/** The sentence that a command stands in, with a place for its device, and its own word in it. */
export interface CommandWords {
  readonly frame: "say.turn" | "say.act" | "say.put" | "say.press" | "say.capture";
  readonly what: string;
}

/** A command in words, with a place for its device. @param device whose controls may have a word for it */
export function commandWords(command: unknown, device?: Device): CommandWords {
  const named = objectOf(command);
  const keys = Object.keys(named).filter((key) => key !== "power" || named.brightness === undefined);
  const [key = ""] = keys;
  const value = named[key];
  if (keys.length === 2 && typeof named.ch === "number" && typeof named.on === "boolean")
    return { frame: "say.turn", what: t(named.on ? "say.channelOn" : "say.channelOff", { n: named.ch }) };
  if (keys.length !== 1) return { frame: "say.put", what: wordsOf(named) };
  if ((key === "power" || key === "on") && typeof value === "boolean")
    return { frame: "say.turn", what: t(value ? "say.on" : "say.off") };
  if (key === "brightness" && typeof value === "number" && named.power !== false)
    return { frame: "say.turn", what: t("say.onAt", { n: value }) };
  if ((key === "open" || key === "locked" || key === "armed") && typeof value === "boolean")
    return { frame: "say.act", what: t(`say.${key}.${value}`) };
  if (key === "position" && (value === 0 || value === 100))
    return { frame: "say.act", what: t(value === 0 ? "say.open.false" : "say.open.true") };
  if (key === "stop" && value === true) return { frame: "say.act", what: t("say.stop") };
  if (key === "capture") return { frame: "say.capture", what: t("say.takePicture") };
  const press = controlsOf(device).find(
    (control) => control.kind === "button" && JSON.stringify(control.command) === JSON.stringify(command),
  );
  if (press !== undefined) return { frame: "say.press", what: controlName(press) };
  return { frame: "say.put", what: wordOf(key, value, device) };
}

/** A command alone, as a choice says it: "On", "21 °C", "Heat". */
export function commandText(command: unknown, device?: Device): string {
  const named = objectOf(command);
  const choice = choicesFor(device).find((one) => JSON.stringify(one.command) === JSON.stringify(command));
  if (choice !== undefined) return choice.text;
  const parts = Object.entries(named)
    .filter(([key]) => key !== "power" || named.brightness === undefined || named.power === false)
    .map(([key, value]) => {
      if (key === "ch" && typeof value === "number") return t("control.channel", { n: value });
      if ((key === "power" || key === "on") && typeof value === "boolean") return t(value ? "device.on" : "device.off");
      if (key === "open" && typeof value === "boolean") return t(value ? "quick.open" : "quick.close");
      if (key === "locked" && typeof value === "boolean") return t(value ? "quick.lock" : "quick.unlock");
      if (key === "stop" && value === true) return t("button.stop");
      if (key === "capture") return t("button.capture");
      return wordOf(key, value, device);
    });
  return parts.length === 0 ? t("say.special") : parts.join(", ");
}

/** The commands that a device offers for a tap; those of a range are set by {@link rangesOf}. */
export function choicesFor(device: Device | undefined): readonly Choice[] {
  const controls = controlsOf(device);
  return controls.flatMap((control) =>
    choicesOf(control).map((choice) =>
      // several channels have one word
      control.kind === "toggle" && typeof control.on.ch === "number"
        ? { ...choice, text: `${controlName(control)}: ${choice.text}` }
        : choice,
    ),
  );
}

/** The ranges of a device that a command can set, each with what it sends. */
export function rangesOf(
  device: Device | undefined,
): readonly { readonly control: Range; readonly send: (n: number) => Command }[] {
  const controls = controlsOf(device);
  const hasPower = controls.some((control) => control.kind === "toggle" && control.field === "power");
  return controls.flatMap((control) =>
    control.kind === "range" ? [{ control, send: (n: number) => rangeCommand(control, n, hasPower) }] : [],
  );
}

/** The number that a command sets in a range; null: it sets something else. */
export function numberIn(command: unknown, range: Range): number | null {
  const value = objectOf(command)[range.key];
  return typeof value === "number" ? value : null;
}

/** A sensible number to begin with: where the device is set now, else the middle; always one of the range's steps. */
export function startOf(range: Range, device: Device | undefined): number {
  const now = device?.state[range.field];
  const wanted = typeof now === "number" ? now : (range.min + range.max) / 2;
  return stepped(range, wanted);
}

/** The step of a range that is nearest to a number, within its limits. */
export function stepped({ min, max, step }: Range, wanted: number): number {
  const steps = Math.round((wanted - min) / step);
  const n = Math.min(max, Math.max(min, min + steps * step));
  return Number(n.toFixed(4)); // 0.1 + 0.2
}

/** What a rule sends to a device unless somebody chooses something else; null: it takes no commands. */
export function firstCommand(device: Device | undefined): Command | null {
  const [range] = rangesOf(device);
  const [first] = choicesFor(device);
  if (device?.type === "thermostat" && range !== undefined) return range.send(startOf(range.control, device));
  return first?.command ?? (range === undefined ? null : range.send(startOf(range.control, device)));
}

function wordsOf(named: Command): string {
  const entries = Object.entries(named);
  return entries.length === 0 ? t("say.special") : commandText(named);
}

/** One key of a command: a number with its unit, a word of a choice. */
function wordOf(key: string, value: unknown, device: Device | undefined): string {
  if (key === "speed" && typeof value === "number") return t("device.speed", { n: value });
  if (typeof value === "number") {
    const range = rangesOf(device).find(({ control }) => control.key === key)?.control;
    const field = range?.field ?? key;
    // numbers with a unit speak for themselves
    return unitOf(field) === "" ? `${measureName(field)} ${measured(field, value)}` : measured(field, value);
  }
  if (typeof value === "string") return keyedText(`choice.${value}`, value);
  if (typeof value === "boolean") return `${measureName(key)} ${valueWord(key, value)}`;
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "boolean")) {
    if (value.every((one) => one === value[0])) return t(value[0] === true ? "choice.all-on" : "choice.all-off");
    return value.map((one) => t(one === true ? "device.on" : "device.off")).join(", ");
  }
  return t("say.special");
}

function objectOf(command: unknown): Command {
  return typeof command === "object" && command !== null && !Array.isArray(command) ? { ...command } : {};
}
