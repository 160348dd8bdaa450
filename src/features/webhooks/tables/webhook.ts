import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `webhook`, with the kind of household it belongs to. */
export interface WebhookRow {
  readonly id: number;
  readonly siteId: number;
  readonly env: "live" | "test";
  readonly url: string;
  readonly label: string;
  readonly events: string;
  readonly secret: Buffer;
  readonly previousSecret: Buffer | null;
  readonly previousUntil: number | null;
  readonly probe: number;
  readonly active: number;
  readonly disabledAt: number | null;
  readonly disabledReason: "failures" | "gone" | "owner" | null;
  readonly failures: number;
  readonly pausedUntil: number | null;
  readonly dropped: number;
  readonly droppedFrom: number | null;
  readonly droppedTo: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const COLUMNS = `webhook.id, webhook.site_id AS siteId, site.env, webhook.url, webhook.label, webhook.events, webhook.secret,
  webhook.previous_secret AS previousSecret, webhook.previous_until AS previousUntil, webhook.probe, webhook.active,
  webhook.disabled_at AS disabledAt, webhook.disabled_reason AS disabledReason, webhook.failures,
  webhook.paused_until AS pausedUntil, webhook.dropped, webhook.dropped_from AS droppedFrom, webhook.dropped_to AS droppedTo,
  webhook.created_at AS createdAt, webhook.updated_at AS updatedAt`;

/** What an owner sets. */
export type NewWebhookRow = Pick<WebhookRow, "siteId" | "url" | "label" | "events" | "secret" | "probe" | "createdAt">;

/** All SQL of `webhook`. Writing methods belong inside a write job. */
export class WebhookTable extends tableOf(prepare) {
  all(): WebhookRow[] {
    return this.sql.all.all();
  }

  byId(id: number): WebhookRow | null {
    return this.sql.byId.get(id) ?? null;
  }

  /** Returns the new webhook's id. */
  insert(row: NewWebhookRow): number {
    return Number(this.sql.insert.run(row).lastInsertRowid);
  }

  update(row: Pick<WebhookRow, "id" | "url" | "label" | "events" | "probe" | "updatedAt">): void {
    this.sql.update.run(row);
  }

  setSecret(row: Pick<WebhookRow, "id" | "secret" | "previousSecret" | "previousUntil" | "updatedAt">): void {
    this.sql.setSecret.run(row);
  }

  /** Switches it on or off; the count of failures in a row restarts at 0. */
  setActive(row: Pick<WebhookRow, "id" | "active" | "disabledAt" | "disabledReason">): void {
    this.sql.setActive.run(row);
  }

  setFailures(id: number, failures: number, pausedUntil: number | null): void {
    this.sql.setFailures.run(failures, pausedUntil, id);
  }

  /** Marks the gap that abandoned deliveries leave; times are epoch ms. */
  addDropped(gap: { id: number; count: number; from: number; to: number }): void {
    this.sql.addDropped.run(gap);
  }

  clearDropped(id: number): void {
    this.sql.clearDropped.run(id);
  }

  remove(id: number): void {
    this.sql.remove.run(id);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  const select = `SELECT ${COLUMNS} FROM webhook JOIN site ON site.id = webhook.site_id`;
  return {
    all: raw.prepare<[], WebhookRow>(`${select} ORDER BY webhook.id`),
    byId: raw.prepare<[number], WebhookRow>(`${select} WHERE webhook.id = ?`),
    insert: raw.prepare<[NewWebhookRow]>(
      `INSERT INTO webhook (site_id, url, label, events, secret, probe, created_at, updated_at)
       VALUES (@siteId, @url, @label, @events, @secret, @probe, @createdAt, @createdAt)`,
    ),
    update: raw.prepare<[Pick<WebhookRow, "id" | "url" | "label" | "events" | "probe" | "updatedAt">]>(
      "UPDATE webhook SET url = @url, label = @label, events = @events, probe = @probe, updated_at = @updatedAt WHERE id = @id",
    ),
    setSecret: raw.prepare<[Pick<WebhookRow, "id" | "secret" | "previousSecret" | "previousUntil" | "updatedAt">]>(
      `UPDATE webhook SET secret = @secret, previous_secret = @previousSecret, previous_until = @previousUntil, updated_at = @updatedAt
       WHERE id = @id`,
    ),
    setActive: raw.prepare<[Pick<WebhookRow, "id" | "active" | "disabledAt" | "disabledReason">]>(
      `UPDATE webhook SET active = @active, disabled_at = @disabledAt, disabled_reason = @disabledReason, failures = 0, paused_until = NULL
       WHERE id = @id`,
    ),
    setFailures: raw.prepare<[number, number | null, number]>(
      "UPDATE webhook SET failures = ?, paused_until = ? WHERE id = ?",
    ),
    addDropped: raw.prepare<[{ id: number; count: number; from: number; to: number }]>(
      `UPDATE webhook SET dropped = dropped + @count, dropped_from = min(ifnull(dropped_from, @from), @from), dropped_to = max(ifnull(dropped_to, @to), @to)
       WHERE id = @id`,
    ),
    clearDropped: raw.prepare<[number]>(
      "UPDATE webhook SET dropped = 0, dropped_from = NULL, dropped_to = NULL WHERE id = ?",
    ),
    remove: raw.prepare<[number]>("DELETE FROM webhook WHERE id = ?"),
  };
}
