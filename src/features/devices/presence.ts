import type { Base } from "../../core/base.ts";
import { isoTimeOrNull, type Timer } from "../../core/kernel/clock.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { Feed } from "../feed/feed.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import type { DeviceRecord } from "./device.ts";
import type { DeviceInfo } from "./info.ts";
import type { DeviceRegistry } from "./registry.ts";
import { hasBattery, vitalsOf } from "./rules/vitals.ts";
import { DeviceTable } from "./tables/device.ts";

/** Why a device went offline, as reported by webhooks. */
export type OfflineReason = "disconnect" | "keepalive" | "will" | "revoked";

/** A device's own report of its presence; `interval` in seconds, for sleeping devices. */
export interface StatusMessage {
  readonly status: "online" | "offline";
  readonly firmware?: unknown;
  readonly interval?: unknown;
}

/** After a start, devices that were online have this long to reconnect before they are announced as gone. */
export const GRACE_MS = 60_000;
const SLEEPING_CHECK_MS = 60_000;
const LEAST_SLEEP_MS = 25 * 3_600_000;
/** The stronger reason wins where several arrive for one absence: a broker reports the dropped session and the will. */
const STRENGTH: Readonly<Record<OfflineReason, number>> = { disconnect: 0, will: 1, keepalive: 2, revoked: 3 };

interface Track {
  /** MQTT sessions open now. */
  sessions: number;
  /** Had a session since the start: presence follows its sessions, not just its messages. */
  native: boolean;
  /** It (or its bridge) reported that it is away. */
  away: boolean;
  /** The presence last announced to people and webhooks. */
  announced: boolean;
  pending: Timer | null;
  reason: OfflineReason;
  seenMono: number;
}

/**
 * Decides who is online: from sessions, last wills, status messages and, for sleeping devices, their declared interval.
 * `online` of a device follows at once; what is announced (feed, webhook, automations) is damped. Keeps last-seen
 * times, written in batches.
 */
export class Presence {
  readonly name = "presence";
  readonly #base: Base;
  readonly #registry: DeviceRegistry;
  readonly #feed: Feed;
  readonly #outbox: Outbox;
  readonly #tracks = new Map<string, Track>();
  readonly #unwritten = new Set<DeviceRecord>();
  #described: { info(deviceId: string, info: DeviceInfo): Promise<void> } | null = null;
  #undo: (() => void)[] = [];
  readonly #table: DeviceTable;
  #running = false;

  constructor(
    base: Base,
    { registry, feed, outbox }: { readonly registry: DeviceRegistry; readonly feed: Feed; readonly outbox: Outbox },
  ) {
    this.#base = base;
    this.#registry = registry;
    this.#feed = feed;
    this.#outbox = outbox;
    this.#table = new DeviceTable(base.database);
  }

  /** Passes on what status messages say about a device itself: firmware and interval. */
  describedBy(described: { info(deviceId: string, info: DeviceInfo): Promise<void> }): void {
    this.#described = described;
  }

  /**
   * Takes over who was online before; they have {@link GRACE_MS} to come back before they are announced as gone. Until
   * their first message they are not online, whatever was true before the start; sleeping ones are, as before.
   */
  async start(): Promise<void> {
    const { clock, quietWrites, bus } = this.#base;
    this.#running = true;
    for (const device of this.#registry.records()) {
      this.#track(device); // its last announcement stands
      if (!device.online || device.reportIntervalMs !== null) continue;
      device.online = false;
      device.awaited = true;
      this.#registry.touched(device);
    }
    const timers = [
      clock.after(GRACE_MS, () => this.#endGrace()),
      clock.every(SLEEPING_CHECK_MS, () => this.#checkSleeping()),
      quietWrites.add(() => void this.flush()),
    ];
    this.#undo = timers.map((timer) => () => timer.stop());
    this.#undo.push(
      bus.on("device.edited", "presence", ({ deviceId, what }) => what === "removed" && this.#forget(deviceId)),
    );
  }

  /** Sessions that end from now on are the hub's own doing and mean nothing. */
  freeze(): void {
    this.#running = false;
  }

  /** Writes the last-seen times. */
  async stop(): Promise<void> {
    this.freeze();
    for (const undo of this.#undo.splice(0)) undo();
    for (const track of this.#tracks.values()) track.pending?.stop();
    this.#tracks.clear();
    await this.flush();
  }

  /** Devices of a household that were connected before the start, or are about to connect, and are not here yet. */
  awaited(siteId: number): string[] {
    return [...this.#registry.records()].flatMap((one) => (one.awaited && one.siteId === siteId ? [one.id] : []));
  }

  /** A device is about to connect for the first time: for {@link GRACE_MS} it is awaited and not away. */
  expect(deviceId: string): void {
    const device = this.#registry.record(deviceId);
    if (device === null || device.online || !this.#running) return;
    device.awaited = true;
    const timer = this.#base.clock.after(GRACE_MS, () => this.#giveUp(deviceId));
    this.#undo.push(() => timer.stop());
  }

  /** A session of the device was opened. */
  connected(deviceId: string): void {
    const device = this.#registry.record(deviceId);
    if (device === null || !this.#running) return;
    const track = this.#track(device);
    track.sessions += 1;
    track.native = true;
    track.away = false;
    this.#appeared(device, track);
  }

  /** A session of the device has ended. */
  disconnected(deviceId: string, reason: OfflineReason): void {
    const device = this.#registry.record(deviceId);
    if (device === null || !this.#running) return;
    const track = this.#track(device);
    track.sessions = Math.max(0, track.sessions - 1);
    if (track.sessions === 0 && (device.reportIntervalMs === null || reason === "revoked"))
      this.#vanished(device, track, reason);
  }

  /** The device, its will or its bridge reported its presence. Resolves when firmware and interval are stored. */
  async status(deviceId: string, message: StatusMessage): Promise<void> {
    const device = this.#registry.record(deviceId);
    if (device === null || !this.#running) return;
    const { firmware, interval } = message;
    try {
      if (firmware !== undefined || interval !== undefined)
        await this.#described?.info(deviceId, { firmware, interval });
    } finally {
      this.#believe(device, message.status);
    }
  }

  /** The device sent something, at `at` (epoch ms); `data` may carry its battery and signal. Costs no write. */
  seen(deviceId: string, data?: JsonObject, at = this.#base.clock.now()): void {
    const device = this.#registry.record(deviceId);
    if (device === null || !this.#running) return;
    const track = this.#track(device);
    this.#note(device, track, at);
    const { battery } = device;
    if (data !== undefined) Object.assign(device, vitalsOf(data));
    if (device.battery !== battery) this.#registry.touched(device); // it is looked for in lists; the signal is not
    if (track.sessions > 0) track.away = false;
    // A message that was handled after its session ended must not bring the device back.
    const present = track.native ? track.sessions > 0 || device.reportIntervalMs !== null : !track.away;
    if (present && !(device.online && track.announced && track.pending === null)) this.#appeared(device, track);
  }

  /** As {@link seen}, with measured values; a charge that is not in the device's state is announced when it changes. */
  measured(deviceId: string, data: JsonObject | undefined, at = this.#base.clock.now()): void {
    const device = this.#registry.record(deviceId);
    const previous = device?.battery ?? null;
    this.seen(deviceId, data, at);
    if (device === null || device.battery === null || device.battery === previous || hasBattery(device.state)) return;
    const { siteId, battery } = device;
    this.#base.bus.announce("device.battery", { siteId, deviceId, battery, previous, at });
  }

  /** Writes what {@link seen} has gathered; on failure it is kept for the next time. */
  async flush(): Promise<void> {
    const batch = [...this.#unwritten];
    if (batch.length === 0) return;
    this.#unwritten.clear();
    try {
      await this.#base.database.write(() => {
        for (const device of batch)
          this.#table.setVitals({
            id: device.id,
            lastSeen: device.lastSeen,
            battery: device.battery,
            signal: device.signal,
          });
      });
    } catch (error) {
      for (const device of batch) this.#unwritten.add(device);
      this.#base.logger.warn({ devices: batch.length, err: error }, "last-seen times could not be written");
    }
  }

  #believe(device: DeviceRecord, status: "online" | "offline"): void {
    if (!this.#running) return;
    const track = this.#track(device);
    if (status === "online") {
      track.away = false;
      this.#appeared(device, track);
    } else if (device.reportIntervalMs === null) {
      track.away = true;
      this.#vanished(device, track, track.sessions > 0 ? "disconnect" : "will");
    }
  }

  #appeared(device: DeviceRecord, track: Track): void {
    this.#note(device, track, this.#base.clock.now());
    track.pending?.stop();
    track.pending = null;
    const wasOnline = device.online;
    device.online = true;
    device.awaited = false;
    if (!track.announced) this.#announce(device, track, true);
    else if (!wasOnline) this.#tell(device, { online: device.online, announced: false });
  }

  #vanished(device: DeviceRecord, track: Track, reason: OfflineReason): void {
    if (track.pending === null || STRENGTH[reason] > STRENGTH[track.reason]) track.reason = reason;
    if (device.online) {
      device.online = false;
      this.#registry.touched(device);
      this.#tell(device, { online: device.online, announced: false });
    }
    if (!track.announced) return;
    const dampingMs = this.#base.settings().devices.offlineAfterSeconds * 1000; // docs/spec/domain.md §1.3
    track.pending ??= this.#base.clock.after(dampingMs, () => {
      track.pending = null;
      this.#announce(device, track, false);
    });
  }

  #announce(device: DeviceRecord, track: Track, online: boolean): void {
    const { database, clock, logger } = this.#base;
    track.announced = online;
    device.online = online;
    device.awaited = false;
    this.#registry.touched(device);
    const at = clock.now();
    const { id: deviceId, siteId } = device;
    const lastSeen = isoTimeOrNull(device.lastSeen);
    const written = database.write(() => {
      this.#table.setOnline(deviceId, online, device.lastSeen);
      const kind = online ? "device.online" : "device.offline";
      this.#feed.record({ siteId, kind, deviceId, text: { code: kind, name: device.name }, at });
      if (online)
        this.#outbox.enqueue({
          siteId,
          event: "device.online",
          deviceId,
          data: { online, lastSeen, firmware: device.firmware },
          at,
        });
      else
        this.#outbox.enqueue({
          siteId,
          event: "device.offline",
          deviceId,
          data: { online, lastSeen, reason: track.reason },
          at,
        });
    });
    const announce = (): void => this.#tell(device, { online, announced: true });
    // Automations must receive it even when the disk is full.
    written.then(announce, (error: unknown) => {
      logger.warn({ deviceId, online, err: error }, "a presence change could not be written");
      announce();
    });
  }

  #tell(device: DeviceRecord, fact: { online: boolean; announced: boolean }): void {
    const { bus, clock } = this.#base;
    bus.announce("device.presence", { siteId: device.siteId, deviceId: device.id, at: clock.now(), ...fact });
  }

  #note(device: DeviceRecord, track: Track, at: number): void {
    track.seenMono = this.#base.clock.mono();
    device.lastSeen = at;
    this.#unwritten.add(device);
    this.#registry.touched(device);
  }

  /** It has not come: everything that shows it as awaited hears that it is away. */
  #giveUp(deviceId: string): void {
    const device = this.#registry.record(deviceId);
    if (device === null || !device.awaited || !this.#running) return;
    device.awaited = false;
    this.#tell(device, { online: device.online, announced: false });
  }

  #endGrace(): void {
    for (const [deviceId, track] of this.#tracks) {
      const device = this.#registry.record(deviceId);
      if (device === null || !track.announced || track.pending !== null || device.reportIntervalMs !== null) continue;
      const spoke = !track.native && track.seenMono !== Number.NEGATIVE_INFINITY;
      if (track.sessions > 0 || spoke) continue;
      track.reason = "disconnect";
      this.#announce(device, track, false);
    }
    for (const { id } of this.#registry.records()) this.#giveUp(id);
  }

  #checkSleeping(): void {
    const { clock } = this.#base;
    for (const [deviceId, track] of this.#tracks) {
      const device = this.#registry.record(deviceId);
      if (device === null || !track.announced || device.reportIntervalMs === null || track.sessions > 0) continue;
      if (clock.mono() - track.seenMono <= Math.max(3 * device.reportIntervalMs, LEAST_SLEEP_MS)) continue;
      track.reason = "keepalive";
      this.#announce(device, track, false);
    }
  }

  #track(device: DeviceRecord): Track {
    const known = this.#tracks.get(device.id);
    if (known !== undefined) return known;
    const track: Track = {
      sessions: 0,
      native: false,
      away: false,
      announced: device.online,
      pending: null,
      reason: "disconnect",
      seenMono: this.#seenBefore(device),
    };
    this.#tracks.set(device.id, track);
    return track;
  }

  /** Monotonic time of a stored last-seen; a sleeping device's silence keeps counting across a restart. */
  #seenBefore(device: DeviceRecord): number {
    const { clock } = this.#base;
    if (device.reportIntervalMs === null || device.lastSeen === null) return Number.NEGATIVE_INFINITY;
    return clock.mono() - Math.max(0, clock.now() - device.lastSeen);
  }

  #forget(deviceId: string): void {
    this.#tracks.get(deviceId)?.pending?.stop();
    this.#tracks.delete(deviceId);
    for (const device of this.#unwritten) if (device.id === deviceId) this.#unwritten.delete(device);
  }
}
