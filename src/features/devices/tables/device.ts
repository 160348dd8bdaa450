import { Table } from "../../../core/storage/table.ts";

/** A row of `device` as SQLite holds it: JSON as text, booleans as 0 and 1. */
export interface DeviceRow {
  readonly id: string;
  readonly siteId: number;
  readonly roomId: number | null;
  readonly name: string;
  readonly type: string;
  readonly icon: string | null;
  readonly favorite: number;
  readonly firmware: string | null;
  readonly model: string | null;
  readonly manufacturer: string | null;
  readonly metrics: string;
  readonly commandSchema: string | null;
  readonly state: string;
  readonly stateAt: number | null;
  readonly stateOwed: string | null;
  readonly online: number;
  readonly lastSeen: number | null;
  readonly battery: number | null;
  readonly signal: number | null;
  readonly reportIntervalMs: number | null;
  readonly simulated: number;
  readonly passwordHash: string | null;
  readonly createdAt: number;
}

/** A person's settings of a device. */
export type DeviceSettingsRow = Pick<DeviceRow, "id" | "roomId" | "name" | "type" | "icon" | "favorite">;

/** What a device reports about itself in `info` and `status`. */
export type DeviceInfoRow = Pick<
  DeviceRow,
  "id" | "type" | "firmware" | "model" | "manufacturer" | "metrics" | "commandSchema" | "reportIntervalMs"
>;

/** State of one device, with the delivery that is still due for it. */
export type DeviceStateRow = Pick<DeviceRow, "state" | "stateOwed">;

/** Members written in batches: see `features/devices/presence.ts`. */
export type DeviceVitalsRow = Pick<DeviceRow, "id" | "lastSeen" | "battery" | "signal">;

const COLUMNS = `id, site_id AS siteId, room_id AS roomId, name, type, icon, favorite, firmware, model, manufacturer, metrics,
  command_schema AS commandSchema, state, state_at AS stateAt, state_owed AS stateOwed, online,
  last_seen AS lastSeen, battery, signal, report_interval_ms AS reportIntervalMs, simulated,
  password_hash AS passwordHash, created_at AS createdAt`;

/** All SQL of `device` and of `retired_device`. */
export class DeviceTable extends Table {
  readonly #setPending = this.sql.statement<[string | null, string]>("UPDATE device SET state_owed = ? WHERE id = ?");
  readonly #pending = this.sql.statement<[], { id: string }>("SELECT id FROM device WHERE state_owed IS NOT NULL");
  readonly #setOnline = this.sql.statement<[number, number | null, string]>(
    "UPDATE device SET online = ?, last_seen = ? WHERE id = ?",
  );
  readonly #setPassword = this.sql.statement<[string | null, string]>(
    "UPDATE device SET password_hash = ? WHERE id = ?",
  );
  readonly #keepLastCommand = this.sql.statement<
    []
  >(`UPDATE hub SET value = CAST(max(CAST(value AS INTEGER), (SELECT coalesce(max(id), 0) FROM command)) AS TEXT)
        WHERE key = 'last_command'`);
  readonly #remove = this.sql.statement<[string]>("DELETE FROM device WHERE id = ?");
  readonly #retired = this.sql.statement<[], { id: string }>("SELECT id FROM retired_device");
  readonly #taken = this.sql.statement<[string, string], { found: number }>(
    "SELECT 1 AS found FROM device WHERE id = ? UNION ALL SELECT 2 FROM retired_device WHERE id = ? LIMIT 1",
  );

  readonly all = this.sql.all<[], DeviceRow>(`SELECT ${COLUMNS} FROM device`);

  readonly insert = this.sql.run<
    [row: DeviceSettingsRow & Pick<DeviceRow, "siteId" | "simulated" | "passwordHash" | "createdAt">]
  >(`INSERT INTO device (id, site_id, room_id, name, type, icon, favorite, simulated, password_hash, created_at)
       VALUES (@id, @siteId, @roomId, @name, @type, @icon, @favorite, @simulated, @passwordHash, @createdAt)`);

  readonly isThere = this.sql.any<[id: string]>("SELECT 1 AS found FROM device WHERE id = ?");

  readonly state = this.sql.first<[id: string], DeviceStateRow>(
    "SELECT state, state_owed AS stateOwed FROM device WHERE id = ?",
  );

  readonly setState = this.sql.run<[row: Pick<DeviceRow, "id" | "state" | "stateAt" | "stateOwed" | "lastSeen">]>(
    "UPDATE device SET state = @state, state_at = @stateAt, state_owed = @stateOwed, last_seen = max(@lastSeen, ifnull(last_seen, 0)) WHERE id = @id",
  );

  setPending(id: string, pending: string | null): void {
    this.#setPending.run(pending, id);
  }

  /** Ids of devices with a coalesced delivery that has not reached the outbox yet. */
  pending(): string[] {
    return this.#pending.all().map((row) => row.id);
  }

  /** A person's settings, as stored. */
  readonly settings = this.sql.first<[id: string], DeviceSettingsRow>(
    "SELECT id, room_id AS roomId, name, type, icon, favorite FROM device WHERE id = ?",
  );

  readonly setSettings = this.sql.run<[row: DeviceSettingsRow]>(
    "UPDATE device SET room_id = @roomId, name = @name, type = @type, icon = @icon, favorite = @favorite WHERE id = @id",
  );

  readonly setInfo = this.sql.run<
    [row: DeviceInfoRow]
  >(`UPDATE device SET type = @type, firmware = @firmware, model = @model, manufacturer = @manufacturer, metrics = @metrics,
       command_schema = @commandSchema, report_interval_ms = @reportIntervalMs WHERE id = @id`);

  setOnline(id: string, online: boolean, lastSeen: number | null): void {
    this.#setOnline.run(online ? 1 : 0, lastSeen, id);
  }

  readonly setVitals = this.sql.run<[row: DeviceVitalsRow]>(
    "UPDATE device SET last_seen = @lastSeen, battery = @battery, signal = @signal WHERE id = @id",
  );

  setPassword(id: string, hash: string | null): void {
    this.#setPassword.run(hash, id);
  }

  remove(id: string): void {
    this.#keepLastCommand.run(); // its commands go with it, and their ids do not come again
    this.#remove.run(id);
  }

  readonly retire = this.sql.run<[id: string, siteId: number, at: number]>(
    "INSERT OR REPLACE INTO retired_device (id, site_id, retired_at) VALUES (?, ?, ?)",
  );

  /** Frees the ids retired before `at`. */
  readonly releaseRetired = this.sql.run<[at: number]>("DELETE FROM retired_device WHERE retired_at < ?");

  /** Ids of removed devices that must not be given out again yet. */
  retired(): string[] {
    return this.#retired.all().map(({ id }) => id);
  }

  /** Whether an id is in use (`device`), was in use (`retired`), or is free. */
  taken(id: string): "device" | "retired" | null {
    const row = this.#taken.get(id, id);
    if (row === undefined) return null;
    return row.found === 1 ? "device" : "retired";
  }

  readonly count = this.sql.value<[siteId: number], number>(
    "SELECT count(*) AS count FROM device WHERE site_id = ?",
    0,
  );
}
