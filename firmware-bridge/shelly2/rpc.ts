import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import type { Outgoing } from "../family.ts";

/** The hub's name in RPC; answers come to `{name}/rpc`. */
export const HUB = "shelly2hub";

/**
 * Methods by the id under which they are called. A fixed id identifies the question an answer belongs to, even across a
 * restart of the hub; the answer's sender identifies the device.
 */
const METHODS: readonly string[] = [
  "Shelly.GetDeviceInfo",
  "Shelly.GetStatus",
  "Shelly.GetConfig",
  "Switch.Set",
  "Switch.Toggle",
  "Light.Set",
  "Light.Toggle",
  "CCT.Set",
  "CCT.Toggle",
  "RGB.Set",
  "RGB.Toggle",
  "RGBW.Set",
  "RGBW.Toggle",
  "Cover.Open",
  "Cover.Close",
  "Cover.Stop",
  "Cover.GoToPosition",
  "Cover.Calibrate",
];
const OTHER = 99;

/** The method that an answer's id belongs to; null for ids that are not the hub's. */
export function methodOf(id: unknown): string | null {
  if (id === OTHER) return "the command";
  return typeof id === "number" && Number.isInteger(id) ? (METHODS[id - 1] ?? null) : null;
}

/** A call of a method. */
export function request(prefix: string, method: string, params?: JsonObject): Outgoing {
  const index = METHODS.indexOf(method);
  const call = { id: index === -1 ? OTHER : index + 1, src: HUB, method, ...(params === undefined ? {} : { params }) };
  return { topic: `${prefix}/rpc`, payload: JSON.stringify(call) };
}
