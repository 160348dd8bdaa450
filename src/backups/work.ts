import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { silentLogger } from "../kernel/logger.js";
import { Problem } from "../kernel/problem.js";
import { migrate } from "../storage/migrate.js";
import { type BackupManifest, completeCopy, extractCompanions, readManifest } from "./backup-file.js";
import { type PackFigures, pack, syncFile, unpack } from "./pack.js";

/** Names of what can be done with a backup that takes long; each is a plain message to the worker thread. */
export type WorkOrder =
  | {
      readonly kind: "finish";
      /** A fresh copy of the database; it becomes the backup. */
      readonly copy: string;
      readonly packed: string;
      readonly dataFolder: string;
      readonly version: string;
      readonly nowMs: number;
      readonly passphrase: string | null;
      readonly migrationsFolder: string;
    }
  | { readonly kind: "verify"; readonly file: string; readonly passphrase: string | null; readonly wanted: PackFigures }
  | { readonly kind: "rehearse"; readonly file: string; readonly folder: string; readonly passphrase: string | null; readonly migrationsFolder: string }
  | { readonly kind: "unpack"; readonly file: string; readonly folder: string; readonly passphrase: string | null; readonly migrationsFolder: string };

/** What each order answers. */
export interface WorkResults {
  readonly finish: { readonly manifest: BackupManifest; readonly figures: PackFigures };
  readonly verify: null;
  readonly rehearse: { readonly manifest: BackupManifest; readonly migrated: boolean; readonly bytes: number };
  readonly unpack: { readonly manifest: BackupManifest };
}

/** Does one order. Blocks for as long as the database is large: belongs into the worker thread, or the command line. */
export async function doWork<Order extends WorkOrder>(order: Order): Promise<WorkResults[Order["kind"]]> {
  switch (order.kind) {
    case "finish":
      return (await finish(order)) as WorkResults[Order["kind"]]; // the result of this very kind
    case "verify":
      return (await verify(order)) as WorkResults[Order["kind"]]; // the result of this very kind
    case "rehearse":
      return (await rehearse(order)) as WorkResults[Order["kind"]]; // the result of this very kind
    case "unpack":
      return (await unpackInto(order)) as WorkResults[Order["kind"]]; // the result of this very kind
  }
}

type OrderOf<Kind extends WorkOrder["kind"]> = Extract<WorkOrder, { kind: Kind }>;

async function finish(order: OrderOf<"finish">): Promise<WorkResults["finish"]> {
  const manifest = completeCopy(order.copy, order);
  readManifest(order.copy, order.migrationsFolder);
  return { manifest, figures: await pack(order.copy, order.packed, order.passphrase) };
}

/** Reads the written file back to the last byte; what is inside was opened and checked before it was packed. */
async function verify({ file, passphrase, wanted }: OrderOf<"verify">): Promise<null> {
  const found = await unpack(file, null, passphrase);
  if (found.plainSha256 !== wanted.plainSha256 || found.bytes !== wanted.bytes)
    throw new Problem("unavailable", "What was read back is not what was written: the medium is damaged.");
  return null;
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
      if (verdict !== "ok") throw new Problem("unavailable", `The restored database is damaged: ${String(verdict)}.`);
      const bytes = (raw.pragma("page_count", { simple: true }) as number) * (raw.pragma("page_size", { simple: true }) as number); // SQLite's integers
      return { manifest, migrated: before !== raw.pragma("user_version", { simple: true }), bytes };
    } finally {
      raw.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Unpacks a backup into an empty folder: the database and its companions as a data folder has them. */
async function unpackInto({ file, folder, passphrase, migrationsFolder }: OrderOf<"unpack">): Promise<WorkResults["unpack"]> {
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
