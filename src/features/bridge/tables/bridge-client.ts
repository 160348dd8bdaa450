import { Table } from "../../../core/storage/table.ts";

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
export class BridgeClientTable extends Table {
  readonly #remove = this.sql.statement<[number]>("DELETE FROM bridge_client WHERE id = ?");
  readonly #keepLastId = this.sql.statement<[]>(
    `UPDATE hub SET value = CAST(${LAST_ID} AS TEXT) WHERE key = 'last_bridge_client'`,
  );

  /** Every client, by id. */
  readonly all = this.sql.all<[], BridgeClientRow>(`SELECT ${COLUMNS} FROM bridge_client ORDER BY id`);

  /** A client; null when there is none. */
  readonly find = this.sql.first<[id: number], BridgeClientRow>(`SELECT ${COLUMNS} FROM bridge_client WHERE id = ?`);

  /** Notes when and from where a client was there; nothing where it is no more. */
  readonly seen = this.sql.run<
    [row: Pick<BridgeClientRow, "id" | "mqttClientId" | "address" | "firstSeen" | "lastSeen">]
  >(`UPDATE bridge_client SET mqtt_client_id = @mqttClientId, address = @address, first_seen = @firstSeen, last_seen = @lastSeen
       WHERE id = @id`);

  /** Notes the families that a client has shown, as long as it waits. */
  readonly showed = this.sql.run<[row: Pick<BridgeClientRow, "id" | "family" | "families">]>(
    "UPDATE bridge_client SET family = @family, families = @families WHERE id = @id AND status = 'pending'",
  );

  /** Stores or replaces a client. */
  readonly put = this.sql.run<
    [row: BridgeClientRow]
  >(`INSERT OR REPLACE INTO bridge_client (id, username, password_hash, name, family, families, status, origin, mqtt_client_id, address, first_seen, last_seen)
       VALUES (@id, @username, @passwordHash, @name, @family, @families, @status, @origin, @mqttClientId, @address, @firstSeen, @lastSeen)`);

  /** Forgets a client; its id is not given again. */
  remove(id: number): void {
    this.#keepLastId.run();
    this.#remove.run(id);
  }

  /** The largest id that a client had. */
  readonly lastId = this.sql.value<[], number>(`SELECT ${LAST_ID} AS id`, 0);
}

const LAST_ID = `max((SELECT coalesce(max(id), 0) FROM bridge_client),
  (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM hub WHERE key = 'last_bridge_client'))`;
