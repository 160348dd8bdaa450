import { statSync } from "node:fs";
import SqliteDatabase from "better-sqlite3";

/** A value of the table `hub` in a file that is not open yet; null if it does not exist or is unreadable. */
export function readHubValue(file: string, key: string): string | null {
  try {
    if (!statSync(file).isFile()) return null;
    const raw = new SqliteDatabase(file, { readonly: true, fileMustExist: true });
    try {
      const value = raw.prepare<[string]>("SELECT value FROM hub WHERE key = ?").pluck().get(key);
      return typeof value === "string" ? value : null;
    } finally {
      raw.close();
    }
  } catch {
    return null;
  }
}
