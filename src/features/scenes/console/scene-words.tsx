/** What a scene does, in words, from its steps: "Sets the house to Away, turns 6 lights off, closes Driveway gate". */
import { localeName, type TextKey, t } from "../../../console/i18n/translate.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { devices, type Scene, scenes } from "../../../console/store.ts";
import { commandText } from "../../automations/console/command-words.ts";
import { modeWord } from "../../house/console/modes.ts";

/**
 * Acts that several devices can share in one clause, in the order in which they are named: what may let somebody in
 * first.
 */
const ENTRY = ["open", "unlock", "disarm"] as const;
const REST = ["on", "off", "close", "lock", "arm"] as const;
type Act = (typeof ENTRY | typeof REST)[number];

/** What several devices are called together; those of different kinds are devices. */
const TOGETHER: Readonly<Record<string, TextKey>> = {
  light: "scene.lights",
  dimmer: "scene.lights",
  "smart-plug": "scene.plugs",
  switch: "scene.switches",
  fan: "scene.fans",
  cover: "scene.shutters",
  lock: "scene.locks",
  gate: "scene.gates",
};
/** Devices that are named one by one. */
const NAMED = 2;

type Steps = Pick<Scene, "actions" | "houseMode">;

/** What a scene does, as a sentence without its stop. */
export function sceneSentence({ actions, houseMode }: Steps): string {
  const byAct = new Map<Act, string[]>();
  const others: string[] = [];
  for (const { deviceId, command } of actions) {
    const act = actOf(command);
    if (act !== null) byAct.set(act, [...(byAct.get(act) ?? []), deviceId]);
    else {
      const device = devices.value.get(deviceId);
      others.push(t("scene.sets.device", { name: device?.name ?? deviceId, value: commandText(command, device) }));
    }
  }
  const told = (acts: readonly Act[]): string[] =>
    acts.flatMap((act) => {
      const ids = byAct.get(act);
      return ids === undefined ? [] : [t(`sceneDoes.${act}`, { what: whatOf([...new Set(ids)]) })];
    });
  const clauses = told(ENTRY);
  if (houseMode !== undefined) clauses.push(t("scene.sets.house", { mode: modeWord(houseMode) }));
  clauses.push(...told(REST));
  if (others.length > NAMED) clauses.push(t("scene.sets.many", { n: others.length }));
  else clauses.push(...others);
  const sentence = clauses.length === 0 ? t("sceneDoes.nothing") : clauses.join(", ");
  return sentence.charAt(0).toLocaleUpperCase(localeName()) + sentence.slice(1);
}

/** {@link sceneSentence} of the scene with this id. */
export function SceneDoes({ params }: PageProps) {
  const scene = scenes.value.find(({ id }) => String(id) === params.id);
  return <span class="soft small">{scene !== undefined && sceneSentence(scene)}</span>;
}

/** The act of a command; null: it sets something to a value. */
function actOf(command: Readonly<Record<string, unknown>>): Act | null {
  const keys = Object.keys(command);
  const [key = ""] = keys;
  const value = command[key];
  const { relays } = command;
  if (keys.length === 1 && Array.isArray(relays) && relays.length > 0 && relays.every((one) => one === relays[0]))
    return relays[0] === true ? "on" : relays[0] === false ? "off" : null;
  if (command.power === false) return "off"; // whatever brightness is kept with it
  if (keys.length !== 1) return null;
  if (key === "position" && (value === 0 || value === 100)) return value === 0 ? "close" : "open";
  if (typeof value !== "boolean") return null;
  if (key === "power" || key === "on") return value ? "on" : "off";
  if (key === "open") return value ? "open" : "close";
  if (key === "locked") return value ? "lock" : "unlock";
  if (key === "armed") return value ? "arm" : "disarm";
  return null;
}

/** One or two devices by name, more by what they are. */
function whatOf(ids: readonly string[]): string {
  const known = ids.map((id) => devices.value.get(id));
  if (ids.length <= NAMED) return joined(ids.map((id, index) => known[index]?.name ?? id));
  const kinds = new Set(known.map((device) => TOGETHER[device?.type ?? ""] ?? "scene.devices"));
  const [kind = "scene.devices"] = kinds;
  return t(kinds.size === 1 ? kind : "scene.devices", { n: ids.length });
}

function joined(parts: readonly string[]): string {
  return new Intl.ListFormat(localeName(), { type: "conjunction" }).format(parts);
}
