import { join } from "node:path";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import { silentLogger } from "../../src/kernel/logger.js";
import { Database } from "../../src/storage/database.js";

/** Root of the project, seen from the compiled tests (build/test/support). */
export const PROJECT_ROOT = join(import.meta.dirname, "..", "..", "..");

/** A started database in `folder` with all migrations; the caller stops it. */
export async function openDatabase(folder: string, clock: Clock = systemClock): Promise<Database> {
  const database = new Database({
    file: join(folder, "gatehouse.db"),
    migrationsFolder: join(PROJECT_ROOT, "src/storage/migrations"),
    commitIntervalMs: 5,
    clock,
    logger: silentLogger,
  });
  await database.start();
  return database;
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
