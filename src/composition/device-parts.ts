import type { Facts } from "../contract/facts.js";
import { Commands, type Deliver } from "../devices/commands.js";
import { DeviceEvents } from "../devices/events.js";
import { DeviceOrder } from "../devices/order.js";
import type { EnqueueDelivery } from "../devices/ports.js";
import { Presence } from "../devices/presence.js";
import { DeviceRegistry } from "../devices/registry.js";
import { Rooms } from "../devices/rooms.js";
import { DeviceState } from "../devices/state.js";
import { Feed } from "../feed/feed.js";
import type { Openings } from "../gate/openings.js";
import { Scenes } from "../scenes/scenes.js";
import type { Outbox } from "../webhooks/outbox.js";
import type { Base } from "./base.js";

/** Devices with everything around them. */
export interface DeviceParts {
  readonly feed: Feed;
  readonly registry: DeviceRegistry;
  readonly rooms: Rooms;
  readonly order: DeviceOrder;
  readonly commands: Commands;
  readonly state: DeviceState;
  readonly presence: Presence;
  readonly events: DeviceEvents;
  readonly scenes: Scenes;
}

/** What devices use beyond themselves; called once the hub runs. */
export interface DevicePorts {
  readonly outbox: Pick<Outbox, "enqueue" | "wanted">;
  readonly deliver: Deliver;
  readonly openings: () => Pick<Openings, "sent" | "tells">;
  /** Whether the owner who wrote what a scene does is still one. */
  readonly sceneStands: (sceneId: number) => boolean;
  /** A device was removed or got a new password: its connections end. */
  readonly onRemoved: (deviceId: string) => void;
  /** Called for each feed item inside the job that writes it. */
  readonly recorded: (item: Facts["feed.added"]) => void;
}

const LIMITS = { devicesPerSite: 5_000, roomsPerSite: 200, scenesPerSite: 200, actionsPerScene: 100 };

/** Builds devices, rooms, scenes and the feed. */
export function buildDevices(base: Base, ports: DevicePorts): DeviceParts {
  const { database, bus, clock, quietWrites, logger } = base;
  const settings = base.settings();
  const feed = new Feed({
    database,
    bus,
    get keepDays() {
      return base.settings().feed.days;
    },
    get keepRows() {
      return base.settings().feed.maxRows;
    },
    clock,
    recorded: ports.recorded,
  });
  const record = feed.record.bind(feed);
  const { outbox, deliver, onRemoved } = ports;
  const enqueue: EnqueueDelivery = (draft) => outbox.enqueue(draft);
  const registry = new DeviceRegistry({ database, bus, clock, feed: record, enqueue, onRemoved, limits: LIMITS });
  const commands = new Commands({
    database,
    registry,
    bus,
    clock,
    logger,
    feed: record,
    enqueue,
    wantsFailures: (siteId) => outbox.wanted(siteId, "command.failed"),
    deliver,
    onSent: ({ siteId, deviceId, command, commandId, actor, readId, status }) => {
      const delivery = status === "failed" ? "refused" : status === "queued" ? "away" : "sent";
      ports.openings().sent({ siteId, deviceId, command, commandId, actor, readId, delivery });
    },
    isToldElsewhere: (device, command, actor) => ports.openings().tells(device, command, actor),
    ttlMs: settings.devices.commandTtlSeconds * 1000,
    rate: {
      quota: settings.rates.deviceCommandsPer10Seconds,
      periodMs: 10_000,
      burst: Math.max(1, settings.rates.deviceCommandsPer10Seconds),
    },
  });
  const state: DeviceState = new DeviceState({
    database,
    registry,
    bus,
    clock,
    quietWrites,
    logger,
    enqueue,
    feed: record,
    noteAnswer: (deviceId, changed, at) => commands.answered(deviceId, changed, at),
    wantsState: (siteId) => outbox.wanted(siteId, "device.state"),
    seen: (deviceId, data) => presence.seen(deviceId, data),
  });
  const presence: Presence = new Presence({
    database,
    registry,
    bus,
    clock,
    quietWrites,
    logger,
    feed: record,
    enqueue,
    info: (deviceId, info) => state.info(deviceId, info),
  });
  const events = new DeviceEvents({ database, registry, bus, feed: record, enqueue, clock });
  const scenes = new Scenes({
    database,
    bus,
    clock,
    logger,
    owns: (siteId, deviceId) => registry.owns(siteId, deviceId),
    send: (command) => commands.send(command),
    feed: record,
    issuerStands: ports.sceneStands,
    limits: LIMITS,
  });
  const rooms = new Rooms({ database, observer: registry, maxRooms: LIMITS.roomsPerSite });
  const order = new DeviceOrder(database);
  return { feed, registry, rooms, order, commands, state, presence, events, scenes };
}
