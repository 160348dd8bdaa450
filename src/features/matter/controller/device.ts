import type { BridgedDevice } from "../../../../firmware-bridge/family.ts";
import type { AttributeName } from "./clusters.ts";
import type { NodeView, Unit } from "./node-view.ts";
import { schemaOf } from "./schema.ts";
import { switches, type UnitState, unitState } from "./state.ts";

/** Matter device types as the hub's product types; others follow from the unit's abilities. */
const TYPES: ReadonlyMap<number, string> = new Map([
  [0x000a, "lock"],
  [0x002b, "fan"],
  [0x002d, "fan"],
  [0x0072, "thermostat"],
  [0x0301, "thermostat"],
  [0x0202, "cover"],
  [0x0100, "light"],
  [0x0101, "dimmer"],
  [0x010c, "dimmer"],
  [0x010d, "dimmer"],
  [0x010a, "smart-plug"],
  [0x010b, "dimmer"],
  [0x010f, "switch"],
  [0x0110, "dimmer"],
  [0x0042, "switch"],
]);

function typeOf(unit: Unit, { measured, counters }: UnitState): string {
  const outputs = switches(unit);
  if (outputs.length > 1) return "home-hub";
  const declared = unit.endpoints.flatMap(({ deviceTypes }) => deviceTypes.flatMap((type) => TYPES.get(type) ?? []));
  const has = (name: AttributeName): boolean => unit.endpoints.some(({ values }) => Object.hasOwn(values, name));
  const [first] = declared;
  if (first !== undefined) return first;
  if (has("lockState")) return "lock";
  if (has("systemMode")) return "thermostat";
  if (has("lift") || has("covering")) return "cover";
  if (has("fanMode")) return "fan";
  if (outputs.length === 1) return has("level") ? "dimmer" : "switch";
  return counters.length > 0 || Object.hasOwn(measured, "watts") ? "energy-meter" : "sensor";
}

/** Key of a unit's device: nothing that the node reports about itself. */
export function unitKey(node: string, unit: Unit): string {
  return `${node}-${unit.endpoint}`;
}

/** A unit as a device of the hub; `single`: it is the whole node. */
export function unitDevice({ node }: NodeView, unit: Unit, single: boolean): BridgedDevice {
  const state = unitState(unit);
  const text = (name: "vendorName" | "productName" | "label" | "version"): string | null => {
    const value = unit.about.values[name];
    return typeof value === "string" && value !== "" ? value : null;
  };
  const type = typeOf(unit, state);
  const product = text("label") ?? text("productName") ?? "Matter device";
  return {
    key: unitKey(node, unit),
    name: single || unit.about.number !== 0 ? product : `${product} ${unit.endpoint}`,
    type,
    manufacturer: text("vendorName"),
    model: text("productName"),
    firmware: text("version"),
    metrics: [...Object.keys(state.measured), ...state.counters.map(({ metric }) => metric)],
    commands: schemaOf(unit),
    hardware: [],
    reportSeconds: null,
    address: null,
    room: null,
    memo: { node, endpoints: unit.endpoints.map(({ number }) => number) },
  };
}
