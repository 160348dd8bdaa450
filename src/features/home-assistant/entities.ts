/**
 * A device of the hub as Home Assistant's entities: its main one, its further controls, and its values. Pure: no topic
 * of the hub's, no clock, no broker.
 */

import type { JsonObject } from "../../core/kernel/json-object.ts";
import { titled } from "../devices/rules/device-types.ts";
import { bounded, type Entity, type ExportedDevice, either, entity, numeric, onOff } from "./entity.ts";
import { eventEntities } from "./heard-events.ts";
import { mainEntity } from "./main-entities.ts";
import { CONTACTS, QUANTITIES } from "./quantities.ts";

type Control = ExportedDevice["capabilities"]["controls"][number];

/** Most entities of a device, which may report more values than anybody wants to see. */
const MOST_ENTITIES = 48;
/** Names that a template and a topic can hold. */
const FIELD = /^[A-Za-z][A-Za-z0-9_]{0,31}$/;
const LONGEST_TEXT = 200;

/** The entities of a device, the main one first. `mayOpen`: whether barriers may be moved from there. */
export function entitiesOf(device: ExportedDevice, mayOpen: boolean): Entity[] {
  const main = mainEntity(device, mayOpen);
  const covered = new Set(main?.covers);
  const made = main === null ? [] : [main.entity];
  const isTouched = !device.capabilities.barrier || mayOpen;
  if (isTouched) {
    for (const control of device.capabilities.controls) {
      const fields = fieldsOf(control);
      if (fields.some((field) => covered.has(field))) continue;
      const one = controlEntity(control, device.values);
      if (one === null) continue;
      made.push(one);
      if ("field" in control) covered.add(control.field);
    }
  }
  made.push(...eventEntities(device.events));
  for (const field of new Set([...device.metrics, ...Object.keys(device.values)])) {
    if (covered.has(field) || !FIELD.test(field)) continue;
    const one = valueEntity(field, Object.hasOwn(device.values, field) ? device.values[field] : undefined);
    if (one !== null) made.push(one);
  }
  const unique = new Map(made.map((one) => [one.id, one]));
  return [...unique.values()].slice(0, MOST_ENTITIES);
}

function fieldsOf(control: Control): string[] {
  return "field" in control ? [control.field] : Object.keys(control.command);
}

function controlEntity(control: Control, values: JsonObject): Entity | null {
  if (control.kind === "button")
    return FIELD.test(control.name) ? button(control.name, control.label, control.command) : null;
  const { field, label } = control;
  if (!FIELD.test(field)) return null;
  const value = Object.hasOwn(values, field) ? values[field] : undefined;
  if (control.kind === "toggle") {
    const id = `switch_${field}`;
    return entity("switch", field, {
      config: { name: label, payload_on: "ON", payload_off: "OFF" },
      listens: ["state_topic"],
      shows: { value_template: id },
      takes: { command_topic: either(["ON", control.on], ["OFF", control.off]) },
      values: { [id]: onOff(value) },
    });
  }
  if (control.kind === "range") {
    const { min, max, step, unit, key } = control;
    const id = `number_${field}`;
    return entity("number", field, {
      config: { name: label, min, max, step, ...(unit === "" ? {} : { unit_of_measurement: unit }) },
      listens: ["state_topic"],
      shows: { value_template: id },
      takes: { command_topic: bounded({ min, max }, (wanted) => ({ [key]: wanted })) },
      values: { [id]: numeric(value) },
    });
  }
  return choice({ field, label, options: control.options, value });
}

function button(field: string, label: string, command: JsonObject): Entity {
  return entity("button", field, {
    config: { name: label, payload_press: "PRESS" },
    takes: { command_topic: (payload) => (payload === "PRESS" ? command : null) },
  });
}

function choice(wanted: {
  readonly field: string;
  readonly label: string;
  readonly options: readonly { readonly value: unknown; readonly label: string; readonly command: JsonObject }[];
  readonly value: unknown;
}): Entity | null {
  const { field, label, options, value } = wanted;
  const [only] = options;
  if (only === undefined) return null;
  if (options.length === 1 && only.value === true) return button(field, label, only.command);
  const commands = new Map(options.map((option) => [String(option.value).slice(0, LONGEST_TEXT), option.command]));
  const id = `select_${field}`;
  const now = value === undefined || value === null ? null : String(value);
  return entity("select", field, {
    config: { name: label, options: [...commands.keys()] },
    listens: ["state_topic"],
    shows: { value_template: id },
    takes: { command_topic: (payload) => commands.get(payload) ?? null },
    values: { [id]: now !== null && commands.has(now) ? now : null },
  });
}

/** The entity of a value; null if it is neither number nor text nor boolean. */
function valueEntity(field: string, value: unknown): Entity | null {
  const known = CONTACTS.get(field);
  if (typeof value === "boolean" || (value === undefined && known !== undefined)) {
    const shown = typeof value === "boolean" && known?.isInverted ? !value : value;
    const id = `binary_sensor_${field}`;
    return entity("binary_sensor", field, {
      config: {
        name: known?.name ?? titled(field),
        ...(known ? { device_class: known.deviceClass } : {}),
        payload_on: "ON",
        payload_off: "OFF",
      },
      listens: ["state_topic"],
      shows: { value_template: id },
      values: { [id]: onOff(shown) },
    });
  }
  const quantity = QUANTITIES.get(field);
  const isNumber = typeof value === "number" || (value === undefined && quantity !== undefined);
  if (!isNumber && typeof value !== "string") return null;
  const { name, deviceClass, unit, stateClass, isDiagnostic } = quantity ?? {
    name: titled(field),
    deviceClass: null,
    unit: null,
    stateClass: "measurement" as const,
    isDiagnostic: false,
  };
  const id = `sensor_${field}`;
  return entity("sensor", field, {
    config: {
      name,
      ...(isNumber && deviceClass !== null ? { device_class: deviceClass } : {}),
      ...(isNumber && unit !== null ? { unit_of_measurement: unit } : {}),
      ...(isNumber && stateClass !== null ? { state_class: stateClass } : {}),
      ...(isDiagnostic ? { entity_category: "diagnostic" } : {}),
    },
    listens: ["state_topic"],
    shows: { value_template: id },
    values: { [id]: isNumber ? numeric(value) : String(value).slice(0, LONGEST_TEXT) },
  });
}
