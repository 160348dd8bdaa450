import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

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

/** What a person decides about a device. */
export type DeviceSettingsRow = Pick<DeviceRow, "id" | "roomId" | "name" | "type" | "icon" | "favorite">;

/** What a device says about itself in `info` and `status`. */
export type DeviceInfoRow = Pick<
  DeviceRow,
  "id" | "type" | "firmware" | "model" | "manufacturer" | "metrics" | "commandSchema" | "reportIntervalMs"
>;

/** State of one device, with the delivery that is still due for it. */
export type DeviceStateRow = Pick<DeviceRow, "state" | "stateOwed">;

/** What is written in batches: see `features/devices/presence.ts`. */
export type DeviceVitalsRow = Pick<DeviceRow, "id" | "lastSeen" | "battery" | "signal">;

const COLUMNS = `id, site_id AS siteId, room_id AS roomId, name, type, icon, favorite, firmware, model, manufacturer, metrics,
  command_schema AS commandSchema, state, state_at AS stateAt, state_owed AS stateOwed, online,
  last_seen AS lastSeen, battery, signal, report_interval_ms AS reportIntervalMs, simulated,
  password_hash AS passwordHash, created_at AS createdAt`;

/** All SQL of `device` and of `retired_device`. */
export class DeviceTable extends tableOf(prepare) {
  all(): DeviceRow[] {
    return this.sql.all.all();
  }

  insert(row: DeviceSettingsRow & Pick<DeviceRow, "siteId" | "simulated" | "passwordHash" | "createdAt">): void {
    this.sql.insert.run(row);
  }

  isThere(id: string): boolean {
    return this.sql.isThere.get(id) !== undefined;
  }

  state(id: string): DeviceStateRow | null {
    return this.sql.state.get(id) ?? null;
  }

  setState(row: Pick<DeviceRow, "id" | "state" | "stateAt" | "stateOwed" | "lastSeen">): void {
    this.sql.setState.run(row);
  }

  setOwed(id: string, owed: string | null): void {
    this.sql.setOwed.run(owed, id);
  }

  /** Ids of devices with a coalesced delivery that has not reached the outbox yet. */
  owed(): string[] {
    return this.sql.owed.all().map((row) => row.id);
  }

  /** What a person has decided, as it is in the row. */
  settings(id: string): DeviceSettingsRow | null {
    return this.sql.settings.get(id) ?? null;
  }

  setSettings(row: DeviceSettingsRow): void {
    this.sql.setSettings.run(row);
  }

  setInfo(row: DeviceInfoRow): void {
    this.sql.setInfo.run(row);
  }

  setOnline(id: string, online: boolean, lastSeen: number | null): void {
    this.sql.setOnline.run(online ? 1 : 0, lastSeen, id);
  }

  setVitals(row: DeviceVitalsRow): void {
    this.sql.setVitals.run(row);
  }

  setPassword(id: string, hash: string | null): void {
    this.sql.setPassword.run(hash, id);
  }

  remove(id: string): void {
    this.sql.keepLastCommand.run(); // its commands go with it, and their ids do not come again
    this.sql.remove.run(id);
  }

  retire(id: string, siteId: number, at: number): void {
    this.sql.retire.run(id, siteId, at);
  }

  /** Frees the ids retired before `at`. */
  releaseRetired(at: number): void {
    this.sql.release.run(at);
  }

  /** Ids of removed devices that must not be given out again yet. */
  retired(): string[] {
    return this.sql.retired.all().map(({ id }) => id);
  }

  /** Whether an id is in use (`device`), was in use (`retired`), or is free. */
  taken(id: string): "device" | "retired" | null {
    const row = this.sql.taken.get(id, id);
    if (row === undefined) return null;
    return row.found === 1 ? "device" : "retired";
  }

  count(siteId: number): number {
    return this.sql.count.get(siteId)?.count ?? 0;
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    all: raw.prepare<[], DeviceRow>(`SELECT ${COLUMNS} FROM device`),
    insert: raw.prepare<[DeviceSettingsRow & Pick<DeviceRow, "siteId" | "simulated" | "passwordHash" | "createdAt">]>(
      `INSERT INTO device (id, site_id, room_id, name, type, icon, favorite, simulated, password_hash, created_at)
       VALUES (@id, @siteId, @roomId, @name, @type, @icon, @favorite, @simulated, @passwordHash, @createdAt)`,
    ),
    isThere: raw.prepare<[string], { found: 1 }>("SELECT 1 AS found FROM device WHERE id = ?"),
    state: raw.prepare<[string], DeviceStateRow>("SELECT state, state_owed AS stateOwed FROM device WHERE id = ?"),
    setState: raw.prepare<[Pick<DeviceRow, "id" | "state" | "stateAt" | "stateOwed" | "lastSeen">]>(
      "UPDATE device SET state = @state, state_at = @stateAt, state_owed = @stateOwed, last_seen = max(@lastSeen, ifnull(last_seen, 0)) WHERE id = @id",
    ),
    setOwed: raw.prepare<[string | null, string]>("UPDATE device SET state_owed = ? WHERE id = ?"),
    owed: raw.prepare<[], { id: string }>("SELECT id FROM device WHERE state_owed IS NOT NULL"),
    settings: raw.prepare<[string], DeviceSettingsRow>(
      "SELECT id, room_id AS roomId, name, type, icon, favorite FROM device WHERE id = ?",
    ),
    setSettings: raw.prepare<[DeviceSettingsRow]>(
      "UPDATE device SET room_id = @roomId, name = @name, type = @type, icon = @icon, favorite = @favorite WHERE id = @id",
    ),
    setInfo: raw.prepare<[DeviceInfoRow]>(
      `UPDATE device SET type = @type, firmware = @firmware, model = @model, manufacturer = @manufacturer, metrics = @metrics,
       command_schema = @commandSchema, report_interval_ms = @reportIntervalMs WHERE id = @id`,
    ),
    setOnline: raw.prepare<[number, number | null, string]>("UPDATE device SET online = ?, last_seen = ? WHERE id = ?"),
    setVitals: raw.prepare<[DeviceVitalsRow]>(
      "UPDATE device SET last_seen = @lastSeen, battery = @battery, signal = @signal WHERE id = @id",
    ),
    setPassword: raw.prepare<[string | null, string]>("UPDATE device SET password_hash = ? WHERE id = ?"),
    keepLastCommand: raw.prepare<[]>(
      `UPDATE hub SET value = CAST(max(CAST(value AS INTEGER), (SELECT coalesce(max(id), 0) FROM command)) AS TEXT)
        WHERE key = 'last_command'`,
    ),
    remove: raw.prepare<[string]>("DELETE FROM device WHERE id = ?"),
    retire: raw.prepare<[string, number, number]>(
      "INSERT OR REPLACE INTO retired_device (id, site_id, retired_at) VALUES (?, ?, ?)",
    ),
    release: raw.prepare<[number]>("DELETE FROM retired_device WHERE retired_at < ?"),
    retired: raw.prepare<[], { id: string }>("SELECT id FROM retired_device"),
    taken: raw.prepare<[string, string], { found: number }>(
      "SELECT 1 AS found FROM device WHERE id = ? UNION ALL SELECT 2 FROM retired_device WHERE id = ? LIMIT 1",
    ),
    count: raw.prepare<[number], { count: number }>("SELECT count(*) AS count FROM device WHERE site_id = ?"),
  };
}
