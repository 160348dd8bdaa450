import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `gate_contact`. */
export interface GateContactRow {
  readonly gateId: string;
  readonly contactId: string;
}

/** All SQL of `gate_contact`. Writing methods belong inside a write job. */
export class GateContactTable extends tableOf(prepare) {
  /** Those of all sites; there are few. */
  all(): GateContactRow[] {
    return this.sql.all.all();
  }

  /** The contact sensor of a gate; null: none. */
  set(gateId: string, contactId: string | null): void {
    if (contactId === null) this.sql.remove.run(gateId);
    else this.sql.put.run({ gateId, contactId });
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    all: raw.prepare<[], GateContactRow>("SELECT gate_id AS gateId, contact_id AS contactId FROM gate_contact"),
    put: raw.prepare<[GateContactRow]>(
      `INSERT INTO gate_contact (gate_id, contact_id) VALUES (@gateId, @contactId)
       ON CONFLICT (gate_id) DO UPDATE SET contact_id = @contactId`,
    ),
    remove: raw.prepare<[string]>("DELETE FROM gate_contact WHERE gate_id = ?"),
  };
}
