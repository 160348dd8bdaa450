/** Features of lights, switches, fans, covers, locks and thermostats, in both directions. */

import { isJsonObject } from "../../src/core/kernel/json-object.ts";
import {
  hexOfRgb,
  hueSaturationOfRgb,
  reciprocalMegakelvin,
  rgbOfHex,
  rgbOfHueSaturation,
  rgbOfXy,
  xyOfRgb,
} from "../colours.ts";
import { booleanOf, camelCase, clamp, member, numberOf, rescale, textOf } from "../json-values.ts";
import { type Capability, type Exposed, settable, told } from "./capability.ts";

/** `state` of a switch, light or fan. */
export function onOff(exposed: Exposed): Capability {
  const [on, off] = [exposed.on ?? "ON", exposed.off ?? "OFF"];
  return settable(exposed, {
    word: "power",
    read: (value) => (value === on ? true : value === off ? false : undefined),
    write: (value) => {
      const wanted = booleanOf(value);
      return wanted === null ? undefined : wanted ? on : off;
    },
    schema: { type: "boolean" },
  });
}

/** 0–254 to 0–100. */
export function brightness(exposed: Exposed): Capability {
  const most = exposed.most ?? 254;
  return settable(exposed, {
    word: "brightness",
    read: (value) => {
      const number = numberOf(value);
      return number === null ? undefined : rescale(number, most, 100);
    },
    write: (value) => inBounds(value, 0, 100, (number) => rescale(number, 100, most)),
    schema: { type: "integer", minimum: 0, maximum: 100 },
  });
}

/** Mired to kelvin. */
export function colorTemperature(exposed: Exposed): Capability {
  const [least, most] = [exposed.least ?? 150, exposed.most ?? 500];
  return settable(exposed, {
    word: "colorTemperature",
    read: (value) => reciprocalMegakelvin(numberOf(value) ?? 0) ?? undefined,
    write: (value) =>
      inBounds(value, 1000, 20_000, (kelvin) => clamp(reciprocalMegakelvin(kelvin) ?? 370, least, most)),
    schema: {
      type: "integer",
      minimum: reciprocalMegakelvin(most) ?? 2000,
      maximum: reciprocalMegakelvin(least) ?? 6667,
    },
  });
}

/** `{x,y}` or `{hue,saturation}` to "#rrggbb"; some lamps report one and take the other. */
export function color(exposed: Exposed, takesXy: boolean): Capability {
  return settable(exposed, {
    word: "color",
    read: (value) => {
      const [x, y] = [numberOf(member(value, "x")), numberOf(member(value, "y"))];
      if (x !== null && y !== null) return hexOfRgb(rgbOfXy(x, y));
      const [hue, saturation] = [numberOf(member(value, "hue")), numberOf(member(value, "saturation"))];
      return hue !== null && saturation !== null ? hexOfRgb(rgbOfHueSaturation(hue, saturation)) : undefined;
    },
    write: (value) => {
      const rgb = rgbOfHex(value);
      if (rgb === null) return undefined;
      return takesXy ? { ...xyOfRgb(rgb) } : { ...hueSaturationOfRgb(rgb) };
    },
    schema: { type: "string", pattern: "^#[0-9a-fA-F]{6}$" },
  });
}

/**
 * A cover's `state`: open or closed, unless a position is more precise; `open`, `close` and `stop` are sent with it.
 */
export function coverState(exposed: Exposed): Capability {
  return {
    ...told(exposed, "moving", "state", (value) => (value === "STOP" ? "stopped" : undefined)),
    write: (value) =>
      value === "opening" ? "OPEN" : value === "closing" ? "CLOSE" : value === "stopped" ? "STOP" : undefined,
    schema: null,
  };
}

/** `position` or `tilt`, 0–100. */
export function percent(exposed: Exposed, word: "position" | "tilt"): Capability {
  return settable(exposed, {
    word,
    read: (value) => {
      const number = numberOf(value);
      return number === null ? undefined : Math.round(clamp(number, 0, 100));
    },
    write: (value) => inBounds(value, 0, 100, Math.round),
    schema: { type: "integer", minimum: 0, maximum: 100 },
  });
}

/** A lock's `state`. */
export function lockState(exposed: Exposed): Capability {
  const [on, off] = [exposed.on ?? "LOCK", exposed.off ?? "UNLOCK"];
  return settable(exposed, {
    word: "locked",
    read: (value) => (value === on ? true : value === off ? false : undefined),
    write: (value) => {
      const wanted = booleanOf(value);
      return wanted === null ? undefined : wanted ? on : off;
    },
    schema: { type: "boolean" },
  });
}

const FAN_MODES: readonly string[] = ["off", "low", "medium", "high"];

/** A fan's mode as a speed: off 0, low 1, medium 2, high 3, and `on` as the highest. Other modes keep their names. */
export function fanMode(exposed: Exposed): Capability {
  const steps = FAN_MODES.filter((mode) => mode === "off" || exposed.values.includes(mode));
  return settable(exposed, {
    word: "speed",
    read: (value) => {
      const index = steps.indexOf(String(value));
      return index === -1 ? undefined : index;
    },
    write: (value) =>
      typeof value === "number" && Number.isInteger(value)
        ? steps[value]
        : typeof value === "string" && exposed.values.includes(value)
          ? value
          : undefined,
    schema: { type: "integer", minimum: 0, maximum: steps.length - 1 },
  });
}

const SHOWN_SPEEDS = 5;

/** A fan's speed as a number; a fine scale is shown as five speeds. */
export function fanSpeed(exposed: Exposed): Capability {
  const most = exposed.most ?? 254;
  const shown = most <= 10 ? most : SHOWN_SPEEDS;
  return settable(exposed, {
    word: "speed",
    read: (value) => {
      const number = numberOf(value);
      return number === null ? undefined : rescale(number, most, shown);
    },
    write: (value) => inBounds(value, 0, shown, (number) => rescale(number, shown, most)),
    schema: { type: "integer", minimum: 0, maximum: shown },
  });
}

const CLIMATE_WORDS: ReadonlyMap<string, string> = new Map([
  ["current_heating_setpoint", "target"],
  ["occupied_heating_setpoint", "target"],
  ["occupied_cooling_setpoint", "targetCooling"],
  ["unoccupied_heating_setpoint", "targetUnoccupied"],
  ["local_temperature", "temperature"],
  ["system_mode", "mode"],
  ["running_state", "runningState"],
  ["preset", "preset"],
  ["fan_mode", "fanMode"],
  ["swing_mode", "swing"],
]);

/** A thermostat's values; null for plain settings. */
export function climateValue(exposed: Exposed): Capability | null {
  const word = CLIMATE_WORDS.get(exposed.name);
  if (word === undefined) return null;
  if (word === "temperature") return told(exposed, word, "metric", (value) => numberOf(value) ?? undefined);
  if (exposed.type === "numeric") return numeric(exposed, word);
  return choice(exposed, word);
}

/** A number that can be set. */
export function numeric(exposed: Exposed, word = camelCase(exposed.property) ?? "value"): Capability {
  const bounds = {
    ...(exposed.least === null ? {} : { minimum: exposed.least }),
    ...(exposed.most === null ? {} : { maximum: exposed.most }),
    ...(exposed.step === null ? {} : { multipleOf: exposed.step }),
  };
  return settable(exposed, {
    word,
    read: (value) => numberOf(value) ?? undefined,
    write: (value) =>
      inBounds(
        value,
        exposed.least ?? Number.NEGATIVE_INFINITY,
        exposed.most ?? Number.POSITIVE_INFINITY,
        (number) => number,
      ),
    schema: { type: "number", ...bounds },
  });
}

/** One of several texts. */
export function choice(exposed: Exposed, word: string): Capability {
  return settable(exposed, {
    word,
    read: (value) =>
      isJsonObject(value) ? undefined : (textOf(typeof value === "number" ? String(value) : value, 64) ?? undefined),
    write: (value) =>
      typeof value === "string" && (exposed.values.length === 0 || exposed.values.includes(value)) ? value : undefined,
    schema: exposed.values.length > 0 ? { type: "string", enum: exposed.values } : { type: "string" },
  });
}

function inBounds(value: unknown, least: number, most: number, make: (number: number) => number): number | undefined {
  const number = numberOf(value);
  return number === null || number < least || number > most ? undefined : make(number);
}
