import { Bridge } from "../../../firmware-bridge/bridge.ts";
import type { Credential } from "../../../firmware-bridge/credential-context.ts";
import { type BoundDevice, unheard } from "../../../firmware-bridge/device-book.ts";
import { FAMILIES } from "../../../firmware-bridge/families.ts";
import type { BridgedDevice } from "../../../firmware-bridge/family.ts";
import { PairingCandidates } from "../../../firmware-bridge/pairing-candidates.ts";
import { type BridgeMemory, OUTSIDE } from "../../../firmware-bridge/ports.ts";
import { PLATE_FAMILY } from "../../../firmware-bridge/rights.ts";
import type { Base } from "../../core/base.ts";
import type { Feature, PlacedService } from "../../core/feature.ts";
import { type BridgeAccessPolicy, bridgeSubject } from "../../core/mqtt/bridge-access-policy.ts";
import type { Broker } from "../../core/mqtt/broker.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { GateFeature } from "../gate/feature.ts";
import type { TelemetryFeature } from "../telemetry/feature.ts";
import { bridgeDevices } from "./bridged-devices.ts";
import type { BridgeClient } from "./client.ts";
import { BridgeClientAccess } from "./client-access.ts";
import { BridgeClients } from "./clients.ts";
import { ExpectedDevices } from "./expected-devices.ts";
import { LearnedMemory } from "./memory.ts";
import { bridgePages } from "./pages.ts";
import { ForeignPlates } from "./plates.ts";
import { bridgeRoutes } from "./routes/console-bridge.ts";

/** The features that the bridge works with. */
interface Siblings {
  readonly access: AccessFeature;
  readonly devices: DevicesFeature;
  readonly telemetry: TelemetryFeature;
  readonly gate: GateFeature;
}

/** A broker of the site that the hub has joined. */
export interface OutsideMessages {
  publish(message: { readonly topic: string; readonly payload: string }, ttlMs: number): void;
  /** Retained messages of other makes there. */
  retained(filter: string): readonly { readonly topic: string; readonly payload: Uint8Array }[];
}

const NO_OUTSIDE: OutsideMessages = { publish: () => {}, retained: () => [] };

/** Devices of other makes, from their credentials to the hub's devices. */
export class BridgeFeature implements Feature {
  readonly core: Bridge;
  readonly clients: BridgeClients;
  readonly clientAccess: BridgeClientAccess;
  readonly expected: ExpectedDevices;
  /** What waiting clients have shown. */
  readonly waiting: PairingCandidates;
  readonly plates: ForeignPlates;
  /** The broker's access policy. */
  readonly policy: BridgeAccessPolicy;
  readonly services: readonly PlacedService[];
  readonly #base: Base;
  readonly #siblings: Siblings;
  #broker: Broker | null = null;
  #outside = NO_OUTSIDE;

  constructor(base: Base, siblings: Siblings) {
    const { access, devices, telemetry, gate } = siblings;
    const { database, bus, clock } = base;
    const { commands } = devices;
    const logger = base.logger.child({ part: "bridge" });
    let household: number | null = null;
    // looked up for every message; a household is never given up
    const siteId = (): number | null => (household ??= access.accounts.household()?.id ?? null);
    const plates = new ForeignPlates({
      gate: gate.gate,
      countries: gate.countries,
      clock,
    });
    const clients: BridgeClients = new BridgeClients({
      database,
      clock,
      logger,
      issuerStands: (clientId) => access.grants.stands("bridge_client", String(clientId)),
      maxClients: () => base.settings().bridge.maxClients,
      changed: (client, what) => {
        const subject = bridgeSubject(client.username);
        waiting.leave(client.id);
        if (what === "accepted") core.admit(credentialOf(client, core.entries()));
        if (what === "cut" && client.status === "refused") core.dismiss(client.id, false);
        if (what === "forgotten") core.dismiss(client.id, true);
        // It reconnects by itself, and repeats with its rights what it could not do without them: subscribe, leave
        // retained messages.
        if (what === "accepted" || what === "renewed") return this.#embedded.disconnect(subject);
        this.#embedded
          .forget(subject)
          .catch((error: unknown) =>
            logger.error({ username: client.username, err: error }, "the client's sessions stay"),
          );
      },
    });
    const prefixes = new Map(
      base
        .settings()
        .bridge.prefixes.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
    );
    const waiting = new PairingCandidates({ families: FAMILIES, prefixes, clock, logger });
    const core: Bridge = new Bridge({
      families: FAMILIES,
      prefixes,
      devices: bridgeDevices(base, { devices, telemetry, siteId }, plates),
      memory: bridgeMemory(new LearnedMemory({ database, logger })),
      broker: {
        publish: (message, ttlMs, client) => {
          const username = client === null ? null : clients.usernameOf(client);
          if (client === null || username !== null) this.#embedded.publishBridged(message, ttlMs, username);
          if (client === null || client === OUTSIDE) this.#outside.publish(message, ttlMs);
        },
        retained: (filter, client) => {
          if (client === OUTSIDE) return this.#outside.retained(filter);
          const own = clients.usernameOf(client);
          const kept = this.#embedded.foreignRetained(filter);
          // The sender of a message is recorded now; before that, it counts as the topic holder's.
          return kept.filter(({ topic, username }) =>
            username === null ? core.rights.holds(client, topic) : username === own,
          );
        },
        clear: (topics) => this.#embedded.clearRetained(topics),
      },
      commandResults: commands,
      credentials: () =>
        clients
          .list()
          .flatMap((client) => (client.status === "accepted" ? [credentialOf(client, core.entries())] : [])),
      hasOutside: () => base.settings().outsideBroker.otherMakes && base.settings().outsideBroker.url !== "",
      native: base.settings().mqtt.topicRoot,
      maxDevices: () => base.settings().bridge.maxDevices,
      clock,
      quietWrites: base.quietWrites,
      logger,
    });
    const expected = new ExpectedDevices(database, core);
    const clientAccess = new BridgeClientAccess({ clients, waiting, bridge: core });
    bus.on("device.edited", "bridge", ({ deviceId, what }) => what === "removed" && core.removed(deviceId));
    this.#base = base;
    this.#siblings = siblings;
    this.core = core;
    this.clients = clients;
    this.clientAccess = clientAccess;
    this.expected = expected;
    this.waiting = waiting;
    this.plates = plates;
    this.policy = clientAccess;
    const presence = { name: "bridge on the broker", start: () => core.join(), stop: () => core.leave() };
    this.services = [
      { service: clients, start: "load", stop: "drain" },
      { service: core, start: "load", stop: "drain" },
      { service: presence, start: "serve", stop: "intake" }, // begins once the broker runs, and ends before it stops
    ];
    devices.carriedBy(core);
    access.accounts.onCreated(() => void core.join());
    access.grants.endsBy("bridge_client", ({ row }) => clients.cutOff(row));
  }

  /** The broker that the clients are connected to. */
  servedBy(broker: Broker): void {
    this.#broker = broker;
  }

  /** Another broker through which devices of other makes speak. */
  joinedTo(outside: OutsideMessages): void {
    this.#outside = outside;
  }

  get console() {
    const { access, devices } = this.#siblings;
    return bridgeRoutes(bridgePages(this.#base, { bridge: this, broker: this.#embedded, devices }), access);
  }

  get #embedded(): Broker {
    if (this.#broker === null) throw new Error("no broker serves the bridge");
    return this.#broker;
  }
}

/**
 * The families a client was accepted for. A client accepted before they were recorded keeps the makes of its devices,
 * but never gains the one whose plates open gates.
 */
function credentialOf({ id, name, families }: BridgeClient, entries: readonly BoundDevice[]): Credential {
  const brought = entries.filter(
    ({ speaker, bindingState, family }) =>
      speaker?.client === id && bindingState === "bound" && family !== PLATE_FAMILY,
  );
  return { id, name, families: [...new Set([...families, ...brought.map(({ family }) => family)])] };
}

/** Maps between the families' types and rows. */
function bridgeMemory(memory: LearnedMemory<Omit<BridgedDevice, "memo">>): BridgeMemory {
  return {
    devices: () =>
      memory
        .devices()
        .map(({ family, deviceId, bindingState, clientId, mqttClientId, announcement, memo, changedAt }) => ({
          family,
          device: bindingState === "expected" ? unheard(announcement) : { ...announcement, memo },
          deviceId,
          bindingState,
          speaker: clientId === null ? null : { client: clientId, mqttClientId },
          changedAt,
        })),
    meters: () => memory.meters(),
    save: ({ devices, forgotten, meters, forgottenMeters }) =>
      memory.save({
        devices: devices.map(
          ({ family, device: { memo, ...announcement }, deviceId, bindingState, speaker, changedAt }) => ({
            family,
            key: announcement.key,
            deviceId,
            bindingState,
            clientId: speaker?.client ?? null,
            mqttClientId: speaker?.mqttClientId ?? null,
            announcement,
            memo,
            changedAt,
          }),
        ),
        forgotten,
        meters,
        forgottenMeters,
      }),
  };
}
