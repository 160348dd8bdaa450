import type SqliteDatabase from "better-sqlite3";

/** Where a delivery stands: `waiting` in order, `slow` apart because the receiver refuses it, or over. */
export type DeliveryStatus = "waiting" | "slow" | "delivered" | "failed" | "dropped";

/** A row of `webhook_delivery`. */
export interface DeliveryRow {
  readonly seq: number;
  readonly id: string;
  readonly webhook_id: number;
  readonly event: string;
  readonly device_id: string;
  readonly body: string;
  readonly test: number;
  readonly created_at: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly refusals: number;
  readonly next_at: number | null;
  readonly attempted_at: number | null;
  readonly status_code: number | null;
  readonly took_ms: number | null;
  readonly error: string | null;
}

/** A delivery as it is enqueued. */
export type NewDeliveryRow = Pick<DeliveryRow, "id" | "webhook_id" | "event" | "device_id" | "body" | "created_at">;

/** What an attempt changes. */
export type DeliveryResultRow = Pick<
  DeliveryRow,
  "seq" | "status" | "attempts" | "refusals" | "next_at" | "attempted_at" | "status_code" | "took_ms" | "error"
>;

/** The deliveries of one webhook that are not over: few, however long the log is. */
const OWED = "webhook_delivery INDEXED BY webhook_delivery_owed WHERE webhook_id = ? AND status IN ('waiting', 'slow')";

/** All SQL of `webhook_delivery`. Writing methods belong inside a write job. */
export class WebhookDeliveryTable {
  readonly #insert;
  readonly #insertLogged;
  readonly #lastSeq;
  readonly #nextWaiting;
  readonly #nextSlow;
  readonly #result;
  readonly #byId;
  readonly #log;
  readonly #owed;
  readonly #undelivered;
  readonly #again;
  readonly #failedSince;
  readonly #drop;
  readonly #oldestWaiting;
  readonly #expire;
  readonly #trim;

  constructor(raw: SqliteDatabase.Database) {
    this.#insert = raw.prepare<[NewDeliveryRow]>(
      `INSERT INTO webhook_delivery (id, webhook_id, event, device_id, body, created_at, status)
       SELECT :id, id, :event, :device_id, :body, :created_at, 'waiting' FROM webhook WHERE id = :webhook_id`,
    );
    this.#insertLogged = raw.prepare<[Omit<DeliveryRow, "seq">]>(
      `INSERT INTO webhook_delivery
         (id, webhook_id, event, device_id, body, test, created_at, status, attempts, refusals, next_at, attempted_at, status_code, took_ms, error)
       SELECT :id, id, :event, :device_id, :body, :test, :created_at, :status, :attempts, :refusals, :next_at, :attempted_at, :status_code, :took_ms, :error
       FROM webhook WHERE id = :webhook_id`,
    );
    this.#lastSeq = raw.prepare<[], { seq: number | null }>("SELECT max(seq) AS seq FROM webhook_delivery");
    this.#nextWaiting = raw.prepare<[number, number], DeliveryRow>(`SELECT * FROM ${OWED} AND status = 'waiting' AND seq > ? ORDER BY seq LIMIT 1`);
    this.#nextSlow = raw.prepare<[number], DeliveryRow>(`SELECT * FROM ${OWED} AND status = 'slow' ORDER BY next_at, seq LIMIT 50`);
    this.#result = raw.prepare<[DeliveryResultRow]>(
      `UPDATE webhook_delivery SET status = :status, attempts = :attempts, refusals = :refusals, next_at = :next_at, attempted_at = :attempted_at,
         status_code = :status_code, took_ms = :took_ms, error = :error WHERE seq = :seq`,
    );
    this.#byId = raw.prepare<[number, string], DeliveryRow>("SELECT * FROM webhook_delivery WHERE webhook_id = ? AND id = ?");
    this.#log = raw.prepare<[number, number, string, number], DeliveryRow>(
      "SELECT * FROM webhook_delivery WHERE webhook_id = ? AND seq < ? AND status LIKE ? ORDER BY seq DESC LIMIT ?",
    );
    this.#owed = raw.prepare<[number], { count: number; oldest_at: number | null }>(`SELECT count(*) AS count, min(created_at) AS oldest_at FROM ${OWED}`);
    this.#undelivered = raw.prepare<[{ webhook_id: number; most: number }], { count: number }>(
      `SELECT count(*) AS count FROM (
         SELECT 1 FROM webhook_delivery WHERE webhook_id = :webhook_id AND test = 0 AND status IN ('waiting', 'slow', 'failed') AND (status <> 'failed' OR
           seq > ifnull((SELECT seq FROM webhook_delivery WHERE webhook_id = :webhook_id AND status = 'delivered' ORDER BY seq DESC LIMIT 1), 0))
         LIMIT :most)`,
    );
    this.#again = raw.prepare<[number, string]>(
      "UPDATE webhook_delivery SET status = 'waiting', refusals = 0, next_at = NULL WHERE webhook_id = ? AND id = ? AND status <> 'waiting'",
    );
    this.#failedSince = raw.prepare<[number, number]>(
      `UPDATE webhook_delivery SET status = 'waiting', refusals = 0, next_at = NULL
       WHERE webhook_id = ? AND created_at >= ? AND test = 0 AND status IN ('failed', 'slow', 'dropped')`,
    );
    this.#drop = raw.prepare<[number]>(`UPDATE webhook_delivery SET status = 'dropped' WHERE seq IN (SELECT seq FROM ${OWED})`);
    this.#oldestWaiting = raw.prepare<[number, number], { seq: number; created_at: number }>(`SELECT seq, created_at FROM ${OWED} ORDER BY seq LIMIT ?`);
    this.#expire = raw.prepare<[number]>("UPDATE webhook_delivery SET status = 'dropped', error = 'kept too long or too many' WHERE seq = ?");
    this.#trim = raw.prepare<[number, number, number, number, number]>(
      `DELETE FROM webhook_delivery WHERE seq IN (
         SELECT seq FROM webhook_delivery WHERE webhook_id = ? AND status IN ('delivered', 'failed', 'dropped') AND
           (created_at < ? OR seq <= ifnull((SELECT seq FROM webhook_delivery WHERE webhook_id = ? ORDER BY seq DESC LIMIT 1 OFFSET ?), 0))
         ORDER BY seq LIMIT ?)`,
    );
  }

  /** Adds one delivery to the outbox; nothing when the webhook has been removed meanwhile. */
  insert(row: NewDeliveryRow): void {
    this.#insert.run(row);
  }

  /** Adds one that has been tried already, for the log. */
  insertLogged(row: Omit<DeliveryRow, "seq">): void {
    this.#insertLogged.run(row);
  }

  /** The newest delivery of all; 0 when there is none. */
  lastSeq(): number {
    return this.#lastSeq.get()?.seq ?? 0;
  }

  /** The first waiting delivery behind `afterSeq`. */
  nextWaiting(webhookId: number, afterSeq: number): DeliveryRow | null {
    return this.#nextWaiting.get(webhookId, afterSeq) ?? null;
  }

  /** Up to 50 deliveries of the retry queue, the next due first. */
  slow(webhookId: number): DeliveryRow[] {
    return this.#nextSlow.all(webhookId);
  }

  saveResult(row: DeliveryResultRow): void {
    this.#result.run(row);
  }

  byId(webhookId: number, id: string): DeliveryRow | null {
    return this.#byId.get(webhookId, id) ?? null;
  }

  /** Newest first, before `beforeSeq`; all states when `status` is null. */
  log(webhookId: number, query: { beforeSeq: number; status: DeliveryStatus | null; limit: number }): DeliveryRow[] {
    return this.#log.all(webhookId, query.beforeSeq, query.status ?? "%", query.limit);
  }

  /** Deliveries not over yet, and when the oldest of them was enqueued. */
  owed(webhookId: number): { count: number; oldest_at: number | null } {
    return this.#owed.get(webhookId) ?? { count: 0, oldest_at: null };
  }

  /** Deliveries that were not delivered since the last that was, given up or not; counted up to `most`. */
  undelivered(webhookId: number, most: number): number {
    return this.#undelivered.get({ webhook_id: webhookId, most })?.count ?? 0;
  }

  /** Makes one delivery wait again. Returns whether it did not wait already. */
  again(webhookId: number, id: string): boolean {
    return this.#again.run(webhookId, id).changes > 0;
  }

  /** Makes all that failed or were dropped since `sinceMs` wait again; returns how many. */
  failedAgain(webhookId: number, sinceMs: number): number {
    return this.#failedSince.run(webhookId, sinceMs).changes;
  }

  /** Gives up all that wait; returns how many. */
  drop(webhookId: number): number {
    return this.#drop.run(webhookId).changes;
  }

  /** The first `limit` deliveries that are not over. */
  oldestOwed(webhookId: number, limit: number): { seq: number; created_at: number }[] {
    return this.#oldestWaiting.all(webhookId, limit);
  }

  expire(seq: number): void {
    this.#expire.run(seq);
  }

  /** Removes up to `limit` that are over and older than `beforeMs` or not among the newest `keep`; returns how many. */
  trim(webhookId: number, bounds: { beforeMs: number; keep: number; limit: number }): number {
    return this.#trim.run(webhookId, bounds.beforeMs, webhookId, bounds.keep, bounds.limit).changes;
  }
}
