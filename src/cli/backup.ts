/**
 * Backups in one file: a consistent copy of the database with the hub's key and its settings inside, and a manifest. The copy
 * is taken while the hub runs, checked, and put in place whole. A backup holds every secret of the hub.
 */
import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { isoTime } from "../kernel/clock.js";
import { Problem } from "../kernel/problem.js";
import { readMigrations } from "../storage/migrate.js";
import { BackupFileTable } from "../storage/tables/backup-file.js";

/** What a backup says of itself. */
export interface BackupManifest {
  readonly format: 1;
  /** Version of Gatehouse that wrote it. */
  readonly version: string;
  /** Version of the database inside. */
  readonly databaseVersion: number;
  readonly at: string;
  /** Names of the files beside the database. */
  readonly files: readonly string[];
}

/** What {@link writeBackup} works on. */
export interface BackupOptions {
  /** The open database of the hub. */
  readonly raw: SqliteDatabase.Database;
  readonly dataFolder: string;
  /** Where the backup goes; absolute. Must not exist. */
  readonly file: string;
  readonly version: string;
  readonly nowMs: number;
}

/** Files of the data folder that go with the database. */
const COMPANIONS = ["hub.key", "gatehouse.json"];
const MANIFEST = "manifest";

/** Writes a backup and answers its manifest. @throws Problem `conflict` when the file exists, `unavailable` when the copy is not sound */
export async function writeBackup({ raw, dataFolder, file, version, nowMs }: BackupOptions): Promise<BackupManifest> {
  if (existsSync(file)) throw new Problem("conflict", `${file} exists already.`);
  if (!existsSync(dirname(file))) throw new Problem("conflict", `There is no folder ${dirname(file)}.`);
  const draft = `${file}.part`;
  rmSync(draft, { force: true });
  try {
    closeSync(openSync(draft, "w", 0o600)); // made private before anything is in it
    await raw.backup(draft);
    const manifest = complete(draft, { dataFolder, version, nowMs });
    renameSync(draft, file);
    return manifest;
  } finally {
    rmSync(draft, { force: true });
  }
}

function complete(
  draft: string,
  { dataFolder, version, nowMs }: { readonly dataFolder: string; readonly version: string; readonly nowMs: number },
): BackupManifest {
  const copy = new SqliteDatabase(draft);
  try {
    copy.pragma("journal_mode = DELETE"); // one file, without -wal beside it
    const verdict = copy.pragma("quick_check", { simple: true });
    if (verdict !== "ok") throw new Problem("unavailable", `The copy of the database is damaged: ${String(verdict)}.`);
    const files = COMPANIONS.filter((name) => existsSync(join(dataFolder, name)));
    const databaseVersion = copy.pragma("user_version", { simple: true }) as number; // SQLite keeps it as an integer
    const manifest: BackupManifest = { format: 1, version, databaseVersion, at: isoTime(nowMs), files };
    const table = new BackupFileTable(copy);
    table.create();
    for (const name of files) table.insert({ name, content: readFileSync(join(dataFolder, name)) });
    table.insert({ name: MANIFEST, content: Buffer.from(JSON.stringify(manifest)) });
    return manifest;
  } finally {
    copy.close();
  }
}

/** Opens a backup for reading and checks it. @throws Problem `conflict` when it is none, is damaged, or is of a newer Gatehouse */
export function readManifest(file: string, migrationsFolder: string): BackupManifest {
  const backup = openBackup(file);
  try {
    const verdict = backup.pragma("quick_check", { simple: true });
    if (verdict !== "ok") throw new Problem("conflict", `The backup is damaged: ${String(verdict)}.`);
    const stored = new BackupFileTable(backup).content(MANIFEST);
    if (stored === null) throw new Problem("conflict", `${file} is not a backup of Gatehouse.`);
    const manifest = JSON.parse(stored.toString()) as BackupManifest; // written by complete()
    const newest = readMigrations(migrationsFolder).length;
    const found = backup.pragma("user_version", { simple: true }) as number; // SQLite keeps it as an integer
    if (manifest.format !== 1 || found > newest) {
      throw new Problem("conflict", `The backup was made by a newer Gatehouse (${manifest.version}).`, {
        hint: "Install that version, then restore. Nothing was changed.",
      });
    }
    return manifest;
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem("conflict", `${file} is not a backup of Gatehouse.`, { cause: error });
  } finally {
    backup.close();
  }
}

/**
 * Puts a checked backup into a data folder that no hub works on. What was there is moved into a folder beside, whose path is answered
 * (null when there was nothing). Pictures of plates stay: they are no part of a backup.
 */
export function restoreBackup(options: { readonly file: string; readonly dataFolder: string; readonly nowMs: number }): string | null {
  const { file, dataFolder, nowMs } = options;
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  const draft = join(dataFolder, "gatehouse.db.restoring");
  writeFileSync(draft, readFileSync(file), { mode: 0o600 });
  const copy = new SqliteDatabase(draft);
  const table = new BackupFileTable(copy);
  const companions = COMPANIONS.map((name) => ({ name, content: table.content(name) }));
  table.drop();
  copy.close();
  syncFile(draft);
  const aside = moveAside(dataFolder, nowMs);
  for (const { name, content } of companions) if (content !== null) writeFileSync(join(dataFolder, name), content, { mode: 0o600 });
  renameSync(draft, join(dataFolder, "gatehouse.db"));
  chmodSync(join(dataFolder, "gatehouse.db"), 0o600);
  return aside;
}

function moveAside(dataFolder: string, nowMs: number): string | null {
  const present = ["gatehouse.db", "gatehouse.db-wal", "gatehouse.db-shm", ...COMPANIONS].filter((name) => existsSync(join(dataFolder, name)));
  if (present.length === 0) return null;
  const aside = join(dataFolder, `before-restore-${isoTime(nowMs).replace(/[:.]/g, "-")}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of present) renameSync(join(dataFolder, name), join(aside, name));
  return aside;
}

function openBackup(file: string): SqliteDatabase.Database {
  if (!existsSync(file) || !statSync(file).isFile()) throw new Problem("conflict", `There is no file ${file}.`);
  try {
    return new SqliteDatabase(file, { readonly: true, fileMustExist: true });
  } catch (error) {
    throw new Problem("conflict", `${basename(file)} cannot be read.`, { cause: error });
  }
}

function syncFile(file: string): void {
  const descriptor = openSync(file, "r+");
  fsyncSync(descriptor);
  closeSync(descriptor);
}
