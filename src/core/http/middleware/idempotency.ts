import type { Clock, Timer } from "../../kernel/clock.ts";
import { sha256Hex } from "../../kernel/ids.ts";
import type { Logger } from "../../kernel/logger.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Database } from "../../storage/database.ts";
import { type IdempotencyId, IdempotencyTable } from "../../storage/tables/idempotency.ts";
import { answerOf, type Exchange, type HubMiddleware, type RouteResponse } from "../exchange.ts";
import { errorAnswer } from "./errors.ts";

const KEPT_MS = 24 * 3_600_000;
const MOST_KEPT = 100_000;
/** Bytes per credential: its own oldest responses are dropped first, never another's. */
const MOST_BYTES = 8 * 1_048_576;
const SWEEP_MS = 3_600_000;
/** Approximate overhead in bytes of a kept response besides its body. */
const OVERHEAD = 800;
const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Replays the response to a repeated request with an Idempotency-Key: the first response is kept for 24 hours per
 * credential, key, method and path, up to 8 MiB per credential. Temporary responses (429, 5xx) are not kept, so that a
 * retry can succeed.
 */
export class Idempotency {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #running = new Map<string, string>();
  /** Bytes kept by credential, for those active since the last sweep. */
  readonly #bytes = new Map<string, number>();
  #table: IdempotencyTable | null = null;
  #sweeper: Timer | null = null;

  constructor(parts: { readonly database: Database; readonly clock: Clock; readonly logger: Logger }) {
    this.#database = parts.database;
    this.#clock = parts.clock;
    this.#logger = parts.logger;
  }

  /** Prepares the statements; needs the open database. */
  start(): void {
    this.#table = new IdempotencyTable(this.#database);
    // the next hour tries again; the database logs its own failures
    this.#sweeper = this.#clock.every(SWEEP_MS, () => void this.sweep().catch(() => {}));
  }

  stop(): void {
    this.#sweeper?.stop();
    this.#sweeper = null;
  }

  /** Forgets what is older than a day. */
  async sweep(): Promise<void> {
    this.#bytes.clear();
    await this.#database.write(() => this.#table?.sweep(this.#clock.now() - KEPT_MS, MOST_KEPT));
  }

  /**
   * Runs the rest of the stack unless this request was answered before. A refusal is an answer too, and is kept like
   * one.
   * @throws Problem `idempotency_key_reused` for another body, `idempotency_in_progress` while the first one runs.
   */
  readonly once: HubMiddleware = async ({ state }, next) => {
    if (state.facts.headers["idempotency-key"] === undefined) return next();
    state.answer = await this.#once(state, state.bytes, async () => {
      try {
        await next();
        return answerOf(state);
      } catch (error) {
        return errorAnswer(error, state, this.#logger);
      }
    });
  };

  async #once(exchange: Exchange, body: Buffer, answer: () => Promise<RouteResponse>): Promise<RouteResponse> {
    const key = exchange.facts.headers["idempotency-key"];
    if (key === undefined || exchange.caller === null || this.#table === null) return answer();
    if (typeof key !== "string" || !KEY.test(key))
      throw new Problem("invalid_request", "Idempotency-Key must be 1 to 255 visible ASCII characters.");
    const id: IdempotencyId = {
      actor: exchange.caller.actor,
      key,
      method: exchange.facts.method,
      path: exchange.facts.path,
    };
    const hash = sha256Hex(body);
    const kept = this.#table.find(id, this.#clock.now() - KEPT_MS);
    if (kept) {
      if (kept.requestHash !== hash) throw reused();
      const { ETag: etag, ...headers } = JSON.parse(kept.headers) as Record<string, string>; // written by #keep
      return {
        status: kept.status,
        bytes: kept.body,
        headers: { ...headers, "Idempotency-Replayed": "true" },
        ...(etag === undefined ? {} : { etag }),
      };
    }
    const name = JSON.stringify(id);
    const runningHash = this.#running.get(name);
    if (runningHash !== undefined && runningHash !== hash) throw reused();
    if (runningHash !== undefined) {
      throw new Problem("idempotency_in_progress", "The first request with this Idempotency-Key is still running.", {
        headers: { "Retry-After": "1" },
      });
    }
    this.#running.set(name, hash);
    try {
      const fresh = await answer();
      // done is done: the answer is true even if it cannot be kept
      if (fresh.status < 500 && fresh.status !== 429) await this.#keep(id, hash, fresh).catch(() => {});
      return fresh;
    } finally {
      this.#running.delete(name);
    }
  }

  async #keep(id: IdempotencyId, hash: string, fresh: RouteResponse): Promise<void> {
    const row = {
      ...id,
      requestHash: hash,
      status: fresh.status,
      headers: JSON.stringify({ ...fresh.headers, ...(fresh.etag === undefined ? {} : { ETag: fresh.etag }) }),
      body: fresh.bytes ?? Buffer.from(JSON.stringify(fresh.body ?? null)),
      createdAt: this.#clock.now(),
    };
    await this.#database.write(() => {
      const { actor } = id;
      this.#table?.put(row);
      const bytes = this.#bytes.get(actor);
      const now = bytes === undefined ? (this.#table?.bytesOf(actor) ?? 0) : bytes + row.body.length + OVERHEAD;
      if (now > MOST_BYTES) this.#table?.shrink(actor, MOST_BYTES / 2);
      if (now > MOST_BYTES) this.#bytes.delete(actor);
      else this.#bytes.set(actor, now);
    });
  }
}

function reused(): Problem {
  return new Problem("idempotency_key_reused", "The Idempotency-Key was used before with another body.");
}
