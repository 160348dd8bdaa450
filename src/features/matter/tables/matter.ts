import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";
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
export class MatterTables extends tableOf(prepare) {
  #issued: IssuedTable | null = null;

  /** Numbers of a household's endpoints, by subject. */
  numbers(siteId: number): Map<string, number> {
    return new Map(this.sql.numbers.all(siteId).map(({ subject, number }) => [subject, number]));
  }

  /**
   * The number of a subject; it gets the next one if it has none.
   * @throws Error of the database when all numbers are used
   */
  number(siteId: number, subject: string): number {
    return (
      this.sql.numberOf.get(siteId, subject)?.number ??
      Number(this.sql.insertNumber.run(siteId, subject).lastInsertRowid)
    );
  }

  choices(siteId: number): MatterChoiceRow[] {
    return this.sql.choices.all(siteId);
  }

  choose(row: MatterChoiceRow & { readonly siteId: number }): void {
    this.sql.choose.run(row);
  }

  /** Those that have joined and the last that left, oldest first. */
  fabrics(): MatterFabricRow[] {
    return this.sql.fabrics.all();
  }

  /** Stores one that joined, or what has changed about it. */
  putFabric(row: Omit<MatterFabricRow, "id" | "leftAt">): void {
    this.sql.putFabric.run(row);
  }

  /** Whether the person who let a home in is still an owner. */
  stands(id: number): boolean {
    this.#issued ??= new IssuedTable(this.database);
    return this.#issued.stands("matter_home", String(id));
  }

  /** Notes that one has left. */
  fabricLeft(id: number, at: number): void {
    this.sql.fabricLeft.run(at, id);
  }

  /** Forgets those that left, but for the `most` that left last. */
  trimFabrics(most: number): void {
    this.sql.trimFabrics.run(most);
  }

  /** The keyed hash of the household's PIN. A null hash: no PIN is asked for; null: nothing was chosen yet. */
  pin(siteId: number): { readonly hash: string | null } | null {
    return this.sql.pin.get(siteId) ?? null;
  }

  setPin(siteId: number, hash: string | null, at: number): void {
    this.sql.setPin.run(siteId, hash, at);
  }

  /** The state of guesses at the PIN, as JSON; null: no PIN was chosen yet. */
  guesses(siteId: number): string | null {
    return this.sql.guesses.get(siteId)?.guesses ?? null;
  }

  setGuesses(siteId: number, guesses: string): void {
    this.sql.setGuesses.run(guesses, siteId);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    numbers: raw.prepare<[number], { subject: string; number: number }>(
      "SELECT subject, number FROM matter_endpoint WHERE site_id = ?",
    ),
    numberOf: raw.prepare<[number, string], { number: number }>(
      "SELECT number FROM matter_endpoint WHERE site_id = ? AND subject = ?",
    ),
    insertNumber: raw.prepare<[number, string]>("INSERT INTO matter_endpoint (site_id, subject) VALUES (?, ?)"),
    choices: raw.prepare<[number], MatterChoiceRow>(
      "SELECT subject, shown, guarded FROM matter_choice WHERE site_id = ?",
    ),
    choose: raw.prepare<[MatterChoiceRow & { readonly siteId: number }]>(
      `INSERT INTO matter_choice (site_id, subject, shown, guarded) VALUES (@siteId, @subject, @shown, @guarded)
       ON CONFLICT (site_id, subject) DO UPDATE SET shown = excluded.shown, guarded = excluded.guarded`,
    ),
    fabrics: raw.prepare<[], MatterFabricRow>(`SELECT ${FABRIC_COLUMNS} FROM matter_fabric ORDER BY id`),
    putFabric: raw.prepare<[Omit<MatterFabricRow, "id" | "leftAt">]>(
      `INSERT INTO matter_fabric (fabric, fabric_index, vendor_id, name, joined_at) VALUES (@fabric, @fabricIndex, @vendorId, @name, @joinedAt)
       ON CONFLICT (fabric) DO UPDATE SET fabric_index = excluded.fabric_index, vendor_id = excluded.vendor_id, name = excluded.name, left_at = NULL`,
    ),
    fabricLeft: raw.prepare<[number, number]>("UPDATE matter_fabric SET left_at = ? WHERE id = ? AND left_at IS NULL"),
    trimFabrics: raw.prepare<[number]>(
      "DELETE FROM matter_fabric WHERE id IN (SELECT id FROM matter_fabric WHERE left_at IS NOT NULL ORDER BY left_at DESC, id DESC LIMIT -1 OFFSET ?)",
    ),
    pin: raw.prepare<[number], { hash: string | null }>("SELECT hash FROM matter_pin WHERE site_id = ?"),
    guesses: raw.prepare<[number], { guesses: string }>("SELECT guesses FROM matter_pin WHERE site_id = ?"),
    setGuesses: raw.prepare<[string, number]>("UPDATE matter_pin SET guesses = ? WHERE site_id = ?"),
    setPin: raw.prepare<[number, string | null, number]>(
      "INSERT INTO matter_pin (site_id, hash, changed_at) VALUES (?, ?, ?) ON CONFLICT (site_id) DO UPDATE SET hash = excluded.hash, changed_at = excluded.changed_at",
    ),
  };
}
