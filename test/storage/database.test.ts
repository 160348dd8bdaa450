import { copyFileSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { Database } from "../../src/core/storage/database.ts";
import { uncaught } from "../../src/core/storage/uncaught.ts";
import { openDatabase, PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

const migrationsFolder = join(PROJECT_ROOT, "src/core/storage/migrations");

function database(file: string): Database {
  return new Database({ file, migrationsFolder, commitIntervalMs: 5, clock: systemClock, logger: silentLogger });
}

function put(db: Database, key: string, value: string): void {
  db.raw.prepare("INSERT INTO hub (key, value) VALUES (?, ?)").run(key, value);
}

function read(db: Database, key: string): unknown {
  return db.raw.prepare("SELECT value FROM hub WHERE key = ?").pluck().get(key);
}

t.test("simultaneous jobs share one commit, and each gets its own result", async (t) => {
  const db = await openDatabase(testFolder(t));
  const before = db.figures.commits;
  const results = await Promise.all(
    [1, 2, 3, 4].map((n) =>
      db.write(() => {
        put(db, `k${n}`, String(n));
        return n * 10;
      }),
    ),
  );
  t.same(results, [10, 20, 30, 40]);
  t.equal(db.figures.commits - before, 1);
  t.equal(read(db, "k3"), "3");
  await db.stop();
});

t.test("a job that refers to a missing row is a conflict, alone and beside others; the others stay", async (t) => {
  const db = await openDatabase(testFolder(t));
  const orphan = (): void => {
    db.raw.prepare("INSERT INTO gate_contact (gate_id, contact_id) VALUES ('gone', 'gone')").run();
  };
  const conflict = { code: /^conflict$/, words: { code: /^conflict\.goneMeanwhile$/ } };
  await t.rejects(db.write(orphan), conflict);
  const kept = db.write(() => put(db, "kept", "x"));
  await t.rejects(db.write(orphan), conflict);
  await kept;
  t.equal(read(db, "kept"), "x");
  t.throws(() => db.writeNow(orphan), conflict);
  t.equal(db.isInJob, false);
  t.equal(await db.write(() => db.isInJob), true);
  await db.stop();
});

t.test("to spare the card, patient jobs wait for company; an urgent one takes them along", async (t) => {
  const db = await openDatabase(testFolder(t));
  const write = (key: string, patient: "patient" | "prompt") => db.write(() => put(db, key, "x"), patient);
  await write("before", "patient");
  t.equal(db.patienceMs, 0);
  db.patienceMs = 1_000;
  await write("first", "prompt");
  const { commits } = db.figures;
  const patient: Promise<void>[] = [];
  const since = performance.now();
  for (let n = 0; n < 5; n++) {
    patient.push(write(`sample${n}`, "patient"));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (performance.now() - since < 900) t.equal(db.figures.commits, commits, "several intervals later they still wait");
  await write("hurry", "prompt");
  await Promise.all(patient);
  t.equal(db.figures.commits, commits + 1);
  t.equal(read(db, "sample4"), "x");
  await write("alone", "patient");
  t.equal(read(db, "alone"), "x", "one that no other joins is written in the end");
  await db.stop();
});

t.test("a job that throws loses its own changes and announcements only", async (t) => {
  const db = await openDatabase(testFolder(t));
  const announced: string[] = [];
  const job = (key: string, fail: boolean) =>
    db.write(() => {
      put(db, key, "x");
      db.committed(() => announced.push(key));
      if (fail) throw new Problem("conflict", "no");
    });
  const outcomes = await Promise.allSettled([job("a", false), job("b", true), job("c", false)]);
  t.same(
    outcomes.map((o) => o.status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  t.same(announced, ["a", "c"]);
  t.equal(read(db, "b"), undefined);
  t.equal(read(db, "c"), "x");
  await db.stop();
});

t.test("the same if it is alone in its commit", async (t) => {
  const db = await openDatabase(testFolder(t));
  const announced: string[] = [];
  await t.rejects(
    db.write(() => {
      put(db, "alone", "x");
      db.committed(() => announced.push("alone"));
      throw new Problem("conflict", "no");
    }),
    { code: /^conflict$/ },
  );
  t.same([announced, read(db, "alone"), db.raw.inTransaction], [[], undefined, false]);
  await db.write(() => put(db, "after", "y"));
  t.equal(read(db, "after"), "y");
  await db.stop();
});

t.test("announced changes are already readable by another connection", async (t) => {
  const folder = testFolder(t);
  const db = await openDatabase(folder);
  const other = new SqliteDatabase(join(folder, "gatehouse.db"), { readonly: true });
  let seen: unknown;
  await db.write(() => {
    put(db, "k", "v");
    db.committed(() => {
      seen = other.prepare("SELECT value FROM hub WHERE key = 'k'").pluck().get();
    });
  });
  t.equal(seen, "v");
  other.close();
  await db.stop();
});

t.test("stop commits pending jobs; later writes are refused", async (t) => {
  const folder = testFolder(t);
  const db = await openDatabase(folder);
  const waiting = db.write(() => put(db, "late", "1"));
  await db.stop();
  await waiting;
  await t.rejects(
    db.write(() => put(db, "later", "1")),
    { code: /^unavailable$/ },
  );
  const again = await openDatabase(folder);
  t.equal(read(again, "late"), "1");
  await again.stop();
});

t.test("the file runs in WAL, waits for the disk outside the event loop, and enforces foreign keys", async (t) => {
  const db = await openDatabase(testFolder(t));
  t.equal(db.raw.pragma("journal_mode", { simple: true }), "wal");
  t.equal(db.raw.pragma("synchronous", { simple: true }), 1);
  t.equal(db.raw.pragma("foreign_keys", { simple: true }), 1);
  await db.stop();
});

t.test("a full disk refuses writes with storage_full, loses nothing and recovers", async (t) => {
  const db = await openDatabase(testFolder(t));
  await db.write(() => put(db, "kept", "1"));
  const pages = db.raw.pragma("page_count", { simple: true });
  db.raw.pragma(`max_page_count = ${String(pages)}`);
  await t.rejects(
    db.write(() => put(db, "big", "x".repeat(200_000))),
    { code: /^storage_full$/ },
  );
  t.equal(db.state, "full");
  t.equal(read(db, "kept"), "1");
  await t.rejects(
    db.write(() => put(db, "small", "x")),
    { code: /^storage_full$/ },
    "refused at once until the next probe",
  );
  await db.stop();
});

t.test("a database from a newer version is refused in plain words and left untouched", async (t) => {
  const folder = testFolder(t);
  const file = join(folder, "gatehouse.db");
  await (await openDatabase(folder)).stop();
  const raw = new SqliteDatabase(file);
  raw.pragma("user_version = 9999");
  // Every Gatehouse since then records the version that it started with; a version alone may be a flipped bit.
  raw.prepare("UPDATE hub SET value = '9999:0' WHERE key = 'schema'").run();
  raw.pragma("journal_mode = DELETE");
  raw.close();
  const before = readFileSync(file);
  await t.rejects(database(file).start(), { code: /^database_newer$/, message: /newer Gatehouse/ });
  t.ok(before.equals(readFileSync(file)), "not one byte changed");
});

t.test("after an unclean stop a damaged file is detected, and the hub can still start without storing", async (t) => {
  const folder = testFolder(t);
  const file = join(folder, "gatehouse.db");
  const db = await openDatabase(folder);
  await db.write(() => {
    for (let i = 0; i < 3000; i++) put(db, `filler-${i}`, "y".repeat(300));
  });
  await db.stop();
  const damaged = join(folder, "damaged.db");
  copyFileSync(file, damaged);
  const raw = new SqliteDatabase(damaged);
  raw.prepare("UPDATE hub SET value = '0' WHERE key = 'clean_stop'").run();
  const pageSize = Number(raw.pragma("page_size", { simple: true }));
  const pageCount = Number(raw.pragma("page_count", { simple: true }));
  raw.close();
  const handle = openSync(damaged, "r+");
  for (let page = Math.floor(pageCount / 2); page < pageCount - 2; page++)
    writeSync(handle, Buffer.alloc(pageSize, 0x5a), 0, pageSize, page * pageSize);
  const sick = database(damaged);
  await sick.start();
  t.equal(sick.state, "damaged");
  await t.rejects(
    sick.write(() => put(sick, "n", "1")),
    { code: /^unavailable$/, message: /damaged/ },
  );
  await sick.stop();
});

t.test("after an unclean stop a sound file is checked and used", async (t) => {
  const folder = testFolder(t);
  const db = await openDatabase(folder);
  await db.write(() => put(db, "k", "v"));
  const copy = join(folder, "copy.db");
  copyFileSync(join(folder, "gatehouse.db"), copy);
  if (existsSync(join(folder, "gatehouse.db-wal"))) copyFileSync(join(folder, "gatehouse.db-wal"), `${copy}-wal`);
  await db.stop();
  const after = database(copy);
  await after.start();
  t.equal(after.state, "ok");
  t.equal(read(after, "k"), "v");
  await after.stop();
});

t.test("a read that the file does not let through ends nothing, wherever it was", async (t) => {
  const folder = testFolder(t);
  const file = join(folder, "gatehouse.db");
  const db = await openDatabase(folder);
  await db.stop();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x5a, 4_096)); // all pages but the first
  const raw = new SqliteDatabase(file);
  const lines: { readonly err?: unknown }[] = [];
  const survived = uncaught({ ...silentLogger, error: (fields) => void lines.push(fields) });
  try {
    raw.prepare("SELECT count(*) FROM device").get();
    t.fail("it can be read");
  } catch (error) {
    t.match(error, { code: /^SQLITE_(CORRUPT|NOTADB)/ });
    survived(error);
  } finally {
    raw.close();
  }
  t.equal(lines.length, 1, "it is in the log");
  const other = new SqliteDatabase(":memory:");
  try {
    other.prepare("SELECT 1 FROM nothing");
  } catch (error) {
    t.throws(() => survived(error), /nothing/, "a mistake in a statement is none of the file's");
  }
  other.close();
});

t.test("a write after the stop is refused with its origin, and without a waiter the process continues", async (t) => {
  const db = await openDatabase(testFolder(t));
  await db.stop();
  const lines: { readonly err?: unknown }[] = [];
  const bear = uncaught({ ...silentLogger, warn: (fields) => void lines.push(fields) });
  const refused: unknown = await db.write(() => {}).catch((error: unknown) => error);
  bear(refused);
  t.equal(lines.length, 1);
  t.match(refused, { code: "unavailable", stack: /database\.test/ });
  t.throws(() => bear(new Error("a mistake")), /a mistake/, "no other rejection is tolerated");
  t.throws(() => bear(new Problem("unavailable", { code: "unavailable.databaseClosed" })));
});
