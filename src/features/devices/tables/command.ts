import { Table } from "../../../core/storage/table.ts";

/** A command's progress; see `features/devices/commands.ts`. */
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
  /** The sender's name as it was sent; null where there was none. */
  readonly byName: string | null;
}

/**
 * A row with its sender's name: a person, a key, a home that joined by Matter, an automation, a scene; as it is now, or
 * as it was when the command was sent. Null for a sender without one.
 */
export type NamedCommand = CommandRow & { readonly name: string | null };

/** The name behind `actor`. */
const NAME = `CASE substr(actor, 1, instr(actor, ':') - 1)
           WHEN 'session' THEN (SELECT account.name FROM session JOIN account ON account.id = session.account_id WHERE session.id = CAST(substr(actor, 9) AS INTEGER))
           WHEN 'api_key' THEN (SELECT name FROM api_key WHERE id = CAST(substr(actor, 9) AS INTEGER))
           WHEN 'automation' THEN (SELECT shown_name FROM automation WHERE id = CAST(substr(actor, 12) AS INTEGER))
           WHEN 'scene' THEN (SELECT name FROM scene WHERE id = CAST(substr(actor, 7) AS INTEGER))
           WHEN 'matter' THEN (SELECT name FROM matter_fabric WHERE id = CAST(substr(actor, 8) AS INTEGER))
           WHEN 'home_assistant' THEN 'Home Assistant' END`;
const COLUMNS = `id, device_id AS deviceId, actor, command, at, status, delivered_at AS deliveredAt, answered_at AS answeredAt, answer, by_name AS byName`;

/** All SQL of `command`. */
export class CommandTable extends Table {
  readonly #setStatus = this.sql.statement<[CommandStatus, number | null, number]>(
    "UPDATE command SET status = ?, delivered_at = ? WHERE id = ?",
  );
  readonly #setAnswer = this.sql.statement<[number, string, number]>(
    "UPDATE command SET answered_at = ?, answer = ? WHERE id = ?",
  );
  readonly #overfull = this.sql.statement<[number], { deviceId: string }>(
    "SELECT device_id AS deviceId FROM command GROUP BY device_id HAVING count(*) > ?",
  );
  readonly #trim = this.sql.statement<[string, string, number]>(
    "DELETE FROM command WHERE device_id = ? AND id <= (SELECT id FROM command WHERE device_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)",
  );

  /** The highest id in use; 0 when there is none. */
  readonly lastId = this.sql.value<[], number>(
    `SELECT max((SELECT coalesce(max(id), 0) FROM command),
         (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM hub WHERE key = 'last_command')) AS id`,
    0,
  );

  readonly insert = this.sql.run<
    [row: CommandRow]
  >(`INSERT INTO command (id, device_id, actor, command, at, status, delivered_at, answered_at, answer, by_name)
       VALUES (@id, @deviceId, @actor, @command, @at, @status, @deliveredAt, @answeredAt, @answer, @byName)`);

  setStatus(id: number, status: CommandStatus, deliveredAt: number | null): void {
    this.#setStatus.run(status, deliveredAt, id);
  }

  setAnswer(id: number, at: number, answer: string): void {
    this.#setAnswer.run(at, answer, id);
  }

  readonly byId = this.sql.first<[id: number], CommandRow>(`SELECT ${COLUMNS} FROM command WHERE id = ?`);

  /** Newest first; only ids below `beforeId`. */
  readonly byDevice = this.sql.all<
    [deviceId: string, beforeId: number, limit: number],
    NamedCommand
  >(`SELECT ${COLUMNS}, coalesce(${NAME}, by_name) AS name
       FROM command WHERE device_id = ? AND id < ? ORDER BY id DESC LIMIT ?`);

  /** The name behind a sender; null if there is none, or it is no longer known. */
  readonly nameOf = this.sql.value<[actor: string], string | null>(
    `SELECT ${NAME} AS name FROM (SELECT ? AS actor)`,
    null,
  );

  /** The account of the person behind a sender; null if there is none. */
  readonly accountOf = this.sql.value<[actor: string], number | null>(
    `SELECT session.account_id AS accountId FROM (SELECT ? AS actor) JOIN session ON session.id = CAST(substr(actor, 9) AS INTEGER)
       WHERE actor GLOB 'session:*'`,
    null,
  );

  /** Up to 500 queued commands accepted before `at`, oldest first. */
  readonly queuedBefore = this.sql.all<[at: number], CommandRow>(
    `SELECT ${COLUMNS} FROM command WHERE status = 'queued' AND at < ? ORDER BY at LIMIT 500`,
  );

  /** The oldest queued command of a device with exactly this text. */
  readonly queuedLike = this.sql.first<[deviceId: string, command: string], CommandRow>(
    `SELECT ${COLUMNS} FROM command WHERE status = 'queued' AND device_id = ? AND command = ? ORDER BY at LIMIT 1`,
  );

  /** Devices with more than `keep` commands. */
  overfull(keep: number): string[] {
    return this.#overfull.all(keep).map((row) => row.deviceId);
  }

  /** Keeps the newest `keep` commands of a device; returns how many went. */
  trim(deviceId: string, keep: number): number {
    return this.#trim.run(deviceId, deviceId, keep).changes;
  }
}
