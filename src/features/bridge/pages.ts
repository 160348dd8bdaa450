import type { Bridge } from "../../../firmware-bridge/bridge.ts";
import type { PairingCandidates } from "../../../firmware-bridge/pairing-candidates.ts";
import { PLATE_FAMILY, rightsOf } from "../../../firmware-bridge/rights.ts";
import type { Json } from "../../core/api/route.ts";
import type { Base } from "../../core/base.ts";
import { filterMatches } from "../../core/kernel/topic-tree.ts";
import type { Broker } from "../../core/mqtt/broker.ts";
import { localAddresses } from "../../core/platform/network.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { BridgedDevice, BridgeFamily } from "./api/console-bridge.ts";
import type { BridgeClient } from "./client.ts";
import type { BridgeClientAccess } from "./client-access.ts";
import type { BridgeClients } from "./clients.ts";

const EXAMPLE_CHARACTERS = 120;

/** What the pages show. */
interface Shown {
  readonly bridge: {
    readonly core: Bridge;
    readonly clients: BridgeClients;
    readonly clientAccess: BridgeClientAccess;
    readonly waiting: PairingCandidates;
  };
  readonly broker: Broker;
  readonly devices: DevicesFeature;
}

/** What the console's routes show and do. */
export type BridgePages = ReturnType<typeof bridgePages>;

/** See {@link BridgePages}. */
export function bridgePages(base: Base, hub: Shown) {
  const { core, clients, clientAccess, waiting } = hub.bridge;
  const idsOf = (client: BridgeClient): string[] =>
    core
      .entries()
      .flatMap(({ speaker, deviceId, bindingState }) =>
        speaker?.client === client.id && bindingState === "bound" && deviceId !== null ? [deviceId] : [],
      );
  return {
    clients,
    /** A client's live facts besides its row. */
    live: (client: BridgeClient) => ({
      connected: clientAccess.isConnected(client.username),
      devices: idsOf(client),
      announces: waiting.shown(client.id),
      topics: clientAccess.topicsOf(client.username),
    }),
    families: () => shownFamilies(hub.bridge),
    /** How a device learns the hub's address. */
    setup: (client: BridgeClient, password: string) => {
      const { http, mqtt } = base.settings();
      const host = ["0.0.0.0", "::"].includes(http.host) ? (localAddresses()[0] ?? "127.0.0.1") : http.host;
      const family = core.families().find((one) => one.family.name === client.family)?.family;
      const topic =
        client.name
          .toLowerCase()
          .replaceAll(/[^a-z0-9-]+/g, "_")
          .replaceAll(/^_|_$/g, "") || client.username;
      return (
        family?.setup({
          host,
          port: hub.broker.port ?? hub.broker.tlsPort ?? mqtt.port,
          username: client.username,
          password,
          topic: topic.slice(0, 32),
        }) ?? []
      );
    },
    devices: () => shownDevices(hub),
    problems: core.problems,
    orphanedTopics: {
      list: () => orphanedTopics(hub),
      /** Clears those of these topics that are orphaned; all orphaned ones for null. Returns how many were cleared. */
      clear: async (topics: readonly string[] | null): Promise<number> => {
        const found = orphanedTopics(hub)
          .map(({ topic }) => topic)
          .filter((topic) => topics === null || topics.includes(topic));
        await hub.broker.clearRetained(found);
        return found.length;
      },
    },
  };
}

function shownFamilies({ core, clients }: Shown["bridge"]): Json<BridgeFamily>[] {
  const bound = core.entries().filter(({ bindingState }) => bindingState === "bound");
  const accepted = clients.list().filter(({ status }) => status === "accepted");
  return core.families().map(({ family, prefix, topics }) => ({
    name: family.name,
    label: family.label,
    source: family.source,
    prefix,
    defaultPrefix: family.prefix,
    topics,
    isGateway: rightsOf(family.name, new Map()).isGateway === true,
    readsPlates: family.name === PLATE_FAMILY,
    devices: bound.filter((entry) => entry.family === family.name).length,
    clients: accepted.filter((client) => client.family === family.name).length,
  }));
}

function shownDevices({ bridge, devices }: Shown): Json<BridgedDevice>[] {
  const known = new Set(bridge.clients.list().map(({ id }) => id));
  const shown = bridge.core.entries().flatMap((entry) => {
    const device =
      entry.deviceId === null || entry.bindingState !== "bound" ? null : devices.registry.find(entry.deviceId);
    if (device === null) return [];
    const { manufacturer, model, firmware, address, hardware } = entry.device;
    const client = entry.speaker?.client ?? null;
    const { id: deviceId, name, online } = device;
    return {
      ...{ deviceId, family: entry.family, name, online, manufacturer, model, firmware, address, hardware },
      clientId: client !== null && known.has(client) ? client : null,
      alsoSeenBy: bridge.core.alsoSeenBy(entry),
      estimatedEnergy: bridge.core.isEstimated(deviceId),
    };
  });
  return shown.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Retained messages that belong to no existing device: neither its topics, nor topics that described it. */
function orphanedTopics({ bridge, broker }: Shown) {
  const { core } = bridge;
  return broker
    .foreignRetained("#")
    .filter(({ topic }) => !core.isKnownTopic(topic) && !core.rights.isHeld(topic))
    .map(({ topic, payload }) => ({
      topic,
      bytes: payload.length,
      example: printable(payload),
      family:
        core.families().find(({ topics }) => topics.some((filter) => filter !== "#" && filterMatches(filter, topic)))
          ?.family.name ?? null,
    }))
    .sort((a, b) => (a.topic < b.topic ? -1 : 1));
}

/** The start of a message, if it is text. */
function printable(payload: Buffer): string | null {
  const text = payload.toString("utf8", 0, EXAMPLE_CHARACTERS * 4).slice(0, EXAMPLE_CHARACTERS);
  return /\p{Cc}|\ufffd/u.test(text.replaceAll(/[\r\n\t]/g, " ")) ? null : text;
}
