import { closeSync, existsSync, fdatasyncSync, openSync } from "node:fs";
import SqliteDatabase from "better-sqlite3";
import { inDiskTurn } from "../kernel/disk-turns.js";

/** Pages between two waits for the disk: an eighth of a megabyte at SQLite's usual size. */
const STEP_PAGES = 32;

/**
 * Copies the database as it is now into a new file while others keep writing to it. One read transaction holds the
 * moment: nothing committed before it is missing, nothing later is in the copy, and no write makes the copy start over.
 * It syncs every eighth of a megabyte, so that the hub's own writes never queue behind a large one. Blocks: belongs in
 * a thread.
 */
export async function copySnapshot(file: string, copy: string): Promise<void> {
  const source = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
  let descriptor: number | null = null;
  try {
    source.exec("BEGIN");
    source.pragma("user_version"); // the first read begins the transaction
    await source.backup(copy, {
      progress: () => {
        if (descriptor === null && existsSync(copy)) descriptor = openSync(copy, "r");
        if (descriptor !== null) inDiskTurn(descriptor, fdatasyncSync);
        return STEP_PAGES;
      },
    });
  } finally {
    source.close();
    if (descriptor !== null) closeSync(descriptor);
  }
}
