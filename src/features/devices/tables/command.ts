import type SqliteDatabase from "better-sqlite3";
import { tableOf } from "../../../core/storage/table.ts";

/** How far a command got; see `features/devices/commands.ts`. */
export type CommandStatus = "sent" | "queued" | "delivered" | "expired" | "failed";

/** A row of `command`. */
export interface CommandRow {
  readonly id: number;
  readonly deviceId: string;
  readonly actor: string;
  readonly command: string;
  readonly at: number;
  readonly status: CommandStatus;
  readonly deliveredAt: number | null;
  readonly answeredAt: number | null;
  readonly answer: string | null;
}

/**
 * A row with the name of whoever sent it: a person who is still signed in, a key, a home that joined by Matter, an
 * automation; null otherwise.
 */
export type NamedCommand = CommandRow & { readonly name: string | null };

const COLUMNS = `id, device_id AS deviceId, actor, command, at, status, delivered_at AS deliveredAt, answered_at AS answeredAt, answer`;

/** All SQL of `command`. */
export class CommandTable extends tableOf(prepare) {
  /** The highest id in use; 0 when there is none. */
  lastId(): number {
    return this.sql.lastId.get()?.id ?? 0;
  }

  insert(row: CommandRow): void {
    this.sql.insert.run(row);
  }

  setStatus(id: number, status: CommandStatus, deliveredAt: number | null): void {
    this.sql.setStatus.run(status, deliveredAt, id);
  }

  setAnswer(id: number, at: number, answer: string): void {
    this.sql.setAnswer.run(at, answer, id);
  }

  byId(id: number): CommandRow | null {
    return this.sql.byId.get(id) ?? null;
  }

  /** Newest first; only ids below `beforeId`. */
  byDevice(deviceId: string, beforeId: number, limit: number): NamedCommand[] {
    return this.sql.byDevice.all(deviceId, beforeId, limit);
  }

  /** Up to 500 queued commands accepted before `at`, oldest first. */
  queuedBefore(at: number): CommandRow[] {
    return this.sql.queuedBefore.all(at);
  }

  /** The oldest queued command of a device with exactly this text. */
  queuedLike(deviceId: string, command: string): CommandRow | null {
    return this.sql.queuedLike.get(deviceId, command) ?? null;
  }

  /** Devices with more than `keep` commands. */
  overfull(keep: number): string[] {
    return this.sql.overfull.all(keep).map((row) => row.deviceId);
  }

  /** Keeps the newest `keep` commands of a device; returns how many went. */
  trim(deviceId: string, keep: number): number {
    return this.sql.trim.run(deviceId, deviceId, keep).changes;
  }
}

function prepare(raw: SqliteDatabase.Database) {
  return {
    lastId: raw.prepare<[], { id: number | null }>(
      `SELECT max((SELECT coalesce(max(id), 0) FROM command),
         (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM hub WHERE key = 'last_command')) AS id`,
    ),
    insert: raw.prepare<[CommandRow]>(
      `INSERT INTO command (id, device_id, actor, command, at, status, delivered_at, answered_at, answer)
       VALUES (@id, @deviceId, @actor, @command, @at, @status, @deliveredAt, @answeredAt, @answer)`,
    ),
    setStatus: raw.prepare<[CommandStatus, number | null, number]>(
      "UPDATE command SET status = ?, delivered_at = ? WHERE id = ?",
    ),
    setAnswer: raw.prepare<[number, string, number]>("UPDATE command SET answered_at = ?, answer = ? WHERE id = ?"),
    byId: raw.prepare<[number], CommandRow>(`SELECT ${COLUMNS} FROM command WHERE id = ?`),
    byDevice: raw.prepare<[string, number, number], NamedCommand>(
      `SELECT ${COLUMNS}, CASE substr(actor, 1, instr(actor, ':') - 1)
           WHEN 'session' THEN (SELECT account.name FROM session JOIN account ON account.id = session.account_id WHERE session.id = CAST(substr(actor, 9) AS INTEGER))
           WHEN 'api_key' THEN (SELECT name FROM api_key WHERE id = CAST(substr(actor, 9) AS INTEGER))
           WHEN 'automation' THEN (SELECT name FROM automation WHERE id = CAST(substr(actor, 12) AS INTEGER))
           WHEN 'matter' THEN (SELECT name FROM matter_fabric WHERE id = CAST(substr(actor, 8) AS INTEGER))
           WHEN 'home_assistant' THEN 'Home Assistant' END AS name
       FROM command WHERE device_id = ? AND id < ? ORDER BY id DESC LIMIT ?`,
    ),
    queuedBefore: raw.prepare<[number], CommandRow>(
      `SELECT ${COLUMNS} FROM command WHERE status = 'queued' AND at < ? ORDER BY at LIMIT 500`,
    ),
    queuedLike: raw.prepare<[string, string], CommandRow>(
      `SELECT ${COLUMNS} FROM command WHERE status = 'queued' AND device_id = ? AND command = ? ORDER BY at LIMIT 1`,
    ),
    overfull: raw.prepare<[number], { deviceId: string }>(
      "SELECT device_id AS deviceId FROM command GROUP BY device_id HAVING count(*) > ?",
    ),
    trim: raw.prepare<[string, string, number]>(
      "DELETE FROM command WHERE device_id = ? AND id <= (SELECT id FROM command WHERE device_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
    ),
  };
}
