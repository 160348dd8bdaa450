import type { JsonObject } from "../../src/core/kernel/json-object.ts";

/** Everything known about one name of the firmware. */
export interface Named {
  readonly name: string;
  /** Hardware address; null until it was reported. */
  key: string | null;
  /** It has sent something that only this firmware sends. */
  isOurs: boolean;
  online: boolean | null;
  address: string | null;
  build: string | null;
  /** Epoch ms; 0: never. */
  askedAt: number;
  /** Numbers of its channels. */
  readonly channels: Set<string>;
  /** Channels that have had a value other than 0 and 1, so they are not switches. */
  readonly levels: Set<string>;
  /** Last value of each channel. */
  readonly values: Map<string, number>;
  readonly metrics: Set<string>;
  /** Lamp topics that it uses. */
  readonly lamp: Set<string>;
}

/** A name about which nothing is known yet. */
export function newNamed(name: string): Named {
  const empty = { key: null, isOurs: false, online: null, address: null, build: null, askedAt: 0 };
  return {
    name,
    ...empty,
    channels: new Set(),
    levels: new Set(),
    values: new Map(),
    metrics: new Set(),
    lamp: new Set(),
  };
}

/** The channels that switch, in order: a channel counts as a switch until it has another value than 0 and 1. */
export function switches({ channels, levels }: Named): string[] {
  return [...channels].filter((channel) => !levels.has(channel)).sort((a, b) => Number(a) - Number(b));
}

/** The state of all channels in the hub's words. */
export function powerOf(named: Named): [field: string, value: unknown][] {
  const relays = switches(named);
  const fields: [string, unknown][] = [];
  for (const [channel, value] of named.values) {
    const position = relays.indexOf(channel);
    if (position === -1) fields.push([`channel${channel}`, value]);
    else fields.push([fieldOf(relays, position), value !== 0]);
  }
  // A second channel turns `power` into `power1`.
  if (relays.length > 1 && named.lamp.size === 0) fields.push(["power", null]);
  return fields;
}

/** The hub's word for a switch: `power` for the only one, `power1`, `power2` … for several. */
export function fieldOf(relays: readonly string[], position: number): string {
  return relays.length === 1 ? "power" : `power${position + 1}`;
}

/** The hub's product type, from what is known so far. */
export function typeOf(named: Named): string {
  const relays = switches(named);
  if (named.lamp.size > 0) return named.lamp.has("led_dimmer") ? "dimmer" : "light";
  if (relays.length > 1) return "home-hub";
  if (relays.length === 1) return named.metrics.has("watts") ? "smart-plug" : "switch";
  return named.metrics.has("watts") ? "energy-meter" : "sensor";
}

/** The words it takes, as a JSON schema. */
export function schemaOf(named: Named): JsonObject | null {
  const properties: JsonObject = {};
  const relays = switches(named);
  const level = { type: "integer", minimum: 0, maximum: 100 };
  for (const [position] of relays.entries()) properties[fieldOf(relays, position)] = { type: "boolean" };
  if (named.lamp.size > 0) properties.power = { type: "boolean" };
  if (named.lamp.has("led_dimmer")) properties.brightness = level;
  if (named.lamp.has("led_basecolor_rgb")) properties.color = { type: "string", pattern: "^#[0-9a-fA-F]{6}$" };
  if (named.lamp.has("led_temperature"))
    properties.colorTemperature = { type: "integer", minimum: 2000, maximum: 6500 };
  return Object.keys(properties).length === 0 ? null : { type: "object", properties };
}
