/**
 * A database in memory that replaces an unusable file for as long as the hub runs. It holds the readable part of the
 * file, so that devices connect, the gate opens and the owner can sign in. Nothing is stored: the writer refuses while
 * it is in use.
 */
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import type { Logger } from "../kernel/logger.ts";
import { setBadRowsAside } from "./bad-rows.ts";
import type { DatabaseOptions, EarlierCopy } from "./database-options.ts";
import { addFunctions, readMigrations } from "./migrate.ts";
import { setOrphansAside } from "./orphans.ts";

/**
 * The database in memory for a hub whose file is unusable: without unreadable cells, and without rows that reference
 * missing rows. @throws Error only if SQLite itself does not work
 */
export async function openStandIn(options: DatabaseOptions): Promise<SqliteDatabase.Database> {
  const { file, migrationsFolder, logger, clock, earlierCopy = async () => null, source } = options;
  const raw = await openFallbackDatabase({
    file: source === "copy" ? null : file,
    migrationsFolder,
    earlierCopy,
    logger,
  });
  setBadRowsAside(raw, clock.now());
  setOrphansAside(raw, clock.now());
  return raw;
}

/** Tables that may be larger than the memory to spare: they come last, and only as far as there is room. */
const LARGE = [
  "telemetry_hour",
  "feed_item",
  "feed_subject",
  "audit",
  "plate_read",
  "plate_capture",
  "visit",
  "plate_image",
  "telemetry_block",
  "telemetry_journal",
  "webhook_delivery",
  "webhook_subject",
];
const MOST_BYTES = 24 * 1_048_576;
/**
 * From an earlier copy, only what admits the owner and the devices: keys and sessions that ended since would be valid.
 */
const FROM_EARLIER: Readonly<Record<string, string>> = {
  account: "household_of IS NULL",
  site: "account_id IN (SELECT id FROM account WHERE household_of IS NULL)",
  room: "1",
  device: "1",
};
const MAGIC = "SQLite format 3\0";
const HEADER_BYTES = 100;

/** Builds the database in memory. @throws Error only if SQLite itself does not work */
async function openFallbackDatabase(options: {
  /** Null: none of it is used. */
  readonly file: string | null;
  readonly migrationsFolder: string;
  /** An earlier copy of the database, asked for when the file yields no account; null when there is none. */
  readonly earlierCopy: () => Promise<EarlierCopy | null>;
  readonly logger: Logger;
}): Promise<SqliteDatabase.Database> {
  const { file, migrationsFolder, earlierCopy, logger } = options;
  const raw = new SqliteDatabase(":memory:");
  raw.pragma("foreign_keys = OFF");
  const newest = readMigrations(migrationsFolder);
  let rows = 0;
  if (file !== null && isFile(file)) rows = readable(file, (source) => fill(raw, source, newest));
  if ((raw.pragma("user_version", { simple: true }) as number) < newest.length) migrateTo(raw, newest, newest.length);
  const isOwned = raw.prepare("SELECT 1 FROM account WHERE household_of IS NULL").get() !== undefined;
  const earlier = isOwned ? null : await earlierCopy().catch(() => null);
  if (earlier !== null) {
    try {
      rows += readable(earlier.file, (source) => copyRows(raw, source, FROM_EARLIER));
    } finally {
      earlier.discard();
    }
  }
  logger.warn(
    { rows, earlierCopy: earlier !== null },
    "a database in memory stands in for the file; nothing is stored",
  );
  return raw;
}

/**
 * Returns how many rows came over. An older file's rows go in at its own version, and the migrations bring them up to
 * date as they would on disk.
 */
function fill(
  raw: SqliteDatabase.Database,
  source: SqliteDatabase.Database,
  migrations: ReturnType<typeof readMigrations>,
): number {
  const version = source.pragma("user_version", { simple: true }) as number; // SQLite keeps it as an integer
  migrateTo(raw, migrations, version >= 1 && version < migrations.length ? version : migrations.length);
  const rows = copyRows(raw, source, null);
  migrateTo(raw, migrations, migrations.length);
  return rows;
}

/** Whether a copy of the database can be read and has an account. */
export function hasAccount(file: string): boolean {
  try {
    if (!isFile(file)) return false;
    const copy = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
    try {
      return copy.prepare("SELECT 1 FROM account LIMIT 1").get() !== undefined;
    } finally {
      copy.close();
    }
  } catch {
    return false;
  }
}

/** SQLite blocks on a pipe until a writer opens it. */
function isFile(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function migrateTo(raw: SqliteDatabase.Database, migrations: ReturnType<typeof readMigrations>, version: number): void {
  addFunctions(raw);
  for (const migration of migrations.slice(raw.pragma("user_version", { simple: true }) as number, version)) {
    raw.exec(migration.sql);
    raw.pragma(`user_version = ${migration.version}`);
  }
}

/**
 * Runs `use` on the file or, if that cannot be opened, on a copy with a repaired header; 0 when neither can be read.
 */
function readable(file: string, use: (source: SqliteDatabase.Database) => number): number {
  try {
    return open(file, use);
  } catch {
    const folder = mkdtempSync(join(tmpdir(), "gatehouse-"));
    try {
      const copy = join(folder, "copy.db");
      copyFileSync(file, copy);
      if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`);
      mendHeader(copy);
      return open(copy, use);
    } catch {
      return 0;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

function open(file: string, use: (source: SqliteDatabase.Database) => number): number {
  const source = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
  try {
    source.unsafeMode(true);
    source.pragma("writable_schema = ON"); // allows reading a file that is shorter than its header declares
    source.prepare("SELECT name FROM sqlite_master").all();
    return use(source);
  } finally {
    source.close();
  }
}

/** Gives a file that does not begin like a database the first bytes of this hub's databases. */
function mendHeader(file: string): void {
  const handle = openSync(file, "r+");
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(handle, header, 0, HEADER_BYTES, 0);
    if (header.toString("latin1", 0, MAGIC.length) === MAGIC && header.readUInt16BE(16) === 4096) return;
    header.fill(0);
    header.write(MAGIC, "latin1");
    header.writeUInt16BE(4096, 16); // page size
    header.set([1, 1, 0, 64, 32, 32], 18); // rollback journal, no reserved bytes, payload fractions
    header.writeUInt32BE(4, 44); // schema format
    header.writeUInt32BE(1, 56); // UTF-8
    writeSync(handle, header, 0, HEADER_BYTES, 0);
  } finally {
    closeSync(handle);
  }
}

/**
 * Copies rows table by table (only those of `only`, if given). A damaged page costs the rows on it: later rows are read
 * from the other end.
 */
function copyRows(
  target: SqliteDatabase.Database,
  source: SqliteDatabase.Database,
  only: Readonly<Record<string, string>> | null,
): number {
  const names = target
    .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all();
  const order = (name: string): number => LARGE.indexOf(name);
  let room = MOST_BYTES;
  let rows = 0;
  for (const { name } of names.sort((a, b) => order(a.name) - order(b.name))) {
    const where = only === null ? "1" : only[name];
    if (where === undefined || room <= 0) continue;
    const columns = columnsOf(target, name).filter((column) => columnsOf(source, name).includes(column));
    if (columns.length === 0) continue;
    const list = columns.map((column) => `"${column}"`).join(", ");
    const insert = target.prepare(
      `INSERT OR REPLACE INTO "${name}" (${list}) VALUES (${columns.map(() => "?").join(", ")})`,
    );
    for (const direction of ["", ` ORDER BY ${keyOf(source, name)} DESC`]) {
      try {
        for (const row of source
          .prepare(`SELECT ${list} FROM "${name}" WHERE ${where}${direction}`)
          .raw()
          .iterate() as IterableIterator<unknown[]>) {
          room -= bytesOf(row);
          if (room <= 0) break;
          rows += take(insert, row);
        }
        break; // the whole table, or as much as there was room for
      } catch {
        // A damaged page: read again from the other end.
      }
    }
  }
  return rows;
}

function take(insert: SqliteDatabase.Statement, row: readonly unknown[]): number {
  try {
    return insert.run(...row).changes;
  } catch {
    return 0; // the damaged row violates a constraint of the table
  }
}

function columnsOf(raw: SqliteDatabase.Database, table: string): string[] {
  try {
    return (raw.pragma(`table_info("${table}")`) as { name: string }[]).map(({ name }) => name); // SQLite's own
  } catch {
    return [];
  }
}

function keyOf(raw: SqliteDatabase.Database, table: string): string {
  const keys = (raw.pragma(`table_info("${table}")`) as { name: string; pk: number }[])
    .filter(({ pk }) => pk > 0)
    .sort((a, b) => a.pk - b.pk);
  return keys.length === 0
    ? "rowid"
    : keys
        .map(({ name }) => `"${name}" DESC`)
        .join(", ")
        .replace(/ DESC$/, "");
}

function bytesOf(row: readonly unknown[]): number {
  return row.reduce<number>(
    (sum, value) => sum + (typeof value === "string" || Buffer.isBuffer(value) ? value.length : 8),
    0,
  );
}
