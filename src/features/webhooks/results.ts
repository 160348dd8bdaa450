import type { Clock, Timer } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { ReceiverResponse } from "../../core/kernel/post.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Outbox } from "./outbox.ts";
import { REFUSALS_TO_SLOW, retryGap } from "./schedule.ts";
import type { DeliveryResultRow, DeliveryRow } from "./tables/webhook-delivery.ts";

const SAVE_AFTER_MS = 1_000;
const SAVE_AT = 100;

/** Results of deliveries that are written to the outbox together, to spare the disk. */
export class Results {
  readonly #options: {
    readonly database: Database;
    readonly outbox: { readonly table: Pick<Outbox["table"], "saveResult"> };
    readonly clock: Clock;
    readonly logger: Logger;
  };
  readonly #unsaved = new Map<number, DeliveryResultRow>();
  #timer: Timer | null = null;

  constructor(options: {
    readonly database: Database;
    readonly outbox: { readonly table: Pick<Outbox["table"], "saveResult"> };
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  get size(): number {
    return this.#unsaved.size;
  }

  /** The result of a delivery that is not written yet, if any. */
  get(seq: number): DeliveryResultRow | null {
    return this.#unsaved.get(seq) ?? null;
  }

  /** Keeps a result for the next write, at most a second away. */
  add(result: DeliveryResultRow): void {
    this.#unsaved.set(result.seq, result);
    if (this.#unsaved.size >= SAVE_AT) this.#saveSoon();
    else this.#timer ??= this.#options.clock.after(SAVE_AFTER_MS, () => this.#saveSoon());
  }

  /** Writes what is waiting. @throws when the disk refuses; it stays in memory */
  async save(): Promise<void> {
    this.#timer?.stop();
    this.#timer = null;
    const results = [...this.#unsaved.values()];
    if (results.length === 0) return;
    await this.#options.database.write(() => {
      for (const result of results) this.#options.outbox.table.saveResult(result);
    });
    for (const result of results) if (this.#unsaved.get(result.seq) === result) this.#unsaved.delete(result.seq);
  }

  /** Writes pending results and stops the timer, whatever happens. */
  async close(): Promise<void> {
    await this.save().catch((error) => this.#failed(error));
    this.#timer?.stop();
    this.#timer = null;
  }

  #saveSoon(): void {
    this.save().catch((error) => this.#failed(error));
  }

  #failed(error: unknown): void {
    this.#options.logger.error({ err: error }, "results of webhook deliveries could not be written");
  }
}

/** The result of an attempt; the delivery stays in its state. */
export function resultOf(row: DeliveryRow, answer: ReceiverResponse, now: number): DeliveryResultRow {
  return {
    seq: row.seq,
    status: row.status,
    attempts: row.attempts + 1,
    refusals: row.refusals + (answer.status !== null && !answer.ok ? 1 : 0),
    nextAt: null,
    attemptedAt: now,
    statusCode: answer.status,
    tookMs: answer.tookMs,
    error: answer.error,
  };
}

/**
 * The result of an attempt without 2xx: the delivery stays where it is, moves to the retry queue, or is given up.
 * `takesOthers`: whether the receiver has taken the delivery tried before this one. One that has just come into the
 * retry queue stays at its beginning until then.
 */
export function afterRefusal(
  row: DeliveryRow,
  answer: ReceiverResponse,
  { now, takesOthers }: { readonly now: number; readonly takesOthers: boolean },
): DeliveryResultRow {
  const noted = resultOf(row, answer, now);
  const isUnproved = row.refusals === REFUSALS_TO_SLOW && !takesOthers;
  const result = isUnproved ? { ...noted, refusals: row.refusals } : noted;
  if (result.refusals < REFUSALS_TO_SLOW) return result;
  const gap = retryGap(result.refusals - REFUSALS_TO_SLOW);
  return gap === null
    ? { ...result, status: "failed", nextAt: null }
    : { ...result, status: "slow", nextAt: now + gap };
}
