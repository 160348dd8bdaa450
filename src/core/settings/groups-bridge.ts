/** Settings of the bridge to firmware of other makes. */
import { Type } from "typebox";
import { list, whole } from "./builders.ts";

/** Group `bridge`. */
export const bridge = Type.Object(
  {
    maxDevices: whole({
      default: 1_000,
      minimum: 0,
      maximum: 5_000,
      env: "GATEHOUSE_BRIDGE_MAX_DEVICES",
      description:
        "Most devices of other makes, those included that were withdrawn and not removed yet; 0 takes in none.",
      restart: false,
    }),
    maxClients: whole({
      default: 500,
      minimum: 1,
      maximum: 5_000,
      env: "GATEHOUSE_BRIDGE_MAX_CLIENTS",
      description: "Most credentials under which devices of other makes connect.",
      restart: false,
    }),
    messagesPerSecond: whole({
      default: 500,
      minimum: 0,
      maximum: 100_000,
      env: "GATEHOUSE_BRIDGE_MESSAGES_PER_SECOND",
      description: "Messages per second of one such credential; a gateway speaks for many devices. 0 = no limit.",
    }),
    prefixes: list({
      default: [],
      item: "^[a-z0-9]{1,32}=[^#+\\s]{1,100}$",
      env: "GATEHOUSE_BRIDGE_PREFIXES",
      description:
        "Base topics that differ from a family's usual one, as family=topic, separated by commas: zigbee2mqtt=zigbee/upstairs.",
    }),
  },
  { description: "Devices with firmware of other makes." },
);
