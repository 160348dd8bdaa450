import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import SqliteDatabase from "better-sqlite3";
import { type FileSubject, fileProblem } from "../../core/kernel/file-problem.ts";
import { silentLogger } from "../../core/kernel/logger.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { chunksOf, steadyWriter } from "../../core/kernel/steady-file.ts";
import { migrate, tryMigrations } from "../../core/storage/migrate.ts";
import { Snapshot } from "../../core/storage/snapshot.ts";
import { type BackupManifest, companionsPart, extractCompanions, readManifest } from "./backup-file.ts";
import { BACKUP_PREFIX } from "./backup-name.ts";
import { type PackFigures, pack, syncFile, syncFolderNow, unpack } from "./pack.ts";

/** Names of the long operations on a backup; each is a plain message to the worker thread. */
export type WorkOrder =
  | {
      readonly kind: "finish";
      /** File of the database, which others may write to meanwhile. */
      readonly source: string;
      readonly packed: string;
      readonly dataFolder: string;
      readonly version: string;
      readonly nowMs: number;
      readonly passphrase: string | null;
      readonly migrationsFolder: string;
    }
  | {
      readonly kind: "place";
      readonly packed: string;
      readonly file: string;
      /** Whether its folder is made; where it is a mount point it would else be made on the disk below. */
      readonly makeFolder: boolean;
      readonly wanted: PackFigures;
      readonly passphrase: string | null;
    }
  /** Whether a file could be made at a path that a person named. */
  | { readonly kind: "try-path"; readonly file: string }
  | { readonly kind: "remove"; readonly file: string }
  | {
      readonly kind: "rehearse";
      readonly file: string;
      readonly folder: string;
      readonly passphrase: string | null;
      readonly migrationsFolder: string;
    }
  | {
      readonly kind: "unpack";
      readonly file: string;
      readonly folder: string;
      readonly passphrase: string | null;
      readonly migrationsFolder: string;
    };

/** What each order answers. */
export interface WorkResults {
  readonly finish: { readonly manifest: BackupManifest; readonly figures: PackFigures };
  /** Bytes that were written. */
  readonly place: number;
  readonly "try-path": null;
  readonly remove: null;
  readonly rehearse: { readonly manifest: BackupManifest; readonly migrated: boolean; readonly bytes: number };
  readonly unpack: { readonly manifest: BackupManifest };
}

/** Its packed form, as if nothing in it could be packed, and some air. */
const SPACE_FACTOR = 1.1;
/** Age at which a draft is one that was given up, and not one that another hub writes to the same share now. */
const OLD_DRAFT_MS = 86_400_000;

/**
 * Does one order. Blocks for as long as the database is large: belongs in the worker thread or the command line.
 * @throws Problem `storage_full`, `unreadable_file` and `damaged_file` for the medium's errors, and those of each order
 */
export async function doWork<Order extends WorkOrder>(order: Order): Promise<WorkResults[Order["kind"]]> {
  try {
    return await carryOut(order);
  } catch (error) {
    throw fileProblem(error, SUBJECTS[order.kind]) ?? error;
  }
}

/** What each order works on. */
const SUBJECTS: Readonly<Record<WorkOrder["kind"], FileSubject>> = {
  finish: "copy",
  place: "backup",
  "try-path": "file",
  remove: "backup",
  rehearse: "backup",
  unpack: "backup",
};

async function carryOut<Order extends WorkOrder>(order: Order): Promise<WorkResults[Order["kind"]]> {
  switch (order.kind) {
    case "finish":
      return (await finish(order)) as WorkResults[Order["kind"]]; // the result of this very kind
    case "place":
      return (await place(order)) as WorkResults[Order["kind"]]; // the result of this very kind
    case "try-path":
      return tryPath(order) as WorkResults[Order["kind"]]; // the result of this very kind
    case "remove":
      rmSync(order.file, { force: true });
      return null as WorkResults[Order["kind"]]; // the result of this very kind
    case "rehearse":
      return (await rehearse(order)) as WorkResults[Order["kind"]]; // the result of this very kind
    case "unpack":
      return (await unpackToStart(order)) as WorkResults[Order["kind"]]; // the result of this very kind
  }
}

type OrderOf<Kind extends WorkOrder["kind"]> = Extract<WorkOrder, { kind: Kind }>;

/**
 * Packs the present database, with its companions behind it. Writes only the packed file: SQLite checks the moment
 * being packed, and the packed file is read back at its destination.
 * @throws Problem `unavailable` when the database is not sound
 */
async function finish(order: OrderOf<"finish">): Promise<WorkResults["finish"]> {
  const { source, packed, passphrase } = order;
  checkSpace(dirname(packed), statSync(source).size * SPACE_FACTOR);
  const snapshot = new Snapshot(source);
  try {
    const verdict = soundness(snapshot.raw);
    if (verdict !== "ok") throw new Problem("unavailable", { code: "unavailable.copyDamaged", why: verdict });
    const databaseVersion = Number(snapshot.raw.pragma("user_version", { simple: true }));
    const { manifest, bytes } = companionsPart({ ...order, databaseVersion });
    async function* all(): AsyncGenerator<Buffer, void> {
      yield* snapshot.chunks();
      yield bytes;
    }
    return { manifest, figures: await pack(all(), packed, passphrase) };
  } finally {
    snapshot.close();
  }
}

/** SQLite's verdict on the pages of a database; "ok" if all is well. */
function soundness(raw: SqliteDatabase.Database): string {
  try {
    return String(raw.pragma("quick_check", { simple: true }));
  } catch (error) {
    if (error instanceof SqliteDatabase.SqliteError && /^SQLITE_(CORRUPT|NOTADB)/.test(error.code))
      return error.message;
    throw error;
  }
}

/**
 * Writes a packed backup to its place whole or not at all, and reads it back to the last byte; its content was checked
 * before packing.
 */
async function place({ packed, file, makeFolder, wanted, passphrase }: OrderOf<"place">): Promise<number> {
  const folder = dirname(file);
  const draft = `${file}.part`;
  if (makeFolder) mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeOldDrafts(folder);
  removeQuietly(draft);
  try {
    const isLinked = linked(packed, draft);
    if (!isLinked) {
      checkSpace(folder, wanted.bytes);
      await pipeline(Readable.from(chunksOf(packed), { objectMode: false }), steadyWriter(draft));
    }
    const found = await unpack(draft, null, passphrase);
    if (found.plainSha256 !== wanted.plainSha256 || found.bytes !== wanted.bytes)
      throw new Problem("unavailable", { code: "unavailable.readBack" });
    renameSync(draft, file);
    // FAT keeps a file's size in its folder's entry, and the new name's entry has none until the file is synced under
    // it.
    syncFile(file);
    syncFolderNow(folder);
    return isLinked ? 0 : wanted.bytes;
  } finally {
    removeQuietly(draft);
  }
}

/** Gives the packed file a second name where that is on the same disk: then it is not written again. */
function linked(packed: string, draft: string): boolean {
  try {
    linkSync(packed, draft);
    return true;
  } catch {
    return false; // another disk, or a file system without links
  }
}

function tryPath({ file }: OrderOf<"try-path">): null {
  if (existsSync(file)) throw new Problem("conflict", { code: "conflict.fileExists", file });
  if (!existsSync(dirname(file))) throw new Problem("conflict", { code: "conflict.noFolder", folder: dirname(file) });
  return null;
}

/** A power cut during packing leaves a draft as large as a backup. */
function removeOldDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(BACKUP_PREFIX) || !name.endsWith(".part")) continue;
    const { mtimeMs } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {
      mtimeMs: Number.POSITIVE_INFINITY,
    };
    if (Date.now() - mtimeMs > OLD_DRAFT_MS) removeQuietly(join(folder, name));
  }
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // An earlier error has reported the cause, or the file goes with the next backup.
  }
}

function checkSpace(folder: string, wantedBytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < wantedBytes)
    throw new Problem("storage_full", {
      code: "backup.noRoom",
      folder,
      megabytes: Math.ceil(wantedBytes / 1_048_576),
    });
}

/** The whole way of a restore, in a folder of its own, with the migrations of this version. */
async function rehearse(order: OrderOf<"rehearse">): Promise<WorkResults["rehearse"]> {
  const { folder, migrationsFolder } = order;
  try {
    const { manifest } = await unpackInto({ ...order, kind: "unpack" });
    const file = join(folder, "gatehouse.db");
    const raw = new SqliteDatabase(file);
    try {
      const before = raw.pragma("user_version", { simple: true });
      await migrate({ raw, folder: migrationsFolder, file, logger: silentLogger });
      const verdict = raw.pragma("quick_check", { simple: true });
      if (verdict !== "ok")
        throw new Problem("unavailable", { code: "unavailable.restoredDamaged", why: String(verdict) });
      const bytes =
        // SQLite's integers
        (raw.pragma("page_count", { simple: true }) as number) * (raw.pragma("page_size", { simple: true }) as number);
      return { manifest, migrated: before !== raw.pragma("user_version", { simple: true }), bytes };
    } finally {
      raw.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * As {@link unpackInto}, for a hub that is to start from it: whether one can is found out here, not at the start.
 * @throws Problem `damaged_file`
 */
async function unpackToStart(order: OrderOf<"unpack">): Promise<WorkResults["unpack"]> {
  const unpacked = await unpackInto(order);
  const database = join(order.folder, "gatehouse.db");
  const raw = new SqliteDatabase(database);
  try {
    tryMigrations(raw, order.migrationsFolder);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw fileProblem(cause, "backup") ?? new Problem("damaged_file", { code: "backup.unsound", why }, { cause });
  } finally {
    raw.close();
  }
  syncFile(database);
  return unpacked;
}

/** Unpacks a backup into an empty folder: the database and its companions as a data folder has them. */
async function unpackInto({
  file,
  folder,
  passphrase,
  migrationsFolder,
}: OrderOf<"unpack">): Promise<WorkResults["unpack"]> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = join(folder, "gatehouse.db");
  await unpack(file, database, passphrase);
  const manifest = readManifest(database, migrationsFolder);
  for (const { name, content } of extractCompanions(database)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    syncFile(join(folder, name));
  }
  syncFile(database);
  return { manifest };
}
