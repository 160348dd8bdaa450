import type { Base } from "../../core/base.ts";
import { type Feature, job, type PlacedService } from "../../core/feature.ts";
import { DAY_MS, HOUR_MS } from "../../core/kernel/clock.ts";
import type { Broker } from "../../core/mqtt/broker.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { FeedFeature } from "../feed/feature.ts";
import type { WebhooksFeature } from "../webhooks/feature.ts";
import { type CommandInput, Commands, type Deliver } from "./commands.ts";
import type { Device } from "./device.ts";
import { DeviceEvents } from "./events.ts";
import { DeviceOrder } from "./order.ts";
import type { EnqueueDelivery } from "./ports.ts";
import { Presence } from "./presence.ts";
import { DeviceRegistry } from "./registry.ts";
import { finishRemovals } from "./removed.ts";
import { Rooms } from "./rooms.ts";
import { deviceManagementRoutes } from "./routes/console-devices.ts";
import { roomManagementRoutes } from "./routes/console-rooms.ts";
import { deviceRoutes } from "./routes/devices.ts";
import { roomRoutes } from "./routes/rooms.ts";
import { DeviceState } from "./state.ts";

/** Delivers commands to some devices; see {@link Deliver}. */
export interface Carrier {
  /** Whether it is this one that takes commands to the device. */
  has(deviceId: string): boolean;
  deliver(...order: Parameters<Deliver>): ReturnType<Deliver> | Awaited<ReturnType<Deliver>>;
}

/** Follows commands to gates and locks until they have opened. */
export interface CommandWatch {
  /** A command has left, or could not; before it is on disk. */
  sent(order: CommandInput & { readonly commandId: number; readonly delivery: "refused" | "away" | "sent" }): void;
  /** Whether it reports a command's outcome itself. */
  tells(device: { readonly type: string }, command: string, actor: string): boolean;
}

const LIMITS = { devicesPerSite: 5_000, roomsPerSite: 200 };
const EXPIRY_LOOK_MS = 5_000;

/** Devices, their rooms, their state, and commands to them. */
export class DevicesFeature implements Feature {
  readonly registry: DeviceRegistry;
  readonly rooms: Rooms;
  readonly order: DeviceOrder;
  readonly commands: Commands;
  readonly state: DeviceState;
  readonly presence: Presence;
  readonly events: DeviceEvents;
  readonly services: readonly PlacedService[];
  readonly #base: Base;
  readonly #access: AccessFeature;
  /** The first that has the device takes its commands; else the broker does. */
  readonly #carriers: Carrier[] = [];
  readonly #onRemoved: ((deviceId: string) => void)[] = [];
  readonly #forgets: ((deviceId: string) => Promise<unknown>)[] = [];
  #watch: CommandWatch | null = null;
  #onChanged: ((device: Device, at: number, actor: string | null) => void) | null = null;
  #broker: Broker | null = null;

  constructor(
    base: Base,
    {
      feed,
      access,
      webhooks,
    }: { readonly feed: FeedFeature; readonly access: AccessFeature; readonly webhooks: WebhooksFeature },
  ) {
    const { database, bus, clock, quietWrites, logger } = base;
    const settings = base.settings();
    const { record } = feed;
    const { outbox } = webhooks;
    const enqueue: EnqueueDelivery = (draft) => outbox.enqueue(draft);
    const registry = new DeviceRegistry({
      database,
      bus,
      clock,
      feed: record,
      enqueue,
      onRemoved: (deviceId) => this.#onRemoved.forEach((hear) => void hear(deviceId)),
      limits: LIMITS,
    });
    const commands = new Commands({
      database,
      registry,
      bus,
      clock,
      logger,
      feed: record,
      enqueue,
      wantsFailures: (siteId) => outbox.wanted(siteId, "command.failed"),
      deliver: (deviceId, ...order) => this.#deliver(deviceId, ...order),
      onSent: ({ status, ...order }) =>
        this.#watch?.sent({
          ...order,
          delivery: status === "failed" ? "refused" : status === "queued" ? "away" : "sent",
        }),
      isToldElsewhere: (device, command, actor) => this.#watch?.tells(device, command, actor) ?? false,
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
      changed: (device, at, actor) => this.#onChanged?.(device, at, actor),
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
    this.#base = base;
    this.#access = access;
    this.registry = registry;
    this.rooms = new Rooms({ database, observer: registry, maxRooms: LIMITS.roomsPerSite });
    this.order = new DeviceOrder(database);
    this.commands = commands;
    this.state = state;
    this.presence = presence;
    this.events = new DeviceEvents({ database, registry, bus, feed: record, enqueue, clock });
    this.services = [
      { service: registry, start: "load", stop: "storage" },
      { service: state, start: "load", stop: "drain" },
      { service: presence, start: "load", stop: "drain" },
      { service: commands, start: "load", stop: "drain" },
    ];
    access.countsDevices((siteId) => registry.count(siteId));
    for (const kind of ["camera", "device"] as const)
      access.grants.endsBy(kind, ({ id, siteId }) => siteId !== null && registry.setPassword(siteId, id, null));
  }

  /** Adds what takes the commands of some devices, before those that are there. */
  carriedBy(carrier: Carrier): void {
    this.#carriers.unshift(carrier);
  }

  /** The broker takes the commands of all devices without another carrier. */
  servedBy(broker: Broker): void {
    this.#broker = broker;
  }

  watchedBy(watch: CommandWatch): void {
    this.#watch = watch;
  }

  /** Calls `listener` when a device's state has changed; `actor` sent the command that it answers, if any. */
  onChanged(listener: (device: Device, at: number, actor: string | null) => void): void {
    this.#onChanged = listener;
  }

  /** Notifies `listener` that a device was removed, or got a new password: its connections end. */
  onRemoved(listener: (deviceId: string) => void): void {
    this.#onRemoved.push(listener);
  }

  /** `forget` removes everything that a feature has of a device, if anything. */
  forgottenBy(forget: (deviceId: string) => Promise<unknown>): void {
    this.#forgets.push(forget);
  }

  get api() {
    const { registry, commands } = this;
    return [
      ...deviceRoutes({
        list: (siteId, filter) => registry.list(siteId, filter),
        get: (siteId, id) => registry.get(siteId, id),
        version: (siteId) => registry.version(siteId),
        edit: (...asked) => registry.edit(...asked),
        send: (command) => commands.send(command),
        outcome: (siteId, id) => commands.outcome(siteId, id),
      }),
      ...roomRoutes(this.rooms),
    ];
  }

  get console() {
    const { registry, commands, order, rooms } = this;
    const { audited } = this.#access;
    return [
      ...deviceManagementRoutes({
        registry,
        commands,
        order,
        refusals: (deviceId) => this.#broker?.refusals(deviceId) ?? [],
        audited,
      }),
      ...roomManagementRoutes({ rooms, audited }),
    ];
  }

  get jobs() {
    const { clock } = this.#base;
    return [
      job("expire-commands", EXPIRY_LOOK_MS, () => this.commands.expireDue(clock.now()), false),
      job("sweep-commands", HOUR_MS, () => this.commands.sweep()),
      job("sweep-devices", DAY_MS, async () => {
        await this.registry.sweep(clock.certain());
        await finishRemovals({ retired: () => this.registry.retired(), forget: this.#forgets });
      }),
    ];
  }

  get metrics() {
    const household = () => {
      const site = this.#access.accounts.household();
      return site === null ? [] : this.registry.list(site.id);
    };
    return [
      { name: "devices", help: "Devices of the household.", read: () => household().length },
      {
        name: "devices_offline",
        help: "Devices of the household that have been heard of and are away.",
        read: () => household().filter(({ online, lastSeen }) => !online && lastSeen !== null).length,
      },
    ];
  }

  async #deliver(...[deviceId, ...order]: Parameters<Deliver>): ReturnType<Deliver> {
    const carrier = this.#carriers.find((one) => one.has(deviceId));
    if (carrier !== undefined) return carrier.deliver(deviceId, ...order);
    if (this.#broker === null) throw new Error("nothing takes commands to devices");
    return this.#broker.publishCommand(deviceId, ...order);
  }
}
