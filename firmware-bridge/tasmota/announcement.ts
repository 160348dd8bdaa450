import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import { member, numberOf, textOf } from "../json-values.ts";

/** A device's `config` message, in the terms that the rest of this folder uses. */
export interface Announcement {
  /** 12 hex digits, lower case. */
  readonly mac: string;
  readonly name: string;
  readonly model: string | null;
  readonly firmware: string | null;
  readonly address: string | null;
  /** Topics up to their last level: commands, results, telemetry. */
  readonly command: string;
  readonly result: string;
  readonly telemetry: string;
  /** This device's own words for states. */
  readonly words: {
    readonly online: string;
    readonly offline: string;
    readonly off: string;
    readonly on: string;
    readonly toggle: string;
  };
  /** Index (0 …) in the firmware of each output that is switched by POWER. */
  readonly outputs: readonly { readonly index: number; readonly isLight: boolean }[];
  /** Number and inversion of the shutters, in order. */
  readonly shutters: readonly {
    readonly inverted: boolean;
    readonly tilt: { readonly min: number; readonly max: number } | null;
  }[];
  readonly isFan: boolean;
  /** 0 none, 1 single, 2 cold and warm, 3 RGB, 4 RGB and white, 5 RGB, cold and warm. */
  readonly light: number;
  /** Colour and white are two lights (SetOption37 apart): Dimmer1 and Dimmer2. */
  readonly isSplit: boolean;
  /** Each light output has its own Channel (SetOption68). */
  readonly hasChannels: boolean;
  /** Least and most mired. */
  readonly mired: readonly [least: number, most: number];
  readonly hasFixedFade: boolean;
  readonly canFade: boolean;
  /** Its relays switch lamps (SetOption30). */
  readonly switchesLamps: boolean;
  /** Brightness sits on Dimmer3 (Tuya MCU). */
  readonly isTuya: boolean;
  /** Switch inputs with a lasting state: number → what the input means. */
  readonly switches: ReadonlyMap<number, "state" | "motion">;
  /** Inputs by the names that their owner gave them (SwitchText). */
  readonly switchNames: ReadonlyMap<string, number>;
  readonly sleeps: boolean;
  readonly hasBattery: boolean;
  /** The message itself, to be kept. */
  readonly source: JsonObject;
}

/**
 * Switch modes whose input has a lasting state; 13 and 14 are motion detectors that switch off by themselves
 * (https://tasmota.github.io/docs/Commands/, SwitchMode).
 */
const LASTING_MODES: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 6, 9, 10, 15, 16]);
const MOTION_MODES: ReadonlySet<number> = new Set([13, 14]);

/** Reads a `config` message. @returns the reason if it is not one */
export function readAnnouncement(topicMac: string, value: unknown): Announcement | string {
  if (!isJsonObject(value)) return "is no JSON object";
  const mac = typeof value.mac === "string" ? value.mac.toLowerCase() : "";
  if (mac !== topicMac.toLowerCase()) return "names another hardware address than its topic";
  const topics = topicsOf(value, mac);
  if (typeof topics === "string") return topics;
  const states = Array.isArray(value.state) ? value.state : [];
  const word = (index: number, usual: string): string => textOf(states[index], 32) ?? usual;
  const option = (name: string): boolean => numberOf(member(value.so, name)) === 1;
  const relays = numbers(value.rl).slice(0, 40);
  const light = numberOf(value.lt_st) ?? 0;
  const hasChannels = option("68");
  const shutterStarts = relays
    .flatMap((kind, index) => (kind === 3 ? [index] : []))
    .filter((_, position) => position % 2 === 0);
  const outputs = relays.flatMap((kind, index) => (kind === 1 || kind === 2 ? [{ index, isLight: kind === 2 }] : []));
  return {
    mac,
    name:
      textOf(value.dn, 120) ?? textOf(Array.isArray(value.fn) ? value.fn[0] : null, 120) ?? textOf(value.t, 120) ?? mac,
    model: textOf(value.md),
    firmware: textOf(value.sw),
    address: textOf(value.ip, 45),
    ...topics,
    words: {
      online: textOf(value.onln, 64) ?? "Online",
      offline: textOf(value.ofln, 64) ?? "Offline",
      off: word(0, "OFF"),
      on: word(1, "ON"),
      toggle: word(2, "TOGGLE"),
    },
    outputs,
    shutters: shutterStarts.map((_, position) => shutter(value, position)),
    isFan: numberOf(value.if) === 1,
    light: light >= 0 && light <= 5 ? light : 0,
    isSplit:
      !hasChannels && light >= 4 && numberOf(value.lk) !== 1 && outputs.filter(({ isLight }) => isLight).length > 1,
    hasChannels,
    mired: option("82") ? [200, 380] : [153, 500],
    hasFixedFade: option("117"),
    canFade: numberOf(value.ty) !== 1,
    switchesLamps: option("30"),
    isTuya: numberOf(value.ty) === 1,
    switches: switchesOf(value.swc),
    switchNames: switchNamesOf(value.swn),
    sleeps: numberOf(value.dslp) === 1,
    hasBattery: numberOf(value.bat) === 1,
    source: value,
  };
}

/** The device's topics from FullTopic, Topic and Prefix; the reason when they cannot be used. */
function topicsOf(
  value: JsonObject,
  mac: string,
): { readonly command: string; readonly result: string; readonly telemetry: string } | string {
  const full = textOf(value.ft, 100) ?? "%prefix%/%topic%/";
  const topic = textOf(value.t, 100);
  const prefixes = Array.isArray(value.tp) ? value.tp.map((prefix) => textOf(prefix, 32)) : [];
  if (topic === null) return "names no topic";
  if (!full.includes("%prefix%"))
    return "has a FullTopic without %prefix%: what it says cannot be told from what it is told";
  const filled = (prefix: string): string => {
    const text = full
      .replaceAll("%prefix%", prefix)
      .replaceAll("%topic%", topic)
      .replaceAll("%hostname%", textOf(value.hn, 64) ?? "")
      .replaceAll("%id%", mac.slice(-6).toUpperCase());
    return text.endsWith("/") ? text : `${text}/`;
  };
  const [command, result, telemetry] = [
    filled(prefixes[0] ?? "cmnd"),
    filled(prefixes[1] ?? "stat"),
    filled(prefixes[2] ?? "tele"),
  ] as const;
  if (
    /[+#\0]/.test(command + result + telemetry) ||
    command.length > 200 ||
    command.startsWith("/") ||
    command.startsWith("$")
  )
    return "has topics that cannot be used";
  return { command, result, telemetry };
}

function shutter(value: JsonObject, position: number): Announcement["shutters"][number] {
  const options = numberOf(member(value.sho, String(position))) ?? 0;
  const none = Number.NaN;
  const [min = none, max = none, duration = none] = numbers(member(value.sht, String(position)));
  return { inverted: (options & 1) === 1, tilt: duration > 0 && max > min ? { min, max } : null };
}

function switchesOf(modes: unknown): Map<number, "state" | "motion"> {
  const switches = new Map<number, "state" | "motion">();
  for (const [index, mode] of numbers(modes).slice(0, 32).entries()) {
    if (LASTING_MODES.has(mode)) switches.set(index + 1, "state");
    else if (MOTION_MODES.has(mode)) switches.set(index + 1, "motion");
  }
  return switches;
}

function switchNamesOf(names: unknown): Map<string, number> {
  const found = Array.isArray(names) ? names.slice(0, 32).map((name) => textOf(name, 64)) : [];
  return new Map(found.flatMap((name, index) => (name === null ? [] : [[name, index + 1] as const])));
}

function numbers(value: unknown): number[] {
  return Array.isArray(value) ? value.map((entry) => numberOf(entry) ?? Number.NaN) : [];
}

/** The hub's word for an output's state: `power` for the only one, `power1`, `power2` … for several. */
export function powerField(announcement: Announcement, position: number): string {
  return announcement.outputs.length === 1 ? "power" : `power${position + 1}`;
}

/** The hub's word for a value of a shutter: `position` for the only one, `position1` … for several. */
export function shutterField(
  announcement: Announcement,
  name: "position" | "tilt" | "moving" | "target",
  position: number,
): string {
  return announcement.shutters.length === 1 ? name : `${name}${position + 1}`;
}
