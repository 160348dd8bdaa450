import type { Facts } from "../../src/core/api/facts.ts";
import type { Base } from "../../src/core/base.ts";
import type { Bus } from "../../src/core/kernel/bus.ts";
import type { Clock } from "../../src/core/kernel/clock.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { type Carrier, Commands } from "../../src/features/devices/commands.ts";
import { DeviceEvents } from "../../src/features/devices/events.ts";
import { Presence } from "../../src/features/devices/presence.ts";
import { DeviceRegistry } from "../../src/features/devices/registry.ts";
import { Rooms } from "../../src/features/devices/rooms.ts";
import { DeviceState } from "../../src/features/devices/state.ts";
import { HouseModes } from "../../src/features/house/house-modes.ts";
import { Scenes } from "../../src/features/scenes/scenes.ts";
import type { WebhookReport } from "../../src/features/webhooks/events.ts";
import { testAccess, testBase } from "./base.ts";
import { FakeClock } from "./fake-clock.ts";
import { ListingOutbox } from "./stand-ins.ts";

/** A webhook delivery to be made. */
type Enqueued = WebhookReport & { readonly data: JsonObject };

/**
 * The parts of the hub for devices on a real database, joined as the hub joins them; the broker is a list, and time
 * stands still unless a clock is given.
 */
export class DeviceParts<TheClock extends Clock = FakeClock> {
  readonly database: Database;
  readonly clock: TheClock;
  readonly base: Base;
  readonly trust: ReturnType<typeof testBase>["trust"];
  readonly bus: Bus<Facts>;
  /** Everything announced, in order. */
  readonly facts: { [Kind in keyof Facts]: { kind: Kind; fact: Facts[Kind] } }[keyof Facts][] = [];
  /** The outbox: events enqueued in committed jobs. */
  readonly deliveries: Enqueued[];
  /** Messages the broker received. */
  readonly published: { deviceId: string; payload: string }[] = [];
  readonly closed: string[] = [];
  /** The events that some webhook takes. */
  readonly taken: ListingOutbox["taken"];
  /** Replace it to make the broker behave differently. */
  deliver: (...order: Parameters<Carrier["deliver"]>) => Promise<"sent" | "queued"> = async () => "sent";
  readonly outbox;
  readonly feed;
  readonly access;
  readonly registry;
  readonly rooms;
  readonly presence;
  readonly state;
  readonly commands;
  readonly events;
  readonly modes: HouseModes;
  readonly scenes;

  constructor(database: Database, clock: TheClock = new FakeClock() as Clock as TheClock) {
    // the default of the type parameter
    this.database = database;
    this.clock = clock;
    const base = testBase(database, clock, { feed: { maxRows: 50 } });
    this.base = base;
    this.trust = base.trust;
    this.bus = this.base.bus;
    const { bus } = this;
    const {
      access,
      feed: { feed },
    } = testAccess(this.base);
    const outbox = new ListingOutbox(this.base);
    const limits = { devicesPerSite: 20, roomsPerSite: 10 };
    const registry = new DeviceRegistry(this.base, { feed, outbox, limits });
    const siblings = { limits: access.limits, registry, feed, outbox };
    const commands = new Commands(this.base, siblings);
    const presence = new Presence(this.base, siblings);
    registry.onRemoved((deviceId) => this.closed.push(deviceId));
    commands.carriedBy({
      has: () => true,
      deliver: (deviceId, payload, ttlMs, from) => {
        this.published.push({ deviceId, payload });
        return this.deliver(deviceId, payload, ttlMs, from);
      },
    });
    this.deliveries = outbox.reports as Enqueued[]; // what devices report are JSON objects
    this.outbox = outbox;
    this.taken = outbox.taken;
    this.feed = feed;
    this.access = access;
    this.registry = registry;
    this.commands = commands;
    this.presence = presence;
    this.state = new DeviceState(this.base, { ...siblings, commands, presence });
    this.rooms = new Rooms(this.base, registry, limits.roomsPerSite);
    this.events = new DeviceEvents(this.base, siblings);
    const { grants } = access;
    const ofScenes = { scenesPerSite: 5, actionsPerScene: 10 };
    this.modes = new HouseModes(this.base, feed, access.limits);
    this.scenes = new Scenes(this.base, { registry, commands, grants, feed, modes: this.modes, limits: ofScenes });
    for (const kind of [
      "device.changed",
      "device.presence",
      "device.event",
      "device.edited",
      "command.sent",
      "feed.added",
      "scene.activated",
    ] as const) {
      // kind and fact belong together
      bus.on(kind, "test", (fact) => this.facts.push({ kind, fact } as (typeof this.facts)[number]));
    }
  }

  async start(): Promise<this> {
    await this.registry.start();
    await this.presence.start();
    await this.state.start();
    return this;
  }

  async stop(): Promise<void> {
    await this.commands.stop();
    await this.state.stop();
    await this.presence.stop();
    await this.registry.stop();
  }

  /** Waits until everything written so far is on disk. */
  async settled(): Promise<void> {
    await this.commands.settled();
    await this.database.write(() => {});
  }

  /** Advances the clock and waits for the writes this causes. */
  async pass(this: DeviceParts<FakeClock>, ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.settled();
  }

  /** The facts of one kind. */
  of<Kind extends keyof Facts>(kind: Kind): Facts[Kind][] {
    // filtered by kind
    return this.facts.filter((entry) => entry.kind === kind).map((entry) => entry.fact as Facts[Kind]);
  }

  /** Titles of the household's feed, newest first. */
  titles(siteId: number): string[] {
    return this.feed.list(siteId, { limit: 500 }).map((item) => item.title);
  }
}
