import type SqliteDatabase from "better-sqlite3";

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

/** Columns of a row, by the names of its members. */
const COLUMNS = `webhook.id, webhook.site_id AS siteId, site.env, webhook.url, webhook.label, webhook.events, webhook.secret,
  webhook.previous_secret AS previousSecret, webhook.previous_until AS previousUntil, webhook.probe, webhook.active,
  webhook.disabled_at AS disabledAt, webhook.disabled_reason AS disabledReason, webhook.failures,
  webhook.paused_until AS pausedUntil, webhook.dropped, webhook.dropped_from AS droppedFrom, webhook.dropped_to AS droppedTo,
  webhook.created_at AS createdAt, webhook.updated_at AS updatedAt`;

/** What an owner sets. */
export type NewWebhookRow = Pick<WebhookRow, "siteId" | "url" | "label" | "events" | "secret" | "probe" | "createdAt">;

/** All SQL of `webhook`. Writing methods belong inside a write job. */
export class WebhookTable {
  readonly #all;
  readonly #byId;
  readonly #insert;
  readonly #update;
  readonly #setSecret;
  readonly #setActive;
  readonly #setFailures;
  readonly #addDropped;
  readonly #clearDropped;
  readonly #remove;

  constructor(raw: SqliteDatabase.Database) {
    const select = `SELECT ${COLUMNS} FROM webhook JOIN site ON site.id = webhook.site_id`;
    this.#all = raw.prepare<[], WebhookRow>(`${select} ORDER BY webhook.id`);
    this.#byId = raw.prepare<[number], WebhookRow>(`${select} WHERE webhook.id = ?`);
    this.#insert = raw.prepare<[NewWebhookRow]>(
      `INSERT INTO webhook (site_id, url, label, events, secret, probe, created_at, updated_at)
       VALUES (@siteId, @url, @label, @events, @secret, @probe, @createdAt, @createdAt)`,
    );
    this.#update = raw.prepare<[Pick<WebhookRow, "id" | "url" | "label" | "events" | "probe" | "updatedAt">]>(
      "UPDATE webhook SET url = @url, label = @label, events = @events, probe = @probe, updated_at = @updatedAt WHERE id = @id",
    );
    this.#setSecret = raw.prepare<[Pick<WebhookRow, "id" | "secret" | "previousSecret" | "previousUntil" | "updatedAt">]>(
      `UPDATE webhook SET secret = @secret, previous_secret = @previousSecret, previous_until = @previousUntil, updated_at = @updatedAt
       WHERE id = @id`,
    );
    this.#setActive = raw.prepare<[Pick<WebhookRow, "id" | "active" | "disabledAt" | "disabledReason">]>(
      `UPDATE webhook SET active = @active, disabled_at = @disabledAt, disabled_reason = @disabledReason, failures = 0, paused_until = NULL
       WHERE id = @id`,
    );
    this.#setFailures = raw.prepare<[number, number | null, number]>("UPDATE webhook SET failures = ?, paused_until = ? WHERE id = ?");
    this.#addDropped = raw.prepare<[{ id: number; count: number; from: number; to: number }]>(
      `UPDATE webhook SET dropped = dropped + @count, dropped_from = min(ifnull(dropped_from, @from), @from), dropped_to = max(ifnull(dropped_to, @to), @to)
       WHERE id = @id`,
    );
    this.#clearDropped = raw.prepare<[number]>("UPDATE webhook SET dropped = 0, dropped_from = NULL, dropped_to = NULL WHERE id = ?");
    this.#remove = raw.prepare<[number]>("DELETE FROM webhook WHERE id = ?");
  }

  all(): WebhookRow[] {
    return this.#all.all();
  }

  byId(id: number): WebhookRow | null {
    return this.#byId.get(id) ?? null;
  }

  /** Returns the new webhook's id. */
  insert(row: NewWebhookRow): number {
    return Number(this.#insert.run(row).lastInsertRowid);
  }

  update(row: Pick<WebhookRow, "id" | "url" | "label" | "events" | "probe" | "updatedAt">): void {
    this.#update.run(row);
  }

  setSecret(row: Pick<WebhookRow, "id" | "secret" | "previousSecret" | "previousUntil" | "updatedAt">): void {
    this.#setSecret.run(row);
  }

  /** Switches it on or off; failures in a row start from 0. */
  setActive(row: Pick<WebhookRow, "id" | "active" | "disabledAt" | "disabledReason">): void {
    this.#setActive.run(row);
  }

  setFailures(id: number, failures: number, pausedUntil: number | null): void {
    this.#setFailures.run(failures, pausedUntil, id);
  }

  /** Marks the gap that given-up deliveries leave; times are epoch ms. */
  addDropped(gap: { id: number; count: number; from: number; to: number }): void {
    this.#addDropped.run(gap);
  }

  clearDropped(id: number): void {
    this.#clearDropped.run(id);
  }

  remove(id: number): void {
    this.#remove.run(id);
  }
}
