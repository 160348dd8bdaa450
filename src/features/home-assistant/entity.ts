/** A device of the hub in Home Assistant: an entity with its settings, its values and the commands that it takes. */

import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { Capabilities } from "../devices/rules/device-types.ts";

/** Types of events received, by their source: `button2` → `single`, `long`. */
export type EventSources = Readonly<Record<string, readonly string[]>>;

/** A device as announced. */
export interface ExportedDevice {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly room: string | null;
  readonly model: string | null;
  readonly manufacturer: string | null;
  readonly firmware: string | null;
  readonly online: boolean;
  readonly metrics: readonly string[];
  readonly commandSchema: JsonObject | null;
  readonly capabilities: Capabilities;
  /** Its state and its latest measurements, whichever is newer for each name. */
  readonly values: JsonObject;
  /** The sources of its events, each with the types received. */
  readonly events: EventSources;
}

/** The values that an entity publishes, by the names in its templates; null: not known. */
export type EntityValues = Readonly<Record<string, string | number | null>>;

/** Turns a payload into a command of the hub; null if the entity offers no such command. */
export type ReadCommand = (payload: string) => JsonObject | null;

/** One entity of a device. */
export interface Entity {
  /** Its key among the device's components, and in its command topics: letters, digits and `_`. */
  readonly id: string;
  /** Home Assistant's platform: `switch`, `sensor` … */
  readonly platform: string;
  /** Its settings without platform, unique id and topics. */
  readonly config: JsonObject;
  /** Settings that hold a template, each with the name of the value that it shows. */
  readonly shows: Readonly<Record<string, string>>;
  /** Settings that hold a topic of the device's values. */
  readonly listens: readonly string[];
  /** Settings that hold a command topic, each with its effect. */
  readonly takes: Readonly<Record<string, ReadCommand>>;
  readonly values: EntityValues;
  /** A light publishes everything in one object of its own. */
  readonly light: JsonObject | null;
}

/** An entity from the parts that differ. */
export function entity(platform: string, field: string, parts: Partial<Omit<Entity, "id" | "platform">>): Entity {
  return {
    id: `${platform}_${field}`,
    platform,
    config: {},
    shows: {},
    listens: [],
    takes: {},
    values: {},
    light: null,
    ...parts,
  };
}

/** A number in its published form. */
export function numeric(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** On or off in its published form. */
export function onOff(value: unknown): "ON" | "OFF" | null {
  return typeof value === "boolean" ? (value ? "ON" : "OFF") : null;
}

/** One of two payloads, each with its command. */
export function either(
  on: readonly [payload: string, command: JsonObject],
  off: readonly [payload: string, command: JsonObject],
): ReadCommand {
  return (payload) => (payload === on[0] ? on[1] : payload === off[0] ? off[1] : null);
}

/** A number within bounds. */
export function bounded(
  bounds: { readonly min: number; readonly max: number },
  make: (value: number) => JsonObject,
): ReadCommand {
  return (payload) => {
    const value = /^-?\d{1,9}(\.\d{1,9})?$/.test(payload) ? Number(payload) : Number.NaN;
    return value >= bounds.min && value <= bounds.max ? make(value) : null;
  };
}
