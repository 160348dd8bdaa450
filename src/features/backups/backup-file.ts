/**
 * Backups: one file that holds a consistent copy of the database, and after it the hub's key, its settings and its
 * certificate authority, its keys of Matter where it is encrypted, and a manifest with their hashes. This folder owns how such files are made, packed, checked, kept,
 * rotated, rehearsed and restored. In: the open database, destinations, a schedule. Out: files and their list. Must
 * never know what the tables mean.
 */
import { createHash } from "node:crypto";
import { closeSync, existsSync, fstatSync, readSync, statSync, truncateSync } from "node:fs";
import { basename, join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { isoTime } from "../../core/kernel/clock.ts";
import { fileProblem } from "../../core/kernel/file-problem.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { expectSmallFile, openWholeFile } from "../../core/kernel/small-file.ts";
import { readMigrations } from "../../core/storage/migrate.ts";
import { filesOfKeys, KEYS, readKeys } from "./key-folder.ts";
import { type BackupFileRow, BackupFileTable } from "./tables/backup-file.ts";

/** A backup's description of itself. */
export interface BackupManifest {
  /** 1: the files are in a table of the database itself; 2: in a part of their own after it. */
  readonly format: 1 | 2;
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
const FORMATS: ReadonlySet<number> = new Set([1, 2]);
const MANIFEST = "manifest";
/** The end of a backup: the length of the part before it, and this mark. */
const END_MARK = "GATEHOUSE BACKUP";
const LENGTH_BYTES = 8;
const END_BYTES = LENGTH_BYTES + END_MARK.length;
/** Far more than the companions can be: each has a limit of its own. */
const LARGEST_PART = 32 * 1_048_576;

/**
 * What follows the database in a backup: a small database with the companions of `dataFolder` and the manifest, and a
 * mark at the very end. SQLite ignores everything after the last page of a file.
 */
export function companionsPart(about: {
  readonly dataFolder: string;
  readonly version: string;
  readonly nowMs: number;
  readonly passphrase: string | null;
  readonly databaseVersion: number;
}): { readonly manifest: BackupManifest; readonly bytes: Buffer } {
  const companions: BackupFileRow[] = COMPANIONS.filter((name) => existsSync(join(about.dataFolder, name))).map(
    (name) => ({ name, content: expectSmallFile(join(about.dataFolder, name)) }),
  );
  // The holder of these can act as this hub towards its homes and devices: never in an unencrypted file.
  const keys = about.passphrase === null ? null : readKeys(about.dataFolder);
  const contents = keys === null ? companions : [...companions, { name: KEYS, content: keys }];
  const manifest: BackupManifest = {
    format: 2,
    version: about.version,
    databaseVersion: about.databaseVersion,
    at: isoTime(about.nowMs),
    files: contents.map(({ name }) => name),
    hashes: Object.fromEntries(contents.map(({ name, content }) => [name, sha256(content)])),
  };
  const raw = new SqliteDatabase(":memory:");
  try {
    const table = new BackupFileTable(raw);
    table.create();
    for (const row of contents) table.insert(row);
    table.insert({ name: MANIFEST, content: Buffer.from(JSON.stringify(manifest)) });
    const part = raw.serialize();
    const end = Buffer.alloc(END_BYTES);
    end.writeBigUInt64BE(BigInt(part.length));
    end.write(END_MARK, LENGTH_BYTES, "latin1");
    return { manifest, bytes: Buffer.concat([part, end]) };
  } finally {
    raw.close();
  }
}

/**
 * Opens an unpacked backup and checks all of it: the database's pages, the companions' hashes, the version.
 * @throws Problem `wrong_file` when it is not a backup, `damaged_file`, `newer_file`, `unreadable_file`, `not_found`
 */
export function readManifest(file: string, migrationsFolder: string): BackupManifest {
  const backup = openBackup(file);
  let companions: SqliteDatabase.Database | null = null;
  try {
    const verdict = backup.pragma("quick_check", { simple: true });
    if (verdict !== "ok") throw new Problem("damaged_file", { code: "backup.unsound", why: String(verdict) });
    const part = partOf(file);
    if (part !== null) companions = openPart(part.bytes);
    const table = new BackupFileTable(companions ?? backup);
    const stored = table.content(MANIFEST);
    if (stored === null) throw notABackup(file);
    const manifest = JSON.parse(stored.toString()) as BackupManifest; // written by companionsPart()
    const newest = readMigrations(migrationsFolder).length;
    const found = backup.pragma("user_version", { simple: true }) as number; // SQLite keeps it as an integer
    if (!FORMATS.has(manifest.format) || found > newest) {
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
    companions?.close();
  }
}

/**
 * Removes the companions from an unpacked backup, which is then a hub's database again. Returns them by name.
 * @throws Problem `damaged_file`
 */
export function extractCompanions(file: string): { readonly name: string; readonly content: Buffer }[] {
  const part = partOf(file);
  const raw = part === null ? new SqliteDatabase(file) : openPart(part.bytes);
  try {
    const table = new BackupFileTable(raw);
    const found = COMPANIONS.flatMap((name) => {
      const content = table.content(name);
      return content === null ? [] : [{ name, content }];
    });
    const keys = table.content(KEYS);
    if (part === null) table.drop();
    else truncateSync(file, part.at);
    return keys === null ? found : [...found, ...filesOfKeys(keys)];
  } finally {
    raw.close();
  }
}

/** The content that follows the database in an unpacked backup, and its offset; null in format 1. */
function partOf(file: string): { readonly at: number; readonly bytes: Buffer } | null {
  const descriptor = openWholeFile(file);
  try {
    const { size } = fstatSync(descriptor);
    const read = (length: number, at: number): Buffer => {
      const bytes = Buffer.alloc(length);
      for (let done = 0; done < length; ) {
        const count = readSync(descriptor, bytes, done, length - done, at + done);
        if (count === 0) break;
        done += count;
      }
      return bytes;
    };
    if (size < END_BYTES) return null;
    const end = read(END_BYTES, size - END_BYTES);
    if (end.toString("latin1", LENGTH_BYTES) !== END_MARK) return null;
    const length = Number(end.readBigUInt64BE());
    const at = size - END_BYTES - length;
    if (length > LARGEST_PART || at <= 0) throw new Problem("damaged_file", { code: "backup.notUnpacked" });
    return { at, bytes: read(length, at) };
  } finally {
    closeSync(descriptor);
  }
}

/** @throws Problem `damaged_file` */
function openPart(bytes: Buffer): SqliteDatabase.Database {
  try {
    return new SqliteDatabase(bytes);
  } catch (cause) {
    throw new Problem("damaged_file", { code: "backup.notUnpacked" }, { cause });
  }
}

/** The problem of a file that is not a backup. */
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
