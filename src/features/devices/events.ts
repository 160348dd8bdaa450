import { crc32 } from "node:zlib";
import type { Base } from "../../core/base.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { TokenBuckets } from "../../core/kernel/token-bucket.ts";
import type { Receipt } from "../../core/mqtt/native-topics.ts";
import { RecentMessages } from "../../core/mqtt/redelivery.ts";
import { mentionsPlate, platesIn } from "../../core/plates/mention.ts";
import type { Feed } from "../feed/feed.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import type { DeviceRegistry } from "./registry.ts";

const MAX_KIND = 64;
const MAX_TITLE = 200;
const MAX_BODY = 2_000;

/** Deliveries to receivers that one device may cause, as items of the feed: 200 at once, 30 a minute from then on. */
const DELIVERIES = { quota: 30, periodMs: 60_000, burst: 200 };

/** A message of QoS 1 with an event that is being stored. */
interface StoringEvent {
  readonly messageId: number;
  readonly check: number;
  readonly stored: Promise<void>;
}

/** The messages of a device that were stored since the hub started, and those that are being stored. */
interface DeviceMessages {
  readonly recent: RecentMessages;
  readonly storing: StoringEvent[];
}

/**
 * Events that devices report (`{kind, title, body}`): each becomes a feed item `device.event`, and its kind triggers
 * automations.
 */
export class DeviceEvents {
  readonly #base: Base;
  readonly #registry: DeviceRegistry;
  readonly #feed: Feed;
  readonly #outbox: Outbox;
  readonly #deliveries = new TokenBuckets(DELIVERIES);
  readonly #messages = new Map<string, DeviceMessages>();

  constructor(
    base: Base,
    { registry, feed, outbox }: { readonly registry: DeviceRegistry; readonly feed: Feed; readonly outbox: Outbox },
  ) {
    this.#base = base;
    this.#registry = registry;
    this.#feed = feed;
    this.#outbox = outbox;
    base.bus.on("device.edited", "events of removed devices", ({ deviceId, what }) => {
      if (what === "removed") this.#messages.delete(deviceId);
    });
  }

  /**
   * Stores an event that came by MQTT; resolves when it is on disk. One that was sent again because its PUBACK was lost
   * with the connection is stored once: a second press of a button might open a gate again. What was stored before the
   * hub started is not recognised.
   * @throws Problem `invalid_body`.
   */
  async receive(deviceId: string, event: JsonObject, { messageId, duplicate, at, connection }: Receipt): Promise<void> {
    if (messageId === null || this.#registry.find(deviceId) === null) return this.record(deviceId, event, at);
    const messages = this.#messages.get(deviceId) ?? { recent: new RecentMessages(), storing: [] };
    this.#messages.set(deviceId, messages);
    const { recent, storing } = messages;
    const check = crc32(JSON.stringify(event));
    if (recent.isRedelivery({ check, duplicate, connection: connection ?? null }, messageId, storing))
      return storing.findLast((one) => one.messageId === messageId)?.stored;
    const stored = this.record(deviceId, event, at);
    const one = { messageId, check, stored };
    storing.push(one);
    try {
      await stored;
      recent.remember(messageId, check);
    } finally {
      storing.splice(storing.indexOf(one), 1);
    }
  }

  /**
   * Stores one event; resolves when it is on disk. Events of unknown devices are dropped.
   * @throws Problem `invalid_body`.
   */
  async record(deviceId: string, event: JsonObject, at: number): Promise<void> {
    const { database, bus, clock } = this.#base;
    const device = this.#registry.find(deviceId);
    if (device === null) return;
    const kind = text(event.kind, MAX_KIND);
    if (kind === "") throw new Problem("invalid_body", { code: "refusal.event.kind" });
    const title = text(event.title, MAX_TITLE) || `${device.name}: ${kind}`;
    const body = text(event.body, MAX_BODY);
    const { siteId } = device;
    await database.write(() => {
      this.#feed.record({ siteId, kind: "device.event", deviceId, title, body, says: kind, at });
      if (this.#deliveries.take(deviceId, clock.mono()).allowed)
        this.#outbox.enqueue({
          siteId,
          event: "device.event",
          deviceId,
          data: { kind, title, body },
          plates: platesNamed(title, body),
          at,
        });
      database.committed(() => bus.announce("device.event", { siteId, deviceId, kind, title, body, at }));
    });
  }
}

/** The vehicles that an event names, as the feed finds them. */
function platesNamed(title: string, body: string): readonly string[] {
  return mentionsPlate(title) || mentionsPlate(body) ? platesIn(`${title}\n${body}`) : [];
}

/** A trimmed text without control characters, cut to `max` code points; "" for anything else. */
function text(value: unknown, max: number): string {
  if (typeof value !== "string") return "";
  return [...value.replaceAll(/\p{Cc}+/gu, " ").trim()].slice(0, max).join("");
}
