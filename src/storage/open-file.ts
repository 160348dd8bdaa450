import { closeSync, existsSync, openSync, statSync } from "node:fs";
import SqliteDatabase from "better-sqlite3";
import type { Clock } from "../kernel/clock.js";
import type { Logger } from "../kernel/logger.js";
import { restrictToOwner } from "../kernel/restrict-to-owner.js";
import { findBadRows } from "./bad-rows.js";
import { corrupt } from "./log-file.js";
import { migrate, readMigrations } from "./migrate.js";

/** What {@link openFile} works on; see `DatabaseOptions`. */
export interface OpenFileOptions {
  readonly file: string;
  readonly migrationsFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly isExpected?: () => boolean;
}

/**
 * Opens the hub's database file, creates it if necessary, brings it up to date and checks it after an unclean stop.
 * `opened` gets the connection as soon as there is one, even if the file then turns out not to be sound.
 * @throws Problem `database_newer`; Error with SQLite's or the system's code for a file that cannot be used
 */
export async function openFile(
  options: OpenFileOptions,
  opened: (raw: SqliteDatabase.Database) => void,
): Promise<void> {
  const { file, migrationsFolder, logger, clock, isExpected = () => false } = options;
  const existed = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (!existed && isExpected())
    throw corrupt(
      existsSync(file) ? "the database is empty, and there was one here before" : "the database is missing",
    );
  if (!existed) closeSync(openSync(file, "a", 0o600)); // SQLite gives its other files the rights of this one
  for (const name of [file, `${file}-wal`, `${file}-shm`])
    if (!restrictToOwner(name)) logger.warn({ file: name }, "others can read this file, and it cannot be changed");
  const raw = new SqliteDatabase(file);
  opened(raw);
  raw.pragma("busy_timeout = 2000");
  raw.pragma("synchronous = FULL");
  await migrate({ raw, folder: migrationsFolder, file, logger });
  raw.pragma("journal_mode = WAL");
  raw.pragma("foreign_keys = ON");
  raw.pragma("journal_size_limit = 16777216");
  raw.pragma("cache_size = -8000");
  raw.pragma("temp_store = MEMORY");
  if (existed && stoppedUncleanly(raw)) {
    const started = clock.mono();
    const verdict = raw.pragma("quick_check", { simple: true });
    if (verdict !== "ok") throw corrupt(`quick_check: ${String(verdict)}`);
    // What the last run left in its log may be in the system's memory only, even if a later sync succeeded after one
    // that had failed.
    raw.pragma("wal_checkpoint(TRUNCATE)");
    logger.info({ tookMs: Math.round(clock.mono() - started) }, "unclean stop: database checked, all well");
  }
  raw.prepare("UPDATE hub SET value = '0' WHERE key = 'clean_stop'").run();
}

function stoppedUncleanly(raw: SqliteDatabase.Database): boolean {
  return raw.prepare<[], { value: string }>("SELECT value FROM hub WHERE key = 'clean_stop'").get()?.value === "0";
}

/** Whether the hub's parts find what they start from in a database that takes no writes. */
export function canStartFrom(raw: SqliteDatabase.Database, migrationsFolder: string): boolean {
  try {
    return (
      raw.pragma("user_version", { simple: true }) === readMigrations(migrationsFolder).length &&
      findBadRows(raw).length === 0
    );
  } catch {
    return false;
  }
}
