import { Table } from "../table.ts";

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

/** Approximate bytes of a row: the caller-controlled part, and the rest. */
const SIZE = "length(body) + length(headers) + 2 * (length(key) + length(path)) + 200";

/** All SQL of `idempotency`. */
export class IdempotencyTable extends Table {
  readonly #find = this.sql.statement<
    [IdempotencyId & { after: number }],
    IdempotencyRow
  >(`SELECT ${COLUMNS} FROM idempotency
       WHERE actor = @actor AND key = @key AND method = @method AND path = @path AND created_at > @after`);
  readonly #shrink = this.sql.statement<
    [{ actor: string; most: number }]
  >(`DELETE FROM idempotency WHERE actor = @actor AND created_at <= (
         SELECT max(created_at) FROM (
           SELECT created_at, sum(${SIZE}) OVER (ORDER BY created_at DESC) AS bytes FROM idempotency WHERE actor = @actor
         ) WHERE bytes > @most)`);
  readonly #removeBefore = this.sql.statement<[number]>("DELETE FROM idempotency WHERE created_at <= ?");
  readonly #trim = this.sql.statement<[number]>(
    `DELETE FROM idempotency WHERE created_at < (SELECT created_at FROM idempotency ORDER BY created_at DESC LIMIT 1 OFFSET ?)`,
  );

  /** The answer kept for exactly this request since `after` (epoch ms). */
  find(id: IdempotencyId, after: number): IdempotencyRow | null {
    return this.#find.get({ actor: id.actor, key: id.key, method: id.method, path: id.path, after }) ?? null;
  }

  readonly put = this.sql.run<
    [row: IdempotencyRow]
  >(`INSERT OR REPLACE INTO idempotency (actor, key, method, path, request_hash, status, headers, body, created_at)
       VALUES (@actor, @key, @method, @path, @requestHash, @status, @headers, @body, @createdAt)`);

  /** Approximate bytes of the kept responses of one credential. */
  readonly bytesOf = this.sql.value<[actor: string], number>(
    `SELECT coalesce(sum(${SIZE}), 0) AS bytes FROM idempotency WHERE actor = ?`,
    0,
  );

  /** Deletes the oldest responses of one credential until the rest takes at most `most` bytes. */
  shrink(actor: string, most: number): void {
    this.#shrink.run({ actor, most });
  }

  /** Deletes responses made at or before `before`, and the oldest ones beyond `most`. */
  sweep(before: number, most: number): void {
    this.#removeBefore.run(before);
    this.#trim.run(most);
  }
}
