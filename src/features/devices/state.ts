import type { ChangeSource } from "../../core/api/facts.ts";
import type { Base } from "../../core/base.ts";
import type { Timer } from "../../core/kernel/clock.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Feed } from "../feed/feed.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import type { Commands } from "./commands.ts";
import type { DeviceRecord } from "./device.ts";
import { changedInfo, type DeviceInfo } from "./info.ts";
import type { Presence } from "./presence.ts";
import type { DeviceRegistry } from "./registry.ts";
import {
  changedKeys,
  isDeeperThan,
  MAX_JSON_DEPTH,
  mergeState,
  stateTooLarge,
  valuesOf,
  withValues,
} from "./rules/device-state.ts";
import { DeviceTable } from "./tables/device.ts";

/** Where and when a state message came from; `at` is epoch milliseconds. */
export interface StateOrigin {
  readonly source: ChangeSource;
  readonly at: number;
}

/** Time between two `device.state` deliveries of a device: five a second (docs/spec/interface.md §30). */
const DELIVERY_GAP_MS = 200;
const RETRY_MS = 5_000;

/** A coalesced delivery: the last values that receivers saw of the keys changed since. */
interface PendingChange {
  readonly previous: JsonObject;
  readonly source: ChangeSource;
}

/**
 * Merges state messages into devices. A message that changes nothing costs no write. One that does is a single job: the
 * merged state, the answer to a command and the webhook delivery, or, when the device has just had one, a note in its
 * row that a delivery is pending; the note is settled 200 ms later, or at the next start.
 */
export class DeviceState {
  readonly name = "device-state";
  readonly #base: Base;
  readonly #registry: DeviceRegistry;
  readonly #commands: Commands;
  readonly #presence: Presence;
  readonly #feed: Feed;
  readonly #outbox: Outbox;
  readonly #heard = new Set<string>();
  readonly #inFlight = new Map<string, number>();
  readonly #deliveredMono = new Map<string, number>();
  readonly #infos = new Map<string, Promise<void>>();
  readonly #owedTimers = new Map<string, Timer>();
  /** Measured values that are in the records and not in the rows yet. */
  readonly #unwritten = new Map<string, JsonObject>();
  readonly #table: DeviceTable;
  #onChanged: ((device: DeviceRecord, at: number, actor: string | null) => void) | null = null;
  #undo: (() => void)[] = [];

  constructor(
    base: Base,
    {
      registry,
      commands,
      presence,
      feed,
      outbox,
    }: {
      readonly registry: DeviceRegistry;
      readonly commands: Commands;
      readonly presence: Presence;
      readonly feed: Feed;
      readonly outbox: Outbox;
    },
  ) {
    this.#base = base;
    this.#registry = registry;
    this.#commands = commands;
    this.#presence = presence;
    this.#feed = feed;
    this.#outbox = outbox;
    this.#table = new DeviceTable(base.database);
    presence.describedBy(this);
  }

  /** Calls `listener` when a state has changed, committed or measured; `actor` sent the command that it answers. */
  onChanged(listener: (device: DeviceRecord, at: number, actor: string | null) => void): void {
    this.#onChanged = listener;
  }

  /** Makes the deliveries that were pending when the hub stopped. */
  async start(): Promise<void> {
    const { bus, quietWrites } = this.#base;
    const quiet = quietWrites.add(() => void this.flush());
    this.#undo = [
      bus.on("device.edited", "device-state", ({ deviceId, what }) => what === "removed" && this.#forget(deviceId)),
      () => quiet.stop(),
    ];
    for (const deviceId of this.#table.pending()) await this.#settlePending(deviceId);
  }

  /** Makes the pending deliveries now, and writes the measured values. */
  async stop(): Promise<void> {
    for (const undo of this.#undo.splice(0)) undo();
    const owing = [...this.#owedTimers.keys()];
    for (const timer of this.#owedTimers.values()) timer.stop();
    this.#owedTimers.clear();
    await Promise.all([...owing.map((deviceId) => this.#settlePending(deviceId)), this.flush()]);
  }

  /**
   * Merges `patch` into the device's state; resolves when it is on disk, at once when nothing changed. Messages of
   * unknown devices are dropped.
   * @throws Problem `invalid_body` when nested too deep, `limit_reached` when the state would grow too large;
   *   `storage_full`, `unavailable`.
   */
  async apply(deviceId: string, patch: JsonObject, origin: StateOrigin): Promise<void> {
    const device = this.#registry.record(deviceId);
    if (device === null) return;
    if (isDeeperThan(patch, MAX_JSON_DEPTH))
      throw new Problem("invalid_body", { code: "refusal.state.tooDeep", limit: MAX_JSON_DEPTH });
    this.#presence.seen(deviceId, patch);
    const waiting = this.#inFlight.get(deviceId) ?? 0;
    const isUnwritten = Object.keys(patch).some((key) => Object.hasOwn(this.#unwritten.get(deviceId) ?? {}, key));
    if (waiting === 0 && !isUnwritten && mergeState(device.state, patch).changed.length === 0) {
      this.#heard.add(deviceId);
      return;
    }
    this.#inFlight.set(deviceId, waiting + 1);
    try {
      await this.#base.database.write(() => this.#applyInJob(device, patch, origin));
    } finally {
      const left = (this.#inFlight.get(deviceId) ?? 1) - 1;
      if (left === 0) this.#inFlight.delete(deviceId);
      else this.#inFlight.set(deviceId, left);
    }
  }

  /**
   * Merges measured values, which a device repeats by itself: visible to everybody at once, and on disk with the next
   * change of its state, or with {@link flush}. If a webhook takes states, works like {@link apply}.
   */
  async measured(deviceId: string, patch: JsonObject, at: number): Promise<void> {
    const device = this.#registry.record(deviceId);
    if (device === null) return;
    const { state, changed } = mergeState(device.state, patch);
    const isNew = Object.keys(patch).some((key) => !Object.hasOwn(device.state, key));
    if (isNew || (this.#inFlight.get(deviceId) ?? 0) > 0 || this.#outbox.wanted(device.siteId, "device.state"))
      return this.apply(deviceId, patch, { source: "device", at });
    const initial = !this.#heard.has(deviceId);
    this.#heard.add(deviceId);
    if (changed.length === 0) return;
    if (isDeeperThan(patch, MAX_JSON_DEPTH) || stateTooLarge(state, JSON.stringify(state)) !== null)
      return this.apply(deviceId, patch, { source: "device", at }); // it reports what is wrong
    const previous = device.state;
    this.#unwritten.set(deviceId, { ...this.#unwritten.get(deviceId), ...valuesOf(state, changed) });
    device.state = state;
    device.stateAt = at;
    this.#registry.touched(device);
    const { siteId } = device;
    this.#onChanged?.(device, at, null);
    this.#base.bus.announce("device.changed", {
      siteId,
      deviceId,
      state,
      previous,
      changed,
      source: "device",
      at,
      initial,
    });
  }

  /** Writes what {@link measured} has gathered, one commit for all; on failure it is kept for the next time. */
  async flush(): Promise<void> {
    const { database, logger, clock } = this.#base;
    const devices = [...this.#unwritten.keys()].flatMap((deviceId) => this.#registry.record(deviceId) ?? []);
    if (devices.length === 0) return;
    try {
      await database.write(() => {
        for (const device of devices)
          this.#applyInJob(device, {}, { source: "device", at: device.stateAt ?? clock.now() });
      });
    } catch (error) {
      logger.warn({ devices: devices.length, err: error }, "measured values of states wait for the disk");
    }
  }

  /** Takes a device's description of itself; unusable members are ignored, equal ones cost no write. */
  async info(deviceId: string, info: DeviceInfo): Promise<void> {
    // One after the other: each is compared with what its predecessor has stored.
    const earlier = this.#infos.get(deviceId) ?? Promise.resolve();
    const run = earlier.catch(() => {}).then(() => this.#takeInfo(deviceId, info));
    this.#infos.set(deviceId, run);
    try {
      await run;
    } finally {
      if (this.#infos.get(deviceId) === run) this.#infos.delete(deviceId);
    }
  }

  async #takeInfo(deviceId: string, info: DeviceInfo): Promise<void> {
    const { database, clock, bus } = this.#base;
    const device = this.#registry.record(deviceId);
    if (device === null || changedInfo(device, info) === null) return;
    const firmwareBefore = device.firmware;
    await database.write(() => {
      const settings = this.#table.settings(deviceId);
      // a person may have given it another type in this very group
      const next = settings && changedInfo({ ...device, type: settings.type }, info);
      if (next === null) return;
      this.#table.setInfo(next.row);
      if (firmwareBefore !== null && next.fields.firmware !== null && next.fields.firmware !== firmwareBefore) {
        const text = {
          code: "device.firmware",
          name: device.name,
          before: firmwareBefore,
          after: next.fields.firmware,
        } as const;
        this.#feed.record({ siteId: device.siteId, kind: "device.firmware", deviceId, text, at: clock.now() });
      }
      database.committed(() => {
        Object.assign(device, next.fields);
        this.#registry.touched(device);
        bus.announce("device.edited", { siteId: device.siteId, deviceId, what: "edited" });
      });
    });
  }

  /**
   * The row, not the record, is what a message is merged into: jobs before this one in the same group have not reached
   * the record yet.
   */
  #applyInJob(device: DeviceRecord, patch: JsonObject, origin: StateOrigin): void {
    const { database, bus } = this.#base;
    const row = this.#table.state(device.id);
    if (row === null) return;
    const stored = JSON.parse(row.state) as JsonObject; // written below only
    const unwritten = this.#unwritten.get(device.id);
    const before = unwritten === undefined ? stored : withValues(stored, unwritten);
    const { state, changed } = mergeState(before, patch);
    if (changed.length === 0 && unwritten === undefined) return;
    const json = JSON.stringify(state);
    const tooLarge = stateTooLarge(state, json);
    if (tooLarge !== null) throw new Problem("limit_reached", tooLarge);
    const { at } = origin;
    const isChange = changed.length > 0; // otherwise already announced
    const answered = isChange && origin.source === "device" ? this.#commands.answered(device.id, changed, at) : null;
    const source = answered?.source ?? origin.source;
    const stateOwed = !isChange
      ? row.stateOwed
      : this.#deliver(device, { pending: row.stateOwed, before, state, changed, source, at });
    this.#table.setState({ id: device.id, state: json, stateAt: at, stateOwed, lastSeen: device.lastSeen ?? at });
    database.committed(() => {
      // Values measured since the job ran are newer.
      const newer = this.#unwritten.get(device.id);
      if (newer === unwritten) this.#unwritten.delete(device.id);
      if (!isChange) return;
      device.state = newer === undefined || newer === unwritten ? state : withValues(state, newer);
      device.stateAt = at;
      this.#registry.touched(device);
      const initial = !this.#heard.has(device.id);
      this.#heard.add(device.id);
      this.#onChanged?.(device, at, answered?.actor ?? null);
      bus.announce("device.changed", {
        siteId: device.siteId,
        deviceId: device.id,
        state,
        previous: before,
        changed,
        source,
        at,
        initial,
      });
    });
  }

  /** Puts the delivery into the outbox, or returns the note that it is pending. */
  #deliver(
    device: DeviceRecord,
    change: {
      pending: string | null;
      before: JsonObject;
      state: JsonObject;
      changed: readonly string[];
      source: ChangeSource;
      at: number;
    },
  ): string | null {
    const { clock, database } = this.#base;
    const { state, changed, source, at } = change;
    const previous = valuesOf(change.before, changed);
    const nextMono = (this.#deliveredMono.get(device.id) ?? Number.NEGATIVE_INFINITY) + DELIVERY_GAP_MS;
    if (change.pending === null && clock.mono() >= nextMono) {
      this.#enqueue(device, { state, changed, previous, source }, at);
      return null;
    }
    const earlier = change.pending === null ? null : (JSON.parse(change.pending) as PendingChange); // written here only
    database.committed(() => this.#settleAt(device.id, nextMono));
    const pending: PendingChange = { previous: { ...previous, ...earlier?.previous }, source };
    return JSON.stringify(pending);
  }

  #enqueue(
    device: DeviceRecord,
    data: { state: JsonObject; changed: readonly string[]; previous: JsonObject; source: ChangeSource },
    at: number,
  ): void {
    this.#deliveredMono.set(device.id, this.#base.clock.mono());
    this.#outbox.enqueue({ siteId: device.siteId, event: "device.state", deviceId: device.id, data, at });
  }

  #settleAt(deviceId: string, dueMono: number): void {
    if (this.#owedTimers.has(deviceId)) return;
    const timer = this.#base.clock.at(dueMono, () => {
      this.#owedTimers.delete(deviceId);
      void this.#settlePending(deviceId);
    });
    this.#owedTimers.set(deviceId, timer);
  }

  async #settlePending(deviceId: string): Promise<void> {
    const { database, logger, clock } = this.#base;
    const device = this.#registry.record(deviceId);
    if (device === null) return;
    try {
      await database.write(() => this.#settleInJob(device));
    } catch (error) {
      logger.warn({ deviceId, err: error }, "a coalesced state delivery waits for the disk");
      this.#settleAt(deviceId, clock.mono() + RETRY_MS);
    }
  }

  #settleInJob(device: DeviceRecord): void {
    const row = this.#table.state(device.id);
    if (row === null || row.stateOwed === null) return;
    this.#table.setPending(device.id, null);
    const { previous, source } = JSON.parse(row.stateOwed) as PendingChange; // written by #deliver only
    const state = JSON.parse(row.state) as JsonObject; // written by #applyInJob only
    const keys = Object.keys(previous);
    const changed = changedKeys(previous, valuesOf(state, keys));
    // A value that went away and came back meanwhile: receivers already have the true state.
    if (changed.length === 0) return;
    this.#enqueue(
      device,
      { state, changed, previous: valuesOf(previous, changed), source },
      device.stateAt ?? this.#base.clock.now(),
    );
  }

  #forget(deviceId: string): void {
    this.#heard.delete(deviceId);
    this.#deliveredMono.delete(deviceId);
    this.#unwritten.delete(deviceId);
    this.#owedTimers.get(deviceId)?.stop();
    this.#owedTimers.delete(deviceId);
  }
}
