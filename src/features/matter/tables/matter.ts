import { Table } from "../../../core/storage/table.ts";
import { IssuedTable } from "../../access/tables/issued.ts";

/** A row of `matter_choice`. */
export interface MatterChoiceRow {
  readonly subject: string;
  readonly shown: number;
  readonly guarded: number;
}

/** A row of `matter_fabric`. Times are epoch milliseconds. */
export interface MatterFabricRow {
  readonly id: number;
  readonly fabric: string;
  readonly fabricIndex: number;
  readonly vendorId: number;
  readonly name: string;
  readonly joinedAt: number;
  readonly leftAt: number | null;
}

const FABRIC_COLUMNS =
  "id, fabric, fabric_index AS fabricIndex, vendor_id AS vendorId, name, joined_at AS joinedAt, left_at AS leftAt";

/**
 * All SQL of the tables `matter_endpoint`, `matter_choice`, `matter_fabric` and `matter_pin`. Writing methods belong
 * inside a write job.
 */
export class MatterTables extends Table {
  readonly #numbers = this.sql.statement<[number], { subject: string; number: number }>(
    "SELECT subject, number FROM matter_endpoint WHERE site_id = ?",
  );
  readonly #numberOf = this.sql.statement<[number, string], { number: number }>(
    "SELECT number FROM matter_endpoint WHERE site_id = ? AND subject = ?",
  );
  readonly #insertNumber = this.sql.statement<[number, string]>(
    "INSERT INTO matter_endpoint (site_id, subject) VALUES (?, ?)",
  );
  readonly #fabricLeft = this.sql.statement<[number, number]>(
    "UPDATE matter_fabric SET left_at = ? WHERE id = ? AND left_at IS NULL",
  );
  readonly #setGuesses = this.sql.statement<[string, number]>("UPDATE matter_pin SET guesses = ? WHERE site_id = ?");

  #issued: IssuedTable | null = null;

  /** Numbers of a household's endpoints, by subject. */
  numbers(siteId: number): Map<string, number> {
    return new Map(this.#numbers.all(siteId).map(({ subject, number }) => [subject, number]));
  }

  /**
   * The number of a subject; it gets the next one if it has none.
   * @throws Error of the database when all numbers are used
   */
  number(siteId: number, subject: string): number {
    return (
      this.#numberOf.get(siteId, subject)?.number ?? Number(this.#insertNumber.run(siteId, subject).lastInsertRowid)
    );
  }

  readonly choices = this.sql.all<[siteId: number], MatterChoiceRow>(
    "SELECT subject, shown, guarded FROM matter_choice WHERE site_id = ?",
  );

  readonly choose = this.sql.run<
    [row: MatterChoiceRow & { readonly siteId: number }]
  >(`INSERT INTO matter_choice (site_id, subject, shown, guarded) VALUES (@siteId, @subject, @shown, @guarded)
       ON CONFLICT (site_id, subject) DO UPDATE SET shown = excluded.shown, guarded = excluded.guarded`);

  /** Those that have joined and the last that left, oldest first. */
  readonly fabrics = this.sql.all<[], MatterFabricRow>(`SELECT ${FABRIC_COLUMNS} FROM matter_fabric ORDER BY id`);

  /** Stores one that joined, or what has changed about it. */
  readonly putFabric = this.sql.run<
    [row: Omit<MatterFabricRow, "id" | "leftAt">]
  >(`INSERT INTO matter_fabric (fabric, fabric_index, vendor_id, name, joined_at) VALUES (@fabric, @fabricIndex, @vendorId, @name, @joinedAt)
       ON CONFLICT (fabric) DO UPDATE SET fabric_index = excluded.fabric_index, vendor_id = excluded.vendor_id, name = excluded.name, left_at = NULL`);

  /** Whether the person who let a home in is still an owner at `at`, which has certainly come. */
  stands(id: number, at: number): boolean {
    this.#issued ??= new IssuedTable(this.database);
    return this.#issued.stands("matter_home", String(id), at);
  }

  /** Notes that one has left. */
  fabricLeft(id: number, at: number): void {
    this.#fabricLeft.run(at, id);
  }

  /** Deletes those that left, except the `most` that left last. */
  readonly trimFabrics = this.sql.run<[most: number]>(
    "DELETE FROM matter_fabric WHERE id IN (SELECT id FROM matter_fabric WHERE left_at IS NOT NULL ORDER BY left_at DESC, id DESC LIMIT -1 OFFSET ?)",
  );

  /** The keyed hash of the household's PIN. A null hash: no PIN is required; null: not chosen yet. */
  readonly pin = this.sql.first<[siteId: number], { hash: string | null }>(
    "SELECT hash FROM matter_pin WHERE site_id = ?",
  );

  readonly setPin = this.sql.run<[siteId: number, hash: string | null, at: number]>(
    "INSERT INTO matter_pin (site_id, hash, changed_at) VALUES (?, ?, ?) ON CONFLICT (site_id) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at",
  );

  /** The state of guesses at the PIN, as JSON; null: no PIN was chosen yet. */
  readonly guesses = this.sql.value<[siteId: number], string | null>(
    "SELECT guesses FROM matter_pin WHERE site_id = ?",
    null,
  );

  setGuesses(siteId: number, guesses: string): void {
    this.#setGuesses.run(guesses, siteId);
  }
}
