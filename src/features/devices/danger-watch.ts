/**
 * Says in the feed when a device reports a danger (water, smoke, a forced door), where it is, and when it is over; and
 * when a battery is nearly empty. In: changes of states and charges. Out: one item for each beginning and each end.
 * Must never know who is notified.
 */
import type { Base } from "../../core/base.ts";
import { DAY_MS, MINUTE_MS, type Timer } from "../../core/kernel/clock.ts";
import type { FeedText } from "../../core/text/keys.ts";
import type { Feed } from "../feed/feed.ts";
import type { Device } from "./device.ts";
import type { DeviceRegistry } from "./registry.ts";
import { type DangerKind, dangerAt, hasWeakBattery, placeOf } from "./rules/dangers.ts";

/** A danger is over when it has not come back for this long: a sensor at the edge of a puddle alternates. */
const OVER_AFTER_MS = MINUTE_MS;
/** A danger that began before a start and was not recorded is reported if it is no older than this. */
const NEWS_MS = 15 * MINUTE_MS;
/** How far back a start looks for dangers that have no recorded end. */
const LOOK_BACK_MS = 7 * DAY_MS;
const MOST_LOOKED_AT = 500;

/** The last that was said of a device. */
interface Open {
  readonly kind: DangerKind;
  /** Since when it has been quiet, epoch ms; null: it is not. */
  readonly quietSince: number | null;
  readonly timer: Timer | null;
}

const LOUD = { quietSince: null, timer: null };

/** Watches the devices of all households. */
export class DangerWatch {
  readonly name = "dangers";
  readonly #base: Base;
  readonly #registry: DeviceRegistry;
  readonly #feed: Feed;
  readonly #open = new Map<string, Open>();
  readonly #weak = new Set<string>();
  #undo: (() => void)[] = [];

  constructor(base: Base, { registry, feed }: { readonly registry: DeviceRegistry; readonly feed: Feed }) {
    this.#base = base;
    this.#registry = registry;
    this.#feed = feed;
  }

  /** Takes over what was said before the hub stopped, and follows the devices from now on. */
  async start(): Promise<void> {
    const { bus } = this.#base;
    const devices = [...this.#registry.records()];
    for (const siteId of new Set(devices.map((device) => device.siteId))) this.#recall(siteId);
    for (const device of devices) this.#found(device);
    const look = ({ deviceId, at }: { readonly deviceId: string; readonly at: number }): void => {
      const device = this.#registry.find(deviceId);
      if (device === null) return;
      this.#look(device, at);
      this.#lookAtBattery(device, at);
    };
    this.#undo = [
      bus.on("device.changed", this.name, look),
      bus.on("device.battery", this.name, look),
      bus.on("device.edited", this.name, ({ deviceId, what }) => void (what === "removed" && this.#forget(deviceId))),
    ];
  }

  /** What is not over yet is looked at again at the next start. */
  async stop(): Promise<void> {
    for (const undo of this.#undo.splice(0)) undo();
    for (const { timer } of this.#open.values()) timer?.stop();
  }

  /** Dangers of the last days whose end was not said. */
  #recall(siteId: number): void {
    const sight = { kinds: ["device.danger", "device.danger_over"] as const, vehicles: true };
    const sinceMs = this.#base.clock.now() - LOOK_BACK_MS;
    const ended = new Set<string>();
    for (const { deviceId, kind, words } of this.#feed.list(siteId, { limit: MOST_LOOKED_AT, sinceMs, sight })) {
      if (deviceId === null || ended.has(deviceId)) continue;
      ended.add(deviceId); // newest first: what is older was before
      if (kind === "device.danger" && words !== null)
        // the code is written below
        this.#open.set(deviceId, { kind: words.code.slice("danger.".length) as DangerKind, ...LOUD });
    }
  }

  /** A device as a start finds it. */
  #found(device: Device): void {
    const now = this.#base.clock.now();
    const since = device.stateAt ?? now;
    if (hasWeakBattery(device)) this.#weak.add(device.id);
    const kind = dangerAt(device);
    if (kind === null || now - since < NEWS_MS) this.#look(device, since);
    else this.#open.set(device.id, { kind, ...LOUD });
  }

  #look(device: Device, at: number): void {
    const { id } = device;
    const open = this.#open.get(id) ?? null;
    const kind = dangerAt(device);
    if (kind === null) {
      if (open === null || open.quietSince !== null) return;
      const timer = this.#base.clock.after(OVER_AFTER_MS, () => this.#over(id, open.kind, at));
      this.#open.set(id, { ...open, quietSince: at, timer });
      return;
    }
    open?.timer?.stop();
    this.#open.set(id, { kind, ...LOUD });
    if (open?.kind === kind) return;
    this.#record(device, "device.danger", { code: `danger.${kind}`, place: placeOf(device) }, at);
  }

  #over(deviceId: string, kind: DangerKind, at: number): void {
    this.#open.delete(deviceId);
    const device = this.#registry.find(deviceId);
    if (device === null) return;
    const text = { code: "dangerOver", kind, place: placeOf(device), at: new Date(at).toISOString() } as const;
    this.#record(device, "device.danger_over", text, at);
  }

  #lookAtBattery(device: Device, at: number): void {
    if (!hasWeakBattery(device)) return void this.#weak.delete(device.id);
    if (this.#weak.has(device.id)) return;
    this.#weak.add(device.id);
    this.#record(device, "device.battery_low", { code: "batteryLow", place: placeOf(device) }, at);
  }

  #record(
    { id: deviceId, siteId }: Device,
    kind: "device.danger" | "device.danger_over" | "device.battery_low",
    text: FeedText,
    at: number,
  ): void {
    const { database, logger } = this.#base;
    database
      .write(() => this.#feed.record({ siteId, kind, deviceId, text, at }))
      .catch((error: unknown) => logger.warn({ deviceId, err: error }, "a danger could not be added to the feed"));
  }

  #forget(deviceId: string): void {
    this.#open.get(deviceId)?.timer?.stop();
    this.#open.delete(deviceId);
    this.#weak.delete(deviceId);
  }
}
