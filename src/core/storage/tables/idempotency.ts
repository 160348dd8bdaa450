import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../table.ts";

/** A row of `idempotency`: one kept answer. */
export interface IdempotencyRow {
  readonly actor: string;
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly requestHash: string;
  readonly status: number;
  readonly headers: string;
  readonly body: Buffer;
  readonly createdAt: number;
}

const COLUMNS = `actor, key, method, path, request_hash AS requestHash, status, headers, body, created_at AS createdAt`;

/** What identifies a kept answer. */
export type IdempotencyId = Pick<IdempotencyRow, "actor" | "key" | "method" | "path">;

/** Approximate bytes of a row: what the caller controls, and the rest. */
const SIZE = "length(body) + length(headers) + 2 * (length(key) + length(path)) + 200";

/** All SQL of `idempotency`. */
export class IdempotencyTable extends tableOf(prepare) {
  /** The answer kept for exactly this request since `after` (epoch ms). */
  find(id: IdempotencyId, after: number): IdempotencyRow | null {
    return this.sql.find.get({ actor: id.actor, key: id.key, method: id.method, path: id.path, after }) ?? null;
  }

  put(row: IdempotencyRow): void {
    this.sql.put.run(row);
  }

  /** Bytes that the kept answers of one credential take, approximately. */
  bytesOf(actor: string): number {
    return this.sql.bytesOf.get(actor)?.bytes ?? 0;
  }

  /** Forgets the oldest answers of one credential until the others take at most `most` bytes. */
  shrink(actor: string, most: number): void {
    this.sql.shrink.run({ actor, most });
  }

  /** Forgets answers made at or before `before`, and the oldest ones beyond `most`. */
  sweep(before: number, most: number): void {
    this.sql.removeBefore.run(before);
    this.sql.trim.run(most);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    find: raw.prepare<[IdempotencyId & { after: number }], IdempotencyRow>(
      `SELECT ${COLUMNS} FROM idempotency
       WHERE actor = @actor AND key = @key AND method = @method AND path = @path AND created_at > @after`,
    ),
    put: raw.prepare<[IdempotencyRow]>(
      `INSERT OR REPLACE INTO idempotency (actor, key, method, path, request_hash, status, headers, body, created_at)
       VALUES (@actor, @key, @method, @path, @requestHash, @status, @headers, @body, @createdAt)`,
    ),
    bytesOf: raw.prepare<[string], { bytes: number }>(
      `SELECT coalesce(sum(${SIZE}), 0) AS bytes FROM idempotency WHERE actor = ?`,
    ),
    shrink: raw.prepare<[{ actor: string; most: number }]>(
      `DELETE FROM idempotency WHERE actor = @actor AND created_at <= (
         SELECT max(created_at) FROM (
           SELECT created_at, sum(${SIZE}) OVER (ORDER BY created_at DESC) AS bytes FROM idempotency WHERE actor = @actor
         ) WHERE bytes > @most)`,
    ),
    removeBefore: raw.prepare<[number]>("DELETE FROM idempotency WHERE created_at <= ?"),
    trim: raw.prepare<[number]>(
      `DELETE FROM idempotency WHERE created_at < (SELECT created_at FROM idempotency ORDER BY created_at DESC LIMIT 1 OFFSET ?)`,
    ),
  };
}
