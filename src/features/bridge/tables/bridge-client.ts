import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** A row of `bridge_client`: a credential under which devices of other makes connect. */
export interface BridgeClientRow {
  readonly id: number;
  readonly username: string;
  readonly passwordHash: string;
  readonly name: string;
  readonly family: string | null;
  /** Further families that it was accepted for, separated by spaces. */
  readonly families: string;
  readonly status: "pending" | "accepted" | "refused";
  readonly origin: "paired" | "made";
  readonly mqttClientId: string | null;
  readonly address: string | null;
  readonly firstSeen: number | null;
  readonly lastSeen: number | null;
}

const COLUMNS = `id, username, password_hash AS passwordHash, name, family, families, status, origin, mqtt_client_id AS mqttClientId, address,
  first_seen AS firstSeen, last_seen AS lastSeen`;

/** All SQL of the table `bridge_client`. Writing methods belong inside a write job. */
export class BridgeClientTable extends tableOf(prepare) {
  /** Every client, by id. */
  all(): BridgeClientRow[] {
    return this.sql.all.all();
  }

  /** A client; null when there is none. */
  find(id: number): BridgeClientRow | null {
    return this.sql.find.get(id) ?? null;
  }

  /** Notes when and from where a client was there; nothing where it is no more. */
  seen(row: Pick<BridgeClientRow, "id" | "mqttClientId" | "address" | "firstSeen" | "lastSeen">): void {
    this.sql.seen.run(row);
  }

  /** Notes the families that a client has shown, as long as it waits. */
  showed(row: Pick<BridgeClientRow, "id" | "family" | "families">): void {
    this.sql.showed.run(row);
  }

  /** Stores or replaces a client. */
  put(row: BridgeClientRow): void {
    this.sql.put.run(row);
  }

  /** Forgets a client; its id is not given again. */
  remove(id: number): void {
    this.sql.keepLastId.run();
    this.sql.remove.run(id);
  }

  /** The largest id that a client had. */
  lastId(): number {
    return this.sql.lastId.get()?.id ?? 0;
  }
}

const LAST_ID = `max((SELECT coalesce(max(id), 0) FROM bridge_client),
  (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM hub WHERE key = 'last_bridge_client'))`;

function prepare(raw: SqliteDatabase.Database) {
  return {
    all: raw.prepare<[], BridgeClientRow>(`SELECT ${COLUMNS} FROM bridge_client ORDER BY id`),
    find: raw.prepare<[number], BridgeClientRow>(`SELECT ${COLUMNS} FROM bridge_client WHERE id = ?`),
    seen: raw.prepare<[Pick<BridgeClientRow, "id" | "mqttClientId" | "address" | "firstSeen" | "lastSeen">]>(
      `UPDATE bridge_client SET mqtt_client_id = @mqttClientId, address = @address, first_seen = @firstSeen, last_seen = @lastSeen
       WHERE id = @id`,
    ),
    showed: raw.prepare<[Pick<BridgeClientRow, "id" | "family" | "families">]>(
      "UPDATE bridge_client SET family = @family, families = @families WHERE id = @id AND status = 'pending'",
    ),
    put: raw.prepare<[BridgeClientRow]>(
      `INSERT OR REPLACE INTO bridge_client (id, username, password_hash, name, family, families, status, origin, mqtt_client_id, address, first_seen, last_seen)
       VALUES (@id, @username, @passwordHash, @name, @family, @families, @status, @origin, @mqttClientId, @address, @firstSeen, @lastSeen)`,
    ),
    remove: raw.prepare<[number]>("DELETE FROM bridge_client WHERE id = ?"),
    lastId: raw.prepare<[], { id: number }>(`SELECT ${LAST_ID} AS id`),
    keepLastId: raw.prepare<[]>(`UPDATE hub SET value = CAST(${LAST_ID} AS TEXT) WHERE key = 'last_bridge_client'`),
  };
}
