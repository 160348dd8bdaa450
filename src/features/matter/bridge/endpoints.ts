/**
 * A household's devices and scenes as Matter sees them, as plain data: which endpoints a device has, how its state
 * reads in Matter's terms, and which command an order means. Pure; must never know Matter's libraries or how a command
 * travels.
 */

import { isJsonObject, type JsonObject } from "../../../core/kernel/json-object.ts";
import { standingOf } from "../../../core/plates/opening.ts";
import { BARRIER_TYPES } from "../../devices/rules/device-types.ts";
import {
  type BridgedEndpoint,
  type EndpointAction,
  type EndpointKind,
  type EndpointValues,
  LONGEST_NAME,
  LONGEST_ROOM,
} from "./calls.ts";
import { hueOf, rgbOf } from "./colour.ts";
import {
  type BridgeableDevice,
  type BridgeableScene,
  type Command,
  type Control,
  type Controls,
  ofKind,
  type Part,
  PLAIN,
  type Read,
  rangeOf,
} from "./part.ts";
import type { BridgePorts } from "./ports.ts";
import { isMetered, meterValues, sensorParts } from "./sensors.ts";
import { bool, clamp, num, scaled, stepped, unscaled } from "./values.ts";

/**
 * Whether anybody in the home's app may run a scene: it opens nothing, disarms nothing and leaves the house's mode. An
 * on/off switch requires no PIN.
 */
export function isHarmless(scene: BridgeableScene, commands: BridgePorts["commands"]): boolean {
  return scene.houseMode === null && scene.actions.every(({ deviceId, command }) => !commands.opens(deviceId, command));
}

/** The endpoints of a device, in a stable order; none if Matter has no type for it. */
export function partsOf(device: BridgeableDevice): Part[] {
  if (BARRIER_TYPES.has(device.type)) return [barrier(device)];
  const { controls } = device.capabilities;
  // what a plate opens is no plug for who needs no PIN
  const own = device.opensForPlates ? [] : [...switches(device), ...thermostats(controls), ...covers(controls)];
  const sensors = sensorParts(device);
  return own.length + sensors.length === 1
    ? [...own, ...sensors].map((part) => ({ ...part, suffix: "" }))
    : [...own, ...sensors];
}

/** A scene's endpoint: switched on it runs, and switches itself off again. */
export const SCENE_FEATURES: BridgedEndpoint["features"] = { ...PLAIN, momentary: true };

/** A name within Matter's limit of 32 characters, with the part's word at the end. */
export function endpointName(name: string, suffix: string): string {
  const end = suffix === "" ? "" : ` ${suffix}`;
  return `${[...name]
    .slice(0, LONGEST_NAME - [...end].length)
    .join("")
    .trim()}${end}`;
}

/** A room as a label. */
export function endpointRoom(room: string | null): string {
  return [...(room ?? "")].slice(0, LONGEST_ROOM).join("").trim();
}

/** Everything that can be switched; with brightness, colour or speed if the device has them. */
function switches(device: BridgeableDevice): Part[] {
  const { controls } = device.capabilities;
  const toggles = ofKind(controls, "toggle");
  return toggles.map((toggle) => {
    const isMain = toggle.field === "power";
    const base = {
      part: toggle.field,
      suffix: isMain || toggles.length === 1 ? "" : toggle.label,
      features: { ...PLAIN, meters: isMain && isMetered(device) },
    };
    const onOff = (action: EndpointAction): JsonObject | null =>
      isSwitch(action) ? (action.on ? toggle.on : toggle.off) : null;
    const on = (state: JsonObject): EndpointValues => ({
      on: bool(state[toggle.field]),
      ...(isMain ? meterValues(state) : {}),
    });
    const speed = isMain ? rangeOf(controls, "speed") : null;
    if (speed !== null)
      return {
        ...base,
        kind: "fan",
        ...fan(speed, on, onOff),
        features: { ...base.features, speeds: Math.max(1, Math.min(100, Math.round(speed.max))) },
      };
    const brightness = isMain ? rangeOf(controls, "brightness") : null;
    const isLight = device.type === "light" || device.type === "dimmer" || brightness !== null;
    if (!isLight || !isMain) return { ...base, kind: "plug", read: on, command: onOff };
    if (brightness === null) return { ...base, kind: "light", read: on, command: onOff };
    return { ...base, ...lamp(device, brightness, on, onOff) };
  });
}

function lamp(
  device: BridgeableDevice,
  brightness: Control<"range">,
  on: Read,
  onOff: Command,
): Pick<Part, "kind" | "read" | "command"> & { features: Part["features"] } {
  const { controls } = device.capabilities;
  const kelvin = rangeOf(controls, "colorTemperature");
  const hasColour = typeof device.state.color === "string";
  const kind: EndpointKind = hasColour ? "colourLight" : kelvin !== null ? "temperatureLight" : "dimmer";
  return {
    kind,
    features: { ...PLAIN, leastKelvin: kelvin?.min ?? PLAIN.leastKelvin, mostKelvin: kelvin?.max ?? PLAIN.mostKelvin },
    read: (state) => ({
      ...on(state),
      brightness: scaled(state.brightness, brightness),
      ...(kind === "dimmer" ? {} : { kelvin: num(state.colorTemperature, 500, 50_000) }),
      ...(hasColour ? hueOf(state.color) : {}),
    }),
    command: (action, state) => {
      if ("brightness" in action) {
        const value = unscaled(action.brightness, brightness);
        return action.on ? { ...(onOff({ on: true }, state) ?? {}), brightness: value } : { brightness: value };
      }
      if ("kelvin" in action && kind !== "dimmer")
        return { colorTemperature: Math.round(clamp(action.kelvin, kelvin?.min ?? 1_000, kelvin?.max ?? 20_000)) };
      if ("hue" in action && hasColour) return { color: rgbOf(action.hue, action.saturation) };
      return onOff(action, state);
    },
  };
}

function fan(speed: Control<"range">, on: Read, onOff: Command): Pick<Part, "read" | "command"> {
  return {
    read: (state) => {
      const isOn = on(state).on ?? null;
      const value = num(state.speed, 0, 1_000);
      return {
        on: isOn,
        speed:
          isOn === false
            ? 0
            : value === null
              ? null
              : Math.round((clamp(value, 0, speed.max) / Math.max(1, speed.max)) * 100),
      };
    },
    command: (action, state) => {
      if (!("speed" in action)) return onOff(action, state);
      if (action.speed === 0) return onOff({ on: false }, state);
      return { ...(onOff({ on: true }, state) ?? {}), speed: Math.max(1, Math.ceil((action.speed / 100) * speed.max)) };
    },
  };
}

function covers(controls: Controls): Part[] {
  const position = rangeOf(controls, "position");
  if (position === null) return [];
  const stops = ofKind(controls, "button").some(({ command }) => command.stop === true);
  return [
    {
      part: "position",
      kind: "cover",
      suffix: "",
      features: { ...PLAIN, stops },
      read: ({ position: at, moving }) => ({
        position: num(at, 0, 100),
        moving: moving === "opening" || moving === "closing" ? moving : "stopped",
      }),
      command: (action) =>
        "position" in action
          ? { position: Math.round(action.position) }
          : "stop" in action && stops
            ? { stop: true }
            : null,
    },
  ];
}

function thermostats(controls: Controls): Part[] {
  const target = rangeOf(controls, "target");
  if (target === null) return [];
  const mode = ofKind(controls, "choice").find(({ field }) => field === "mode");
  const modes = new Set(mode?.options.map(({ value }) => value));
  const [heats, cools] = [modes.size === 0 || modes.has("heat") || !modes.has("cool"), modes.has("cool")];
  return [
    {
      part: "target",
      kind: "thermostat",
      suffix: "",
      features: {
        ...PLAIN,
        heats,
        cools,
        regulates: heats && cools && modes.has("auto"),
        leastTarget: target.min,
        mostTarget: target.max,
      },
      read: (state) => ({
        temperature: num(state.temperature, -100, 300),
        target: num(state.target, -50, 100),
        mode:
          state.mode === "off" || state.mode === "heat" || state.mode === "cool" || state.mode === "auto"
            ? state.mode
            : heats
              ? "heat"
              : "cool",
      }),
      command: (action) => {
        if ("target" in action) return { target: stepped(action.target, target) };
        return "mode" in action && modes.has(action.mode) ? { mode: action.mode } : null;
      },
    },
  ];
}

/** A gate, a garage door or a lock: Matter's lock, the only type in today's apps that asks who is opening. */
function barrier(device: BridgeableDevice): Part {
  const isLock = device.type === "lock" || typeof device.state.locked === "boolean";
  return {
    part: "lock",
    kind: "lock",
    suffix: "",
    features: { ...PLAIN, pin: true },
    read: (state) => {
      const standing = standingOf(state);
      return { locked: standing === "closed" ? true : standing === "open" ? false : null };
    },
    command: (action) => ("locked" in action ? (isLock ? { locked: action.locked } : { open: !action.locked }) : null),
  };
}

function isSwitch(action: EndpointAction): action is { on: boolean } {
  return "on" in action && !("brightness" in action);
}

/** The state with the latest measurements: meters report much of it as telemetry only. */
export function withMeasured(state: JsonObject, measured: unknown): JsonObject {
  return isJsonObject(measured) ? { ...state, ...measured } : state;
}
