import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { switching } from "../channels.ts";
import { reciprocalMegakelvin, rgbOfHex } from "../colours.ts";
import type { Outgoing, Translation } from "../family.ts";
import { booleanOf, clamp, numberOf } from "../json-values.ts";
import { type Announcement, powerField, shutterField } from "./announcement.ts";
import { SCHEMES } from "./state.ts";

/** A command of the firmware with its value. */
type Order = readonly [command: string, value: string | number];

/** A device's last report, in the hub's words; members are absent until they are reported. */
export interface DeviceNow {
  readonly power?: unknown;
  readonly brightness?: unknown;
  readonly color?: unknown;
  readonly colorTemperature?: unknown;
  /** Speed of a fan when it last ran. */
  lastSpeed?: number;
}

/** Orders and the state that proves them, or the reason for refusal. */
interface Plan {
  readonly orders: Order[];
  readonly expects: JsonObject;
  refusal: string | null;
  /** See {@link Translation}. */
  isUpkeep?: true;
}

/** A fan that is switched on without a speed: the lowest does not start every motor. */
const USUAL_SPEED = 2;

/** The firmware's own commands begin with a capital letter; they pass through. */
const OWN_COMMAND = /^[A-Z][A-Za-z0-9]{1,31}$/;

/** Translates a command for a device. */
export function translate(announcement: Announcement, command: JsonObject, now: DeviceNow): Translation {
  const plan: Plan = { orders: [], expects: {}, refusal: null };
  const { outputs, shutters, isFan } = announcement;
  const { power, ...fanRest } = command;
  const isFanPower = isFan && power !== undefined;
  const switched = toggled(announcement, isFanPower ? fanRest : command, plan);
  const relays = switching(switched, Math.max(outputs.length, shutters.length));
  if ("unsupported" in relays) return relays;
  if (isFanPower) switchFan(power, now, plan);
  for (const [number, on] of relays.outputs) switchOutput(announcement, number, on, plan);
  const rest = { ...relays.rest };
  fade(announcement, { ...rest, ...([...relays.outputs.values()].includes(false) ? { power: false } : {}) }, now, plan);
  delete rest.transition;
  for (const [key, value] of Object.entries(rest)) one(announcement, { key, value, channel: relays.channel }, plan);
  if (plan.refusal !== null) return { unsupported: plan.refusal };
  if (plan.orders.length === 0) return { unsupported: "the command asks for nothing" };
  return {
    publish: written(announcement, plan.orders),
    expects: Object.keys(plan.expects).length === 0 ? null : plan.expects,
    ...(plan.isUpkeep ? { isUpkeep: true } : {}),
  };
}

/** A single order is a message of its own; several are one Backlog, so that the device carries them out together. */
function written({ command }: Announcement, orders: readonly Order[]): Outgoing[] {
  const [first] = orders;
  if (first !== undefined && orders.length === 1)
    return [{ topic: `${command}${first[0]}`, payload: String(first[1]) }];
  return [{ topic: `${command}Backlog`, payload: orders.map(([name, value]) => `${name} ${value}`.trim()).join("; ") }];
}

/** Takes `toggle` out of a command: `{"toggle":true}`, `{"ch":2,"toggle":true}`, `{"power":"toggle"}`. */
function toggled(announcement: Announcement, command: JsonObject, plan: Plan): JsonObject {
  const { toggle, ch, ...rest } = command;
  const isPowerWord = isToggle(rest.power);
  if (toggle !== true && !isPowerWord) return command;
  const position = ch === undefined ? 0 : (numberOf(ch) ?? 0) - 1;
  const output = announcement.outputs[position];
  if (output === undefined)
    plan.refusal = ch === undefined ? "the device has nothing to switch" : `the device has no channel ${String(ch)}`;
  else plan.orders.push([`POWER${output.index + 1}`, announcement.words.toggle]);
  if (isPowerWord) delete rest.power;
  return rest;
}

function isToggle(power: unknown): boolean {
  return typeof power === "string" && power.toLowerCase() === "toggle";
}

function switchFan(power: unknown, now: DeviceNow, plan: Plan): void {
  const on = isToggle(power) ? now.power !== true : booleanOf(power);
  if (on === null) plan.refusal ??= "power takes true or false";
  else fan(plan, on ? (now.lastSpeed ?? USUAL_SPEED) : 0);
}

function switchOutput(announcement: Announcement, number: number, on: boolean, plan: Plan): void {
  const output = announcement.outputs[number - 1];
  if (output === undefined) {
    plan.refusal ??= "the device has nothing to switch there";
    return;
  }
  plan.orders.push([`POWER${output.index + 1}`, on ? announcement.words.on : announcement.words.off]);
  plan.expects[powerField(announcement, number - 1)] = on;
}

/**
 * `transition` in seconds: Fade2 and Speed2 apply to the orders after them. `asked`: with `power` false where something
 * is switched off.
 */
function fade(announcement: Announcement, asked: JsonObject, now: DeviceNow, plan: Plan): void {
  if (!Object.hasOwn(asked, "transition")) return;
  const seconds = numberOf(asked.transition);
  if (seconds === null || seconds < 0) plan.refusal = "transition takes seconds";
  else if (announcement.light === 0 || !announcement.canFade) plan.refusal = "the device cannot fade";
  else if (seconds === 0) plan.orders.unshift(["Fade2", 0]);
  else plan.orders.unshift(["Fade2", 1], ["Speed2", speedOf(announcement, seconds, asked, now)]);
}

/** Half seconds for a fade over the whole range, unless all of the device's fades last equally long (SetOption117). */
function speedOf(announcement: Announcement, seconds: number, asked: JsonObject, now: DeviceNow): number {
  const halves = seconds * 2;
  const share = announcement.hasFixedFade ? 1 : wayToGo(announcement, asked, now);
  return clamp(Math.round(share === 0 ? halves : halves / share), 1, 40);
}

/** The distance of a fade as a fraction of the whole range, 0–1: the longest of the lamp's channels. */
function wayToGo({ mired: [least, most] }: Announcement, asked: JsonObject, now: DeviceNow): number {
  const level = now.power === false ? 0 : (numberOf(now.brightness) ?? 100);
  const target = numberOf(asked.brightness) ?? (asked.power === false ? 0 : level);
  const ways = [Math.abs(target - level) / 100];
  const [from, to] = [rgbOfHex(now.color), rgbOfHex(asked.color)];
  if (from !== null && to !== null)
    ways.push(...from.map((part, index) => (Math.abs(part - (to[index] ?? part)) / 255) * (target / 100)));
  const [before, after] = [now.colorTemperature, asked.colorTemperature].map((kelvin) =>
    reciprocalMegakelvin(numberOf(kelvin) ?? 0),
  );
  if (typeof before === "number" && typeof after === "number")
    ways.push((Math.abs(before - after) / (most - least)) * (target / 100));
  return Math.min(1, Math.max(...ways));
}

/** One member of a command that does not switch an output. */
function one(
  announcement: Announcement,
  asked: { readonly key: string; readonly value: unknown; readonly channel: number | null },
  plan: Plan,
): void {
  const { key, value } = asked;
  const handler = HANDLERS[key];
  if (Object.hasOwn(HANDLERS, key) && handler !== undefined) plan.refusal ??= handler(announcement, asked, plan);
  else if (OWN_COMMAND.test(key) && ["string", "number", "boolean"].includes(typeof value)) {
    plan.isUpkeep = true;
    plan.orders.push([key, typeof value === "string" ? value : String(value)]);
  } else plan.refusal ??= `it knows no ${key.slice(0, 40)}`;
}

type Handler = (
  announcement: Announcement,
  asked: { readonly value: unknown; readonly channel: number | null },
  plan: Plan,
) => string | null;

const HANDLERS: Readonly<Record<string, Handler>> = {
  brightness: (announcement, { value, channel }, plan) => {
    const { light, hasChannels, outputs, isSplit, isTuya } = announcement;
    const level = percent(value);
    if (level === null) return "brightness takes 0 to 100";
    if (hasChannels) {
      const output = outputs[(channel ?? 1) - 1];
      if (output === undefined || !output.isLight) return "the channel is no lamp";
      plan.orders.push([`Channel${output.index + 1}`, level]);
      plan.expects[outputs.length === 1 ? "brightness" : `brightness${channel ?? 1}`] = level;
      return null;
    }
    if (light === 0) return "it has no lamp that can be dimmed";
    plan.orders.push([isSplit ? "Dimmer1" : isTuya ? "Dimmer3" : "Dimmer", level]);
    plan.expects.brightness = level;
    return null;
  },
  color: ({ light, isSplit }, { value }, plan) => {
    const rgb = rgbOfHex(value);
    if (light < 3) return "its lamp has no colours";
    if (rgb === null) return 'color takes "#rrggbb"';
    // Without `=` the white channels of a lamp with two lights would go out.
    plan.orders.push(["Color2", `${rgb.join(",")}${isSplit ? "=" : ""}`]);
    return null;
  },
  hue: ({ light }, { value }, plan) =>
    hueOrSaturation(light, value, { order: "HsbColor1", most: 359, name: "hue" }, plan),
  saturation: ({ light }, { value }, plan) =>
    hueOrSaturation(light, value, { order: "HsbColor2", most: 100, name: "saturation" }, plan),
  colorTemperature: ({ light, mired: [least, most] }, { value }, plan) => {
    const mired = reciprocalMegakelvin(numberOf(value) ?? 0);
    if (light !== 2 && light !== 5) return "its lamp has one white";
    if (mired === null) return "colorTemperature takes kelvin";
    plan.orders.push(["CT", clamp(mired, least, most)]);
    return null;
  },
  white: ({ light, isSplit }, { value }, plan) => {
    const level = percent(value);
    if (light < 4) return "its lamp has no white of its own";
    if (level === null || (level === 0 && !isSplit)) return "white takes 1 to 100";
    plan.orders.push([isSplit ? "Dimmer2" : "White", level]);
    plan.expects.white = level;
    return null;
  },
  effect: ({ light }, { value }, plan) => {
    const scheme = typeof value === "string" ? SCHEMES.indexOf(value) : (numberOf(value) ?? -1);
    if (light === 0) return "it has no lamp with effects";
    if (scheme < 0 || scheme > 31) return `effect takes one of ${SCHEMES.join(", ")}`;
    plan.orders.push(["Scheme", scheme]);
    plan.expects.effect = SCHEMES[scheme] ?? `scheme${scheme}`;
    return null;
  },
  light: ({ isFan, outputs, words }, { value }, plan) => {
    const on = booleanOf(value);
    if (!isFan || outputs.length === 0) return "it has no lamp beside its output";
    if (on === null) return "light takes true or false";
    plan.orders.push(["POWER1", on ? words.on : words.off]);
    plan.expects.light = on;
    return null;
  },
  speed: ({ isFan }, { value }, plan) => {
    const speed = numberOf(value);
    if (!isFan) return "it is no fan";
    if (speed === null || !Number.isInteger(speed) || speed < 0 || speed > 3) return "speed takes 0 to 3";
    fan(plan, speed);
    return null;
  },
  position: (announcement, { value, channel }, plan) => {
    const position = percent(value);
    const number = channel ?? 1;
    const shutter = announcement.shutters[number - 1];
    if (shutter === undefined) return "it has no such shutter";
    if (position === null) return "position takes 0 to 100";
    plan.orders.push([`ShutterPosition${number}`, shutter.inverted ? 100 - position : position]);
    return null;
  },
  tilt: (announcement, { value, channel }, plan) => {
    const number = channel ?? 1;
    const tilt = announcement.shutters[number - 1]?.tilt ?? null;
    const angle = typeof value === "string" && /^(open|close)$/i.test(value) ? value.toUpperCase() : numberOf(value);
    if (tilt === null) return "it has no slats to tilt";
    if (angle === null) return "tilt takes a number, open or close";
    plan.orders.push([`ShutterTilt${number}`, typeof angle === "string" ? angle : clamp(angle, tilt.min, tilt.max)]);
    return null;
  },
  open: (announcement, { value, channel }, plan) =>
    move(announcement, channel, value === false ? "Close" : "Open", plan),
  close: (announcement, { value, channel }, plan) =>
    move(announcement, channel, value === false ? "Open" : "Close", plan),
  stop: (announcement, { channel }, plan) => move(announcement, channel, "Stop", plan),
  restart: (_, { value }, plan) => (value === true ? order(plan, ["Restart", 1]) : "restart takes true"),
  update: (_, { value }, plan) => {
    plan.isUpkeep = true;
    if (value === true) return order(plan, ["Upgrade", 1]);
    if (typeof value !== "string" || !/^https?:\/\/[^\s;]{1,190}$/.test(value))
      return "update takes true or the address of a firmware file";
    plan.orders.push(["OtaUrl", value], ["Upgrade", 1]);
    return null;
  },
  telemetrySeconds: (_, { value }, plan) => {
    const seconds = numberOf(value);
    if (seconds === null || seconds < 10 || seconds > 3_600) return "telemetrySeconds takes 10 to 3600";
    return order(plan, ["TelePeriod", Math.round(seconds)]);
  },
  refresh: (_, { value }, plan) => (value === true ? order(plan, ["STATE", ""]) : "refresh takes true"),
};

function order(plan: Plan, entry: Order): null {
  plan.orders.push(entry);
  return null;
}

function fan(plan: Plan, speed: number): void {
  plan.orders.push(["FanSpeed", speed]);
  Object.assign(plan.expects, { speed });
}

function hueOrSaturation(
  light: number,
  value: unknown,
  range: { readonly order: string; readonly most: number; readonly name: string },
  plan: Plan,
): string | null {
  const number = numberOf(value);
  if (light < 3) return "its lamp has no colours";
  if (number === null || number < 0 || number > range.most + 1) return `${range.name} takes 0 to ${range.most}`;
  return order(plan, [range.order, Math.min(range.most, Math.round(number))]);
}

function move(
  announcement: Announcement,
  channel: number | null,
  way: "Open" | "Close" | "Stop",
  plan: Plan,
): string | null {
  const number = channel ?? 1;
  if (announcement.shutters[number - 1] === undefined) return "it has no such shutter";
  if (way === "Stop") plan.expects[shutterField(announcement, "moving", number - 1)] = "stopped";
  return order(plan, [`Shutter${way}${number}`, ""]);
}

function percent(value: unknown): number | null {
  const number = numberOf(value);
  return number === null || number < 0 || number > 100 ? null : Math.round(number);
}
