/**
 * Rows that reference a missing row: an app's key of a deleted account, a picture without its read. No write leaves
 * one, so a page was lost or an old one reappeared; the hub relies on their absence.
 */
import type SqliteDatabase from "better-sqlite3";
import { keepAside } from "./bad-rows.ts";

/** A missing row here is not a stray: the household goes with it. */
const CORE = new Set(["account", "site", "device"]);
/** Removing a row can leave others without theirs. */
const MOST_ROUNDS = 8;
const MOST_ROWS = 500;

interface Orphan {
  readonly table: string;
  readonly rowid: number | null;
  readonly parent: string;
}

/** Why rows with dangling references cannot simply be set aside, in words; null if they can, or if there are none. */
export function orphanDamage(raw: SqliteDatabase.Database): string | null {
  const orphans = orphansOf(raw);
  const core = orphans.find(({ table }) => CORE.has(table));
  if (core !== undefined) return `a row of ${core.table} names a row of ${core.parent} that is gone`;
  return orphans.length > MOST_ROWS ? `${orphans.length} rows name rows that are gone` : null;
}

/**
 * Moves rows that name nothing into `set_aside`, and those that named them then. The
 * rows of accounts, sites and devices stay. Returns how many went.
 */
export function setOrphansAside(raw: SqliteDatabase.Database, at: number): number {
  let count = 0;
  const foreignKeys = raw.pragma("foreign_keys", { simple: true });
  raw.pragma("foreign_keys = OFF"); // rows that depend on it are kept too, not deleted with it
  try {
    raw
      .transaction(() => {
        for (let round = 0; round < MOST_ROUNDS; round++) {
          const orphans = orphansOf(raw).filter(({ table, rowid }) => !CORE.has(table) && rowid !== null);
          if (orphans.length === 0) return;
          for (const { table, rowid, parent } of orphans) {
            const row = raw.prepare<[number | null]>(`SELECT * FROM "${table}" WHERE rowid = ?`).get(rowid);
            if (row === undefined) continue; // two of its references led nowhere
            keepAside(raw, { table, key: String(rowid), column: parent, content: JSON.stringify(row) }, at);
            count += raw.prepare(`DELETE FROM "${table}" WHERE rowid = ?`).run(rowid).changes;
          }
        }
      })
      .immediate();
  } finally {
    raw.pragma(`foreign_keys = ${foreignKeys === 1 ? "ON" : "OFF"}`);
  }
  return count;
}

function orphansOf(raw: SqliteDatabase.Database): Orphan[] {
  return raw.pragma("foreign_key_check") as Orphan[]; // SQLite's own columns
}
