import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { addFunctions, migrate, readMigrations, tryMigrations } from "../../src/core/storage/migrate.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

const folder = join(PROJECT_ROOT, "src/core/storage/migrations");

function schema(raw: SqliteDatabase.Database): unknown[] {
  return raw.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").all();
}

t.test("every earlier version migrates to the same newest schema, with a copy made first", async (t) => {
  const all = readMigrations(folder);
  const fresh = new SqliteDatabase(":memory:");
  await migrate({ raw: fresh, folder, file: "unused", logger: silentLogger });
  const wanted = schema(fresh);
  for (let version = 1; version < all.length; version++) {
    const work = testFolder(t);
    const file = join(work, `v${version}.db`);
    const raw = new SqliteDatabase(file);
    addFunctions(raw);
    for (const migration of all.slice(0, version)) raw.exec(migration.sql);
    raw.pragma(`user_version = ${version}`);
    raw.prepare("INSERT INTO hub (key, value) VALUES ('kept', 'yes')").run();
    const before = schema(raw);
    tryMigrations(raw, folder);
    t.same(
      [schema(raw), raw.pragma("user_version", { simple: true })],
      [before, version],
      "trying leaves it unchanged",
    );
    await migrate({ raw, folder, file, logger: silentLogger });
    t.same(schema(raw), wanted, `from version ${version}`);
    t.equal(raw.prepare("SELECT value FROM hub WHERE key = 'kept'").pluck().get(), "yes");
    t.ok(existsSync(`${file}.before-v${all.length}`), "a copy of the old file is there");
    raw.close();
  }
  fresh.close();
});

t.test("a second run changes nothing", async (t) => {
  const raw = new SqliteDatabase(":memory:");
  await migrate({ raw, folder, file: "unused", logger: silentLogger });
  const before = raw.pragma("schema_version", { simple: true });
  await migrate({ raw, folder, file: "unused", logger: silentLogger });
  t.equal(raw.pragma("schema_version", { simple: true }), before);
  raw.close();
});

t.test("a migration that fails halfway leaves the previous version whole", async (t) => {
  const work = testFolder(t, { "0001-first.sql": "CREATE TABLE a (x INTEGER) STRICT;" });
  const raw = new SqliteDatabase(join(work, "home.db"));
  const options = { raw, folder: work, file: join(work, "home.db"), logger: silentLogger };
  await migrate(options);
  writeFileSync(join(work, "0002-second.sql"), "CREATE TABLE c (x INTEGER) STRICT;");
  writeFileSync(join(work, "0003-third.sql"), "CREATE TABLE b (x INTEGER) STRICT; INSERT INTO nowhere VALUES (1);");
  await t.rejects(migrate(options), /nowhere/);
  t.equal(raw.pragma("user_version", { simple: true }), 2);
  t.same(raw.prepare("SELECT name FROM sqlite_schema").pluck().all(), ["a", "c"]);
  raw.close();

  const fresh = new SqliteDatabase(":memory:");
  await t.rejects(migrate({ raw: fresh, folder: work, file: "unused", logger: silentLogger }), /nowhere/);
  t.equal(fresh.pragma("user_version", { simple: true }), 0, "a new database has all of them or none");
  t.same(fresh.prepare("SELECT name FROM sqlite_schema").pluck().all(), []);
  fresh.close();
});

t.test("a gap in the numbers is refused", (t) => {
  const work = testFolder(t, { "0001-first.sql": "", "0003-third.sql": "" });
  t.throws(() => readMigrations(work), /0003-third.sql: expected number 2/);
  writeFileSync(join(work, "0002-second.sql"), "");
  t.equal(readMigrations(work).length, 3);
  t.end();
});

t.test("every table is STRICT", async (t) => {
  const raw = new SqliteDatabase(":memory:");
  await migrate({ raw, folder, file: "unused", logger: silentLogger });
  const loose = raw
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all();
  t.same(loose, []);
  raw.close();
});

t.test("the copy before a migration is of the latest try, and never of a half-migrated file", async (t) => {
  const sql = {
    "0001-first.sql": "CREATE TABLE hub (x INTEGER) STRICT;",
    "0002-second.sql": "CREATE TABLE b (x INTEGER) STRICT;",
    "0003-third.sql": "CREATE TABLE c (x INTEGER) STRICT;",
  };
  const work = testFolder(t, { sql, files: {} });
  const file = join(work, "files/hub.db");
  const copied = (): unknown => {
    const copy = new SqliteDatabase(`${file}.before-v3`, { readonly: true });
    const rows = [
      copy.pragma("user_version", { simple: true }),
      copy.prepare("SELECT count(*) FROM hub").pluck().get(),
    ];
    copy.close();
    return rows;
  };
  const raw = new SqliteDatabase(file);
  raw.exec("CREATE TABLE hub (x INTEGER) STRICT; PRAGMA user_version = 1");
  await migrate({ raw, folder: join(work, "sql"), file, logger: silentLogger });
  t.same(copied(), [1, 0]);
  // After a rollback a row was recorded, and the update is tried again: the copy has the row.
  raw.exec("DROP TABLE b; DROP TABLE c; PRAGMA user_version = 1; INSERT INTO hub VALUES (1)");
  await migrate({ raw, folder: join(work, "sql"), file, logger: silentLogger });
  t.same(copied(), [1, 1]);
  // Interrupted after the second migration: the copy remains that of the first version.
  raw.exec("DROP TABLE c; PRAGMA user_version = 2; INSERT INTO hub VALUES (2)");
  await migrate({ raw, folder: join(work, "sql"), file, logger: silentLogger });
  t.same(copied(), [1, 1]);
  raw.close();
});

t.test("who was here before dangers were told of is told nothing more by a new version", (t) => {
  const raw = new SqliteDatabase(":memory:");
  addFunctions(raw);
  const migrations = readMigrations(folder);
  const before = migrations.findIndex(({ name }) => name.includes("dangers-and-a-mute"));
  for (const { sql } of migrations.slice(0, before)) raw.exec(sql);
  const add = raw.prepare(
    "INSERT INTO account (email, name, password_hash, created_at, updated_at) VALUES (?, 'x', '', 0, 0) RETURNING id",
  );
  const [asha, ravi, odd] = ["a@example.org", "r@example.org", "o@example.org"].map((email) => add.pluck().get(email));
  const put = raw.prepare("INSERT INTO notification_person (account_id, topics, language) VALUES (?, ?, 'hi')");
  put.run(ravi, '{"event":{"channels":["push"],"urgent":true}}');
  put.run(odd, "not JSON");
  raw.exec(migrations[before]?.sql ?? "");
  const rows = raw.prepare("SELECT account_id AS id, topics, language, muted_until AS muted FROM notification_person");
  const danger = { channels: ["console"], urgent: true };
  t.same(
    rows.all().map((row) => {
      const { id, topics, language, muted } = row as { id: number; topics: string; language: string; muted: number };
      return [id, id === odd ? topics : JSON.parse(topics), language, muted];
    }),
    [
      [asha, { danger }, "en", 0],
      [ravi, { event: { channels: ["push"], urgent: true }, danger }, "hi", 0],
      [odd, "not JSON", "hi", 0],
    ],
  );
  raw.close();
  t.end();
});
