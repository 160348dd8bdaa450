/**
 * JSON cells that are read back when the hub starts. An invalid cell (a flipped bit, an edit by hand) costs that cell
 * or that row, never the start: it is kept in the table `set_aside` and replaced by a harmless value.
 */
import type SqliteDatabase from "better-sqlite3";
import { isJsonObject } from "../kernel/json-object.ts";

/** An unreadable cell, and its actual or intended handling. */
export interface BadRow {
  readonly table: string;
  /** The row's key, in words: `gate-1`, `12`. */
  readonly key: string;
  readonly column: string;
  /** Epoch milliseconds; null while the cells are only being looked for. */
  readonly at: number | null;
}

/** A row whose cell a feature could not read, with the cell as text. */
export interface UnreadableRow extends Omit<BadRow, "at"> {
  readonly content: string;
}

interface Cell {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  /**
   * Whether a value satisfies what its readers rely on, and no more: input rules that became stricter must not
   * invalidate what was once valid.
   */
  readonly holds: (value: object) => boolean;
  /** What replaces a bad cell; `row`: the row means nothing without it and is deleted. */
  readonly instead: "{}" | "[]" | null | "row" | '{"kind":"native"}';
}

const isTexts = (value: object): boolean => Array.isArray(value) && value.every((item) => typeof item === "string");
const member = (value: unknown, name: string): unknown =>
  isJsonObject(value) ? Reflect.get(Object(value), name) : undefined;
const isTyped = (value: unknown): boolean => typeof member(value, "type") === "string";
const isAction = (value: unknown): boolean =>
  typeof member(value, "deviceId") === "string" && isJsonObject(member(value, "command"));
const isSource = (value: object): boolean =>
  member(value, "kind") === "native" ||
  [member(value, "url"), member(value, "sealedUrl")].some((address) => typeof address === "string");

const CELLS: readonly Cell[] = [
  { table: "device", key: "id", column: "state", holds: isJsonObject, instead: "{}" },
  { table: "device", key: "id", column: "metrics", holds: isTexts, instead: "[]" },
  { table: "device", key: "id", column: "command_schema", holds: isJsonObject, instead: null },
  {
    table: "device",
    key: "id",
    column: "state_owed",
    holds: (value) => isJsonObject(member(value, "previous")),
    instead: null,
  },
  { table: "camera", key: "device_id", column: "source", holds: isSource, instead: '{"kind":"native"}' },
  { table: "camera", key: "device_id", column: "gate_command", holds: isJsonObject, instead: null },
  { table: "automation", key: "id", column: "trigger", holds: isTyped, instead: "row" },
  {
    table: "automation",
    key: "id",
    column: "conditions",
    holds: (value) => Array.isArray(value) && value.every(isTyped),
    instead: "row",
  },
  { table: "automation", key: "id", column: "action", holds: isTyped, instead: "row" },
  { table: "automation_timer", key: "id", column: "payload", holds: isJsonObject, instead: "row" },
  {
    table: "scene",
    key: "id",
    column: "actions",
    holds: (value) => Array.isArray(value) && value.every(isAction),
    instead: "row",
  },
  // without it the rule would hold at all times
  { table: "plate_rule", key: "id", column: "windows", holds: Array.isArray, instead: "row" },
  { table: "guest_pass", key: "id", column: "windows", holds: Array.isArray, instead: "row" },
  { table: "webhook", key: "id", column: "events", holds: isTexts, instead: "[]" },
  { table: "api_key", key: "id", column: "scopes", holds: isTexts, instead: "[]" },
  { table: "api_key", key: "id", column: "origins", holds: isTexts, instead: "[]" },
  { table: "passkey", key: "credential_id", column: "transports", holds: isTexts, instead: "[]" },
];
/** How long the health page lists rows set aside. */
const NAMED_MS = 30 * 86_400_000;
const MOST_NAMED = 20;
/** Cells that are kept, the last ones: damage must not fill the disk. */
export const MOST_SET_ASIDE = 1_000;
const KEEP = "INSERT INTO set_aside (table_name, row_key, column_name, content, at) VALUES (?, ?, ?, ?, ?)";
const TRIM = "DELETE FROM set_aside WHERE id <= (SELECT max(id) FROM set_aside) - ?";

interface FoundCell {
  readonly cell: Cell;
  readonly key: string;
  readonly content: string;
}

/**
 * Finds the cells that cannot be read, without changing anything. Tables and columns that an older version does not
 * have yet are skipped.
 */
export function findBadRows(raw: SqliteDatabase.Database): BadRow[] {
  return found(raw).map(({ cell, key }) => ({ table: cell.table, key, column: cell.column, at: null }));
}

/** Moves the cells that cannot be read into `set_aside`, in one transaction, and returns them. */
export function setBadRowsAside(raw: SqliteDatabase.Database, at: number): BadRow[] {
  const bad = found(raw);
  if (bad.length === 0) return [];
  const keep = raw.prepare(KEEP);
  raw
    .transaction(() => {
      for (const { cell, key, content } of bad) {
        const { table, column, instead } = cell;
        const where = `CAST(${cell.key} AS TEXT) = ?`;
        if (instead === "row") {
          const row = raw.prepare<[string], Record<string, unknown>>(`SELECT * FROM ${table} WHERE ${where}`).get(key);
          if (row === undefined) continue; // another of its cells was bad too
          keep.run(table, key, column, JSON.stringify(row), at);
          raw.prepare(`DELETE FROM ${table} WHERE ${where}`).run(key);
        } else {
          keep.run(table, key, column, content, at);
          raw.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(instead, key);
        }
      }
      raw.prepare(TRIM).run(MOST_SET_ASIDE);
    })
    .immediate();
  return bad.map(({ cell, key }) => ({ table: cell.table, key, column: cell.column, at }));
}

/** Keeps what a feature could not read of a row; called inside the write job that deletes or repairs the row. */
export function keepAside(raw: SqliteDatabase.Database, { content, ...row }: UnreadableRow, at: number): void {
  raw.prepare(KEEP).run(row.table, row.key, row.column, content, at);
  raw.prepare(TRIM).run(MOST_SET_ASIDE);
}

/** Rows set aside lately, newest first, at most 20. */
export function rowsSetAside(raw: SqliteDatabase.Database, now: number): BadRow[] {
  return raw
    .prepare<[number, number], BadRow>(
      'SELECT table_name AS "table", row_key AS "key", column_name AS "column", at FROM set_aside WHERE at > ? ORDER BY id DESC LIMIT ?',
    )
    .all(now - NAMED_MS, MOST_NAMED);
}

/** Names rows for a person: `automation 12 (trigger), device gate-1 (state)`. */
export function namesOf(rows: readonly BadRow[]): string {
  return rows
    .map(({ table, key, column }) => `${table.replaceAll("_", " ")} ${key} (${column.replaceAll("_", " ")})`)
    .join(", ");
}

function found(raw: SqliteDatabase.Database): FoundCell[] {
  return CELLS.flatMap((cell) => {
    const { table, key, column } = cell;
    const columns = raw.pragma(`table_info(${table})`) as { name: string }[]; // SQLite's own
    if (!columns.some(({ name }) => name === column)) return [];
    const rows = raw.prepare<[], { key: string; content: string }>(
      `SELECT CAST(${key} AS TEXT) AS "key", CAST(${column} AS TEXT) AS content FROM ${table} WHERE ${column} IS NOT NULL`,
    );
    return rows.all().flatMap((row) => (isSound(cell, row.content) ? [] : [{ cell, ...row }]));
  });
}

function isSound({ holds }: Cell, content: string): boolean {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "object" && value !== null && holds(value);
  } catch {
    return false;
  }
}
