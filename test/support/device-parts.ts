import type { Facts } from "../../src/core/api/facts.ts";
import { Bus } from "../../src/core/kernel/bus.ts";
import type { Clock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { QuietWrites } from "../../src/core/kernel/quiet-writes.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { Commands, type Deliver } from "../../src/features/devices/commands.ts";
import { DeviceEvents } from "../../src/features/devices/events.ts";
import type { DeliveryDraft } from "../../src/features/devices/ports.ts";
import { Presence } from "../../src/features/devices/presence.ts";
import { DeviceRegistry } from "../../src/features/devices/registry.ts";
import { Rooms } from "../../src/features/devices/rooms.ts";
import { DeviceState } from "../../src/features/devices/state.ts";
import { Feed } from "../../src/features/feed/feed.ts";
import { Scenes } from "../../src/features/scenes/scenes.ts";
import { FakeClock } from "./fake-clock.ts";

/**
 * The parts of the hub for devices on a real database, joined as the hub joins them; the broker is a list, and time
 * stands still unless a clock is given.
 */
export class DeviceParts<TheClock extends Clock = FakeClock> {
  readonly database: Database;
  readonly clock: TheClock;
  readonly bus = new Bus<Facts>(silentLogger);
  /** Everything announced, in order. */
  readonly facts: { [Kind in keyof Facts]: { kind: Kind; fact: Facts[Kind] } }[keyof Facts][] = [];
  /** The outbox: events enqueued in committed jobs. */
  readonly deliveries: DeliveryDraft[] = [];
  /** Messages the broker received. */
  readonly published: { deviceId: string; payload: string }[] = [];
  readonly closed: string[] = [];
  /** Whether a webhook takes `command.failed`. */
  wantsFailures = false;
  /** Whether a webhook takes `device.state`. */
  wantsState = false;
  /** Replace it to make the broker behave differently. */
  deliver: Deliver = async () => "sent";
  readonly quietWrites: QuietWrites;
  readonly feed;
  readonly registry;
  readonly rooms;
  readonly presence;
  readonly state;
  readonly commands;
  readonly events;
  readonly scenes;

  constructor(database: Database, clock: TheClock = new FakeClock() as Clock as TheClock) {
    // the default of the type parameter
    this.database = database;
    this.clock = clock;
    this.quietWrites = new QuietWrites(clock);
    const { bus } = this;
    const { quietWrites } = this;
    const logger = silentLogger;
    const feed = new Feed({ database, bus, keepDays: 90, keepRows: 50, clock });
    const record = (item: Parameters<Feed["record"]>[0]): void => void feed.record(item);
    const enqueue = (draft: DeliveryDraft): void => database.committed(() => this.deliveries.push(draft));
    const registry = new DeviceRegistry({
      database,
      bus,
      clock,
      feed: record,
      enqueue,
      onRemoved: (deviceId) => this.closed.push(deviceId),
      limits: { devicesPerSite: 20, roomsPerSite: 10 },
    });
    const commands: Commands = new Commands({
      database,
      registry,
      bus,
      clock,
      logger,
      feed: record,
      enqueue,
      wantsFailures: () => this.wantsFailures,
      ttlMs: 60_000,
      rate: { quota: 20, periodMs: 10_000, burst: 20 },
      deliver: (deviceId, payload, ttlMs, from) => {
        this.published.push({ deviceId, payload });
        return this.deliver(deviceId, payload, ttlMs, from);
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
      wantsState: () => this.wantsState,
      seen: (deviceId, data) => this.presence.seen(deviceId, data),
    });
    this.presence = new Presence({
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
    this.feed = feed;
    this.registry = registry;
    this.commands = commands;
    this.state = state;
    this.rooms = new Rooms({ database, observer: registry, maxRooms: 10 });
    this.events = new DeviceEvents({ database, registry, bus, feed: record, enqueue, clock });
    this.scenes = new Scenes({
      database,
      bus,
      clock,
      logger,
      registry,
      commands,
      feed: record,
      issuerStands: () => true,
      limits: { scenesPerSite: 5, actionsPerScene: 10 },
    });
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
