/**
 * Backups: one file that holds a consistent copy of the database with the hub's key, its settings and its certificate
 * authority inside, its keys of Matter where it is encrypted, and a manifest with their hashes. This folder owns how such files are made, packed, checked, kept,
 * rotated, rehearsed and restored. In: the open database, destinations, a schedule. Out: files and their list. Must
 * never know what the tables mean.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { isoTime } from "../kernel/clock.js";
import { fileProblem } from "../kernel/file-problem.js";
import { Problem } from "../kernel/problem.js";
import { readMigrations } from "../storage/migrate.js";
import { type BackupFileRow, BackupFileTable } from "../storage/tables/backup-file.js";
import { filesOfKeys, KEYS, readKeys } from "./key-folder.js";

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
  /** SHA-256 of those files, hex; absent in backups of the first versions. */
  readonly hashes?: Readonly<Record<string, string>>;
}

/** Files of the data folder that go with the database. */
export const COMPANIONS = ["hub.key", "gatehouse.json", "tls/authority.crt", "tls/authority.key"] as const;
const MANIFEST = "manifest";

/**
 * Turns a fresh copy of a database into a backup: puts the companions of `dataFolder` and the manifest in, and checks
 * it whole.
 * @throws Problem `unavailable` when the copy is not sound
 */
export function completeCopy(
  copyFile: string,
  about: {
    readonly dataFolder: string;
    readonly version: string;
    readonly nowMs: number;
    readonly passphrase: string | null;
  },
): BackupManifest {
  const copy = new SqliteDatabase(copyFile);
  try {
    copy.pragma("journal_mode = DELETE"); // one file, without -wal beside it
    const verdict = copy.pragma("quick_check", { simple: true });
    if (verdict !== "ok") throw new Problem("unavailable", { code: "unavailable.copyDamaged", why: String(verdict) });
    const companions: BackupFileRow[] = COMPANIONS.filter((name) => existsSync(join(about.dataFolder, name))).map(
      (name) => ({
        name,
        content: readFileSync(join(about.dataFolder, name)),
      }),
    );
    // Who has these is this hub, for its homes and devices: not in a file that anybody can open.
    const keys = about.passphrase === null ? null : readKeys(about.dataFolder);
    const contents = keys === null ? companions : [...companions, { name: KEYS, content: keys }];
    const databaseVersion = copy.pragma("user_version", { simple: true }) as number; // SQLite keeps it as an integer
    const manifest: BackupManifest = {
      format: 1,
      version: about.version,
      databaseVersion,
      at: isoTime(about.nowMs),
      files: contents.map(({ name }) => name),
      hashes: Object.fromEntries(contents.map(({ name, content }) => [name, sha256(content)])),
    };
    const table = new BackupFileTable(copy);
    table.create();
    for (const row of contents) table.insert(row);
    table.insert({ name: MANIFEST, content: Buffer.from(JSON.stringify(manifest)) });
    return manifest;
  } finally {
    copy.close();
  }
}

/**
 * Opens an unpacked backup and checks all of it: the database's pages, the companions' hashes, the version.
 * @throws Problem `wrong_file` when it is none, `damaged_file`, `newer_file`, `unreadable_file`, `not_found`
 */
export function readManifest(file: string, migrationsFolder: string): BackupManifest {
  const backup = openBackup(file);
  try {
    const verdict = backup.pragma("quick_check", { simple: true });
    if (verdict !== "ok") throw new Problem("damaged_file", { code: "backup.unsound", why: String(verdict) });
    const table = new BackupFileTable(backup);
    const stored = table.content(MANIFEST);
    if (stored === null) throw notABackup(file);
    const manifest = JSON.parse(stored.toString()) as BackupManifest; // written by completeCopy()
    const newest = readMigrations(migrationsFolder).length;
    const found = backup.pragma("user_version", { simple: true }) as number; // SQLite keeps it as an integer
    if (manifest.format !== 1 || found > newest) {
      throw new Problem(
        "newer_file",
        { code: "backup.newer", version: String(manifest.version) },
        {
          hint: "Install that version, then restore. Nothing was changed.",
        },
      );
    }
    for (const [name, hash] of Object.entries(manifest.hashes ?? {})) {
      const content = table.content(name);
      if (content === null || sha256(content) !== hash)
        throw new Problem("damaged_file", { code: "backup.changed", name });
    }
    return manifest;
  } catch (error) {
    throw fileProblem(error, "backup") ?? notABackup(file, error);
  } finally {
    backup.close();
  }
}

/**
 * Takes the companions out of an unpacked backup, which is a hub's database again afterwards. Answers them by name.
 * @throws Problem `damaged_file`
 */
export function extractCompanions(file: string): { readonly name: string; readonly content: Buffer }[] {
  const copy = new SqliteDatabase(file);
  try {
    const table = new BackupFileTable(copy);
    const found = COMPANIONS.flatMap((name) => {
      const content = table.content(name);
      return content === null ? [] : [{ name, content }];
    });
    const keys = table.content(KEYS);
    table.drop();
    return keys === null ? found : [...found, ...filesOfKeys(keys)];
  } finally {
    copy.close();
  }
}

/** The answer for a file that is no backup. */
export function notABackup(file: string, cause?: unknown): Problem {
  return new Problem("wrong_file", { code: "backup.wrong", file: basename(file) }, { cause });
}

function openBackup(file: string): SqliteDatabase.Database {
  if (!existsSync(file) || !statSync(file).isFile()) throw new Problem("not_found", { code: "file.missing", file });
  try {
    return new SqliteDatabase(file, { readonly: true, fileMustExist: true });
  } catch (error) {
    throw (
      fileProblem(error, "backup") ??
      new Problem("unreadable_file", { code: "backup.unreadable", file: basename(file) }, { cause: error })
    );
  }
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
