import { closeSync, existsSync, lstatSync, openSync, statSync } from "node:fs";
import SqliteDatabase from "better-sqlite3";
import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";
import { restrictToOwner } from "../kernel/restrict-to-owner.ts";
import { moveAside } from "../kernel/small-file.ts";
import { findBadRows } from "./bad-rows.ts";
import { corrupt } from "./log-file.ts";
import { type Migration, migrate, readMigrations } from "./migrate.ts";
import { orphanDamage, setOrphansAside } from "./orphans.ts";
import { proveSchema, settleSchema } from "./schema.ts";

/** How the last run ended, as recorded in the file: `1` cleanly, `0` not, `start` before it served. */
type LastEnd = "1" | "0" | "start";

/**
 * Opens the hub's database file, creates it if necessary, migrates and checks it: its tables against the migrations at
 * every start, its pages after an unclean stop, and everything (all pages with their indexes, all references) after a
 * start that never served. `opened` gets the connection as soon as there is one, even if the file then turns out to be
 * damaged.
 * @throws Problem `database_newer`; Error with SQLite's or the system's code for a file that cannot be used
 */
export async function openFile(
  options: {
    readonly file: string;
    readonly migrationsFolder: string;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly isExpected?: () => boolean;
    /** Whether everything is checked however the last run ended. */
    readonly checksAll: boolean;
  },
  opened: (raw: SqliteDatabase.Database) => void,
): Promise<void> {
  const { file, migrationsFolder, logger, isExpected = () => false } = options;
  const existed = sizeOf(file) > 0;
  if (!existed && isExpected())
    throw corrupt(
      existsSync(file) ? "the database is empty, and there was one here before" : "the database is missing",
    );
  const isLogLost = ["-wal", "-shm", "-journal"].map((ending) => clearPlace(file + ending, logger)).includes(true);
  if (!existed) closeSync(openSync(file, "a", 0o600)); // SQLite gives its other files the rights of this one
  for (const name of [file, `${file}-wal`, `${file}-shm`])
    if (!restrictToOwner(name))
      logger.warn({ file: name }, "other users can read this file, and its mode cannot be changed");
  const raw = new SqliteDatabase(file);
  opened(raw);
  const migrations = readMigrations(migrationsFolder);
  const mended = existed ? settle(raw, migrations) : null; // before anything else makes SQLite parse the tables
  raw.pragma("busy_timeout = 2000");
  raw.pragma("synchronous = FULL");
  if (mended !== null) logger.warn({ mended }, "a few flipped bits in the database's table of tables were mended");
  await migrate({ raw, folder: migrationsFolder, file, logger });
  raw.pragma("journal_mode = WAL");
  raw.pragma("foreign_keys = ON");
  raw.pragma("journal_size_limit = 16777216");
  raw.pragma("cache_size = -8000");
  raw.pragma("temp_store = MEMORY");
  const end = lastEnd(raw);
  const checksAll = options.checksAll || isLogLost || mended !== null || end === "start";
  if (existed && (checksAll || end !== "1")) check(raw, { ...options, checksAll });
  raw.transaction(() => {
    raw.prepare("INSERT OR REPLACE INTO hub (key, value) VALUES ('clean_stop', 'start')").run();
    proveSchema(raw);
  })();
}

/** Marks that the hub serves: from now on an end without {@link markClean} is an unclean stop, not a failed start. */
export function markServing(raw: SqliteDatabase.Database): void {
  raw.prepare("UPDATE hub SET value = '0' WHERE key = 'clean_stop'").run();
}

/** Marks the stop as clean: the next start need not check the file. */
export function markClean(raw: SqliteDatabase.Database): void {
  raw.prepare("UPDATE hub SET value = '1' WHERE key = 'clean_stop'").run();
}

/** @throws Error `SQLITE_CORRUPT` */
function check(raw: SqliteDatabase.Database, { clock, logger, checksAll }: Parameters<typeof openFile>[0]): void {
  const started = clock.mono();
  const damage = checksAll ? damageOf(raw) : quickDamageOf(raw);
  if (damage !== null) throw corrupt(damage);
  if (checksAll) {
    const aside = setOrphansAside(raw, clock.now());
    if (aside > 0) logger.warn({ rows: aside }, "rows with dangling references were set aside");
  }
  // The last run's log may be in the system's memory only, even if a later sync succeeded after a failed one.
  raw.pragma("wal_checkpoint(TRUNCATE)");
  logger.info(
    { all: checksAll, tookMs: Math.round(clock.mono() - started) },
    "unclean stop: database checked, all well",
  );
}

/** Damage of a database of the newest version, after every check that the hub knows; null if none. */
export function damageOf(raw: SqliteDatabase.Database): string | null {
  const verdict = raw.pragma("integrity_check(1)", { simple: true });
  return verdict === "ok" ? orphanDamage(raw) : `integrity_check: ${String(verdict)}`;
}

function quickDamageOf(raw: SqliteDatabase.Database): string | null {
  const verdict = raw.pragma("quick_check", { simple: true });
  return verdict === "ok" ? null : `quick_check: ${String(verdict)}`;
}

/** Whatever else SQLite reports about a file whose tables cannot be compared: it is not one of the hub's databases. */
function settle(raw: SqliteDatabase.Database, migrations: readonly Migration[]): string | null {
  try {
    return settleSchema(raw, migrations);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    throw code === "SQLITE_ERROR" ? corrupt(error instanceof Error ? error.message : code) : error;
  }
}

/**
 * 0 if the file does not exist. @throws Error `SQLITE_CORRUPT` for anything but a regular file, which could block
 * forever
 */
function sizeOf(file: string): number {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) throw corrupt(`${file} is not a file`);
    return found?.size ?? 0;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ELOOP")
      throw corrupt(`${file} is a link to itself`);
    throw error;
  }
}

/** Moves a non-file out of the place of one of SQLite's files; returns whether there was one. */
function clearPlace(file: string, logger: Logger): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return false;
  const isMoved = moveAside(file);
  logger.warn({ file, isMoved }, "a database path is not a regular file");
  return true;
}

function lastEnd(raw: SqliteDatabase.Database): LastEnd {
  const value = raw.prepare<[]>("SELECT value FROM hub WHERE key = 'clean_stop'").pluck().get();
  return value === "1" || value === "0" ? value : "start"; // a lost row, or a changed one, proves nothing
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
