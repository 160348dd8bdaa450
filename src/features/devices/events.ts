import type { Facts } from "../../core/api/facts.ts";
import type { RecordFeedItem } from "../../core/api/feed-kinds.ts";
import type { Bus } from "../../core/kernel/bus.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { TokenBuckets } from "../../core/kernel/token-bucket.ts";
import type { Database } from "../../core/storage/database.ts";
import type { EnqueueDelivery } from "./ports.ts";
import type { DeviceRegistry } from "./registry.ts";

const MAX_KIND = 64;
const MAX_TITLE = 200;
const MAX_BODY = 2_000;

/** Deliveries to receivers that one device may cause, as items of the feed: 200 at once, 30 a minute from then on. */
const DELIVERIES = { quota: 30, periodMs: 60_000, burst: 200 };

/**
 * Events that devices report (`{kind, title, body}`): each becomes a feed item `device.event`, and its kind triggers
 * automations.
 */
export class DeviceEvents {
  readonly #options: ConstructorParameters<typeof DeviceEvents>[0];
  readonly #deliveries = new TokenBuckets(DELIVERIES);

  constructor(options: {
    readonly database: Database;
    readonly registry: DeviceRegistry;
    readonly bus: Bus<Facts>;
    readonly feed: RecordFeedItem;
    readonly enqueue: EnqueueDelivery;
    readonly clock: Clock;
  }) {
    this.#options = options;
  }

  /**
   * Stores one event; resolves when it is on disk. Events of unknown devices are dropped.
   * @throws Problem `invalid_body`.
   */
  async record(deviceId: string, event: JsonObject, at: number): Promise<void> {
    const { registry, database, bus, feed, enqueue, clock } = this.#options;
    const device = registry.find(deviceId);
    if (device === null) return;
    const kind = text(event.kind, MAX_KIND);
    if (kind === "") throw new Problem("invalid_body", { code: "refusal.event.kind" });
    const title = text(event.title, MAX_TITLE) || `${device.name}: ${kind}`;
    const body = text(event.body, MAX_BODY);
    const { siteId } = device;
    await database.write(() => {
      feed({ siteId, kind: "device.event", deviceId, title, body, at });
      if (this.#deliveries.take(deviceId, clock.mono()).allowed)
        enqueue({ siteId, event: "device.event", deviceId, data: { kind, title, body }, at });
      database.committed(() => bus.announce("device.event", { siteId, deviceId, kind, title, body, at }));
    });
  }
}

/** A trimmed text without control characters, cut to `max` code points; "" for anything else. */
function text(value: unknown, max: number): string {
  if (typeof value !== "string") return "";
  return [...value.replaceAll(/\p{Cc}+/gu, " ").trim()].slice(0, max).join("");
}
