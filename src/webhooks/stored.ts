import type { Database } from "../storage/database.js";
import type { Outbox } from "./outbox.js";

/** Knows which deliveries are on the medium: a receiver is not told what a power cut would take back. */
export class StoredDeliveries {
  readonly #database: Pick<Database, "durable">;
  readonly #outbox: Outbox;
  /** Deliveries up to this one are. */
  #upTo = 0;

  constructor({ database, outbox }: { readonly database: Pick<Database, "durable">; readonly outbox: Outbox }) {
    this.#database = database;
    this.#outbox = outbox;
  }

  /**
   * Resolves when the delivery is on the medium; one wait serves all that is owed by then.
   * @throws Problem `unavailable`
   */
  async reached(seq: number): Promise<void> {
    if (seq <= this.#upTo) return;
    const last = this.#outbox.table.lastSeq();
    await this.#database.durable();
    this.#upTo = Math.max(this.#upTo, last);
  }
}
