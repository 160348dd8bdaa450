/** How gates, locks, doors and shutters stand, wherever it is said: by their own state, or by their contact sensor's. */
import { type Movement, movementOf, standingKey } from "../../core/plates/opening.ts";
import { type Device, devices, shownState } from "../store.ts";

/** The device whose state says whether a gate or a lock is open: its contact sensor, or itself. */
export function tellerOf(device: Device): Device {
  return (device.contact === undefined ? undefined : devices.value.get(device.contact)) ?? device;
}

/** How a gate, a lock or a shutter stands or moves; null: it is none of them, or nobody knows. */
export function standsOf(device: Device): Movement | null {
  const state = shownState(tellerOf(device));
  if (opens(device)) return movementOf(state);
  // what else says that it is open in words of its own: the door sensor of a maker
  const { gate, cover, door, state: word, position, locked } = state;
  const said = gate ?? cover ?? door ?? word ?? position;
  return movementOf({ ...(said === undefined ? {} : { position: said }), ...(locked === undefined ? {} : { locked }) });
}

/** How a rule can tell that something stands open, by whatever says so; null: nothing does. */
export function openTest(device: Device): { deviceId: string; field: string; op: string; value?: unknown } | null {
  const { id, state } = tellerOf(device);
  const field = standingKey(state);
  if (field === null) return null;
  const value = state[field];
  if (typeof value === "string") return { deviceId: id, field, op: "eq", value: "open" };
  if (typeof value === "number") return { deviceId: id, field, op: "gt", value: 0 };
  return { deviceId: id, field, op: field === "locked" || field === "contact" ? "falsy" : "truthy" };
}

/** Whether a device is something that opens: a gate, a lock, a door, a shutter. */
export function opens({ type, capabilities }: Device): boolean {
  return capabilities?.barrier === true || type === "cover";
}

/** Whether a standing is one that can be closed. */
export function isOpenStanding(standing: Movement | null): boolean {
  return standing !== null && standing !== "closed" && standing !== "locked";
}
