/**
 * `exposes` of a Zigbee device in the hub's words: its readings, its commands, its product type. Source:
 * https://www.zigbee2mqtt.io/guide/usage/exposes.html.
 */
import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import { camelCase, numberOf, objectsOf, textOf, textsOf } from "../json-values.ts";
import { type Capability, type Exposed, told } from "./capability.ts";
import {
  brightness,
  climateValue,
  color,
  colorTemperature,
  coverState,
  fanMode,
  fanSpeed,
  lockState,
  onOff,
  percent,
} from "./features.ts";
import { generic } from "./generic.ts";

/** What is known about a device from its `exposes`. */
export interface Known {
  readonly capabilities: readonly Capability[];
  readonly type: string;
  /** How many outputs `power` counts. */
  readonly outputs: number;
}

const MOST_CAPABILITIES = 200;
const SPECIFIC: ReadonlySet<string> = new Set(["light", "switch", "fan", "cover", "lock", "climate"]);

/** Reads `exposes`; malformed entries are left out. */
export function knownOf(exposes: unknown): Known {
  const found: { capability: Capability; exposed: Exposed; group: string }[] = [];
  for (const entry of objectsOf(exposes).slice(0, MOST_CAPABILITIES)) {
    const type = textOf(entry.type, 32) ?? "";
    const members = SPECIFIC.has(type) ? objectsOf(entry.features).slice(0, MOST_CAPABILITIES) : [entry];
    const endpoint = textOf(entry.endpoint, 32);
    for (const raw of members) {
      const exposed = exposedOf(raw, endpoint);
      const capability =
        exposed === null
          ? null
          : SPECIFIC.has(type)
            ? (specific(type, exposed, raw) ?? generic(exposed))
            : generic(exposed);
      if (exposed !== null && capability !== null && found.length < MOST_CAPABILITIES)
        found.push({ capability, exposed, group: SPECIFIC.has(type) ? type : "" });
    }
  }
  const capabilities = named(
    found.filter(
      ({ capability }, index) =>
        found.findIndex(
          (other) => other.capability.property === capability.property && other.capability.base === capability.base,
        ) === index,
    ),
  );
  const outputs = capabilities.filter(({ base }) => base === "power").length;
  return { capabilities, outputs, type: typeOf(new Set(found.map(({ group }) => group)), capabilities, outputs) };
}

function exposedOf(raw: JsonObject, endpoint: string | null): Exposed | null {
  const name = textOf(raw.name, 64) ?? textOf(raw.type, 64);
  const property = textOf(raw.property, 64);
  if (name === null || property === null || property === "__proto__") return null;
  const access = numberOf(raw.access) ?? 1;
  return {
    type: textOf(raw.type, 32) ?? "",
    name,
    property,
    endpoint: textOf(raw.endpoint, 32) ?? endpoint,
    unit: textOf(raw.unit, 16),
    least: numberOf(raw.value_min),
    most: numberOf(raw.value_max),
    step: numberOf(raw.value_step),
    values: textsOf(
      Array.isArray(raw.values)
        ? raw.values.map((value: unknown) => (typeof value === "number" ? String(value) : value))
        : [],
    ).slice(0, 64),
    on: raw.value_on,
    off: raw.value_off,
    access,
  };
}

/** Features of types that Zigbee2MQTT knows as a whole; null for plain values. */
function specific(type: string, exposed: Exposed, raw: JsonObject): Capability | null {
  const { name } = exposed;
  if (name === "state")
    return type === "cover" ? coverState(exposed) : type === "lock" ? lockState(exposed) : onOff(exposed);
  if (name === "brightness" && type === "light") return brightness(exposed);
  if (name === "color_temp") return colorTemperature(exposed);
  if (name === "color_xy" || name === "color_hs") return color(exposed, name === "color_xy");
  if (type === "cover" && (name === "position" || name === "tilt")) return percent(exposed, name);
  if (type === "fan" && name === "mode") return fanMode(exposed);
  if (type === "fan" && name === "speed") return fanSpeed(exposed);
  if (type === "climate") return climateValue(exposed);
  return isJsonObject(raw.features)
    ? told(exposed, camelCase(exposed.property) ?? "value", "state", (value) => value)
    : null;
}

/** If several endpoints have the same word, they get a number each; `l2` and phases keep their own. */
function named(found: readonly { capability: Capability; exposed: Exposed }[]): Capability[] {
  const used = new Set<string>();
  const many = (base: string): boolean => found.filter(({ capability }) => capability.base === base).length > 1;
  const channels = found.filter(({ capability }) => capability.base === "power").map(({ exposed }) => exposed.endpoint);
  return found.map(({ capability, exposed }) => {
    const { base } = capability;
    const word = many(base) ? suffixed(base, exposed, channels) : base;
    const free = unused(word, camelCase(exposed.property) ?? word, used);
    used.add(free);
    return { ...capability, word: free };
  });
}

/** The word, else the value's own name, else the word with a number; at most 32 characters, as for names of metrics. */
function unused(word: string, own: string, used: ReadonlySet<string>): string {
  const plain = word.slice(0, 32);
  if (!used.has(plain)) return plain;
  if (!used.has(own)) return own;
  for (let number = 2; ; number++) {
    const name = `${word.slice(0, 28)}${number}`;
    if (!used.has(name)) return name;
  }
}

function suffixed(base: string, exposed: Exposed, channels: readonly (string | null)[]): string {
  const channel = channels.indexOf(exposed.endpoint);
  if (base === "power") return `power${channel + 1}`;
  const ending = /_(?:phase_|l)?(\d{1,2}|[abc])$/.exec(exposed.property)?.[1];
  if (channel !== -1 && exposed.endpoint !== null && channels.length > 1) return `${base}${channel + 1}`;
  if (ending !== undefined) return `${base}${ending.toUpperCase()}`;
  // The value without a suffix is the whole, or the first phase if the others have letters.
  return exposed.endpoint === null
    ? base
    : `${base}${exposed.endpoint.charAt(0).toUpperCase()}${exposed.endpoint.slice(1)}`;
}

function typeOf(groups: ReadonlySet<string>, capabilities: readonly Capability[], outputs: number): string {
  const has = (base: string): boolean => capabilities.some((capability) => capability.base === base);
  if (groups.has("lock")) return "lock";
  if (groups.has("cover")) return "cover";
  if (groups.has("climate")) return "thermostat";
  if (outputs > 1) return "home-hub";
  if (groups.has("fan")) return "fan";
  if (groups.has("light")) return has("brightness") ? "dimmer" : "light";
  if (groups.has("switch")) return has("watts") || has("kwh") ? "smart-plug" : "switch";
  return has("watts") || has("kwh") ? "energy-meter" : "sensor";
}

/** A group's capabilities: those for switching, dimming, colour and moving that its members share. */
export function sharedCapabilities(members: readonly (readonly Capability[])[]): readonly Capability[] {
  const shared: ReadonlySet<string> = new Set([
    "power",
    "brightness",
    "color",
    "colorTemperature",
    "position",
    "tilt",
    "moving",
    "locked",
  ]);
  const byWord = new Map<string, Capability>();
  for (const capabilities of members) {
    for (const capability of capabilities) {
      if (!shared.has(capability.base) || byWord.has(capability.base)) continue;
      byWord.set(capability.base, {
        ...capability,
        word: capability.base,
        property: capability.property.replace(/^(state|brightness|color_temp|color(?!_temp)|position|tilt)_.+$/, "$1"),
      });
    }
  }
  return [...byWord.values()];
}
