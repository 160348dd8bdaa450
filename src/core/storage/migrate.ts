import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import type { Logger } from "../kernel/logger.ts";
import { Problem } from "../kernel/problem.ts";
import { platesIn } from "../plates/mention.ts";

/** How many copies of earlier versions stay. */
const KEPT_COPIES = 2;

/** One migration file. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** Reads the numbered migration files in order. @throws Error on a gap, a duplicate number or a stray name */
export function readMigrations(folder: string): Migration[] {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort();
  return files.map((file, index) => {
    const version = Number(/^(\d{4})-[a-z0-9-]+\.sql$/.exec(file)?.[1]);
    if (version !== index + 1) throw new Error(`migration ${file}: expected number ${index + 1}`);
    return { version, name: file, sql: readFileSync(join(folder, file), "utf8") };
  });
}

/**
 * Registers functions for migrations besides SQLite's own: `plates_in(text)`, a JSON list of possible number plates in
 * `text` (0019).
 */
export function addFunctions(raw: SqliteDatabase.Database): void {
  raw.function("plates_in", { deterministic: true }, (text) => JSON.stringify(platesIn(String(text))));
}

/**
 * Brings the database to the newest version, forward only, each file in one transaction with its `PRAGMA user_version`;
 * a file that fails leaves the version before it intact. A new database gets them all in one transaction, a single
 * write for a card. A copy is made before the first change to a database that holds data.
 * @throws Problem `database_newer` when the file is from a newer Gatehouse; nothing is changed
 */
export async function migrate(options: {
  readonly raw: SqliteDatabase.Database;
  /** Folder of `NNNN-name.sql` files, numbered 1, 2, 3 … without gaps. */
  readonly folder: string;
  /** The database file, for the name of the safety copy. */
  readonly file: string;
  readonly logger: Logger;
}): Promise<void> {
  const { raw, folder, file, logger } = options;
  const migrations = readMigrations(folder);
  const from = raw.pragma("user_version", { simple: true }) as number; // SQLite keeps it as an integer
  if (from > migrations.length) {
    throw new Problem(
      "database_newer",
      `The database was written by a newer Gatehouse (version ${from}; this one knows ${migrations.length}).`,
      {
        hint: "Install that newer Gatehouse again, or restore a backup made by this one. Nothing was changed.",
      },
    );
  }
  const missing = migrations.slice(from);
  if (missing.length === 0) return;
  if (from > 0) await copyBeforeMigration(raw, `${file}.before-v${migrations.length}`, from);
  raw.pragma("foreign_keys = OFF");
  const applyAll = (): void => applyEach(raw, missing, (name) => logger.info({ migration: name }, "database migrated"));
  if (from === 0) raw.transaction(applyAll).immediate();
  else applyAll();
  raw.pragma("foreign_keys = ON");
}

/**
 * Whether a hub could start from an unused database: runs the missing migrations, compares its tables with those of a
 * new one, and rolls everything back.
 * @throws Error with the reason why none could
 */
export function tryMigrations(raw: SqliteDatabase.Database, folder: string): void {
  const migrations = readMigrations(folder);
  const fresh = new SqliteDatabase(":memory:");
  raw.pragma("foreign_keys = OFF");
  raw.exec("BEGIN IMMEDIATE");
  try {
    applyEach(fresh, migrations);
    const from = raw.pragma("user_version", { simple: true }) as number; // SQLite keeps it as an integer
    applyEach(raw, migrations.slice(Math.max(0, from)));
    const found = new Set(partsOf(raw));
    const missing = partsOf(fresh).find((part) => !found.has(part));
    if (missing !== undefined) throw new Error(`${missing} is missing`);
    const foreign = raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck().get();
    if (foreign !== undefined) throw new Error(`the trigger ${String(foreign)} is no hub's`);
  } finally {
    if (raw.inTransaction) raw.exec("ROLLBACK");
    fresh.close();
  }
}

function applyEach(
  raw: SqliteDatabase.Database,
  migrations: readonly Migration[],
  applied: (name: string) => void = () => {},
): void {
  addFunctions(raw);
  const apply = raw.transaction((migration: Migration) => {
    raw.exec(migration.sql);
    const broken = raw.pragma("foreign_key_check") as unknown[]; // one row per broken reference
    if (broken.length > 0) throw new Error(`${migration.name} leaves ${broken.length} broken references`);
    raw.pragma(`user_version = ${migration.version}`);
  });
  for (const migration of migrations) {
    apply.immediate(migration);
    applied(migration.name);
  }
}

/** `table.column` of each column. */
function partsOf(raw: SqliteDatabase.Database): string[] {
  return raw
    .prepare<[], string>(
      `SELECT t.name || '.' || c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'`,
    )
    .pluck()
    .all() as string[]; // texts, as selected
}

/**
 * Keeps a copy that the previous version can read. An existing copy of the same version is replaced: it is from an
 * earlier try and lacks later records. One of an older version stays: this run continues an interrupted one, and the
 * file has already changed.
 */
async function copyBeforeMigration(raw: SqliteDatabase.Database, target: string, from: number): Promise<void> {
  if (existsSync(target) && versionOf(target) < from) return;
  await raw.backup(`${target}.part`);
  renameSync(`${target}.part`, target);
  const older = readdirSync(dirname(target))
    .map((name) => ({ name, version: Number(/\.before-v(\d+)$/.exec(name)?.[1]) }))
    .filter(({ name, version }) => name.startsWith(basename(target).replace(/\d+$/, "")) && version > 0)
    .sort((a, b) => b.version - a.version);
  for (const { name } of older.slice(KEPT_COPIES)) rmSync(join(dirname(target), name), { force: true });
}

function versionOf(file: string): number {
  const copy = new SqliteDatabase(file, { readonly: true });
  try {
    return copy.pragma("user_version", { simple: true }) as number; // SQLite keeps it as an integer
  } catch {
    return Number.MAX_SAFE_INTEGER; // torn: it is replaced
  } finally {
    copy.close();
  }
}
