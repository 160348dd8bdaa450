import { Table } from "../../../core/storage/table.ts";

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
export class SiteTable extends Table {
  /** All households of the hub. */
  readonly all = this.sql.all<[], SiteRow>(`SELECT ${COLUMNS} FROM site ORDER BY id`);

  /** One household; null when there is none. */
  readonly byId = this.sql.first<[id: number], SiteRow>(`SELECT ${COLUMNS} FROM site WHERE id = ?`);

  /** The household of (account, env); null when there is none. */
  readonly of = this.sql.first<[accountId: number, env: "live" | "test"], SiteRow>(
    `SELECT ${COLUMNS} FROM site WHERE account_id = ? AND env = ?`,
  );

  /** Stores a new household and returns its id. */
  readonly insert = this.sql.insert<
    [row: Omit<SiteRow, "id">]
  >(`INSERT INTO site (account_id, env, name, time_zone, latitude, longitude, capacity)
       VALUES (@accountId, @env, @name, @timeZone, @latitude, @longitude, @capacity)`);

  /** Writes all members of a household that an owner may change. */
  readonly update = this.sql.run<[row: SiteRow]>(
    "UPDATE site SET name = @name, time_zone = @timeZone, latitude = @latitude, longitude = @longitude, capacity = @capacity WHERE id = @id",
  );
}
