/**
 * A device's main entity, by its type. Source: https://www.home-assistant.io/integrations/ with light.mqtt, fan.mqtt,
 * cover.mqtt, lock.mqtt, climate.mqtt, alarm_control_panel.mqtt, switch.mqtt.
 */

import { isJsonObject, type JsonObject } from "../../core/kernel/json-object.ts";
import { standingOf } from "../../core/plates/opening.ts";
import { BARRIER_TYPES } from "../devices/rules/device-types.ts";
import {
  bounded,
  type Entity,
  type EntityValues,
  type ExportedDevice,
  either,
  entity,
  numeric,
  onOff,
  type ReadCommand,
} from "./entity.ts";

/** The main entity, and the fields that need no further entity. */
export interface MainEntity {
  readonly entity: Entity;
  readonly covers: readonly string[];
}

/** The entity without a name of its own: Home Assistant shows it under the device's. */
const UNNAMED = { name: null } as const;

/**
 * The main entity of a device; null for a type that is shown by its values and controls. `mayOpen`: whether barriers
 * may be moved and alarms disarmed.
 */
export function mainEntity(device: ExportedDevice, mayOpen: boolean): MainEntity | null {
  if (device.type === "lock") return lock(device, mayOpen);
  if (BARRIER_TYPES.has(device.type)) return barrier(device, mayOpen);
  if (device.capabilities.barrier && !mayOpen) return null; // a relay or a shutter that a camera opens
  const make = MAKERS.get(device.type);
  return make?.(device, mayOpen) ?? null;
}

const MAKERS: ReadonlyMap<string, (device: ExportedDevice, mayOpen: boolean) => MainEntity> = new Map([
  ["smart-plug", (device: ExportedDevice) => switched(device, "outlet")],
  ["switch", (device: ExportedDevice) => switched(device, "switch")],
  ["light", light],
  ["dimmer", light],
  ["fan", fan],
  ["cover", cover],
  ["thermostat", climate],
  ["sentinel", alarm],
]);

function switched({ values }: ExportedDevice, deviceClass: string): MainEntity {
  const id = "switch_power";
  const made = entity("switch", "power", {
    config: { ...UNNAMED, device_class: deviceClass, payload_on: "ON", payload_off: "OFF" },
    listens: ["state_topic"],
    shows: { value_template: id },
    takes: { command_topic: either(["ON", { power: true }], ["OFF", { power: false }]) },
    values: { [id]: onOff(values.power) },
  });
  return { entity: made, covers: ["power"] };
}

function propertyOf({ commandSchema }: ExportedDevice, field: string): JsonObject | null {
  const properties = commandSchema?.properties;
  const property = isJsonObject(properties) && Object.hasOwn(properties, field) ? properties[field] : null;
  return isJsonObject(property) ? property : null;
}

function light(device: ExportedDevice): MainEntity {
  const { values, type } = device;
  const dims = type === "dimmer" || propertyOf(device, "brightness") !== null;
  const warms = propertyOf(device, "colorTemperature");
  const colours = propertyOf(device, "color") !== null;
  const modes = [...(warms ? ["color_temp"] : []), ...(colours ? ["rgb"] : [])];
  if (modes.length === 0) modes.push(dims ? "brightness" : "onoff");
  const [warmest, coolest] = [numeric(warms?.minimum) ?? 2_000, numeric(warms?.maximum) ?? 6_500];
  const mireds = warms ? { min_mireds: Math.ceil(1e6 / coolest), max_mireds: Math.floor(1e6 / warmest) } : {};
  const made = entity("light", "power", {
    config: {
      ...UNNAMED,
      schema: "json",
      brightness: dims,
      brightness_scale: 100,
      supported_color_modes: modes,
      ...mireds,
    },
    takes: { command_topic: lightCommand({ dims, warms: warms !== null, colours }) },
    light: {
      state: onOff(values.power),
      ...(dims && numeric(values.brightness) !== null ? { brightness: values.brightness } : {}),
      ...lightColour(values, { warms: warms !== null, colours }),
    },
  });
  return { entity: made, covers: ["power", "brightness", "colorTemperature", "color"] };
}

function lightColour(values: JsonObject, can: { readonly warms: boolean; readonly colours: boolean }): JsonObject {
  const rgb =
    can.colours && typeof values.color === "string"
      ? /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(values.color)
      : null;
  const kelvin = can.warms ? numeric(values.colorTemperature) : null;
  if (kelvin !== null && kelvin > 0) return { color_mode: "color_temp", color_temp: Math.round(1e6 / kelvin) };
  if (rgb === null) return {};
  const [r, g, b] = rgb.slice(1).map((part) => Number.parseInt(part, 16));
  return { color_mode: "rgb", color: { r, g, b } };
}

function lightCommand(can: {
  readonly dims: boolean;
  readonly warms: boolean;
  readonly colours: boolean;
}): ReadCommand {
  return (payload) => {
    const wish = jsonObject(payload);
    if (wish?.state === "OFF") return { power: false };
    if (wish?.state !== "ON") return null;
    const [brightness, mired] = [numeric(wish.brightness), numeric(wish.color_temp)];
    const { color } = wish;
    const parts = isJsonObject(color) ? [color.r, color.g, color.b] : [];
    const isColour =
      can.colours &&
      parts.length === 3 &&
      parts.every((part) => Number.isInteger(part) && Number(part) >= 0 && Number(part) <= 255);
    return {
      power: true,
      ...(can.dims && brightness !== null && brightness >= 0 && brightness <= 100
        ? { brightness: Math.round(brightness) }
        : {}),
      ...(can.warms && mired !== null && mired >= 100 && mired <= 1_000
        ? { colorTemperature: Math.round(1e6 / mired) }
        : {}),
      ...(isColour ? { color: `#${parts.map((part) => Number(part).toString(16).padStart(2, "0")).join("")}` } : {}),
    };
  };
}

function jsonObject(payload: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(payload);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function rangeOf(
  { capabilities }: ExportedDevice,
  field: string,
): { readonly min: number; readonly max: number; readonly step: number } | null {
  return capabilities.controls.find((control) => control.kind === "range" && control.field === field) as {
    readonly min: number;
    readonly max: number;
    readonly step: number;
  } | null; // a range, as asked for
}

function fan(device: ExportedDevice): MainEntity {
  const { values } = device;
  const most = rangeOf(device, "speed")?.max ?? null;
  const speed = numeric(values.speed);
  const made = entity("fan", "power", {
    config: {
      ...UNNAMED,
      payload_on: "ON",
      payload_off: "OFF",
      ...(most === null ? {} : { speed_range_min: 1, speed_range_max: most }),
    },
    listens: ["state_topic", ...(most === null ? [] : ["percentage_state_topic"])],
    shows: { state_value_template: "fan_power", ...(most === null ? {} : { percentage_value_template: "fan_speed" }) },
    takes: {
      command_topic: either(["ON", { power: true }], ["OFF", { power: false }]),
      ...(most === null
        ? {}
        : {
            percentage_command_topic: bounded({ min: 0, max: most }, (value) =>
              value === 0 ? { power: false } : { speed: Math.round(value) },
            ),
          }),
    },
    values: { fan_power: onOff(values.power), fan_speed: speed },
  });
  return { entity: made, covers: ["power", "speed"] };
}

/** A cover's state in Home Assistant's words. */
function movement(values: JsonObject): string | null {
  for (const key of ["moving", "position", "gate", "door", "cover"]) {
    const state = values[key];
    if (state === "opening" || state === "closing") return state;
  }
  const position = numeric(values.position) ?? numeric(values.percent);
  if (position !== null) return position === 0 ? "closed" : "open";
  const standing = standingOf(values);
  if (standing === "open" || standing === "closed") return standing;
  return standing === "between" ? "stopped" : null;
}

function movingCommand(open: JsonObject, close: JsonObject): ReadCommand {
  const orders = new Map<string, JsonObject>([
    ["OPEN", open],
    ["CLOSE", close],
    ["STOP", { stop: true }],
  ]);
  return (payload) => orders.get(payload) ?? null;
}

function cover({ values }: ExportedDevice): MainEntity {
  const made = entity("cover", "position", {
    config: { ...UNNAMED, device_class: "shutter", payload_open: "OPEN", payload_close: "CLOSE", payload_stop: "STOP" },
    listens: ["state_topic", "position_topic"],
    shows: { value_template: "cover_state", position_template: "cover_position" },
    takes: {
      command_topic: movingCommand({ position: 100 }, { position: 0 }),
      set_position_topic: bounded({ min: 0, max: 100 }, (value) => ({ position: Math.round(value) })),
    },
    // an empty text is ignored
    values: { cover_state: movement(values) ?? "", cover_position: numeric(values.position) ?? "" },
  });
  return { entity: made, covers: ["position", "moving", "stop", "open", "close"] };
}

const BARRIER_COVERS = ["position", "moving", "percent", "open", "close", "stop", "gate", "door", "state", "contact"];

function barrier({ values, type }: ExportedDevice, mayOpen: boolean): MainEntity {
  const deviceClass = type === "garage-door" ? "garage" : type === "door" ? "door" : "gate";
  const state = movement(values);
  if (!mayOpen) {
    const classes: Readonly<Record<string, string>> = { garage: "garage_door", door: "door", gate: "opening" };
    const shown = state === null ? null : state === "closed" ? "OFF" : "ON";
    return { entity: openOrClosed({ deviceClass: classes[deviceClass] ?? "opening", shown }), covers: BARRIER_COVERS };
  }
  const made = entity("cover", "gate", {
    config: {
      ...UNNAMED,
      device_class: deviceClass,
      payload_open: "OPEN",
      payload_close: "CLOSE",
      payload_stop: "STOP",
    },
    listens: ["state_topic"],
    shows: { value_template: "cover_state" },
    takes: { command_topic: movingCommand({ open: true }, { open: false }) },
    values: { cover_state: state ?? "" },
  });
  return { entity: made, covers: BARRIER_COVERS };
}

function lock({ values }: ExportedDevice, mayOpen: boolean): MainEntity {
  const { locked } = values;
  if (!mayOpen)
    return {
      entity: openOrClosed({
        deviceClass: "lock",
        shown: typeof locked === "boolean" ? (locked ? "OFF" : "ON") : null,
      }),
      covers: ["locked"],
    };
  const state =
    values.jammed === true ? "JAMMED" : typeof locked === "boolean" ? (locked ? "LOCKED" : "UNLOCKED") : "None";
  const made = entity("lock", "locked", {
    config: {
      ...UNNAMED,
      payload_lock: "LOCK",
      payload_unlock: "UNLOCK",
      state_locked: "LOCKED",
      state_unlocked: "UNLOCKED",
      state_jammed: "JAMMED",
    },
    listens: ["state_topic"],
    shows: { value_template: "lock_state" },
    takes: { command_topic: either(["LOCK", { locked: true }], ["UNLOCK", { locked: false }]) },
    values: { lock_state: state },
  });
  return { entity: made, covers: ["locked"] };
}

/** A barrier whose state is shown but which cannot be operated. */
function openOrClosed({ deviceClass, shown }: { readonly deviceClass: string; readonly shown: string | null }): Entity {
  return entity("binary_sensor", "open", {
    config: { ...UNNAMED, device_class: deviceClass, payload_on: "ON", payload_off: "OFF" },
    listens: ["state_topic"],
    shows: { value_template: "open" },
    values: { open: shown },
  });
}

/** Modes that the hub's thermostats and Home Assistant both know by this name. */
const MODES: ReadonlySet<string> = new Set(["auto", "off", "cool", "heat", "dry", "fan_only"]);

function climate(device: ExportedDevice): MainEntity {
  const { values, capabilities } = device;
  const { min, max, step } = rangeOf(device, "target") ?? { min: 5, max: 35, step: 0.5 };
  const choice = capabilities.controls.find((control) => control.kind === "choice" && control.field === "mode");
  const modes = (choice?.kind === "choice" ? choice.options : []).flatMap(({ value }) =>
    typeof value === "string" && MODES.has(value) ? [value] : [],
  );
  const tellsAction = typeof values.heating === "boolean" || typeof values.cooling === "boolean";
  const action =
    values.mode === "off" ? "off" : values.heating === true ? "heating" : values.cooling === true ? "cooling" : "idle";
  const shown: EntityValues = {
    climate_mode: typeof values.mode === "string" && MODES.has(values.mode) ? values.mode : "None",
    climate_target: numeric(values.target) ?? "None",
    climate_temperature: numeric(values.temperature) ?? "None",
    ...(tellsAction ? { climate_action: action } : {}),
  };
  const made = entity("climate", "target", {
    config: { ...UNNAMED, modes, min_temp: min, max_temp: max, temp_step: step, precision: 0.1, temperature_unit: "C" },
    listens: [
      "mode_state_topic",
      "temperature_state_topic",
      "current_temperature_topic",
      ...(tellsAction ? ["action_topic"] : []),
    ],
    shows: {
      mode_state_template: "climate_mode",
      temperature_state_template: "climate_target",
      current_temperature_template: "climate_temperature",
      ...(tellsAction ? { action_template: "climate_action" } : {}),
    },
    takes: {
      mode_command_topic: (payload) => (modes.includes(payload) ? { mode: payload } : null),
      temperature_command_topic: bounded({ min, max }, (target) => ({ target })),
    },
    values: shown,
  });
  return { entity: made, covers: ["target", "mode", "heating", "cooling"] };
}

function alarm({ values }: ExportedDevice, mayOpen: boolean): MainEntity {
  const state =
    values.alarm === true
      ? "triggered"
      : values.armed === true
        ? "armed_away"
        : values.armed === false
          ? "disarmed"
          : "None";
  const made = entity("alarm_control_panel", "armed", {
    config: {
      ...UNNAMED,
      supported_features: ["arm_away"],
      code_arm_required: false,
      code_disarm_required: false,
      code_trigger_required: false,
    },
    listens: ["state_topic"],
    shows: { value_template: "alarm_state" },
    takes: {
      // everybody may arm: who opens the doors disarms
      command_topic: mayOpen
        ? either(["ARM_AWAY", { armed: true }], ["DISARM", { armed: false }])
        : (payload) => (payload === "ARM_AWAY" ? { armed: true } : null),
    },
    values: { alarm_state: state },
  });
  return { entity: made, covers: ["armed", "alarm"] };
}
