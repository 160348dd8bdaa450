/** What can be chosen in the sentence of a rule: phrases of this house's own devices, cars, times and scenes. */
import { choicesOf, controlsOf } from "../../../console/components/controls.ts";
import { firstQuestion, kindOf, valuesOf, valueWord, wordsOf } from "../../../console/components/state-values.ts";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import { type Device, deviceList, scenes } from "../../../console/store.ts";
import type { Block } from "./block-editor.tsx";
import { persons } from "./persons.ts";
import { sentence } from "./rule-sentence.ts";

/** One thing to tap. */
export interface Option {
  readonly text: string;
  /** The heading that it stands under. */
  readonly group: string;
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
  "power",
  "temperature",
];
/** A contact that is not closed, a lock that is not locked. */
const TELLING_AT_NO = new Set(["contact", "locked"]);
/** What any device of the house may report; those of a kind that is not there yet count once it is. */
const OF_ANY: readonly (readonly [field: string, op: string, value?: number])[] = [
  ["battery", "lt", 20],
  ["leak", "truthy"],
  ["smoke", "truthy"],
  ["motion", "truthy"],
  ["contact", "falsy"],
  ["alarm", "truthy"],
];
const DEFAULT_HOLD: readonly number[] = [60, 120, 300, 600, 1_800, 3_600];

/** The lengths of time that are offered, in seconds. */
export const LENGTHS = DEFAULT_HOLD;

/** What can start a rule. */
export function triggerOptions(away: Block | null): Option[] {
  const gate = t("tap.atGate");
  const time = t("tap.byTime");
  const of = (group: string, block: Block, text = sentence(block)): Option => ({ group, block, text });
  const hasCamera = deviceList.value.some(({ type }) => type === "camera");
  return [
    ...(hasCamera
      ? [
          of(gate, { type: "plate", decision: "allow" }),
          of(gate, { type: "plate", decision: "unknown" }),
          of(gate, { type: "plate", decision: "deny" }),
          of(gate, { type: "plate", decision: "allow", direction: "in" }),
          of(gate, { type: "plate", direction: "out" }),
          of(gate, { type: "occupancy", op: "eq", value: 0 }),
          of(gate, { type: "occupancy", op: "gte", value: 1 }),
        ]
      : []),
    of(time, { type: "sun", event: "sunset", offsetMinutes: 0, days: [] }),
    of(time, { type: "sun", event: "sunrise", offsetMinutes: 0, days: [] }),
    of(time, { type: "time", at: "07:00", days: [] }, t("tap.atTime")),
    of(time, { type: "interval", everySeconds: 600 }),
    ...(away === null ? [] : [of(t("tap.house"), away, t("tap.away"))]),
    ...OF_ANY.map(([field, op, value]) =>
      of(t("tap.anyDevice"), { type: "any_state", field, op, ...(value === undefined ? {} : { value }) }),
    ),
    ...deviceList.value.flatMap((device) => {
      const block = questionOf(device);
      return block === null ? [] : [of(device.room ?? t("tap.devices"), block, `${device.name}: ${shortOf(block)}`)];
    }),
    ...deviceList.value.map((device) =>
      of(t("tap.offline"), { type: "device", deviceId: device.id, event: "offline" }, device.name),
    ),
  ];
}

/** What can be asked before a rule runs. */
export function conditionOptions(away: Block | null): Option[] {
  const time = t("tap.byTime");
  const of = (group: string, block: Block, text = sentence(block)): Option => ({ group, block, text });
  return [
    of(time, { type: "time", from: "22:00", to: "06:00" }),
    of(time, { type: "time", from: "08:00", to: "18:00" }),
    of(time, { type: "sun", is: "down" }),
    of(time, { type: "sun", is: "up" }),
    of(time, { type: "days", days: [1, 2, 3, 4, 5] }, t("tap.weekdays")),
    of(time, { type: "days", days: [6, 7] }, t("tap.weekend")),
    ...(away === null
      ? []
      : [
          of(t("tap.house"), { ...away, type: "state" }, t("tap.away")),
          of(t("tap.house"), { type: "not", condition: { ...away, type: "state" } }, t("tap.home")),
        ]),
    of(t("tap.atGate"), { type: "occupancy", op: "eq", value: 0 }),
    of(t("tap.atGate"), { type: "occupancy", op: "gte", value: 1 }),
    ...deviceList.value.flatMap((device) => {
      const block = questionOf(device);
      return block === null ? [] : [of(device.room ?? t("tap.devices"), block, `${device.name}: ${shortOf(block)}`)];
    }),
  ];
}

/** What a rule can do. */
export function actionOptions(triggers: readonly Block[]): Option[] {
  const said = triggers.map(sentence).join(` ${t("say.or")} `);
  return [
    {
      group: t("tap.message"),
      text: t("tap.tellUs"),
      block: {
        type: "notify",
        title: said.charAt(0).toLocaleUpperCase() + said.slice(1),
        body: "",
        ...(triggers.length === 1 && triggers[0]?.type === "plate" ? { picture: { type: "read" } } : {}),
      },
    },
    ...scenes.value.map((scene) => {
      const block = { type: "scene", sceneId: scene.id };
      return { group: t("nav.scenes"), text: scene.name, block };
    }),
    ...deviceList.value.flatMap((device) => {
      const [first] = commandsOf(device);
      if (first === undefined) return [];
      const block = { type: "command", deviceId: device.id, command: first };
      return [{ group: device.room ?? t("tap.devices"), text: sentence(block), block }];
    }),
    { group: t("tap.byTime"), text: t("tap.wait"), block: { type: "delay", seconds: 300 } },
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

/** Every command that a device takes, as far as it can be tapped. */
export function commandsOf(device: Device | undefined): Readonly<Record<string, unknown>>[] {
  return controlsOf(device).flatMap((control) => {
    if (control.kind === "range")
      return [0, 0.25, 0.5, 0.75, 1].map((share) => {
        const n = control.min + Math.round((share * (control.max - control.min)) / control.step) * control.step;
        return control.field === "brightness" ? { power: n > 0, brightness: n } : { [control.key]: n };
      });
    return choicesOf(control).map(({ command }) => command);
  });
}

/** The command that takes one back; null if there is none. */
export function oppositeOf(command: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof command !== "object" || command === null) return null;
  const entries = Object.entries(command);
  const key = entries.find(
    ([name, value]) => typeof value === "boolean" && ["power", "on", "armed", "open", "locked"].includes(name),
  )?.[0];
  if (key === undefined) return null;
  const value = (command as Record<string, unknown>)[key];
  const channel = entries.filter(([name]) => name === "ch");
  return { ...Object.fromEntries(channel), [key]: !value };
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
function questionOf(device: Device): Block | null {
  const values = valuesOf(device);
  const key = TELLING.find((one) => values.some((value) => value.key === one)) ?? values[0]?.key;
  if (key === undefined || device.type === "camera") return null;
  const base = { type: "state", deviceId: device.id, field: key };
  if (kindOf(device, key) === "text") {
    const words = wordsOf(device, key);
    return { ...base, op: "eq", value: words.find((word) => word === "open") ?? words[0] ?? "" };
  }
  if (TELLING_AT_NO.has(key)) return { ...base, op: "falsy" };
  return { ...base, ...firstQuestion(device, key) };
}

function shortOf(block: Block): string {
  const key = String(block.field);
  if (typeof block.value === "string") return valueWord(key, block.value);
  if (block.op === "truthy" || block.op === "falsy") return valueWord(key, block.op === "truthy");
  return `${t(`op.${String(block.op)}` as TextKey)} ${valueWord(key, block.value)}`;
}
