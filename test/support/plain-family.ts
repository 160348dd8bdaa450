/** A family whose effects a test dictates: the core of the bridge is tested with effects, not with firmware. */
import type { Adapter, BridgedDevice, Effect, Family } from "../../firmware-bridge/family.ts";
import { BridgeParts } from "./bridge-parts.ts";

/** A family whose messages are the effects themselves, on `{name}/…`. */
export function plainFamily(name: string): Family {
  return {
    name,
    label: name,
    source: "made for this test",
    prefix: name,
    filters: (prefix) => [`${prefix}/#`],
    setup: () => [],
    open: () => {
      const adapter: Adapter = {
        restore: () => {},
        connected: () => [],
        message: ({ payload }) => {
          const text = Buffer.from(payload).toString();
          if (text === "throw") throw new Error("a mistake of the family");
          return JSON.parse(text) as Effect[];
        },
        command: (_key, command) =>
          "power" in command
            ? { publish: [{ topic: `${name}/set`, payload: String(command.power) }], expects: { power: command.power } }
            : { unsupported: "it only has power" },
        forget: () => {},
        topics: () => null,
      };
      return adapter;
    },
  };
}

/** An announcement. */
export const device = (key: string, more: Partial<BridgedDevice> = {}): Effect => ({
  do: "device",
  device: {
    ...{
      key,
      name: `Device ${key}`,
      type: "switch",
      manufacturer: null,
      model: null,
      firmware: null,
      metrics: ["watts"],
      commands: null,
    },
    ...{ hardware: [], reportSeconds: null, address: null, room: null, memo: {} },
    ...more,
  },
});
/** A patch of the state. */
export const state = (key: string, patch: object): Effect => ({ do: "state", key, patch: { ...patch } });
/** A counter's reading. */
export const counter = (key: string, wattHours: number): Effect => ({
  do: "counter",
  key,
  metric: "kwh",
  wattHours,
  epoch: null,
});

/** A hub with plain families of these names. */
export async function parts(...families: string[]): Promise<BridgeParts> {
  const hub = new BridgeParts(families.map(plainFamily));
  await hub.start();
  return hub;
}
