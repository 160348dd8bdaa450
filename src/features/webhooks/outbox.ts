/**
 * Owns the outbox: a report inside the transaction of a change becomes one delivery per subscribed webhook, its bytes
 * fixed. Nothing committed is forgotten; deliveries kept for a disabled webhook are bounded, and a gap is marked on the
 * webhook. Must never know how a delivery is sent.
 */
import type { WebhookEvent } from "../../core/api/webhook-events.ts";
import type { Base } from "../../core/base.ts";
import { DAY_MS, HOUR_MS } from "../../core/kernel/clock.ts";
import { prefixedUlid } from "../../core/kernel/ids.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { deliveryBody, type WebhookReport } from "./events.ts";
import type { WebhookRegistry } from "./registry.ts";
import { WebhookDeliveryTable } from "./tables/webhook-delivery.ts";

/** A delivery as it would be posted, for a listening developer. */
interface Overheard {
  readonly id: string;
  readonly event: WebhookEvent;
  readonly body: string;
}

/** A developer of a receiver who listens in: deliveries are made for them and stored nowhere. */
export interface Listener {
  /** The households that they listen to. */
  readonly sites: ReadonlyMap<number, "live" | "test">;
  readonly events: readonly WebhookEvent[];
  readonly take: (delivery: Overheard) => void;
}

/** Rows examined or removed in one write job. */
const BATCH = 500;
const LOG_ROWS = 20_000;

/** The deliveries that are due and those that were made. */
export class Outbox {
  readonly name = "webhook outbox";
  readonly #base: Base;
  readonly #registry: WebhookRegistry;
  readonly #logRows: number;
  readonly #listeners = new Set<(webhookId: number) => void>();
  readonly #overhearing = new Set<Listener>();
  /** Deliveries enqueued per webhook since its bounds were checked. */
  readonly #sinceBound = new Map<number, number>();
  #table: WebhookDeliveryTable | null = null;

  /** `logRows`: most deliveries in the log of one webhook. */
  constructor(base: Base, registry: WebhookRegistry, logRows = LOG_ROWS) {
    this.#base = base;
    this.#registry = registry;
    this.#logRows = logRows;
  }

  async start(): Promise<void> {
    this.#table = new WebhookDeliveryTable(this.#base.database);
  }

  /** Nothing to undo: deliveries under way may still be written down until the database closes. */
  async stop(): Promise<void> {}

  /** The table, for the other files here. @throws Problem `unavailable` before start. */
  get table(): WebhookDeliveryTable {
    if (this.#table === null) throw new Problem("unavailable", { code: "unavailable.webhooks" });
    return this.#table;
  }

  /** Calls `listener` with a webhook's id whenever it gets a new delivery. Returns the unsubscribe function. */
  onOwed(listener: (webhookId: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Makes a delivery of each event for a listener too, until the returned function is called. */
  overhear(listener: Listener): () => void {
    this.#overhearing.add(listener);
    return () => this.#overhearing.delete(listener);
  }

  /** Whether any webhook of the household takes the event, or anybody listens in. */
  wanted(siteId: number, event: WebhookReport["event"]): boolean {
    return (
      this.#registry.wanted(siteId, event) ||
      [...this.#overhearing].some(({ sites, events }) => sites.has(siteId) && events.includes(event))
    );
  }

  /**
   * Inside a write job: one delivery for each webhook that wants the report. They are sent once the job is committed.
   */
  enqueue(report: WebhookReport): void {
    const { database, clock } = this.#base;
    for (const { sites, events, take } of this.#overhearing) {
      const env = sites.get(report.siteId);
      if (env === undefined || !events.includes(report.event)) continue;
      const id = prefixedUlid("dlv_", clock.now());
      database.committed(() => take({ id, event: report.event, body: deliveryBody(id, report, env === "test") }));
    }
    for (const webhook of this.#registry.list(report.siteId)) {
      if (!webhook.events.includes(report.event)) continue;
      const now = clock.now();
      const id = prefixedUlid("dlv_", now);
      const body = deliveryBody(id, report, webhook.env === "test");
      const { event, deviceId, siteId } = report;
      const row = { id, webhookId: webhook.id, event, deviceId: deviceId ?? "", body, createdAt: now };
      this.table.insert(row, siteId, report.plates ?? []);
      this.#bound(webhook.id, report.siteId);
      database.committed(() => this.wake(webhook.id));
    }
  }

  /**
   * Inside a write job: removes what tells of a vehicle when its owner has everything about it deleted. What still waits
   * is not sent; an attempt under way cannot be called back.
   */
  forgetPlate(siteId: number, plate: string): void {
    if (this.table.removeAbout(siteId, plate) === 0) return;
    for (const { id } of this.#registry.list(siteId)) this.#base.database.committed(() => this.wake(id)); // those behind may continue
  }

  /** Announces that a webhook has a new delivery. */
  wake(webhookId: number): void {
    for (const listener of this.#listeners) listener(webhookId);
  }

  /**
   * Retention: gives up what has waited too long or exceeds the limit (and marks the gap), and shortens the log.
   * Returns how many deliveries were given up and how many left the log.
   */
  async sweep(): Promise<{ dropped: number; trimmed: number }> {
    const { database } = this.#base;
    let dropped = 0;
    let trimmed = 0;
    for (const { id, siteId } of this.#registry.all()) {
      for (let some = BATCH; some === BATCH; ) {
        some = await database.write(() => this.#giveUp(id, siteId));
        dropped += some;
      }
      for (let some = 2 * BATCH; some === 2 * BATCH; ) {
        some = await database.write(() => this.#trim(id));
        trimmed += some;
      }
    }
    return { dropped, trimmed };
  }

  /**
   * Inside a write job: after every so many deliveries, removes those beyond the limit; with the hourly sweep alone a
   * busy home would accumulate too many.
   */
  #bound(webhookId: number, siteId: number): void {
    const count = (this.#sinceBound.get(webhookId) ?? 0) + 1;
    this.#sinceBound.set(webhookId, count % BATCH);
    if (count < BATCH) return;
    this.#giveUp(webhookId, siteId);
    this.#trim(webhookId);
  }

  #trim(webhookId: number): number {
    const { clock, settings } = this.#base;
    return this.table.trim(webhookId, {
      beforeMs: clock.certain() - settings().webhooks.logDays * DAY_MS,
      keep: this.#logRows,
      limit: 2 * BATCH,
    });
  }

  #giveUp(webhookId: number, siteId: number): number {
    const { database, clock, settings } = this.#base;
    const { keepRows, keepHours } = settings().webhooks;
    const excess = this.table.pending(webhookId).count - keepRows;
    const expiry = clock.certain() - keepHours * HOUR_MS;
    const gone = this.table
      .oldestOwed(webhookId, BATCH)
      .filter((row, index) => index < excess || row.createdAt < expiry);
    const [first] = gone;
    const last = gone.at(-1);
    if (first === undefined || last === undefined) return 0;
    for (const row of gone) this.table.expire(row.seq);
    this.#registry.table.addDropped({ id: webhookId, count: gone.length, from: first.createdAt, to: last.createdAt });
    this.#registry.refresh(webhookId, siteId);
    database.committed(() => this.wake(webhookId)); // those behind a removed one may continue
    return gone.length;
  }
}
