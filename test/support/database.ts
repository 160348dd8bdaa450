import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { type Clock, systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Database } from "../../src/core/storage/database.ts";
import { migrate } from "../../src/core/storage/migrate.ts";

/** Root of the project. */
export const PROJECT_ROOT = join(import.meta.dirname, "..", "..");

const migrationsFolder = join(PROJECT_ROOT, "src/core/storage/migrations");
let migrated: Promise<Buffer> | null = null;

/** A started database in `folder` with all migrations; the caller stops it. */
export async function openDatabase(
  folder: string,
  clock: Clock = systemClock,
  commitIntervalMs = 5,
): Promise<Database> {
  const file = join(folder, "gatehouse.db");
  if (!existsSync(file)) {
    migrated ??= emptyDatabase();
    writeFileSync(file, await migrated, { mode: 0o600 });
  }
  const database = new Database({
    file,
    migrationsFolder,
    commitIntervalMs,
    clock,
    logger: silentLogger,
  });
  await database.start();
  return database;
}

/** The file of a database with nothing but its migrations, which take a fifth of many a test's time. */
async function emptyDatabase(): Promise<Buffer> {
  const raw = new SqliteDatabase(":memory:");
  await migrate({ raw, folder: migrationsFolder, file: "", logger: silentLogger });
  const file = raw.serialize();
  raw.close();
  return file;
}

/** Adds an account with its live and test site; returns their ids. */
export function seedAccount(
  database: Database,
  email = "owner@example.org",
): { accountId: number; siteId: number; testSiteId: number } {
  return database.writeNow(() => {
    const now = Date.now();
    const account = database.raw
      .prepare("INSERT INTO account (email, name, password_hash, created_at, updated_at) VALUES (?, 'Owner', '', ?, ?)")
      .run(email, now, now);
    const accountId = Number(account.lastInsertRowid);
    const site = database.raw.prepare(
      "INSERT INTO site (account_id, env, name, time_zone) VALUES (?, ?, ?, 'Asia/Kolkata')",
    );
    const siteId = Number(site.run(accountId, "live", "Home").lastInsertRowid);
    const testSiteId = Number(site.run(accountId, "test", "Test household").lastInsertRowid);
    return { accountId, siteId, testSiteId };
  });
}
