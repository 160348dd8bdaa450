/** What can be chosen in the sentence of a rule: phrases of this house's own devices, cars, times and scenes. */

import { deviceIcon, type IconName } from "../../../console/components/icon.tsx";
import { isSwitched, kindOf, wordsOf as stateWords, valuesOf } from "../../../console/components/state-values.ts";
import { keyedText } from "../../../console/i18n/hub-texts.ts";
import { baseOf, measureName } from "../../../console/i18n/measures.ts";
import { t } from "../../../console/i18n/translate.ts";
import { asTyped } from "../../../console/i18n/unbroken.ts";
import { type Device, deviceList, rooms, scenes } from "../../../console/store.ts";
import { HOUSE_MODES } from "../../../core/api/house.ts";
import { MODE_ICONS } from "../../house/console/modes.ts";
import type { Block } from "./block-editor.tsx";
import { choicesFor, firstCommand, rangesOf, startOf } from "./command-words.ts";
import { persons } from "./persons.ts";
import { capital, sentence } from "./rule-sentence.ts";
import { wordsOfField, wordsOfKind, wordsOfPart } from "./search-words.ts";
import { firstQuestion, type Question, wholeQuestions } from "./state-questions.ts";

/** One thing to tap. */
export interface Option {
  readonly text: string;
  /** The heading that it stands under; of a device, its room. */
  readonly group: string;
  readonly icon: IconName;
  /** Of a device: its room is folded where there are many of them. */
  readonly isOfDevice?: boolean;
  /** What else people call it. */
  readonly words?: string;
  /** Shown only to those who look for it. */
  readonly isFurther?: boolean;
  readonly block: Block;
}

/** What a person waits for in a device, most telling first. */
const TELLING = [
  "leak",
  "water_leak",
  "smoke",
  "gas",
  "motion",
  "occupancy",
  "contact",
  "position",
  "gate",
  "open",
  "locked",
  "alarm",
  "armed",
  "power",
  "watts",
  "temperature",
];
/** What says little of a device, and is asked about only on purpose. */
const RARELY = /^(rssi|linkquality|uptime|battery|firmware|ip|mac)/i;
/** What any device of the house may report; those of a kind that is not there yet count once it is. */
const OF_ANY: readonly (readonly [field: string, op: string, value?: number])[] = [
  ["battery", "lt", 20],
  ["leak", "truthy"],
  ["smoke", "truthy"],
  ["motion", "truthy"],
  ["contact", "falsy"],
  ["alarm", "truthy"],
];
const ICON_OF_ANY: Readonly<Record<string, IconName>> = {
  battery: "gauge",
  motion: "activity",
  contact: "doorOpen",
};

/** Values of what somebody opens and closes. */
const OPENED = new Set(["gate", "door", "position", "contact", "open", "locked", "state"]);
/** How much of a device is offered to those who look for nothing. */
const LIKELY = 3;
const LIKELY_COMMANDS = 2;
const MANY_DEVICES = 30;

/** The lengths of time that are offered, in seconds. */
export const LENGTHS: readonly number[] = [60, 120, 300, 600, 1_800, 3_600];

/** What can start a rule. */
export function triggerOptions(): Option[] {
  const gate = t("tap.atGate");
  const time = t("tap.byTime");
  const of = (group: string, icon: IconName, block: Block, text = sentence(block)): Option => ({
    group,
    icon,
    block,
    text,
    words: wordsOf(block),
  });
  const [watched] = [...deviceList.value].sort((a, b) => watchedFirst(a) - watchedFirst(b));
  return [
    ...(hasCamera()
      ? [
          of(gate, "car", { type: "plate", decision: "allow" }),
          of(gate, "car", { type: "plate", decision: "unknown" }),
          of(gate, "car", { type: "plate", decision: "deny" }),
          of(gate, "car", { type: "plate", decision: "allow", direction: "in" }),
          of(gate, "car", { type: "plate", direction: "out" }),
          of(gate, "house", { type: "occupancy", op: "eq", value: 0 }),
          of(gate, "house", { type: "occupancy", op: "gte", value: 1 }),
        ]
      : []),
    ...houseTriggers(),
    of(time, "sunset", { type: "sun", event: "sunset", offsetMinutes: 0, days: [] }),
    of(time, "sunset", { type: "sun", event: "sunrise", offsetMinutes: 0, days: [] }),
    of(time, "clock", { type: "time", at: "07:00", days: [] }, t("tap.atTime")),
    of(time, "clock", { type: "interval", everySeconds: 600 }),
    ...(watched === undefined
      ? []
      : [
          of(t("tap.devices"), "wifiOff", { type: "device", deviceId: watched.id, event: "offline" }, t("tap.offline")),
        ]),
    ...deviceOptions(),
    ...byRoom().flatMap((device) =>
      (["offline", "online"] as const).map((event): Option => {
        const block = { type: "device", deviceId: device.id, event };
        return { ...aboutOf(device), block, text: sentence(block), words: wordsOf(block), isFurther: true };
      }),
    ),
    ...OF_ANY.map(([field, op, value]) =>
      of(t("tap.anyDevice"), ICON_OF_ANY[field] ?? "circleAlert", {
        type: "any_state",
        field,
        op,
        ...(value === undefined ? {} : { value }),
      }),
    ),
  ];
}

/** The house and who of it comes and goes; persons stand after everybody. */
export function houseTriggers(): Option[] {
  return [
    ofHouse({ type: "presence", event: "leaves" }),
    ofHouse({ type: "presence", event: "arrives" }),
    ...HOUSE_MODES.map((becomes) => ofHouse({ type: "house", becomes })),
    ...persons.value.flatMap(({ id }) => [
      ofHouse({ type: "presence", event: "arrives", person: id }),
      ofHouse({ type: "presence", event: "leaves", person: id }),
    ]),
  ];
}

/** What the house is set to and who is home. */
export function houseConditions(): Option[] {
  return [
    ofHouse({ type: "presence", is: "home" }),
    ofHouse({ type: "presence", is: "away" }),
    ...HOUSE_MODES.map((is) => ofHouse({ type: "house", is })),
    ...persons.value.flatMap(({ id }) => [
      ofHouse({ type: "presence", is: "home", person: id }),
      ofHouse({ type: "presence", is: "away", person: id }),
    ]),
  ];
}

/** What the house can be set to. */
export function houseActions(): Option[] {
  return HOUSE_MODES.map((mode) => ofHouse({ type: "house", mode }));
}

function ofHouse(block: Block): Option {
  const mode = HOUSE_MODES.find((one) => [block.becomes, block.is, block.mode].includes(one));
  const icon = block.type === "presence" ? (block.person === undefined ? "users" : "user") : MODE_ICONS[mode ?? "home"];
  return { group: t("tap.house"), icon, block, text: sentence(block), words: wordsOfPart(block.type) };
}

/** What can be asked before a rule runs. */
export function conditionOptions(): Option[] {
  const time = t("tap.byTime");
  const of = (group: string, icon: IconName, block: Block, text = sentence(block)): Option => ({
    group,
    icon,
    block,
    text,
    words: wordsOf(block),
  });
  return [
    of(time, "clock", { type: "time", from: "22:00", to: "06:00" }),
    of(time, "clock", { type: "time", from: "08:00", to: "18:00" }),
    of(time, "moon", { type: "sun", is: "down" }),
    of(time, "lightbulb", { type: "sun", is: "up" }),
    of(time, "briefcase", { type: "days", days: [1, 2, 3, 4, 5] }),
    of(time, "sofa", { type: "days", days: [6, 7] }),
    ...houseConditions(),
    ...(hasCamera()
      ? [
          of(t("tap.atGate"), "car", { type: "occupancy", op: "eq", value: 0 }),
          of(t("tap.atGate"), "car", { type: "occupancy", op: "gte", value: 1 }),
        ]
      : []),
    ...deviceOptions(),
  ];
}

/** What a rule can do. */
export function actionOptions(triggers: readonly Block[]): Option[] {
  // the message names the device that set it off
  const said = triggers.map((one) => sentence(one, "{device}")).join(` ${t("say.or")} `);
  return [
    {
      group: t("tap.message"),
      icon: "bell",
      text: t("tap.tellUs"),
      words: wordsOfPart("notify"),
      block: {
        type: "notify",
        title: capital(asTyped(said)),
        body: "",
        ...(triggers.length === 1 && triggers[0]?.type === "plate" ? { picture: { type: "read" } } : {}),
      },
    },
    ...scenes.value.map((scene): Option => {
      const block = { type: "scene", sceneId: scene.id };
      return { group: t("nav.scenes"), icon: "clapperboard", text: scene.name, words: wordsOfPart("scene"), block };
    }),
    ...houseActions(),
    ...byRoom().flatMap(commandOptions),
    {
      group: t("tap.byTime"),
      icon: "clock",
      text: t("tap.wait"),
      words: wordsOfPart("delay"),
      block: { type: "delay", seconds: 300 },
    },
  ];
}

/** Whom a message can be for, besides those it is for. */
export function whomOptions(to: unknown): { readonly text: string; readonly group: string; readonly to: string[] }[] {
  const chosen = Array.isArray(to) ? to.map(String) : [];
  const people = persons.value.map(({ id, name }) => ({ text: name, receiver: `person:${id}` }));
  const others = chosen.length === 0 ? [] : people.filter(({ receiver }) => !chosen.includes(receiver));
  return [
    { text: t("tap.toOwners"), group: "", to: ["owners"] },
    ...people.map(({ text, receiver }) => ({ text, group: "", to: [receiver] })),
    ...others.map(({ text, receiver }) => ({ text, group: t("tap.toAlso"), to: [...chosen, receiver] })),
  ];
}

/** The pictures that a message can carry. */
export function pictureOptions(
  byCar: boolean,
): { readonly text: string; readonly group: string; readonly picture: object }[] {
  const cameras = deviceList.value.filter(({ type }) => type === "camera");
  return [
    ...(byCar ? [{ text: t("tap.pictureOfRead"), group: "", picture: { type: "read" } }] : []),
    ...cameras.map(({ id, name }) => ({
      text: name,
      group: t("tap.pictureOfCamera"),
      picture: { type: "camera", deviceId: id },
    })),
  ];
}

/** The values of a device that a rule can ask about. */
export function fieldsOf(device: Device | undefined): readonly { readonly key: string; readonly name: string }[] {
  return valuesOf(device).filter(({ key }) => kindOf(device, key) !== "other");
}

/** The product types of which some device reports a value. */
export function kindsWith(field: string): readonly string[] {
  const having = deviceList.value.filter((device) => valuesOf(device).some(({ key }) => key === field));
  return [...new Set(having.map(({ type }) => type))];
}

/** The values that one can be compared with, as far as they are few. */
export function comparedWith(device: Device | undefined, field: string): readonly (string | boolean)[] {
  return kindOf(device, field) === "text" ? stateWords(device, field) : [];
}

/** The question that a device is most likely meant for; null: it reports nothing. */
export function questionOf(device: Device): Block | null {
  return questionsOf(device)[0] ?? null;
}

/** All that can be asked about a device, one question for each of its states, the likely ones first. */
function questionsOf(device: Device): readonly Block[] {
  if (device.type === "camera") return [];
  const rank = (key: string): number => {
    if (device.type === "thermostat" && key === "temperature") return -1; // what it is there for
    const at = TELLING.indexOf(key);
    return at >= 0 ? at : TELLING.length + (RARELY.test(key) ? 1 : 0);
  };
  const keys = fieldsOf(device)
    .map(({ key }) => key)
    .sort((a, b) => rank(a) - rank(b));
  const asked = keys.map((key) => {
    const first = firstQuestion(device, key);
    const rest = questionsAbout(device, key).filter((one) => JSON.stringify(one) !== JSON.stringify(first));
    return { first: [first], rest, key };
  });
  // of what is switched, opened or locked both states are waited for; of what is measured the first
  const [leading] = asked;
  const isTwofold = leading !== undefined && (isSwitched(leading.key) || OPENED.has(leading.key));
  const likely = asked.flatMap(({ key, first, rest }, at) => [
    ...first.map((one) => ({ key, one })),
    ...(at === 0 && isTwofold ? rest.slice(-1).map((one) => ({ key, one })) : []),
  ]);
  const all = [...likely, ...asked.flatMap(({ key, rest }) => rest.map((one) => ({ key, one })))];
  const blocks = all.map(({ key, one }): Block => ({ type: "state", deviceId: device.id, field: key, ...one }));
  const texts = blocks.map((block) => sentence(block));
  return blocks.filter((_block, at) => texts.indexOf(texts[at] ?? "") === at);
}

/** The questions about one value of a device: each of its states, or a limit from both sides. */
function questionsAbout(device: Device, key: string): readonly Question[] {
  const whole = wholeQuestions(device, key);
  if (whole.length > 0) return whole;
  const first = firstQuestion(device, key);
  switch (kindOf(device, key)) {
    case "number":
      return [first, { ...first, op: first.op === "lt" ? "gt" : "lt" }];
    case "boolean":
      return [{ op: "truthy" }, { op: "falsy" }];
    default:
      return stateWords(device, key).map((value) => ({ op: "eq", value }));
  }
}

/** How a device is offered in a list: under its room, or under all devices of a house without rooms. */
export function aboutOf(device: Device): Pick<Option, "group" | "icon" | "isOfDevice"> {
  const others = rooms.value.length === 0 ? t("tap.devices") : t("home.noRoom");
  return { group: device.room ?? others, icon: deviceIcon(device.type), isOfDevice: true };
}

/** The devices in the order of their rooms, those without one last. */
export function byRoom(): readonly Device[] {
  const order = new Map(rooms.value.map(({ name }, place) => [name.toLowerCase(), place]));
  const placeOf = ({ room }: Device): number => order.get(room?.toLowerCase() ?? "") ?? order.size;
  return [...deviceList.value].sort((a, b) => placeOf(a) - placeOf(b));
}

/** How much of each device is offered to those who look for nothing: of many devices, one thing each. */
function likelyOf(most: number): number {
  return deviceList.value.length > MANY_DEVICES ? 1 : most;
}

function deviceOptions(): Option[] {
  const likely = likelyOf(LIKELY);
  return byRoom().flatMap((device) =>
    questionsOf(device).map((block, at) => ({
      ...aboutOf(device),
      block,
      text: sentence(block),
      words: `${wordsOf(block)} ${kindWords(device)}`,
      isFurther: at >= likely || (at > 0 && RARELY.test(String(block.field))),
    })),
  );
}

/** What can be done with a device, the likely first. */
function commandOptions(device: Device): Option[] {
  const first = firstCommand(device);
  if (first === null) return [];
  const ranges = rangesOf(device).map(({ control, send }) => send(startOf(control, device)));
  const commands = [first, ...choicesFor(device).map(({ command }) => command), ...ranges];
  const options = commands.map((command): Option => {
    const block = { type: "command", deviceId: device.id, command };
    const words = Object.keys(command).map((key) => wordsOfField(baseOf(key)));
    return { ...aboutOf(device), block, text: sentence(block), words: `${words.join(" ")} ${kindWords(device)}` };
  });
  return options
    .filter(({ text }, at) => options.findIndex((one) => one.text === text) === at)
    .map((one, at) => ({ ...one, isFurther: at >= likelyOf(LIKELY_COMMANDS) }));
}

/** What else people call a part of a rule. */
function wordsOf({ type, field }: Block): string {
  return field === undefined
    ? wordsOfPart(type)
    : `${measureName(String(field))} ${wordsOfField(baseOf(String(field)))}`;
}

function kindWords({ type }: Device): string {
  return `${keyedText(`type.${type}`, type)} ${wordsOfKind(type)}`;
}

function hasCamera(): boolean {
  return deviceList.value.some(({ type }) => type === "camera");
}

/** The gate and its camera are what people want to know of first when they go offline. */
function watchedFirst({ type }: Device): number {
  return type === "gate" ? 0 : type === "camera" ? 1 : 2;
}
