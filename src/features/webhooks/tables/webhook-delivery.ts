import { Table } from "../../../core/storage/table.ts";

/**
 * The state of a delivery: `waiting` in order, `slow` because the receiver keeps refusing it (the younger ones of its
 * device wait behind it), or over.
 */
export type DeliveryStatus = "waiting" | "slow" | "delivered" | "failed" | "dropped";

/** A row of `webhook_delivery`. */
export interface DeliveryRow {
  readonly seq: number;
  readonly id: string;
  readonly webhookId: number;
  readonly event: string;
  readonly deviceId: string;
  readonly body: string;
  readonly test: number;
  readonly createdAt: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly refusals: number;
  readonly nextAt: number | null;
  readonly attemptedAt: number | null;
  readonly statusCode: number | null;
  readonly tookMs: number | null;
  readonly error: string | null;
}

const COLUMNS = `seq, id, webhook_id AS webhookId, event, device_id AS deviceId, body, test, created_at AS createdAt, status, attempts, refusals,
  next_at AS nextAt, attempted_at AS attemptedAt, status_code AS statusCode, took_ms AS tookMs, error`;

/** A delivery to be enqueued. */
export type NewDeliveryRow = Pick<DeliveryRow, "id" | "webhookId" | "event" | "deviceId" | "body" | "createdAt">;

/** The members that an attempt changes. */
export type DeliveryResultRow = Pick<
  DeliveryRow,
  "seq" | "status" | "attempts" | "refusals" | "nextAt" | "attemptedAt" | "statusCode" | "tookMs" | "error"
>;

/** A delivery of the retry queue. */
export type SlowDelivery = Pick<DeliveryRow, "seq" | "deviceId" | "refusals"> & { readonly nextAt: number };

/** The deliveries of one webhook that are not over: few, however long the log is. */
const PENDING =
  "webhook_delivery INDEXED BY webhook_delivery_owed WHERE webhook_id = ? AND status IN ('waiting', 'slow')";
const SLOW = "webhook_delivery INDEXED BY webhook_delivery_slow WHERE webhook_id = ? AND status = 'slow'";

/** All SQL of `webhook_delivery` and `webhook_subject`. Writing methods belong inside a write job. */
export class WebhookDeliveryTable extends Table {
  readonly #nextWaiting = this.sql.statement<
    [number, number, number],
    DeliveryRow
  >(`SELECT ${COLUMNS} FROM ${PENDING} AND status = 'waiting' AND seq > ? AND device_id NOT IN (SELECT device_id FROM ${SLOW})
       ORDER BY seq LIMIT 1`);
  readonly #dueNow = this.sql.statement<[number, number, number]>(
    `UPDATE webhook_delivery SET next_at = min(next_at, ?) WHERE seq IN (SELECT seq FROM ${SLOW} AND refusals = ?)`,
  );
  readonly #log = this.sql.statement<[number, number, string, number], DeliveryRow>(
    `SELECT ${COLUMNS} FROM webhook_delivery WHERE webhook_id = ? AND seq < ? AND status LIKE ? ORDER BY seq DESC LIMIT ?`,
  );
  readonly #pending = this.sql.statement<[number, number], { count: number; oldestAt: number | null }>(
    `SELECT count(*) AS count, (SELECT created_at FROM ${PENDING} ORDER BY seq LIMIT 1) AS oldestAt FROM ${PENDING}`,
  );
  readonly #again = this.sql.statement<
    [{ webhookId: number; id: string }]
  >(`UPDATE webhook_delivery SET status = 'waiting', refusals = 0, next_at = NULL WHERE webhook_id = @webhookId AND (id = @id AND status <> 'waiting'
         OR status = 'slow' AND device_id = (SELECT device_id FROM webhook_delivery WHERE webhook_id = @webhookId AND id = @id))`);
  readonly #trim = this.sql.statement<
    [number, number, number, number, number]
  >(`DELETE FROM webhook_delivery WHERE seq IN (
         SELECT seq FROM webhook_delivery WHERE webhook_id = ? AND status IN ('delivered', 'failed', 'dropped') AND
           (created_at < ? OR seq <= ifnull((SELECT seq FROM webhook_delivery WHERE webhook_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?), 0))
         ORDER BY seq LIMIT ?)`);

  readonly #insert = this.sql.statement<
    [NewDeliveryRow]
  >(`INSERT INTO webhook_delivery (id, webhook_id, event, device_id, body, created_at, status)
       SELECT @id, id, @event, @deviceId, @body, @createdAt, 'waiting' FROM webhook WHERE id = @webhookId`);
  readonly #insertSubject = this.sql.statement<[siteId: number, subject: string, seq: number | bigint]>(
    "INSERT OR IGNORE INTO webhook_subject (site_id, subject, seq) VALUES (?, ?, ?)",
  );

  /** Removes deliveries that tell of `subject`, in whatever state they are; returns how many. */
  readonly removeAbout = this.sql.changes<[siteId: number, subject: string]>(
    "DELETE FROM webhook_delivery WHERE seq IN (SELECT seq FROM webhook_subject WHERE site_id = ? AND subject = ?)",
  );

  /**
   * Adds one delivery to the outbox; does nothing if the webhook has been removed meanwhile.
   * @param subjects the vehicles that it tells of
   */
  insert(row: NewDeliveryRow, siteId: number, subjects: readonly string[]): void {
    const { changes, lastInsertRowid } = this.#insert.run(row);
    if (changes > 0) for (const subject of subjects) this.#insertSubject.run(siteId, subject, lastInsertRowid);
  }

  /** Adds one that has already been tried, for the log. */
  readonly insertLogged = this.sql.run<[row: Omit<DeliveryRow, "seq">]>(`INSERT INTO webhook_delivery
         (id, webhook_id, event, device_id, body, test, created_at, status, attempts, refusals, next_at, attempted_at, status_code, took_ms, error)
       SELECT @id, id, @event, @deviceId, @body, @test, @createdAt, @status, @attempts, @refusals, @nextAt, @attemptedAt, @statusCode, @tookMs, @error
       FROM webhook WHERE id = @webhookId`);

  /** The newest delivery of all; 0 when there is none. */
  readonly lastSeq = this.sql.value<[], number>("SELECT max(seq) AS seq FROM webhook_delivery", 0);

  /** The first waiting delivery behind `afterSeq` of a device that has none in the retry queue. */
  nextWaiting(webhookId: number, afterSeq: number): DeliveryRow | null {
    return this.#nextWaiting.get(webhookId, afterSeq, webhookId) ?? null;
  }

  /** The retry queue, the next due first: at most one delivery of a device. */
  readonly slow = this.sql.all<[webhookId: number], SlowDelivery>(
    `SELECT seq, device_id AS deviceId, refusals, ifnull(next_at, 0) AS nextAt FROM ${SLOW} ORDER BY next_at, seq`,
  );

  readonly bySeq = this.sql.first<[seq: number], DeliveryRow>(`SELECT ${COLUMNS} FROM webhook_delivery WHERE seq = ?`);

  /** Makes those in the retry queue due at `now` that have been refused `refusals` times. */
  dueNow(webhookId: number, refusals: number, now: number): void {
    this.#dueNow.run(now, webhookId, refusals);
  }

  readonly saveResult = this.sql.run<
    [row: DeliveryResultRow]
  >(`UPDATE webhook_delivery SET status = @status, attempts = @attempts, refusals = @refusals, next_at = @nextAt, attempted_at = @attemptedAt,
         status_code = @statusCode, took_ms = @tookMs, error = @error WHERE seq = @seq`);

  readonly byId = this.sql.first<[webhookId: number, id: string], DeliveryRow>(
    `SELECT ${COLUMNS} FROM webhook_delivery WHERE webhook_id = ? AND id = ?`,
  );

  /** Newest first, before `beforeSeq`; all states when `status` is null. */
  log(webhookId: number, query: { beforeSeq: number; status: DeliveryStatus | null; limit: number }): DeliveryRow[] {
    return this.#log.all(webhookId, query.beforeSeq, query.status ?? "%", query.limit);
  }

  /** Deliveries not over yet, and when the oldest of them was enqueued. */
  pending(webhookId: number): { count: number; oldestAt: number | null } {
    return this.#pending.get(webhookId, webhookId) ?? { count: 0, oldestAt: null };
  }

  /** Makes one delivery wait again, and with it its device's delivery in the retry queue. */
  again(webhookId: number, id: string): void {
    this.#again.run({ webhookId, id });
  }

  /**
   * Has all that failed or were dropped since `sinceMs` wait again, and with them the retry queue; returns how many.
   */
  readonly failedAgain = this.sql.changes<
    [webhookId: number, sinceMs: number]
  >(`UPDATE webhook_delivery SET status = 'waiting', refusals = 0, next_at = NULL
       WHERE webhook_id = ? AND (status = 'slow' OR created_at >= ? AND test = 0 AND status IN ('failed', 'dropped'))`);

  /** Gives up all that are waiting; returns how many. */
  readonly drop = this.sql.changes<[webhookId: number]>(
    `UPDATE webhook_delivery SET status = 'dropped' WHERE seq IN (SELECT seq FROM ${PENDING})`,
  );

  /** Gives up what is waiting of events that are not among these, a JSON list; returns how many. */
  readonly leaveOut = this.sql.changes<[webhookId: number, events: string]>(
    `UPDATE webhook_delivery SET status = 'dropped', error = 'the webhook does not get this event any more' WHERE seq IN
       (SELECT seq FROM ${PENDING} AND test = 0 AND event NOT IN (SELECT value FROM json_each(?)))`,
  );

  /** The first `limit` deliveries that are not over. */
  readonly oldestOwed = this.sql.all<[webhookId: number, limit: number], { seq: number; createdAt: number }>(
    `SELECT seq, created_at AS createdAt FROM ${PENDING} ORDER BY seq LIMIT ?`,
  );

  readonly expire = this.sql.run<[seq: number]>(
    "UPDATE webhook_delivery SET status = 'dropped', error = 'kept too long or too many' WHERE seq = ?",
  );

  /** Removes up to `limit` that are over and older than `beforeMs` or not among the newest `keep`; returns how many. */
  trim(webhookId: number, bounds: { beforeMs: number; keep: number; limit: number }): number {
    return this.#trim.run(webhookId, bounds.beforeMs, webhookId, bounds.keep, bounds.limit).changes;
  }
}
