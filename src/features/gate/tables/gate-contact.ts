import { Table } from "../../../core/storage/table.ts";

/** A row of `gate_contact`. */
export interface GateContactRow {
  readonly gateId: string;
  readonly contactId: string;
}

/** All SQL of `gate_contact`. Writing methods belong inside a write job. */
export class GateContactTable extends Table {
  readonly #put = this.sql.statement<
    [GateContactRow]
  >(`INSERT INTO gate_contact (gate_id, contact_id) VALUES (@gateId, @contactId)
       ON CONFLICT (gate_id) DO UPDATE SET contact_id = @contactId`);
  readonly #remove = this.sql.statement<[string]>("DELETE FROM gate_contact WHERE gate_id = ?");

  /** Those of all sites; there are few. */
  readonly all = this.sql.all<[], GateContactRow>(
    "SELECT gate_id AS gateId, contact_id AS contactId FROM gate_contact",
  );

  /** The contact sensor of a gate; null: none. */
  set(gateId: string, contactId: string | null): void {
    if (contactId === null) this.#remove.run(gateId);
    else this.#put.run({ gateId, contactId });
  }
}
