/**
 * Generic values of Zigbee devices: sensors, meters, settings, buttons. Names for which the hub has a word get it,
 * others stay.
 */

import { isJsonObject } from "../../src/core/kernel/json-object.ts";
import { booleanOf, camelCase, numberOf, rounded, textOf } from "../json-values.ts";
import { quantity } from "../units.ts";
import { ACCESS, type Capability, type Exposed, settable, told } from "./capability.ts";
import { choice, numeric } from "./features.ts";

const NUMBERS: ReadonlyMap<string, string> = new Map([
  ["temperature", "temperature"],
  ["humidity", "humidity"],
  ["pressure", "pressure"],
  ["illuminance", "illuminance"],
  ["illuminance_lux", "illuminance"],
  ["co2", "co2"],
  ["pm25", "pm25"],
  ["pm10", "pm10"],
  ["voc", "voc"],
  ["soil_moisture", "moisture"],
  ["battery", "battery"],
  ["linkquality", "linkquality"],
  ["power", "watts"],
  ["power_phase_b", "wattsB"],
  ["power_phase_c", "wattsC"],
  ["voltage", "voltage"],
  ["voltage_phase_b", "voltageB"],
  ["voltage_phase_c", "voltageC"],
  ["current", "amps"],
  ["current_phase_b", "ampsB"],
  ["current_phase_c", "ampsC"],
  ["power_factor", "powerFactor"],
  ["power_apparent", "voltAmps"],
  ["power_reactive", "vars"],
  ["ac_frequency", "frequency"],
]);
const METERS: ReadonlyMap<string, string> = new Map([
  ["energy", "kwh"],
  ["produced_energy", "kwhExported"],
  ["energy_produced", "kwhExported"],
]);
const BINARIES: ReadonlyMap<string, string> = new Map([
  ["occupancy", "occupancy"],
  ["presence", "occupancy"],
  ["motion", "motion"],
  ["water_leak", "leak"],
  ["smoke", "smoke"],
  ["gas", "gas"],
  ["carbon_monoxide", "carbonMonoxide"],
  ["vibration", "vibration"],
  ["tamper", "tamper"],
  ["battery_low", "batteryLow"],
]);
const LONGEST_COMPOSITE = 1024;

/** The capability of a generic value. */
export function generic(exposed: Exposed): Capability | null {
  const word = camelCase(exposed.property);
  if (word === null) return null;
  const isSettable = (exposed.access & ACCESS.settable) !== 0;
  switch (exposed.type) {
    case "numeric":
      return isSettable && !NUMBERS.has(exposed.name) ? numeric(exposed) : measured(exposed, word);
    case "binary":
      return binary(exposed, word);
    case "enum":
      return exposed.name === "action"
        ? told(exposed, "action", "action", (value) => textOf(value, 64) ?? undefined)
        : choice(exposed, exposed.name === "effect" ? "effect" : word);
    case "text":
      return choice({ ...exposed, values: [] }, word);
    default:
      return composite(exposed, word);
  }
}

function measured(exposed: Exposed, word: string): Capability {
  const meter = METERS.get(exposed.name);
  if (meter !== undefined) {
    return told(exposed, meter, "counter", (value) => {
      const number = numberOf(value);
      return number === null || number < 0 ? undefined : quantity(number, exposed.unit ?? "kWh").value;
    });
  }
  return told(exposed, NUMBERS.get(exposed.name) ?? word, "metric", (value) => {
    const number = numberOf(value);
    if (number === null) return value === null ? null : undefined;
    if (exposed.name === "power_factor" && Math.abs(number) > 1) return rounded(number / 100, 4);
    return quantity(number, exposed.unit).value;
  });
}

function binary(exposed: Exposed, word: string): Capability {
  // A contact is true when it is closed; its value_on means open.
  if (exposed.name === "contact") return told(exposed, word, "state", (value) => booleanOf(value) ?? undefined);
  const [on, off] = [exposed.on ?? true, exposed.off ?? false];
  return settable(exposed, {
    word: BINARIES.get(exposed.name) ?? word,
    read: (value) => (value === on ? true : value === off ? false : value === null ? null : undefined),
    write: (value) => {
      const wanted = booleanOf(value);
      return wanted === null ? undefined : wanted ? on : off;
    },
    schema: { type: "boolean" },
  });
}

/** Small lists and objects are shown and taken as they are. */
function composite(exposed: Exposed, word: string): Capability {
  const small = (value: unknown): unknown =>
    (isJsonObject(value) || Array.isArray(value)) && JSON.stringify(value).length <= LONGEST_COMPOSITE
      ? value
      : undefined;
  return settable(exposed, {
    word,
    read: small,
    write: small,
    schema: { type: exposed.type === "list" ? "array" : "object" },
  });
}
