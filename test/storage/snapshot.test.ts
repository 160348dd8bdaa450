import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import t, { type Test } from "tap";
import { Snapshot } from "../../src/core/storage/snapshot.ts";
import { testFolder } from "../support/test-folder.ts";

const ROWS = 2_000;

/** A database of two thousand rows in WAL mode; in each committed state the sums of its columns are equal. */
function busyDatabase(t: Test, file: string) {
  const raw = new SqliteDatabase(file);
  t.teardown(() => raw.close());
  raw.pragma("journal_mode = WAL");
  raw.pragma("synchronous = OFF");
  raw.pragma("wal_autocheckpoint = 0");
  raw.exec("CREATE TABLE row (id INTEGER PRIMARY KEY, a INTEGER, b INTEGER, filling BLOB)");
  const insert = raw.prepare("INSERT INTO row (id, a, b, filling) VALUES (?, ?, ?, randomblob(?))");
  raw.transaction(() => {
    for (let id = 1; id <= ROWS; id++) insert.run(id, id, id, 900);
  })();
  const change = raw.prepare("UPDATE row SET a = a + ?, b = b + ? WHERE id = ?");
  const remove = raw.prepare("DELETE FROM row WHERE id > ?");
  const modes = ["PASSIVE", "PASSIVE", "RESTART", "TRUNCATE", "FULL"];
  let n = 0;
  let next = ROWS + 1;
  /** One commit that changes pages all over the file and makes it grow or shrink; now and then a checkpoint. */
  const step = (): void => {
    n += 1;
    raw.transaction(() => {
      for (let k = 0; k < 20; k++) change.run(n, n, 1 + ((n * 97 + k * 313) % ROWS));
      if (n % 50 < 40) for (let k = 0; k < 8; k++) insert.run(next++, n, n, 3_000);
      else {
        remove.run(ROWS);
        next = ROWS + 1;
      }
    })();
    if (n % 7 !== 0) return;
    raw.pragma("busy_timeout = 1");
    raw.pragma(`wal_checkpoint(${modes[(n / 7) % modes.length]})`);
  };
  return { raw, step };
}

function stateOf(raw: SqliteDatabase.Database): unknown {
  return raw
    .prepare(
      "SELECT count(*) AS rows, sum(a) AS a, sum(b) AS b, sum(length(filling)) AS bytes, max(id) AS last FROM row",
    )
    .get();
}

t.test("a snapshot is whole, whatever is written and checkpointed while it is read", async (t) => {
  const folder = testFolder(t);
  const file = join(folder, "busy.db");
  const { raw, step } = busyDatabase(t, file);
  for (let round = 0; round < 12; round++) {
    for (let n = 0; n < round * 11; n++) step();
    if (round % 4 === 3) raw.pragma("wal_checkpoint(TRUNCATE)"); // a snapshot with nothing in the log
    const wanted = stateOf(raw);
    const snapshot = new Snapshot(file);
    const pieces: Buffer[] = [];
    try {
      for (let n = 0; n < 30; n++) step(); // later than the snapshot
      for await (const piece of snapshot.chunks()) {
        pieces.push(Buffer.from(piece));
        step();
        await pause(0);
      }
      t.same(stateOf(snapshot.raw), wanted, "the snapshot is held");
    } finally {
      snapshot.close();
    }
    t.notSame(stateOf(raw), wanted, "others continued");
    const copy = join(folder, `copy-${round}.db`);
    writeFileSync(copy, Buffer.concat([...pieces, Buffer.from("what follows the last page")]));
    const read = new SqliteDatabase(copy, { readonly: true });
    t.equal(read.pragma("integrity_check", { simple: true }), "ok");
    t.same(stateOf(read), wanted);
    read.close();
  }
});

t.test("a file without a log, and an empty one", async (t) => {
  const folder = testFolder(t);
  const file = join(folder, "plain.db");
  const raw = new SqliteDatabase(file);
  raw.exec("CREATE TABLE row (id INTEGER PRIMARY KEY, text TEXT)");
  const insert = raw.prepare("INSERT INTO row (text) VALUES (?)");
  for (let n = 0; n < 500; n++) insert.run("x".repeat(n));
  raw.close();
  const snapshot = new Snapshot(file);
  const pieces: Buffer[] = [];
  for await (const piece of snapshot.chunks()) pieces.push(Buffer.from(piece));
  snapshot.close();
  writeFileSync(join(folder, "copy.db"), Buffer.concat(pieces));
  const read = new SqliteDatabase(join(folder, "copy.db"), { readonly: true });
  t.equal(read.pragma("integrity_check", { simple: true }), "ok");
  t.equal(read.prepare("SELECT count(*) FROM row").pluck().get(), 500);
  read.close();
  t.throws(() => new Snapshot(join(folder, "none.db")));
});

t.test("the locks of other users of the database stay", async (t) => {
  const folder = testFolder(t);
  const file = join(folder, "busy.db");
  const { raw, step } = busyDatabase(t, file);
  const snapshot = new Snapshot(file);
  for await (const _ of snapshot.chunks()) step();
  snapshot.close();
  // Another process that opens and closes the database would remove the log if it found no other user.
  const { spawnSync } = await import("node:child_process");
  const other = `const D = require("better-sqlite3"); const d = new D(${JSON.stringify(file)}); d.prepare("SELECT count(*) FROM row").get(); d.close();`;
  const { status, stderr } = spawnSync(process.execPath, ["-e", other], { encoding: "utf8" });
  t.equal(status, 0, stderr);
  step();
  const wanted = stateOf(raw);
  const again = new SqliteDatabase(file, { readonly: true });
  t.same(stateOf(again), wanted, "later writes are in the log that all users read");
  again.close();
});
