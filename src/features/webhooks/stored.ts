import type { Database } from "../../core/storage/database.ts";
import type { Outbox } from "./outbox.ts";

/** Knows which deliveries are on the medium: a receiver never gets a delivery that a power cut could take back. */
export class StoredDeliveries {
  readonly #options: ConstructorParameters<typeof StoredDeliveries>[0];
  /** Deliveries up to this one are on the medium. */
  #upTo = 0;

  constructor(options: {
    readonly database: Pick<Database, "durable">;
    readonly outbox: { readonly table: Pick<Outbox["table"], "lastSeq"> };
  }) {
    this.#options = options;
  }

  /**
   * Resolves when the delivery is on the medium; one wait serves all that are due by then.
   * @throws Problem `unavailable`
   */
  async reached(seq: number): Promise<void> {
    if (seq <= this.#upTo) return;
    const { database, outbox } = this.#options;
    const last = outbox.table.lastSeq();
    await database.durable();
    this.#upTo = Math.max(this.#upTo, last);
  }
}
