import type { Base } from "../../core/base.ts";
import { type Feature, job, type PlacedService } from "../../core/feature.ts";
import { DAY_MS, HOUR_MS } from "../../core/kernel/clock.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { FeedFeature } from "../feed/feature.ts";
import type { WebhooksFeature } from "../webhooks/feature.ts";
import { Commands } from "./commands.ts";
import { DangerWatch } from "./danger-watch.ts";
import { DeviceEvents } from "./events.ts";
import { DeviceOrder } from "./order.ts";
import { Presence } from "./presence.ts";
import { DeviceRegistry } from "./registry.ts";
import { finishRemovals } from "./removed.ts";
import { Rooms } from "./rooms.ts";
import { deviceManagementRoutes } from "./routes/console-devices.ts";
import { roomManagementRoutes } from "./routes/console-rooms.ts";
import { deviceRoutes } from "./routes/devices.ts";
import { roomRoutes } from "./routes/rooms.ts";
import { isGuarded } from "./rules/device-types.ts";
import { DeviceState } from "./state.ts";

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
  readonly #forgets: ((deviceId: string) => Promise<unknown>)[] = [];

  constructor(
    base: Base,
    {
      feed: { feed },
      access,
      webhooks: { outbox },
    }: { readonly feed: FeedFeature; readonly access: AccessFeature; readonly webhooks: WebhooksFeature },
  ) {
    const registry = new DeviceRegistry(base, { feed, outbox });
    const siblings = { registry, limits: access.limits, feed, outbox };
    const commands = new Commands(base, siblings);
    const presence = new Presence(base, siblings);
    const state = new DeviceState(base, { ...siblings, commands, presence });
    this.#base = base;
    this.#access = access;
    this.registry = registry;
    this.rooms = new Rooms(base, registry);
    this.order = new DeviceOrder(base.database);
    this.commands = commands;
    this.state = state;
    this.presence = presence;
    this.events = new DeviceEvents(base, siblings);
    this.services = [
      { service: registry, start: "load", stop: "storage" },
      { service: state, start: "load", stop: "drain" },
      { service: presence, start: "load", stop: "drain" },
      { service: commands, start: "load", stop: "drain" },
      { service: new DangerWatch(base, { registry, feed }), start: "load", stop: "drain" },
      // first of all at a stop: nobody hears that the whole house is away when only the hub goes
      {
        service: { name: "presence as it was", start: async () => {}, stop: async () => presence.freeze() },
        start: "load",
        stop: "simulation",
      },
    ];
    access.persons.gatesKnownBy((siteId, id) => {
      const device = registry.find(id);
      return device?.siteId === siteId && isGuarded(device);
    });
    access.countsDevices((siteId) => registry.count(siteId));
    for (const kind of ["camera", "device"] as const)
      access.grants.endsBy(kind, ({ id, siteId }) => siteId !== null && registry.setPassword(siteId, id, null));
  }

  /** `forget` removes everything that a feature has of a device, if anything. */
  forgottenBy(forget: (deviceId: string) => Promise<unknown>): void {
    this.#forgets.push(forget);
  }

  get api() {
    return [...deviceRoutes(this.registry, this.commands), ...roomRoutes(this.rooms)];
  }

  get console() {
    const { registry, commands, order, presence, rooms } = this;
    const { audited } = this.#access;
    return [
      ...deviceManagementRoutes({ registry, commands, order, presence, audited }),
      ...roomManagementRoutes(rooms, audited),
    ];
  }

  get jobs() {
    const { clock } = this.#base;
    return [
      job("expire-commands", EXPIRY_LOOK_MS, () => this.commands.expireDue(clock.now()), false),
      job("sweep-commands", HOUR_MS, () => this.commands.sweep()),
      job("sweep-devices", DAY_MS, async () => {
        await this.registry.sweep(clock.certain());
        await finishRemovals(this.registry, this.#forgets);
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
}
