import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `site`: one household of an account. */
export interface SiteRow {
  readonly id: number;
  readonly accountId: number;
  readonly env: "live" | "test";
  readonly name: string;
  /** IANA name. */
  readonly timeZone: string;
  readonly latitude: number | null;
  readonly longitude: number | null;
  /** Vehicles that fit; null = occupancy is not managed. */
  readonly capacity: number | null;
}

const COLUMNS = `id, account_id AS accountId, env, name, time_zone AS timeZone, latitude, longitude, capacity`;

/** All SQL of the table `site`. Writing methods belong inside a write job. */
export class SiteTable extends tableOf(prepare) {
  /** All households of the hub. */
  all(): SiteRow[] {
    return this.sql.all.all();
  }

  /** One household; null when there is none. */
  byId(id: number): SiteRow | null {
    return this.sql.byId.get(id) ?? null;
  }

  /** The household of (account, env); null when there is none. */
  of(accountId: number, env: "live" | "test"): SiteRow | null {
    return this.sql.of.get(accountId, env) ?? null;
  }

  /** Stores a new household and answers its id. */
  insert(row: Omit<SiteRow, "id">): number {
    return Number(this.sql.insert.run(row).lastInsertRowid);
  }

  /** Writes all members of a household that an owner may change. */
  update(row: SiteRow): void {
    this.sql.update.run(row);
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    all: raw.prepare<[], SiteRow>(`SELECT ${COLUMNS} FROM site ORDER BY id`),
    byId: raw.prepare<[number], SiteRow>(`SELECT ${COLUMNS} FROM site WHERE id = ?`),
    of: raw.prepare<[number, string], SiteRow>(`SELECT ${COLUMNS} FROM site WHERE account_id = ? AND env = ?`),
    insert: raw.prepare<[Omit<SiteRow, "id">]>(
      `INSERT INTO site (account_id, env, name, time_zone, latitude, longitude, capacity)
       VALUES (@accountId, @env, @name, @timeZone, @latitude, @longitude, @capacity)`,
    ),
    update: raw.prepare<[SiteRow]>(
      "UPDATE site SET name = @name, time_zone = @timeZone, latitude = @latitude, longitude = @longitude, capacity = @capacity WHERE id = @id",
    ),
  };
}
