/**
 * Commands to Gen2 devices: the hub's words as RPC, and RPC unchanged. Source:
 * https://shelly-api-docs.shelly.cloud/gen2/General/RPCProtocol.
 */
import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import { switching } from "../channels.ts";
import { hexOfRgb, rgbOfHex } from "../colours.ts";
import type { Outgoing, Translation } from "../family.ts";
import { booleanOf, clamp, member, numberOf, rescale } from "../json-values.ts";
import type { Kind, Learned, Part } from "./learned.ts";
import { request } from "./rpc.ts";

const SERVICE: Readonly<Partial<Record<Kind, string>>> = {
  switch: "Switch",
  light: "Light",
  cct: "CCT",
  rgb: "RGB",
  rgbw: "RGBW",
};
const METHOD = /^[A-Za-z][A-Za-z0-9]{0,31}\.[A-Za-z][A-Za-z0-9]{0,47}$/;
const COVER_WORDS: ReadonlySet<string> = new Set(["ch", "open", "close", "stop", "position", "tilt", "calibrate"]);

/** What to publish for `command`. */
export function translate(device: Learned, command: JsonObject): Translation {
  const method = member(command, "method");
  if (method !== undefined) return own(device, command, method);
  if (member(command, "refresh") === true || member(command, "command") !== undefined) return plain(device, command);
  if (device.ids("cover").length > 0) return cover(device, command);
  const { outputs } = device;
  if (outputs.length === 0) return { unsupported: "the device takes no commands" };
  if (member(command, "toggle") === true) return toggle(device, command);
  const wanted = switching(command, outputs.length);
  if ("unsupported" in wanted) return wanted;
  const sets = new Map<number, { params: JsonObject; expects: JsonObject }>();
  for (const [number, on] of wanted.outputs) {
    const part = outputs[number - 1];
    if (part !== undefined) sets.set(number, { params: { on }, expects: { [device.outputWord("power", part)]: on } });
  }
  for (const [key, value] of Object.entries(wanted.rest)) {
    const [, name = key, digits] = /^(brightness|color|white|colorTemperature)([1-9]\d?)$/.exec(key) ?? [];
    const number = digits === undefined ? (wanted.channel ?? 1) : Number(digits);
    const part = outputs[number - 1];
    if (part === undefined) return { unsupported: `the device has no channel ${number}` };
    const translated = wordOf(device, part, name, value);
    if (typeof translated === "string") return { unsupported: translated };
    const set = sets.get(number) ?? { params: {}, expects: {} };
    sets.set(number, {
      params: { ...set.params, ...translated.params },
      expects: { ...set.expects, ...translated.expects },
    });
  }
  if (sets.size === 0) return { unsupported: "the command says nothing" };
  return sent(device, sets);
}

function sent(device: Learned, sets: ReadonlyMap<number, { params: JsonObject; expects: JsonObject }>): Translation {
  const publish: Outgoing[] = [];
  const expects: JsonObject = {};
  for (const [number, set] of [...sets].sort(([a], [b]) => a - b)) {
    const part = device.outputs[number - 1];
    if (part === undefined) continue;
    const { on } = set.params;
    const onlySwitches = Object.keys(set.params).length === 1 && typeof on === "boolean";
    if (device.locked && !onlySwitches)
      return { unsupported: "the device's RPC is protected by a password: it can only be switched" };
    publish.push(
      device.locked
        ? control(device, part, on === true ? "on" : "off")
        : request(device.prefix, `${SERVICE[part.kind]}.Set`, { id: part.id, ...set.params }),
    );
    Object.assign(expects, set.expects);
  }
  return { publish, expects: Object.keys(expects).length > 0 ? expects : null };
}

/** RPC unchanged; id and sender are filled in if it names none. */
function own(device: Learned, command: JsonObject, method: unknown): Translation {
  const params = member(command, "params");
  if (typeof method !== "string" || !METHOD.test(method)) return { unsupported: "method is a name like Switch.Set" };
  if (params !== undefined && !isJsonObject(params)) return { unsupported: "params is an object" };
  if (member(command, "id") !== undefined || member(command, "src") !== undefined) {
    return {
      publish: [{ topic: `${device.prefix}/rpc`, payload: JSON.stringify(command) }],
      expects: null,
      isUpkeep: true,
    };
  }
  return { publish: [request(device.prefix, method, params)], expects: null, isUpkeep: true };
}

/**
 * `{"refresh":true}`, for one channel with `ch`; `{"command":"announce"}` and anything else the device's command topic
 * takes.
 */
function plain(device: Learned, { refresh, command = "status_update", ch, ...rest }: JsonObject): Translation {
  const part = typeof ch === "number" ? device.outputs[ch - 1] : null;
  if (Object.keys(rest).length > 0 || (refresh !== undefined && command !== "status_update"))
    return { unsupported: "the command says more than one thing" };
  if (part === undefined) return { unsupported: `the device has no channel ${String(ch)}` };
  if (part !== null)
    return command === "status_update"
      ? { publish: [control(device, part, command)], expects: null }
      : { unsupported: "a channel tells its status only" };
  if (command !== "announce" && command !== "status_update")
    return { unsupported: "command is announce or status_update" };
  return { publish: [{ topic: `${device.prefix}/command`, payload: command }], expects: null };
}

/** The plain topics need no password. */
function control(device: Learned, part: Part, word: string): Outgoing {
  return { topic: `${device.prefix}/command/${part.kind}:${part.id}`, payload: word };
}

function toggle(device: Learned, command: JsonObject): Translation {
  const channel = member(command, "ch") ?? 1;
  const part = typeof channel === "number" ? device.outputs[channel - 1] : undefined;
  if (part === undefined || Object.keys(command).some((key) => key !== "ch" && key !== "toggle"))
    return { unsupported: "toggle takes a channel that is there" };
  const publish = [
    device.locked
      ? control(device, part, "toggle")
      : request(device.prefix, `${SERVICE[part.kind]}.Toggle`, { id: part.id }),
  ];
  return { publish, expects: null };
}

/** One of the hub's words as parameters of a Set, or the reason for refusal. */
function wordOf(
  device: Learned,
  part: Part,
  key: string,
  value: unknown,
): { readonly params: JsonObject; readonly expects: JsonObject } | string {
  const number = numberOf(value);
  const isLamp = part.kind !== "switch";
  const isColour = part.kind === "rgb" || part.kind === "rgbw";
  if (key === "brightness" && isLamp) {
    if (number === null || number < 0 || number > 100) return "brightness is a number from 0 to 100";
    const brightness = Math.round(number);
    return { params: { brightness }, expects: { [device.outputWord("brightness", part)]: brightness } };
  }
  if (key === "colorTemperature" && part.kind === "cct") {
    if (number === null) return "colorTemperature is in kelvin";
    const ct = Math.round(clamp(number, 2700, 6500));
    return { params: { ct }, expects: { [device.outputWord("colorTemperature", part)]: ct } };
  }
  if (key === "color" && isColour) {
    const rgb = rgbOfHex(value);
    return rgb === null
      ? "color is a text like #ff8800"
      : { params: { rgb: [...rgb] }, expects: { [device.outputWord("color", part)]: hexOfRgb(rgb) } };
  }
  if (key === "white" && part.kind === "rgbw") {
    if (number === null || number < 0 || number > 100) return "white is a number from 0 to 100";
    return {
      params: { white: rescale(number, 100, 255) },
      expects: { [device.outputWord("white", part)]: Math.round(number) },
    };
  }
  if ((key === "transition" || key === "transition_duration") && isLamp && number !== null && number >= 0)
    return { params: { transition_duration: number }, expects: {} };
  if (key === "toggle_after" && number !== null && number >= 0)
    return { params: { toggle_after: number }, expects: {} };
  return `the device knows no ${key}`;
}

function cover(device: Learned, command: JsonObject): Translation {
  const strange = Object.keys(command).find((key) => !COVER_WORDS.has(key));
  if (strange !== undefined) return { unsupported: `the device knows no ${strange}` };
  const channel = member(command, "ch") ?? 1;
  const id = typeof channel === "number" ? device.ids("cover")[channel - 1] : undefined;
  if (id === undefined) return { unsupported: "the device has no such channel" };
  if (device.locked) return { unsupported: "the device's RPC is protected by a password" };
  const word = (name: string): string => device.word(name, { kind: "cover", id });
  const call = (method: string, expects: JsonObject | null, params: JsonObject = {}): Translation => ({
    publish: [request(device.prefix, `Cover.${method}`, { id, ...params })],
    expects,
  });
  if (member(command, "stop") === true) return call("Stop", { [word("moving")]: "stopped" });
  if (member(command, "calibrate") === true) return call("Calibrate", null);
  const position = member(command, "position");
  const tilt = member(command, "tilt");
  if (position !== undefined || tilt !== undefined) {
    const [pos, slats] = [numberOf(position), numberOf(tilt)];
    for (const percent of [position === undefined ? 0 : pos, tilt === undefined ? 0 : slats]) {
      if (percent === null || percent < 0 || percent > 100)
        return { unsupported: "position and tilt are numbers from 0 to 100" };
    }
    if (device.positioned) {
      const params = {
        ...(pos === null ? {} : { pos: Math.round(pos) }),
        ...(slats === null ? {} : { slat_pos: Math.round(slats) }),
      };
      const expects = {
        ...(pos === null ? {} : { [word("position")]: Math.round(pos) }),
        ...(slats === null ? {} : { [word("tilt")]: Math.round(slats) }),
      };
      return call("GoToPosition", expects, params);
    }
    if (tilt !== undefined || (pos !== 0 && pos !== 100))
      return { unsupported: "the cover has not been calibrated: it knows open and closed only" };
    return call(pos === 100 ? "Open" : "Close", { [word("moving")]: pos === 100 ? "opening" : "closing" });
  }
  const open = booleanOf(member(command, "open")) ?? (member(command, "close") === true ? false : null);
  if (open === null) return { unsupported: "the cover takes open, close, stop or a position" };
  return call(open ? "Open" : "Close", { [word("moving")]: open ? "opening" : "closing" });
}
