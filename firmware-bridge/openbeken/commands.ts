import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { switching } from "../channels.ts";
import { reciprocalMegakelvin, rgbOfHex } from "../colours.ts";
import type { Outgoing, Translation } from "../family.ts";
import { booleanOf, clamp, numberOf } from "../json-values.ts";
import { fieldOf, type Named, switches } from "./named.ts";

/** The firmware's own words: a channel's number, its lamp topics, and Tasmota's commands. */
const OWN_TOPIC = /^(\d{1,2}|led_[A-Za-z_]{1,40})$/;
const OWN_COMMAND = /^[A-Z][A-Za-z0-9_]{1,31}$/;

/** Translates a command for a device. */
export function translate(named: Named, command: JsonObject): Translation {
  const publish: Outgoing[] = [];
  const expects: JsonObject = {};
  const isLamp = named.lamp.size > 0;
  const relays = switches(named);
  const rest: JsonObject = { ...command };
  if (isLamp && Object.hasOwn(rest, "power")) {
    const on = booleanOf(rest.power);
    delete rest.power;
    if (on === null) return { unsupported: "power takes true or false" };
    publish.push({ topic: `${named.name}/led_enableAll/set`, payload: on ? "1" : "0" });
    expects.power = on;
  }
  if (rest.toggle === true) {
    const position = (rest.ch === undefined ? 1 : (numberOf(rest.ch) ?? 0)) - 1;
    if (relays[position] === undefined) return { unsupported: "the device has nothing to switch there" };
    publish.push({
      topic: `cmnd/${named.name}/POWER${relays.length === 1 ? "" : relays[position]}`,
      payload: "TOGGLE",
    });
    delete rest.toggle;
    delete rest.ch;
  }
  const switched = switching(rest, relays.length);
  if ("unsupported" in switched) return switched;
  for (const [number, on] of switched.outputs) {
    publish.push({ topic: `${named.name}/${relays[number - 1]}/set`, payload: on ? "1" : "0" });
    expects[fieldOf(relays, number - 1)] = on;
  }
  for (const [key, value] of Object.entries(switched.rest)) {
    const refusal = one(named, { key, value }, { publish, expects });
    if (refusal !== null) return { unsupported: refusal };
  }
  if (publish.length === 0) return { unsupported: "the command asks for nothing" };
  return {
    publish,
    expects: Object.keys(expects).length === 0 ? null : expects,
    ...(Object.keys(switched.rest).some((key) => OWN_COMMAND.test(key)) ? { isUpkeep: true } : {}),
  };
}

function one(
  named: Named,
  asked: { readonly key: string; readonly value: unknown },
  plan: { readonly publish: Outgoing[]; readonly expects: JsonObject },
): string | null {
  const { key, value } = asked;
  const number = numberOf(value);
  const set = (what: string, payload: string): null => {
    plan.publish.push({ topic: `${named.name}/${what}/set`, payload });
    return null;
  };
  if (key === "brightness" && named.lamp.has("led_dimmer")) {
    if (number === null || number < 0 || number > 100) return "brightness takes 0 to 100";
    plan.expects.brightness = Math.round(number);
    return set("led_dimmer", String(Math.round(number)));
  }
  if (key === "color" && named.lamp.has("led_basecolor_rgb")) {
    const rgb = rgbOfHex(value);
    if (rgb === null) return 'color takes "#rrggbb"';
    const hex = rgb.map((part) => part.toString(16).padStart(2, "0")).join("");
    plan.expects.color = `#${hex}`;
    return set("led_basecolor_rgb", hex.toUpperCase());
  }
  if (key === "colorTemperature" && named.lamp.has("led_temperature")) {
    const mired = reciprocalMegakelvin(number ?? 0);
    return mired === null ? "colorTemperature takes kelvin" : set("led_temperature", String(clamp(mired, 154, 500)));
  }
  if (key === "refresh" && value === true) {
    for (const channel of named.channels) plan.publish.push({ topic: `${named.name}/${channel}/get`, payload: "" });
    return null;
  }
  if (!["string", "number", "boolean"].includes(typeof value)) return `it knows no ${key.slice(0, 40)}`;
  if (OWN_TOPIC.test(key)) return set(key, String(value));
  if (!OWN_COMMAND.test(key)) return `it knows no ${key.slice(0, 40)}`;
  plan.publish.push({ topic: `cmnd/${named.name}/${key}`, payload: String(value) });
  return null;
}
