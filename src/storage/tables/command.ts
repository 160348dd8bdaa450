import type SqliteDatabase from "better-sqlite3";

/** How far a command got; see `devices/commands.ts`. */
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

/** A row with the name of whoever sent it: a person who is still signed in, a key, a home that joined by Matter, an automation; null otherwise. */
export type NamedCommand = CommandRow & { readonly name: string | null };

/** Columns of a row, by the names of its members. */
const COLUMNS = `id, device_id AS deviceId, actor, command, at, status, delivered_at AS deliveredAt, answered_at AS answeredAt, answer`;

/** All SQL of `command`. */
export class CommandTable {
  readonly #lastId;
  readonly #insert;
  readonly #setStatus;
  readonly #setAnswer;
  readonly #byId;
  readonly #byDevice;
  readonly #queuedBefore;
  readonly #queuedLike;
  readonly #overfull;
  readonly #trim;

  constructor(raw: SqliteDatabase.Database) {
    this.#lastId = raw.prepare<[], { id: number | null }>("SELECT max(id) AS id FROM command");
    this.#insert = raw.prepare<[CommandRow]>(
      `INSERT INTO command (id, device_id, actor, command, at, status, delivered_at, answered_at, answer)
       VALUES (:id, :deviceId, :actor, :command, :at, :status, :deliveredAt, :answeredAt, :answer)`,
    );
    this.#setStatus = raw.prepare<[CommandStatus, number | null, number]>("UPDATE command SET status = ?, delivered_at = ? WHERE id = ?");
    this.#setAnswer = raw.prepare<[number, string, number]>("UPDATE command SET answered_at = ?, answer = ? WHERE id = ?");
    this.#byId = raw.prepare<[number], CommandRow>(`SELECT ${COLUMNS} FROM command WHERE id = ?`);
    this.#byDevice = raw.prepare<[string, number, number], NamedCommand>(
      `SELECT ${COLUMNS}, CASE substr(actor, 1, instr(actor, ':') - 1)
           WHEN 'session' THEN (SELECT account.name FROM session JOIN account ON account.id = session.account_id WHERE session.id = CAST(substr(actor, 9) AS INTEGER))
           WHEN 'api_key' THEN (SELECT name FROM api_key WHERE id = CAST(substr(actor, 9) AS INTEGER))
           WHEN 'automation' THEN (SELECT name FROM automation WHERE id = CAST(substr(actor, 12) AS INTEGER))
           WHEN 'matter' THEN (SELECT name FROM matter_fabric WHERE id = CAST(substr(actor, 8) AS INTEGER)) END AS name
         FROM command WHERE device_id = ? AND id < ? ORDER BY id DESC LIMIT ?`,
    );
    this.#queuedBefore = raw.prepare<[number], CommandRow>(`SELECT ${COLUMNS} FROM command WHERE status = 'queued' AND at < ? ORDER BY at LIMIT 500`);
    this.#queuedLike = raw.prepare<[string, string], CommandRow>(
      `SELECT ${COLUMNS} FROM command WHERE status = 'queued' AND device_id = ? AND command = ? ORDER BY at LIMIT 1`,
    );
    this.#overfull = raw.prepare<[number], { deviceId: string }>("SELECT device_id AS deviceId FROM command GROUP BY device_id HAVING count(*) > ?");
    this.#trim = raw.prepare<[string, string, number]>(
      "DELETE FROM command WHERE device_id = ? AND id <= (SELECT id FROM command WHERE device_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
    );
  }

  /** The highest id in use; 0 when there is none. */
  lastId(): number {
    return this.#lastId.get()?.id ?? 0;
  }

  insert(row: CommandRow): void {
    this.#insert.run(row);
  }

  setStatus(id: number, status: CommandStatus, deliveredAt: number | null): void {
    this.#setStatus.run(status, deliveredAt, id);
  }

  setAnswer(id: number, at: number, answer: string): void {
    this.#setAnswer.run(at, answer, id);
  }

  byId(id: number): CommandRow | null {
    return this.#byId.get(id) ?? null;
  }

  /** Newest first; only ids below `beforeId`. */
  byDevice(deviceId: string, beforeId: number, limit: number): NamedCommand[] {
    return this.#byDevice.all(deviceId, beforeId, limit);
  }

  /** Up to 500 queued commands accepted before `at`, oldest first. */
  queuedBefore(at: number): CommandRow[] {
    return this.#queuedBefore.all(at);
  }

  /** The oldest queued command of a device with exactly this text. */
  queuedLike(deviceId: string, command: string): CommandRow | null {
    return this.#queuedLike.get(deviceId, command) ?? null;
  }

  /** Devices with more than `keep` commands. */
  overfull(keep: number): string[] {
    return this.#overfull.all(keep).map((row) => row.deviceId);
  }

  /** Keeps the newest `keep` commands of a device; returns how many went. */
  trim(deviceId: string, keep: number): number {
    return this.#trim.run(deviceId, deviceId, keep).changes;
  }
}
