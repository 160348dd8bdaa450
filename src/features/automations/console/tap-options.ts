/** What can be chosen in the sentence of a rule: phrases of this house's own devices, cars, times and scenes. */

import { deviceIcon, type IconName } from "../../../console/components/icon.tsx";
import { kindOf, valuesOf, wordsOf } from "../../../console/components/state-values.ts";
import { t } from "../../../console/i18n/translate.ts";
import { type Device, deviceList, scenes } from "../../../console/store.ts";
import type { Block } from "./block-editor.tsx";
import { firstCommand } from "./command-words.ts";
import { persons } from "./persons.ts";
import { capital, sentence } from "./rule-sentence.ts";
import { firstQuestion } from "./state-questions.ts";

/** One thing to tap. */
export interface Option {
  readonly text: string;
  /** The heading that it stands under. */
  readonly group: string;
  readonly icon: IconName;
  /** Where it is. */
  readonly detail?: string;
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

/** The lengths of time that are offered, in seconds. */
export const LENGTHS: readonly number[] = [60, 120, 300, 600, 1_800, 3_600];

/** What can start a rule. */
export function triggerOptions(away: Block | null): Option[] {
  const gate = t("tap.atGate");
  const time = t("tap.byTime");
  const of = (group: string, icon: IconName, block: Block, text = sentence(block)): Option => ({
    group,
    icon,
    block,
    text,
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
    of(time, "sunset", { type: "sun", event: "sunset", offsetMinutes: 0, days: [] }),
    of(time, "sunset", { type: "sun", event: "sunrise", offsetMinutes: 0, days: [] }),
    of(time, "clock", { type: "time", at: "07:00", days: [] }, t("tap.atTime")),
    of(time, "clock", { type: "interval", everySeconds: 600 }),
    ...(away === null ? [] : [of(t("tap.house"), "house", away, t("tap.away"))]),
    ...deviceOptions(),
    ...(watched === undefined
      ? []
      : [
          of(t("tap.devices"), "wifiOff", { type: "device", deviceId: watched.id, event: "offline" }, t("tap.offline")),
        ]),
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

/** What can be asked before a rule runs. */
export function conditionOptions(away: Block | null): Option[] {
  const time = t("tap.byTime");
  const of = (group: string, icon: IconName, block: Block, text = sentence(block)): Option => ({
    group,
    icon,
    block,
    text,
  });
  return [
    of(time, "clock", { type: "time", from: "22:00", to: "06:00" }),
    of(time, "clock", { type: "time", from: "08:00", to: "18:00" }),
    of(time, "moon", { type: "sun", is: "down" }),
    of(time, "lightbulb", { type: "sun", is: "up" }),
    of(time, "briefcase", { type: "days", days: [1, 2, 3, 4, 5] }),
    of(time, "sofa", { type: "days", days: [6, 7] }),
    ...(away === null
      ? []
      : [
          of(t("tap.house"), "house", { ...away, type: "state" }, t("tap.away")),
          of(t("tap.house"), "house", { type: "not", condition: { ...away, type: "state" } }, t("tap.home")),
        ]),
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
      block: {
        type: "notify",
        title: capital(said),
        body: "",
        ...(triggers.length === 1 && triggers[0]?.type === "plate" ? { picture: { type: "read" } } : {}),
      },
    },
    ...scenes.value.map((scene): Option => {
      const block = { type: "scene", sceneId: scene.id };
      return { group: t("nav.scenes"), icon: "clapperboard", text: scene.name, block };
    }),
    ...deviceList.value.flatMap((device): Option[] => {
      const command = firstCommand(device);
      if (command === null) return [];
      const block = { type: "command", deviceId: device.id, command };
      return [{ ...aboutOf(device), text: sentence(block), block }];
    }),
    { group: t("tap.byTime"), icon: "clock", text: t("tap.wait"), block: { type: "delay", seconds: 300 } },
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
  return kindOf(device, field) === "text" ? wordsOf(device, field) : [];
}

/** The question that a device is most likely meant for; null: it reports nothing. */
export function questionOf(device: Device): Block | null {
  const values = fieldsOf(device);
  const key =
    TELLING.find((one) => values.some((value) => value.key === one)) ??
    (values.find((value) => !RARELY.test(value.key)) ?? values[0])?.key;
  if (key === undefined || device.type === "camera") return null;
  return { type: "state", deviceId: device.id, field: key, ...firstQuestion(device, key) };
}

/** How a device is offered in a list. */
export function aboutOf(device: Device): Pick<Option, "group" | "icon" | "detail"> {
  return {
    group: t("tap.devices"),
    icon: deviceIcon(device.type),
    ...(device.room === null ? {} : { detail: device.room }),
  };
}

function deviceOptions(): Option[] {
  return deviceList.value.flatMap((device) => {
    const block = questionOf(device);
    return block === null ? [] : [{ ...aboutOf(device), block, text: sentence(block) }];
  });
}

function hasCamera(): boolean {
  return deviceList.value.some(({ type }) => type === "camera");
}

/** The gate and its camera are what people want to know of first when they go offline. */
function watchedFirst({ type }: Device): number {
  return type === "gate" ? 0 : type === "camera" ? 1 : 2;
}
