import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Database } from "../../src/core/storage/database.ts";
import { readMigrations } from "../../src/core/storage/migrate.ts";
import { openDatabase, PROJECT_ROOT, seedAccount } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

const migrationsFolder = join(PROJECT_ROOT, "src/core/storage/migrations");
const NEWEST = readMigrations(migrationsFolder).length;

/** The file of a hub that served and was stopped cleanly, changed by `harm`. */
async function harmed(folder: string, harm: (raw: SqliteDatabase.Database) => void): Promise<Database> {
  const first = await openDatabase(folder);
  seedAccount(first);
  first.served();
  await first.stop();
  const raw = new SqliteDatabase(join(folder, "gatehouse.db"));
  t.equal(raw.prepare("SELECT value FROM hub WHERE key = 'clean_stop'").pluck().get(), "1");
  harm(raw);
  raw.close();
  const database = open(folder);
  await database.start();
  return database;
}

function open(folder: string): Database {
  const file = join(folder, "gatehouse.db");
  return new Database({ file, migrationsFolder, commitIntervalMs: 5, clock: systemClock, logger: silentLogger });
}

function rewrite(raw: SqliteDatabase.Database, table: string, from: string, to: string): void {
  raw.unsafeMode(true);
  raw.pragma("writable_schema = ON");
  raw.prepare("UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = ?").run(from, to, table);
}

t.test("a version changed up or down is not trusted: the tables show which it is", async (t) => {
  for (const version of [0, 1, 7, NEWEST - 1, NEWEST + 1, 4_000_000]) {
    const database = await harmed(testFolder(t), (raw) => raw.pragma(`user_version = ${version}`));
    t.equal(database.state, "ok", `version ${version}`);
    t.equal(database.raw.pragma("user_version", { simple: true }), NEWEST);
    t.equal(database.raw.prepare("SELECT count(*) FROM account").pluck().get(), 1);
    await database.stop();
  }
});

t.test("a flipped character of a table's definition is repaired from the migrations, and the rows stay", async (t) => {
  const changes = [
    ["account", "password_hash", "password_iash"],
    ["account", "email", "emaim"],
    ["site", "CHECK", "CHEGK"], // SQLite cannot even parse it
    ["site", "'live'", "'lhve'"], // its columns are the same, and no row could be written any more
  ] as const;
  for (const [table, from, to] of changes) {
    const database = await harmed(testFolder(t), (raw) => rewrite(raw, table, from, to));
    t.equal(database.state, "ok", `${from} as ${to}`);
    t.equal(database.raw.prepare("SELECT email FROM account").pluck().get(), "owner@example.org");
    seedAccount(database, "second@example.org");
    await database.stop();
  }
});

t.test("a missing table makes the file a damaged one: its readable part is served from memory", async (t) => {
  const database = await harmed(testFolder(t), (raw) => raw.exec("DROP TABLE series_mark"));
  t.equal(database.state, "damaged");
  t.match(database.stateReason, /the tables are not those of version/);
  t.ok(database.isFallback);
  t.equal(database.raw.prepare("SELECT email FROM account").pluck().get(), "owner@example.org");
  await database.stop();
});

t.test("a definition that another version of SQLite words differently is the same table", async (t) => {
  const database = await harmed(testFolder(t), (raw) =>
    rewrite(raw, "room", "CREATE TABLE room", 'CREATE TABLE "room" '),
  );
  t.equal(database.state, "ok");
  await database.stop();
});

t.test("a start that never got to serving is not a clean stop: the next one checks everything", async (t) => {
  const folder = testFolder(t);
  const database = await harmed(folder, () => {});
  await database.stop(); // it never served
  const raw = new SqliteDatabase(join(folder, "gatehouse.db"));
  t.equal(raw.prepare("SELECT value FROM hub WHERE key = 'clean_stop'").pluck().get(), "start");
  raw.pragma("foreign_keys = OFF");
  raw.prepare("INSERT INTO room (site_id, name, name_key) VALUES (99, 'Nowhere', 'nowhere')").run();
  raw.close();
  const next = open(folder);
  await next.start();
  t.equal(next.state, "ok");
  t.equal(next.raw.prepare("SELECT count(*) FROM room WHERE site_id = 99").pluck().get(), 0);
  t.match(next.badRows, [{ table: "room", column: "site" }], "it is kept, and named");
  next.served();
  await next.stop();
  const after = new SqliteDatabase(join(folder, "gatehouse.db"));
  t.equal(after.prepare("SELECT value FROM hub WHERE key = 'clean_stop'").pluck().get(), "1");
  after.close();
});
