/**
 * Commands to Gen1 devices: the hub's words and the firmware's own (`turn`, `go`, `target_t` …). Source:
 * https://shelly-api-docs.shelly.cloud/gen1/, MQTT sections of each device.
 */
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { switching } from "../channels.ts";
import { rgbOfHex } from "../colours.ts";
import type { Outgoing, Translation } from "../family.ts";
import { booleanOf, clamp, member, numberOf, rescale } from "../json-values.ts";
import { effectName, effectNumber } from "./lamp-effects.ts";
import type { Learned } from "./learned.ts";

const SWITCH_WORDS: ReadonlySet<string> = new Set(["on", "off", "toggle"]);
/** Members of a `set` message, as lamps take them. */
const LAMP_WORDS: ReadonlySet<string> = new Set([
  "turn",
  "red",
  "green",
  "blue",
  "white",
  "gain",
  "brightness",
  "temp",
  "effect",
  "mode",
  "transition",
]);
/**
 * Topics below `thermostat/0/command/`, with the least and the most that each takes. The valve has five profiles, and
 * reports 0 while its schedule is off: https://github.com/iobroker-community-adapters/ioBroker.shelly/pull/641.
 * `valve_min_percent` is a percentage; its limits are not published.
 */
const THERMOSTAT_WORDS: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["target_t", [4, 31]],
  ["ext_t", [-50, 125]],
  ["valve_pos", [0, 100]],
  ["valve_min_percent", [0, 100]],
  ["schedule", [0, 1]],
  ["schedule_profile", [1, 5]],
  ["boost_minutes", [0, 1440]],
]);
const DEVICE_WORDS: ReadonlySet<string> = new Set(["announce", "update", "update_fw"]);

/** What to publish for `command`. */
export function translate(device: Learned, command: JsonObject): Translation {
  const whole = member(command, "command");
  if (typeof whole === "string" && DEVICE_WORDS.has(whole))
    return {
      publish: [{ topic: `shellies/${device.id}/command`, payload: whole }],
      expects: null,
      ...(whole === "announce" ? {} : { isUpkeep: true }),
    };
  if (device.count("thermostat") > 0) return thermostat(device, command);
  if (device.count("roller") > 0) return roller(device, command);
  const outputs = device.outputs;
  if (outputs === null) return { unsupported: "the device takes no commands" };
  return outputs.kind === "relay" ? relays(device, command) : lamps(device, command);
}

function to(device: Learned, rest: string, payload: string): Outgoing {
  return { topic: `shellies/${device.id}/${rest}`, payload };
}

/** The firmware's own words name a channel by `ch`; without it they mean the first one. */
function channelOf(command: JsonObject, count: number): number | null {
  const channel = member(command, "ch") ?? 1;
  return typeof channel === "number" && Number.isInteger(channel) && channel >= 1 && channel <= count ? channel : null;
}

function relays(device: Learned, command: JsonObject): Translation {
  const count = device.count("relay");
  const turn = member(command, "turn") ?? (member(command, "toggle") === true ? "toggle" : undefined);
  if (turn !== undefined) {
    const channel = channelOf(command, count);
    const strange = Object.keys(command).find((key) => !["turn", "toggle", "ch"].includes(key));
    if (channel === null || typeof turn !== "string" || !SWITCH_WORDS.has(turn))
      return { unsupported: "turn takes on, off or toggle of a channel that is there" };
    if (strange !== undefined) return { unsupported: `relays take no ${strange} over MQTT` };
    const expects = turn === "toggle" ? null : { [device.word("power", "relay", channel - 1)]: turn === "on" };
    return { publish: [to(device, `relay/${channel - 1}/command`, turn)], expects };
  }
  const wanted = switching(command, count);
  if ("unsupported" in wanted) return wanted;
  const strange = Object.keys(wanted.rest)[0];
  if (strange !== undefined) return { unsupported: `the device knows no ${strange}` };
  if (wanted.outputs.size === 0) return { unsupported: "the command switches nothing" };
  const outputs = [...wanted.outputs].sort(([a], [b]) => a - b);
  return {
    publish: outputs.map(([number, on]) => to(device, `relay/${number - 1}/command`, on ? "on" : "off")),
    expects: Object.fromEntries(outputs.map(([number, on]) => [device.word("power", "relay", number - 1), on])),
  };
}

function roller(device: Learned, command: JsonObject): Translation {
  const keys = Object.keys(command);
  if (keys.length === 0) return { unsupported: "the command says nothing" };
  const strange = keys.find(
    (key) => !["open", "close", "stop", "position", "go", "roller_pos", "calibrate"].includes(key),
  );
  if (strange !== undefined) return { unsupported: `the device knows no ${strange}` };
  const go = member(command, "go");
  const move = (word: string, expects: JsonObject | null): Translation => ({
    publish: [to(device, "roller/0/command", word)],
    expects,
  });
  if (member(command, "stop") === true || go === "stop") return move("stop", { moving: "stopped" });
  if (member(command, "calibrate") === true || go === "rc") return move("rc", null);
  const position = member(command, "position") ?? member(command, "roller_pos");
  if (position !== undefined) {
    const percent = numberOf(position);
    if (percent === null || percent < 0 || percent > 100) return { unsupported: "position is a number from 0 to 100" };
    if (device.calibrated)
      return {
        publish: [to(device, "roller/0/command/pos", String(Math.round(percent)))],
        expects: { position: Math.round(percent) },
      };
    if (percent !== 0 && percent !== 100)
      return { unsupported: "the roller has not been calibrated: it knows open and closed only" };
    return move(percent === 100 ? "open" : "close", { moving: percent === 100 ? "opening" : "closing" });
  }
  const open =
    go === "open" || go === "close"
      ? go === "open"
      : (booleanOf(member(command, "open")) ?? (member(command, "close") === true ? false : null));
  if (open === null) return { unsupported: "the roller takes open, close, stop or a position" };
  return move(open ? "open" : "close", { moving: open ? "opening" : "closing" });
}

function thermostat(device: Learned, command: JsonObject): Translation {
  const publish: Outgoing[] = [];
  const expects: JsonObject = {};
  for (const [key, value] of Object.entries(command)) {
    const name = key === "target" ? "target_t" : key === "valve" ? "valve_pos" : key;
    const bounds = THERMOSTAT_WORDS.get(name);
    if (bounds === undefined) return { unsupported: `the device knows no ${key}` };
    const number = numberOf(typeof value === "boolean" ? Number(value) : value);
    const [least, most] = bounds;
    if (number === null || number < least || number > most)
      return { unsupported: `${key} is a number from ${least} to ${most}` };
    if (name === "target_t") expects.target = number;
    publish.push(to(device, `thermostat/0/command/${name}`, String(number)));
  }
  if (publish.length === 0) return { unsupported: "the command says nothing" };
  return { publish, expects: Object.keys(expects).length > 0 ? expects : null };
}

function lamps(device: Learned, command: JsonObject): Translation {
  const outputs = device.outputs;
  if (outputs === null) return { unsupported: "the device has nothing to switch" };
  const { kind, count } = outputs;
  if (
    member(command, "turn") !== undefined ||
    Object.keys(command).some((key) => ["red", "green", "blue", "gain", "temp"].includes(key))
  ) {
    const channel = channelOf(command, count);
    const strange = Object.keys(command).find((key) => key !== "ch" && !LAMP_WORDS.has(key));
    if (channel === null || strange !== undefined)
      return {
        unsupported: strange === undefined ? "the device has no such channel" : `the device knows no ${strange}`,
      };
    const own = Object.fromEntries(Object.entries(command).filter(([key]) => key !== "ch"));
    return { publish: [to(device, `${kind}/${channel - 1}/set`, JSON.stringify(own))], expects: null };
  }
  if (member(command, "toggle") === true) {
    const channel = channelOf(command, count);
    if (channel === null || Object.keys(command).some((key) => key !== "ch" && key !== "toggle"))
      return { unsupported: "toggle takes a channel that is there" };
    return { publish: [to(device, `${kind}/${channel - 1}/command`, "toggle")], expects: null };
  }
  const wanted = switching(command, count);
  if ("unsupported" in wanted) return wanted;
  return lit(device, kind, wanted);
}

function lit(
  device: Learned,
  kind: string,
  wanted: {
    readonly outputs: ReadonlyMap<number, boolean>;
    readonly channel: number | null;
    readonly rest: JsonObject;
  },
): Translation {
  const sets = new Map<number, JsonObject>();
  const expects: JsonObject = {};
  const part = kind === "white" || kind === "color" ? kind : "light";
  for (const [number, on] of wanted.outputs) {
    sets.set(number, { turn: on ? "on" : "off" });
    expects[device.word("power", part, number - 1)] = on;
  }
  for (const [key, value] of Object.entries(wanted.rest)) {
    const named = /^brightness([1-4])$/.exec(key);
    const number = named ? Number(named[1]) : (wanted.channel ?? 1);
    if (number > device.count(part)) return { unsupported: `the device has no channel ${number}` };
    const translated = lampWord(device, part, named ? "brightness" : key, value);
    if (typeof translated === "string") return { unsupported: translated };
    sets.set(number, { ...sets.get(number), ...translated.set });
    for (const [word, expected] of Object.entries(translated.expects))
      expects[word === "brightness" ? device.word(word, part, number - 1) : word] = expected;
  }
  if (sets.size === 0) return { unsupported: "the command says nothing" };
  const publish = [...sets]
    .sort(([a], [b]) => a - b)
    .map(([number, set]) => {
      const { turn } = set;
      const plain = Object.keys(set).length === 1 && typeof turn === "string";
      return to(device, `${part}/${number - 1}/${plain ? "command" : "set"}`, plain ? turn : JSON.stringify(set));
    });
  return { publish, expects: Object.keys(expects).length > 0 ? expects : null };
}

/** One of the hub's words as members of a `set` message, or the reason for refusal. */
function lampWord(
  device: Learned,
  part: string,
  key: string,
  value: unknown,
): { readonly set: JsonObject; readonly expects: JsonObject } | string {
  const number = numberOf(value);
  const isColour = part === "color";
  const { kelvin } = device.row;
  if (key === "brightness" || key === "gain") {
    if (number === null || number < 0 || number > 100) return "brightness is a number from 0 to 100";
    const level = Math.round(number);
    const bulb = isColour && kelvin !== undefined;
    // A bulb has one level for its colours and one for its white; both are meant.
    return {
      set: isColour ? { gain: level, ...(bulb ? { brightness: level } : {}) } : { brightness: level },
      expects: { brightness: level },
    };
  }
  if (key === "color" && isColour) {
    const rgb = rgbOfHex(value);
    if (rgb === null) return "color is a text like #ff8800";
    const [red, green, blue] = rgb;
    return {
      set: { ...(kelvin === undefined ? {} : { mode: "color" }), red, green, blue },
      expects: { color: `#${rgb.map((p) => p.toString(16).padStart(2, "0")).join("")}` },
    };
  }
  if (key === "white" && isColour) {
    if (number === null || number < 0 || number > 100) return "white is a number from 0 to 100";
    return { set: { white: rescale(number, 100, 255) }, expects: { white: Math.round(number) } };
  }
  if (key === "colorTemperature" && kelvin !== undefined) {
    if (number === null) return "colorTemperature is in kelvin";
    const temp = Math.round(clamp(number, kelvin[0], kelvin[1]));
    return { set: { ...(isColour ? { mode: "white" } : {}), temp }, expects: { colorTemperature: temp } };
  }
  if (key === "effect" && isColour) {
    const effect = effectNumber(device.model, value);
    return effect === null
      ? "the device knows no such effect"
      : { set: { effect }, expects: { effect: effectName(device.model, effect) } };
  }
  if (key === "transition" && number !== null)
    return { set: { transition: Math.round(clamp(number, 0, 5000)) }, expects: {} };
  return `the device knows no ${key}`;
}
