import { operatorText, valueWord } from "../../../console/components/state-values.ts";
import { keyedText } from "../../../console/i18n/hub-texts.ts";
import { baseOf, measureName } from "../../../console/i18n/measures.ts";
import { clockText, duration, type TextKey, t } from "../../../console/i18n/translate.ts";
import { devices, scenes } from "../../../console/store.ts";
import { modeWord } from "../../house/console/modes.ts";
import type { Block } from "./block-editor.tsx";
import { commandWords } from "./command-words.ts";
import { persons } from "./persons.ts";
import { holdOf, withoutTail } from "./rule-holds.ts";
import { saidWhole } from "./state-questions.ts";
import { messageText } from "./stored-texts.ts";

/** A car at the gate by its decision, and one that comes in. */
const CARS: Readonly<Record<string, readonly [comes: TextKey, comesIn: TextKey]>> = {
  allow: ["say.carAllow", "say.carAllowIn"],
  deny: ["say.carDeny", "say.carDenyIn"],
  unknown: ["say.carUnknown", "say.carUnknownIn"],
  watch: ["say.carWatch", "say.carWatchIn"],
};
const WEEKDAYS = "1,2,3,4,5";
const WEEKEND = "6,7";

/** The parts of a rule that its sentence contains. */
export interface ToldRule {
  readonly trigger: { readonly type: string };
  readonly conditions: readonly { readonly type: string }[];
  readonly action: { readonly type: string };
}

/** A whole rule as a sentence: "At sunset, turn Dining lamp on." */
export function ruleSentence({ trigger, conditions, action }: ToldRule): string {
  const triggers = triggersOf(trigger);
  const key = triggers[0] !== undefined && isMoment(triggers[0]) ? "rule.sentence" : "rule.sentenceWhen";
  const text = t(key, { when: whenText(triggers), only: onlyText(conditions), what: sentence(action) });
  return capital(text);
}

/** A rule in few words, what it does first: "Turn Dining lamp on for 5 min when a car is allowed". */
export function ruleInShort({ trigger, conditions, action }: ToldRule): string {
  const when = whenText(triggersOf(trigger));
  return capital(t("rule.inShort", { when, only: onlyText(conditions), what: sentence(action) }));
}

/** What sets a rule off, with its "when" where it needs one: "at sunset or when a car is allowed". */
function whenText(triggers: readonly Block[]): string {
  let isIn = false;
  return triggers
    .map((one) => {
      const hasWhen = isIn; // one "when" is enough for those that follow
      isIn = !isMoment(one);
      return isIn && !hasWhen ? t("say.when", { what: sentence(one) }) : sentence(one);
    })
    .join(` ${t("say.or")} `);
}

/** Whether a trigger is worded as a time, without "when": "at sunset", "every 10 min". */
export function isMoment({ type }: { readonly type: string }): boolean {
  return type === "time" || type === "sun" || type === "interval";
}

function triggersOf(trigger: { readonly type: string }): readonly Block[] {
  const block: Block = { ...trigger };
  return Array.isArray(block.triggers) ? (block.triggers as Block[]) : [block]; // the hub checked the shape
}

function onlyText(conditions: readonly { readonly type: string }[]): string {
  if (conditions.length === 0) return "";
  return t("rule.only", { conditions: conditions.map((one) => sentence(one)).join(` ${t("say.and")} `) });
}

/** With a capital at its beginning. */
export function capital(text: string): string {
  return text.charAt(0).toLocaleUpperCase() + text.slice(1);
}

/**
 * A trigger, condition or action as a sentence for a homeowner. @param anyDevice what stands for "any device", such as a
 * placeholder of a message
 */
export function sentence(rule: { readonly type: string }, anyDevice?: string): string {
  const block: Block = { ...rule };
  const by: Readonly<Record<string, () => string>> = {
    time: () =>
      block.at === undefined
        ? t("say.window", {
            from: clockText(word(block.from)),
            to: clockText(word(block.to)),
            days: daysIn(block.days),
          })
        : t("say.time", { at: clockText(word(block.at)), days: daysWord(block.days) }),
    sun: () =>
      block.is === undefined
        ? t(Number(block.offsetMinutes ?? 0) === 0 ? "say.sunAt" : "say.sun", {
            event: t(block.event === "sunrise" ? "sun.sunrise" : "sun.sunset"),
            offset: offsetWord(block.offsetMinutes),
            days: daysIn(block.days),
          })
        : t(block.is === "up" ? "say.sunUp" : "say.sunDown"),
    interval: () => t("say.interval", { every: duration(Number(block.everySeconds)) }),
    state: () => stateText(block, deviceName(block.deviceId)),
    any_state: () => stateText(block, anyDevice ?? ((before) => anyDeviceText(block.deviceType, before))),
    device: () =>
      t("say.device", {
        device: deviceName(block.deviceId),
        event: t(block.event === "online" ? "say.online" : "say.offline"),
      }),
    plate: () => {
      const { plate, deviceId, decision, direction } = block;
      if (plate === undefined && deviceId === undefined) {
        if (direction === "out" && decision === undefined) return t("say.carLeaves");
        const key = direction === "out" ? undefined : CARS[String(decision)]?.[direction === "in" ? 1 : 0];
        if (key !== undefined) return t(key);
      }
      return [
        t("say.plate", { plate: block.plate === undefined ? t("say.anyPlate") : word(block.plate) }),
        // the decisions are keys of the catalogue
        block.decision === undefined ? "" : t(`decision.${String(block.decision)}` as TextKey).toLowerCase(),
        block.direction === undefined ? "" : t(block.direction === "in" ? "read.in" : "read.out"),
      ]
        .filter((part) => part !== "")
        .join(", ");
    },
    either: () => t("say.either", { what: sentence(block.do as Block), otherwise: sentence(block.otherwise as Block) }), // as above
    occupancy: () =>
      block.op === "eq" && block.value === 0
        ? t("say.noneInside")
        : block.op === "gte" && block.value === 1
          ? t("say.someInside")
          : t("say.occupancy", { op: operatorText(String(block.op)), value: word(block.value ?? "") }),
    house: () => {
      if (block.becomes !== undefined) return t("say.houseBecomes", { mode: modeWord(block.becomes) });
      return block.is === undefined
        ? t("say.setHouse", { mode: modeWord(block.mode) })
        : t("say.houseIs", { mode: modeWord(block.is) });
    },
    presence: () => presenceText(block),
    event: () => t("say.event", { device: deviceName(block.deviceId), kind: word(block.kind) }),
    days: () => dayText(block.days),
    command: () => {
      const { frame, what } = commandWords(block.command, devices.value.get(String(block.deviceId)));
      return t(frame, { device: deviceName(block.deviceId), what });
    },
    notify: () =>
      t("say.notify", { title: titleText(block.title), whom: whomText(block.to), picture: pictureText(block.picture) }),
    scene: () =>
      t("say.scene", { scene: scenes.value.find((scene) => scene.id === block.sceneId)?.name ?? word(block.sceneId) }),
    delay: () => t("say.delay", { time: duration(Number(block.seconds)) }),
    sequence: () => {
      const actions = list(block.actions);
      const shown = withoutTail(actions);
      const hold = holdOf(actions);
      return shown
        .map((one, index) =>
          hold === null || index < shown.length - 1
            ? sentence(one)
            : t("say.for", { what: sentence(one), time: duration(hold) }),
        )
        .join(`${t("tap.andThen")} `);
    },
    all: () => `(${joined(block.conditions, "say.and")})`,
    any: () =>
      block.triggers === undefined ? `(${joined(block.conditions, "say.or")})` : whenText(list(block.triggers)),
    not: () => t("say.not", { what: sentence(block.condition as Block) }), // the hub checked the shape
  };
  return tidy(by[block.type]?.() ?? block.type);
}

function presenceText({ event, is, person }: Block): string {
  if (person === undefined) {
    if (event !== undefined) return t(event === "arrives" ? "say.firstArrives" : "say.lastLeaves");
    return t(is === "home" ? "say.somebodyHome" : "say.nobodyHome");
  }
  const who = personName(person);
  if (event !== undefined) return t(event === "arrives" ? "say.arrives" : "say.leaves", { who });
  return t(is === "home" ? "say.isHome" : "say.isAway", { who });
}

/** A person of the household by their id. */
export function personName(id: unknown): string {
  const known = persons.value.find((one) => one.id === id);
  return known?.name ?? (persons.value.length === 0 ? "…" : t("say.gonePerson"));
}

/** Without the gaps that empty parts leave. */
export function tidy(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/ (?=[,.;।])/g, "")
    .trim();
}

function joined(conditions: unknown, by: "say.and" | "say.or"): string {
  return list(conditions)
    .map((one) => sentence(one))
    .join(` ${t(by)} `);
}

/** @param named the device, or how it is called before what is said of it */
function stateText(block: Block, named: string | ((before: string) => string)): string {
  const key = String(block.field);
  const op = String(block.op);
  const hold = block.forSeconds === undefined ? "" : t("say.hold", { time: duration(Number(block.forSeconds)) });
  const whole = saidWhole(key, { op, value: block.value });
  const device = typeof named === "string" ? named : named(whole ?? "");
  if (whole !== null) return t("say.switched", { device, op: whole, hold });
  const value =
    block.value === undefined
      ? ""
      : Array.isArray(block.value)
        ? block.value.map((one) => valueWord(key, one)).join(", ")
        : valueWord(key, block.value);
  return t("say.state", { device, hold, field: fieldWord(key), op: operatorText(op, key), value });
}

/** What a value is called within a sentence: "the temperature of"; what a maker calls it stays as it is. */
export function fieldWord(key: string): string {
  const base = baseOf(key);
  const noun = keyedText(`noun.${base}`, "");
  if (noun !== "") return noun;
  const name = measureName(key);
  const isShort = name.slice(1, 2) !== name.slice(1, 2).toLocaleLowerCase(); // CO₂
  return name === key || isShort ? name : name.charAt(0).toLocaleLowerCase() + name.slice(1);
}

function list(value: unknown): Block[] {
  return Array.isArray(value) ? (value as Block[]) : []; // the hub checked the shape
}

function word(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function deviceName(id: unknown): string {
  if (id === "" || id === undefined) return t("tap.aDevice");
  return devices.value.get(String(id))?.name ?? String(id);
}

function namedDays(days: unknown): readonly number[] | null {
  if (!Array.isArray(days) || days.length === 0 || days.length === 7) return null;
  return [...new Set(days.map((day: number) => (day === 0 ? 7 : day)))].sort();
}

/** The days of a schedule: "every day", "on weekdays", "on Mon, Tue". */
export function daysWord(days: unknown): string {
  const named = namedDays(days);
  if (named === null) return t("block.everyDay");
  if (named.join() === WEEKDAYS) return t("tap.weekdays");
  if (named.join() === WEEKEND) return t("tap.weekend");
  // 1 to 7 are keys of the catalogue
  return t("say.onDays", { days: named.map((day) => t(`day.${day}` as TextKey)).join(", ") });
}

/** The same where every day goes without saying. */
function daysIn(days: unknown): string {
  return namedDays(days) === null ? "" : daysWord(days);
}

/** Today is one of them. */
function dayText(days: unknown): string {
  const named = namedDays(days);
  if (named?.join() === WEEKDAYS) return t("say.isWeekday");
  if (named?.join() === WEEKEND) return t("say.isWeekend");
  const names = (named ?? []).map((day) => t(`day.${day}` as TextKey)); // 1 to 7 are keys of the catalogue
  return names.length === 0 ? t("say.isAnyDay") : t("say.isDay", { days: names.join(` ${t("say.or")} `) });
}

/** Minutes before or after a moment; empty: exactly then. */
export function offsetWord(minutes: unknown): string {
  const n = Number(minutes ?? 0);
  if (n === 0) return "";
  const time = duration(Math.abs(n) * 60);
  return n > 0 ? t("say.after", { time }) : t("say.before", { time });
}

/** The Hindi words after which nothing else stands in its first case: "कोई भी पंखा", but "किसी भी पंखे पर". */
const POSTPOSITION = /^(?:पर|का|की|के|को|में|से) /u;

/** Any device, or any of one product type. @param before what is said of it */
export function anyDeviceText(deviceType: unknown, before = ""): string {
  const isAfter = POSTPOSITION.test(before);
  if (typeof deviceType !== "string") return t(isAfter ? "tap.anyDeviceIn" : "tap.anyDevice");
  const kind = keyedText(`type.${deviceType}`, deviceType).toLocaleLowerCase();
  return isAfter ? t("tap.anyOfKindIn", { kind: kind.replace(/ा$/u, "े") }) : t("tap.anyOfKind", { kind });
}

/** Whom a message is for, as its sentence says it. */
export function whomText(to: unknown): string {
  if (!Array.isArray(to)) return t("say.us");
  const name = (one: string): string => {
    if (one === "owners") return t("say.owners");
    const person = persons.value.find(({ id }) => one === `person:${id}`);
    if (person !== undefined) return t("say.toPerson", { name: person.name });
    return persons.value.length === 0 ? "…" : t("say.toGone");
  };
  return to.map((one) => name(String(one))).join(", ");
}

/** The picture that a message carries, as its sentence says it; empty without one. */
export function pictureText(picture: unknown): string {
  if (typeof picture !== "object" || picture === null) return "";
  const { type, deviceId } = picture as { readonly type?: unknown; readonly deviceId?: unknown }; // the hub checked it
  return type === "camera" ? t("say.withCamera", { camera: deviceName(deviceId) }) : t("say.withRead");
}

/** The title of a message as a person reads it before the hub has filled it in: "The device reports water". */
export function titleText(title: unknown): string {
  return capital(messageText(word(title)));
}
