import { Table } from "../../../core/storage/table.ts";

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

const SELECT = `SELECT ${COLUMNS} FROM webhook JOIN site ON site.id = webhook.site_id`;

/** An owner's settings of a webhook. */
export type NewWebhookRow = Pick<WebhookRow, "siteId" | "url" | "label" | "events" | "secret" | "probe" | "createdAt">;

/** All SQL of `webhook`. Writing methods belong inside a write job. */
export class WebhookTable extends Table {
  readonly #setFailures = this.sql.statement<[number, number | null, number]>(
    "UPDATE webhook SET failures = ?, paused_until = ? WHERE id = ?",
  );

  readonly all = this.sql.all<[], WebhookRow>(`${SELECT} ORDER BY webhook.id`);

  readonly byId = this.sql.first<[id: number], WebhookRow>(`${SELECT} WHERE webhook.id = ?`);

  /** Returns the new webhook's id. */
  readonly insert = this.sql.insert<
    [row: NewWebhookRow]
  >(`INSERT INTO webhook (site_id, url, label, events, secret, probe, created_at, updated_at)
       VALUES (@siteId, @url, @label, @events, @secret, @probe, @createdAt, @createdAt)`);

  readonly update = this.sql.run<[row: Pick<WebhookRow, "id" | "url" | "label" | "events" | "probe" | "updatedAt">]>(
    "UPDATE webhook SET url = @url, label = @label, events = @events, probe = @probe, updated_at = @updatedAt WHERE id = @id",
  );

  readonly setSecret = this.sql.run<
    [row: Pick<WebhookRow, "id" | "secret" | "previousSecret" | "previousUntil" | "updatedAt">]
  >(`UPDATE webhook SET secret = @secret, previous_secret = @previousSecret, previous_until = @previousUntil, updated_at = @updatedAt
       WHERE id = @id`);

  /** Switches it on or off; the count of failures in a row restarts at 0. */
  readonly setActive = this.sql.run<
    [row: Pick<WebhookRow, "id" | "active" | "disabledAt" | "disabledReason">]
  >(`UPDATE webhook SET active = @active, disabled_at = @disabledAt, disabled_reason = @disabledReason, failures = 0, paused_until = NULL
       WHERE id = @id`);

  setFailures(id: number, failures: number, pausedUntil: number | null): void {
    this.#setFailures.run(failures, pausedUntil, id);
  }

  /** Marks the gap that abandoned deliveries leave; times are epoch ms. */
  readonly addDropped = this.sql.run<
    [gap: { id: number; count: number; from: number; to: number }]
  >(`UPDATE webhook SET dropped = dropped + @count, dropped_from = min(ifnull(dropped_from, @from), @from), dropped_to = max(ifnull(dropped_to, @to), @to)
       WHERE id = @id`);

  readonly clearDropped = this.sql.run<[id: number]>(
    "UPDATE webhook SET dropped = 0, dropped_from = NULL, dropped_to = NULL WHERE id = ?",
  );

  readonly remove = this.sql.run<[id: number]>("DELETE FROM webhook WHERE id = ?");
}
