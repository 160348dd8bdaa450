import { Bridge } from "../../../firmware-bridge/bridge.ts";
import type { Credential } from "../../../firmware-bridge/credential-context.ts";
import { type BoundDevice, unheard } from "../../../firmware-bridge/device-book.ts";
import { FAMILIES } from "../../../firmware-bridge/families.ts";
import type { BridgedDevice } from "../../../firmware-bridge/family.ts";
import { PairingCandidates } from "../../../firmware-bridge/pairing-candidates.ts";
import { type BridgeDevices, type BridgeMemory, OUTSIDE } from "../../../firmware-bridge/ports.ts";
import { familiesOf, PLATE_FAMILY } from "../../../firmware-bridge/rights.ts";
import { type Base, chosenCountries } from "../../core/base.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Service } from "../../core/kernel/service.ts";
import type { Device } from "../devices/device.ts";
import type { DeviceParts } from "../devices/feature.ts";
import { createNextLife } from "../devices/next-life.ts";
import type { Gate } from "../gate/gate.ts";
import { type BridgeAccessPolicy, bridgeSubject } from "../mqtt/bridge-access-policy.ts";
import type { Broker } from "../mqtt/broker.ts";
import type { OutsideParts } from "../outside-broker/feature.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { BridgeClient } from "./client.ts";
import { BridgeClientAccess } from "./client-access.ts";
import { BridgeClients } from "./clients.ts";
import { ExpectedDevices } from "./expected-devices.ts";
import { LearnedMemory } from "./memory.ts";
import { ForeignPlates } from "./plates.ts";

/** Devices of other makes, from their credentials to the hub's devices. */
export interface BridgeParts {
  readonly core: Bridge;
  readonly clients: BridgeClients;
  readonly clientAccess: BridgeClientAccess;
  readonly expected: ExpectedDevices;
  /** What waiting clients have shown. */
  readonly waiting: PairingCandidates;
  readonly plates: ForeignPlates;
  /** What the broker asks. */
  readonly policy: BridgeAccessPolicy;
  /** Starts its work once the broker runs, and ends it before the broker stops. */
  readonly presence: Service;
}

/** What the bridge uses; called once the hub runs. */
export interface BridgeNeeds {
  readonly devices: DeviceParts;
  readonly telemetry: () => Telemetry;
  readonly gate: () => Gate;
  readonly broker: () => Broker;
  /** The site's broker, if the hub has joined one. */
  readonly outside: () => Pick<OutsideParts, "publish" | "retained">;
  /** The household in which devices are created; null while nobody owns the hub. */
  readonly siteId: () => number | null;
  /** Whether the person who accepted or made a client is still an owner. */
  readonly issuerStands: (clientId: number) => boolean;
}

/** Builds the bridge. */
export function buildBridge(base: Base, ports: BridgeNeeds): BridgeParts {
  let household: number | null = null;
  // Looked up for every message; a household is never given up.
  const needs: BridgeNeeds = { ...ports, siteId: () => (household ??= ports.siteId()) };
  const { database, bus, clock } = base;
  const logger = base.logger.child({ part: "bridge" });
  const { commands } = needs.devices;
  const plates = new ForeignPlates({
    nextCaptureId: () => needs.gate().nextCaptureId(),
    take: (arrival) => needs.gate().take(arrival),
    countries: chosenCountries(base),
    clock,
  });
  const clients: BridgeClients = new BridgeClients({
    database,
    clock,
    logger,
    issuerStands: ports.issuerStands,
    maxClients: () => base.settings().bridge.maxClients,
    changed: (client, what) => {
      const subject = bridgeSubject(client.username);
      waiting.leave(client.id);
      if (what === "accepted") core.admit(credentialOf(client, core.entries()));
      if (what === "cut" && client.status === "refused") core.dismiss(client.id, false);
      if (what === "forgotten") core.dismiss(client.id, true);
      // It reconnects by itself, and repeats with its rights what it could not do without them: subscribe, leave
      // retained messages.
      if (what === "accepted" || what === "renewed") return needs.broker().disconnect(subject);
      needs
        .broker()
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
    devices: bridgeDevices(base, needs, plates),
    memory: bridgeMemory(new LearnedMemory({ database, logger })),
    broker: {
      publish: (message, ttlMs, client) => {
        const username = client === null ? null : clients.usernameOf(client);
        if (client === null || username !== null) needs.broker().publishBridged(message, ttlMs, username);
        if (client === null || client === OUTSIDE) needs.outside().publish(message, ttlMs);
      },
      retained: (filter, client) => {
        if (client === OUTSIDE) return needs.outside().retained(filter);
        const own = clients.usernameOf(client);
        const kept = needs.broker().foreignRetained(filter);
        // Who left a message is recorded now; before that, it counts as the topic holder's.
        return kept.filter(({ topic, username }) =>
          username === null ? core.rights.holds(client, topic) : username === own,
        );
      },
      clear: (topics) => needs.broker().clearRetained(topics),
    },
    commandResults: {
      delivered: (deviceId, payload) => commands.onDelivered(deviceId, payload),
      timedOut: (deviceId, payload) => commands.onTimeout(deviceId, payload),
    },
    credentials: () =>
      clients.list().flatMap((client) => (client.status === "accepted" ? [credentialOf(client, core.entries())] : [])),
    hasOutside: () => base.settings().outsideBroker.otherMakes && base.settings().outsideBroker.url !== "",
    native: base.settings().mqtt.topicRoot,
    maxDevices: () => base.settings().bridge.maxDevices,
    clock,
    quietWrites: base.quietWrites,
    logger,
  });
  const expected = new ExpectedDevices({
    database,
    outside: OUTSIDE,
    familiesOf,
    expect: (device) => core.expect(device),
  });
  const clientAccess = new BridgeClientAccess({
    clients,
    rights: () => core.rights,
    message: ({ id }, { mqttClientId }, message) => core.message({ ...message, speaker: { client: id, mqttClientId } }),
    announced: ({ id }, { topic, payload }) => {
      const family = waiting.heard(id, topic, payload);
      if (family !== null) clients.showed(id, family);
    },
    refused: ({ id }, topic) => core.refused(id, topic),
    early: ({ id }, topic, payload) => core.early(id, topic, payload),
    attached: ({ id }) => core.attached(id),
    detached: ({ id }, { mqttClientId }) => core.detached({ client: id, mqttClientId }),
    isLarge: (topic) => core.isLarge(topic),
  });
  bus.on("device.edited", "bridge", ({ deviceId, what }) => what === "removed" && core.removed(deviceId));
  const policy: BridgeAccessPolicy = clientAccess;
  return {
    core,
    clients,
    clientAccess,
    expected,
    waiting,
    plates,
    policy,
    presence: { name: "bridge on the broker", start: () => core.join(), stop: () => core.leave() },
  };
}

/**
 * What a client was accepted for. A client from before that was recorded keeps the makes of the devices that it
 * brought; but never by that the one whose plates open gates.
 */
function credentialOf({ id, name, families }: BridgeClient, entries: readonly BoundDevice[]): Credential {
  const brought = entries.filter(
    ({ speaker, bindingState, family }) =>
      speaker?.client === id && bindingState === "bound" && family !== PLATE_FAMILY,
  );
  return { id, name, families: [...new Set([...families, ...brought.map(({ family }) => family)])] };
}

/**
 * The hub's devices, as those of other makes use them; `isPatient`: they report again anyway, so that samples may wait
 * some minutes for the disk.
 */
export function bridgeDevices(
  base: Pick<Base, "clock">,
  needs: Pick<BridgeNeeds, "devices" | "telemetry" | "siteId">,
  plates: Pick<ForeignPlates, "take">,
  isPatient = false,
): BridgeDevices {
  const { clock } = base;
  const { registry, state, presence, events } = needs.devices;
  const own = (deviceId: string): Device => {
    const device = registry.find(deviceId);
    if (device === null) throw new Problem("device_not_found", "There is no such device.");
    return device;
  };
  return {
    ready: () => needs.siteId() !== null,
    find: (deviceId) => registry.find(deviceId),
    create: async (device) => {
      const siteId = needs.siteId();
      if (siteId === null) throw new Problem("unavailable", { code: "conflict.noOwner" });
      return createNextLife(registry, siteId, { ...device, password: null });
    },
    rename: async (deviceId, name) => void (await registry.edit(own(deviceId).siteId, deviceId, { name })),
    info: (deviceId, info) => state.info(deviceId, info),
    state: (deviceId, patch) => state.apply(deviceId, patch, { source: "device", at: clock.now() }),
    measured: (deviceId, patch) => state.measured(deviceId, patch, clock.now()),
    telemetry: (deviceId, samples, durable) => {
      presence.seen(deviceId, samples.at(-1)?.data);
      const receipt = { messageId: null, duplicate: false, at: clock.now(), durable, patient: isPatient };
      return needs.telemetry().ingest(deviceId, samples, receipt);
    },
    presence: (deviceId, online) => presence.status(deviceId, { status: online ? "online" : "offline" }),
    event: (deviceId, event) => {
      presence.seen(deviceId);
      return events.record(deviceId, { ...event }, clock.now());
    },
    plate: (deviceId, plate) => {
      presence.seen(deviceId);
      return plates.take(deviceId, plate);
    },
  };
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
