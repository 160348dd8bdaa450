/**
 * The hub itself as a device of Home Assistant: its scenes, how many vehicles are inside, the last one that was read.
 */
import { HOUSE_MODES, type HouseMode } from "../../core/api/house.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import { type Entity, entity } from "./entity.ts";

/** A scene that may be run from there. */
interface ExportedScene {
  readonly id: number;
  readonly name: string;
}

/** The last vehicle that was read. */
export interface LastRead {
  /** ISO 8601. */
  readonly at: string;
  readonly decision: string;
  readonly direction: string | null;
  /** In display form; null if plates are not to be shown. */
  readonly plate: string | null;
}

/** What the hub publishes about itself. */
export interface ExportedHub {
  readonly scenes: readonly ExportedScene[];
  /** What the house is set to. */
  readonly mode: HouseMode;
  /** Vehicles inside; null for a household without a camera that reads plates. */
  readonly inside: number | null;
  readonly lastRead: LastRead | null;
  /** Whether the plate of the last read is published. */
  readonly tellsPlates: boolean;
}

/** Key of the command by which a scene's entity runs it. */
export const SCENE = "scene";
const DECISIONS = ["allow", "deny", "watch", "unknown"];

/** The entities of the hub itself. */
export function hubEntities({ scenes, mode, inside, lastRead, tellsPlates }: ExportedHub): Entity[] {
  const sensor = (field: string, config: JsonObject, value: string | number | null): Entity => {
    const id = `sensor_${field}`;
    return entity("sensor", field, {
      config,
      listens: ["state_topic"],
      shows: { value_template: id },
      values: { [id]: value },
    });
  };
  // it is only shown: what the owner's rules open when it is set is not for another program to set off
  const modes = { name: "House mode", device_class: "enum", options: [...HOUSE_MODES] };
  const made = [
    ...scenes.map((scene) => sceneEntity(scene.id, scene.name)),
    sensor("house_mode", { ...modes, icon: "mdi:home-switch" }, mode),
  ];
  if (inside === null) return made;
  made.push(
    sensor("inside", { name: "Vehicles inside", state_class: "measurement", icon: "mdi:car-multiple" }, inside),
    entity("binary_sensor", "inside", {
      config: { name: "A vehicle is inside", device_class: "occupancy", payload_on: "ON", payload_off: "OFF" },
      listens: ["state_topic"],
      shows: { value_template: "occupied" },
      values: { occupied: inside > 0 ? "ON" : "OFF" },
    }),
    sensor("last_read", { name: "Last vehicle", device_class: "timestamp" }, lastRead?.at ?? null),
    sensor(
      "last_decision",
      { name: "Last vehicle: decision", device_class: "enum", options: DECISIONS },
      lastRead?.decision ?? null,
    ),
    sensor(
      "last_direction",
      { name: "Last vehicle: direction", device_class: "enum", options: ["in", "out"] },
      lastRead?.direction ?? null,
    ),
  );
  if (tellsPlates)
    made.push(sensor("last_plate", { name: "Last vehicle: plate", icon: "mdi:car-info" }, lastRead?.plate ?? null));
  return made;
}

function sceneEntity(id: number, name: string): Entity {
  return entity("scene", String(id), {
    config: { name, payload_on: "ON" },
    takes: { command_topic: (payload) => (payload === "ON" ? { [SCENE]: id } : null) },
  });
}
