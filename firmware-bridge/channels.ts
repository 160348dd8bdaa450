/**
 * Switching in the hub's words, for devices with one output and with several: `{"power":true}`, `{"ch":2,"on":true}`,
 * `{"relays":[true,false]}`, `{"power2":false}`. A family learns here which outputs a command switches and handles the
 * rest of the command itself.
 */
import type { JsonObject } from "../src/core/kernel/json-object.ts";
import { booleanOf } from "./json-values.ts";

/** What a command asks of a device's outputs. */
export type Switching =
  | {
      /** Output number from 1, with what it should be. */
      readonly outputs: ReadonlyMap<number, boolean>;
      /** The output that `ch` names; the rest of the command is meant for it. Null without `ch`. */
      readonly channel: number | null;
      /** Members of the command that do not switch. */
      readonly rest: JsonObject;
    }
  | { readonly unsupported: string };

/**
 * Reads the switching part of `command` for a device with `count` outputs. `power` of a device with several switches
 * all of them. A command that names an output the device does not have, or a value that is not a boolean, is
 * unsupported.
 */
export function switching(command: JsonObject, count: number): Switching {
  const outputs = new Map<number, boolean>();
  const rest: JsonObject = {};
  let channel: number | null = null;
  for (const [key, value] of Object.entries(command)) {
    if (key === "__proto__") continue;
    if (key === "ch") channel = typeof value === "number" ? value : Number.NaN;
    else if (key === "relays") {
      const refusal = allRelays(value, count, outputs);
      if (refusal !== null) return { unsupported: refusal };
    } else if (/^power\d{0,2}$/.test(key)) {
      const wanted = booleanOf(value);
      if (wanted === null) return { unsupported: `${key} takes true or false` };
      const numbers = key === "power" ? Array.from({ length: count }, (_, index) => index + 1) : [Number(key.slice(5))];
      for (const number of numbers) outputs.set(number, wanted);
      if (count === 0) return { unsupported: "the device has nothing to switch" };
    } else if (key !== "on" || !Object.hasOwn(command, "ch")) rest[key] = value;
  }
  if (channel !== null && Object.hasOwn(command, "on")) {
    const wanted = booleanOf(command.on);
    if (wanted === null) return { unsupported: "on takes true or false" };
    outputs.set(channel, wanted);
  }
  const unknown = [...outputs.keys(), ...(channel === null ? [] : [channel])].find(
    (number) => !Number.isInteger(number) || number < 1 || number > count,
  );
  return unknown === undefined ? { outputs, channel, rest } : { unsupported: `the device has no channel ${unknown}` };
}

function allRelays(value: unknown, count: number, outputs: Map<number, boolean>): string | null {
  if (!Array.isArray(value) || value.length === 0 || value.length > 64) return "relays takes a list of true and false";
  for (const [index, entry] of value.entries()) {
    const wanted = booleanOf(entry);
    if (wanted === null && entry !== null) return "relays takes a list of true and false";
    if (index >= count) continue; // the contract's list is always four long (docs/spec/device-control-api.md §4)
    if (wanted !== null) outputs.set(index + 1, wanted);
  }
  return outputs.size === 0 ? "the device has nothing to switch" : null;
}
