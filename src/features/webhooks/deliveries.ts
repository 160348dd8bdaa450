import type { Base } from "../../core/base.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Deliverer } from "./deliver.ts";
import type { Outbox } from "./outbox.ts";
import { nameOf, type WebhookRegistry } from "./registry.ts";
import type { DeliveryRow, DeliveryStatus } from "./tables/webhook-delivery.ts";

/** A delivery in the log; times are epoch ms. */
export interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly deviceId: string;
  /** Sent by hand or as a probe. */
  readonly test: boolean;
  /** When it was enqueued. */
  readonly at: number;
  /**
   * `waiting` in order, `slow` apart because the receiver keeps refusing it; `delivered`, `failed` and `dropped` are
   * over.
   */
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** The last attempt: its time, the receiver's status, its duration, its error. */
  readonly attemptedAt: number | null;
  readonly statusCode: number | null;
  readonly tookMs: number | null;
  readonly error: string | null;
  /** Not before this time; null when it is over, next in line, or the webhook is off. */
  readonly nextAttemptAt: number | null;
}

/** A webhook's undelivered events. */
export interface PendingDeliveries {
  readonly webhookId: number;
  /** Its label, or the receiver's host. */
  readonly name: string;
  readonly count: number;
  /** When the oldest of them was enqueued, epoch ms. */
  readonly since: number;
}

/** A query for the log. `before` is the `next` of the previous page. */
export interface LogQuery {
  readonly limit: number;
  readonly before?: number | undefined;
  readonly status?: DeliveryStatus | undefined;
}

const NONE = { count: 0, oldestAt: null };

/** The delivery log of webhooks, and sending again. */
export class Deliveries {
  readonly #database: Database;
  readonly #registry: WebhookRegistry;
  readonly #outbox: Outbox;
  readonly #deliverer: Deliverer;

  constructor(
    { database }: Base,
    {
      registry,
      outbox,
      deliverer,
    }: { readonly registry: WebhookRegistry; readonly outbox: Outbox; readonly deliverer: Deliverer },
  ) {
    this.#database = database;
    this.#registry = registry;
    this.#outbox = outbox;
    this.#deliverer = deliverer;
  }

  /** Newest first; `next` is null on the last page. @throws Problem `not_found`. */
  list(siteId: number, webhookId: number, query: LogQuery): { items: Delivery[]; next: number | null } {
    this.#registry.get(siteId, webhookId);
    const rows = this.#outbox.table.log(webhookId, {
      beforeSeq: query.before ?? Number.MAX_SAFE_INTEGER,
      status: query.status ?? null,
      limit: query.limit + 1,
    });
    const page = rows.slice(0, query.limit);
    return {
      items: page.map((row) => this.#view(row)),
      next: rows.length > page.length ? (page.at(-1)?.seq ?? null) : null,
    };
  }

  /** One delivery with the bytes of its body. @throws Problem `not_found`. */
  get(siteId: number, webhookId: number, id: string): Delivery & { readonly body: string } {
    const row = this.#row(siteId, webhookId, id);
    return { ...this.#view(row), body: row.body };
  }

  /** Deliveries that are not over, and when the oldest was enqueued. @throws Problem `not_found`. */
  pendingOf(siteId: number, webhookId: number): { count: number; oldestAt: number | null } {
    this.#registry.get(siteId, webhookId);
    const { count, oldestAt } = this.#outbox.table.pending(webhookId);
    return { count, oldestAt };
  }

  /** The webhooks of real households that have deliveries pending, the longest waiting first. */
  pending(): PendingDeliveries[] {
    return this.#registry
      .all()
      .flatMap((webhook) => {
        const { count, oldestAt } = webhook.env === "live" ? this.#outbox.table.pending(webhook.id) : NONE;
        return oldestAt === null ? [] : [{ webhookId: webhook.id, name: nameOf(webhook), count, since: oldestAt }];
      })
      .sort((left, right) => left.since - right.since);
  }

  /** Sends one delivery again, with its id and bytes, whatever its outcome. @throws Problem `not_found` */
  async redeliver(siteId: number, webhookId: number, id: string): Promise<void> {
    this.#row(siteId, webhookId, id);
    await this.#deliverer.save();
    await this.#database.write(() => this.#outbox.table.again(webhookId, id));
    await this.#deliverer.rewind(webhookId);
  }

  /**
   * Sends again all that failed or was dropped since `sinceMs`, in order. Returns how many.
   * @throws Problem `not_found`.
   */
  async redeliverFailed(siteId: number, webhookId: number, sinceMs: number): Promise<number> {
    this.#registry.get(siteId, webhookId);
    await this.#deliverer.save();
    const count = await this.#database.write(() => this.#outbox.table.failedAgain(webhookId, sinceMs));
    await this.#deliverer.rewind(webhookId);
    return count;
  }

  #row(siteId: number, webhookId: number, id: string): DeliveryRow {
    this.#registry.get(siteId, webhookId);
    const row = this.#outbox.table.byId(webhookId, id);
    if (row === null) throw new Problem("not_found", "There is no such delivery.");
    return row;
  }

  #view(stored: DeliveryRow): Delivery {
    const row = { ...stored, ...this.#deliverer.unsaved(stored.seq) };
    const active = this.#registry.find(row.webhookId)?.active === true;
    const nextAttemptAt =
      row.status === "slow" ? row.nextAt : row.status === "waiting" ? this.#deliverer.resumesAt(row.webhookId) : null;
    return {
      id: row.id,
      event: row.event,
      deviceId: row.deviceId,
      test: row.test === 1,
      at: row.createdAt,
      status: row.status,
      attempts: row.attempts,
      attemptedAt: row.attemptedAt,
      statusCode: row.statusCode,
      tookMs: row.tookMs,
      error: row.error,
      nextAttemptAt: active ? nextAttemptAt : null,
    };
  }
}
