/**
 * JSON cells that are read back when the hub starts. A cell that is not what its writer stores (a flipped bit, an edit by hand) costs that
 * cell or that row, never the start: it is kept in the table `set_aside`, and a harmless value takes its place.
 */
import type SqliteDatabase from "better-sqlite3";

/** A cell that cannot be read, and what was or would be done about it. */
export interface BadRow {
  readonly table: string;
  /** The row's key, in words: `gate-1`, `12`. */
  readonly key: string;
  readonly column: string;
  /** Epoch milliseconds; null while it is only looked for. */
  readonly at: number | null;
}

/** Whether a cell of well-formed JSON has the shape that its readers rely on; tables and columns that it does not know have. */
export type CellShapes = (table: string, column: string, value: unknown) => boolean;

interface Cell {
  readonly table: string;
  readonly key: string;
  readonly column: string;
  readonly type: "object" | "array";
  /** What takes the place of a bad cell; `row`: the row means nothing without it and goes. */
  readonly instead: "{}" | "[]" | null | "row" | '{"kind":"native"}';
}

const CELLS: readonly Cell[] = [
  { table: "device", key: "id", column: "state", type: "object", instead: "{}" },
  { table: "device", key: "id", column: "metrics", type: "array", instead: "[]" },
  { table: "device", key: "id", column: "command_schema", type: "object", instead: null },
  { table: "device", key: "id", column: "state_owed", type: "object", instead: null },
  { table: "camera", key: "device_id", column: "source", type: "object", instead: '{"kind":"native"}' },
  { table: "camera", key: "device_id", column: "gate_command", type: "object", instead: null },
  { table: "automation", key: "id", column: "trigger", type: "object", instead: "row" },
  { table: "automation", key: "id", column: "conditions", type: "array", instead: "row" },
  { table: "automation", key: "id", column: "action", type: "object", instead: "row" },
  { table: "automation_timer", key: "id", column: "payload", type: "object", instead: "row" },
  { table: "scene", key: "id", column: "actions", type: "array", instead: "row" },
  { table: "webhook", key: "id", column: "events", type: "array", instead: "[]" },
  { table: "api_key", key: "id", column: "scopes", type: "array", instead: "[]" },
  { table: "api_key", key: "id", column: "origins", type: "array", instead: "[]" },
  { table: "passkey", key: "credential_id", column: "transports", type: "array", instead: "[]" },
];
/** How long the health page names what was set aside. */
const NAMED_MS = 30 * 86_400_000;
const MOST_NAMED = 20;

interface FoundCell {
  readonly cell: Cell;
  readonly key: string;
  readonly content: string;
}

/** The cells that cannot be read; nothing is changed. Tables and columns that an older version does not have yet are passed over. */
export function findBadRows(raw: SqliteDatabase.Database, hasShape: CellShapes): BadRow[] {
  return found(raw, hasShape).map(({ cell, key }) => ({ table: cell.table, key, column: cell.column, at: null }));
}

/** Puts the cells that cannot be read into `set_aside`, in one transaction, and answers them. */
export function setBadRowsAside(raw: SqliteDatabase.Database, hasShape: CellShapes, at: number): BadRow[] {
  const bad = found(raw, hasShape);
  if (bad.length === 0) return [];
  const keep = raw.prepare("INSERT INTO set_aside (table_name, row_key, column_name, content, at) VALUES (?, ?, ?, ?, ?)");
  raw
    .transaction(() => {
      for (const { cell, key, content } of bad) {
        const { table, column, instead } = cell;
        const where = `CAST(${cell.key} AS TEXT) = ?`;
        if (instead === "row") {
          const row = raw.prepare<[string], Record<string, unknown>>(`SELECT * FROM ${table} WHERE ${where}`).get(key);
          if (row === undefined) continue; // another cell of it was bad too
          keep.run(table, key, column, JSON.stringify(row), at);
          raw.prepare(`DELETE FROM ${table} WHERE ${where}`).run(key);
        } else {
          keep.run(table, key, column, content, at);
          raw.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${where}`).run(instead, key);
        }
      }
    })
    .immediate();
  return bad.map(({ cell, key }) => ({ table: cell.table, key, column: cell.column, at }));
}

/** What was set aside lately, newest first, at most 20. */
export function rowsSetAside(raw: SqliteDatabase.Database, now: number): BadRow[] {
  return raw
    .prepare<[number, number], BadRow>(
      'SELECT table_name AS "table", row_key AS "key", column_name AS "column", at FROM set_aside WHERE at > ? ORDER BY id DESC LIMIT ?',
    )
    .all(now - NAMED_MS, MOST_NAMED);
}

/** Names rows for a person: `automation 12 (trigger), device gate-1 (state)`. */
export function namesOf(rows: readonly BadRow[]): string {
  return rows.map(({ table, key, column }) => `${table.replaceAll("_", " ")} ${key} (${column.replaceAll("_", " ")})`).join(", ");
}

function found(raw: SqliteDatabase.Database, hasShape: CellShapes): FoundCell[] {
  return CELLS.flatMap((cell) => {
    const { table, key, column } = cell;
    const columns = raw.pragma(`table_info(${table})`) as { name: string }[]; // SQLite's own
    if (!columns.some(({ name }) => name === column)) return [];
    const rows = raw.prepare<[], { key: string; content: string }>(
      `SELECT CAST(${key} AS TEXT) AS "key", CAST(${column} AS TEXT) AS content FROM ${table} WHERE ${column} IS NOT NULL`,
    );
    return rows.all().flatMap((row) => (isSound(cell, row.content, hasShape) ? [] : [{ cell, ...row }]));
  });
}

function isSound({ table, column, type }: Cell, content: string, hasShape: CellShapes): boolean {
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value !== "object" || value === null || Array.isArray(value) !== (type === "array")) return false;
    return hasShape(table, column, value);
  } catch {
    return false;
  }
}
