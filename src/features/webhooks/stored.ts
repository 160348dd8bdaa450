import type { Database } from "../../core/storage/database.ts";
import type { Outbox } from "./outbox.ts";

/** Knows which deliveries are on the medium: a receiver never gets a delivery that a power cut could take back. */
export class StoredDeliveries {
  readonly #database: Pick<Database, "durable">;
  readonly #outbox: { readonly table: Pick<Outbox["table"], "lastSeq"> };
  /** Deliveries up to this one are on the medium. */
  #upTo = 0;

  constructor(database: Pick<Database, "durable">, outbox: { readonly table: Pick<Outbox["table"], "lastSeq"> }) {
    this.#database = database;
    this.#outbox = outbox;
  }

  /**
   * Resolves when the delivery is on the medium; one wait serves all that are due by then.
   * @throws Problem `unavailable`
   */
  async reached(seq: number): Promise<void> {
    if (seq <= this.#upTo) return;
    const last = this.#outbox.table.lastSeq();
    await this.#database.durable();
    this.#upTo = Math.max(this.#upTo, last);
  }
}
