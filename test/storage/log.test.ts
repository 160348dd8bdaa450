import { once } from "node:events";
import fs, { copyFileSync, openSync, readFileSync, writeSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { getEnvironmentData, Worker } from "node:worker_threads";
import SqliteDatabase from "better-sqlite3";
import t, { type Test } from "tap";
import { DiskTurns } from "../../src/core/kernel/disk-turns.ts";
import { rewriteLog } from "../../src/core/storage/log-file.ts";
import { LogSync } from "../../src/core/storage/log-sync.ts";
import { openDatabase } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

/** A sync that ends when the test decides. */
function heldSync() {
  const open: { resolve: () => void; reject: (error: Error) => void }[] = [];
  return { open, sync: () => new Promise<void>((resolve, reject) => open.push({ resolve, reject })) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test("one sync runs at a time, and only commits from before its start count as stored", async (t) => {
  const { open, sync } = heldSync();
  const log = new LogSync({ sync, repair: async () => void t.fail("nothing is wrong"), ended: () => {} });
  const stored: string[] = [];
  const commit = (name: string) => log.reached(log.committed()).then(() => stored.push(name));
  void commit("a");
  void commit("b");
  t.equal(open.length, 1, "b waits for the sync that covers it");
  open[0]?.resolve();
  await turn();
  t.same(stored, ["a"]);
  t.equal(open.length, 2);
  void commit("c");
  open[1]?.resolve();
  await turn();
  t.same(stored, ["a", "b"]);
  open[2]?.resolve();
  await turn();
  t.same(stored, ["a", "b", "c"]);
  t.equal(open.length, 3);
  t.equal(log.isSyncing, false);
  await log.reached(log.position);
});

t.test("after a failed sync nothing counts as stored until everything is repaired", async (t) => {
  const { open, sync } = heldSync();
  const repairs = heldSync();
  const log = new LogSync({ sync, repair: repairs.sync, ended: () => {} });
  const stored: string[] = [];
  const commit = (name: string) => log.reached(log.committed()).then(() => stored.push(name));
  const a = commit("a");
  const b = commit("b");
  open[0]?.reject(new Error("EIO"));
  await turn();
  t.same(stored, []);
  t.equal(open.length, 1, "no second sync: it would report success");
  repairs.open[0]?.resolve();
  await Promise.all([a, b]);
  t.same(stored, ["a", "b"], "the repair covers commits made meanwhile");
});

t.test("while a repair fails, its writes and all later ones are refused", async (t) => {
  const { open, sync } = heldSync();
  const repairs = heldSync();
  const log = new LogSync({ sync, repair: repairs.sync, ended: () => {} });
  const first = log.reached(log.committed());
  const second = log.reached(log.committed());
  open[0]?.reject(new Error("EIO"));
  await turn();
  repairs.open[0]?.reject(new Error("EIO again"));
  await t.rejects(first, { message: "EIO again" });
  await t.rejects(second, { message: "EIO again" });
  t.equal(log.isBroken, true);
  await t.rejects(log.reached(log.position));
  const retried = log.retry();
  repairs.open[1]?.resolve();
  await retried;
  t.equal(log.isBroken, false);
  await log.reached(log.position);
  t.equal(open.length, 1);
});

t.test("the log is rewritten unchanged; one that differs from the commits is refused", async (t) => {
  const folder = testFolder(t);
  const file = join(folder, "gatehouse.db");
  const database = await openDatabase(folder);
  t.teardown(() => database.stop());
  for (let n = 0; n < 30; n++)
    await database.write(() => database.raw.prepare("INSERT INTO hub VALUES (?, ?)").run(`k${n}`, "x".repeat(2_000)));
  const frames = database.raw.prepare("PRAGMA wal_checkpoint(NOOP)").get() as { log: number };
  const before = readFileSync(`${file}-wal`);
  rewriteLog(file, frames.log);
  t.ok(before.equals(readFileSync(`${file}-wal`)));
  const other = new SqliteDatabase(file, { readonly: true });
  t.equal(other.prepare("SELECT count(*) FROM hub WHERE key LIKE 'k%'").pluck().get(), 30);
  other.close();
  for (const name of ["gatehouse.db", "gatehouse.db-wal"])
    copyFileSync(join(folder, name), join(folder, `torn-${name}`));
  const torn = join(folder, "torn-gatehouse.db");
  t.throws(() => rewriteLog(torn, frames.log + 1), { code: /^SQLITE_CORRUPT$/ }, "a missing frame");
  const descriptor = openSync(`${torn}-wal`, "r+");
  writeSync(descriptor, Buffer.alloc(4096), 0, 4096, 8192); // like a page that never reached the disk
  t.throws(() => rewriteLog(torn, frames.log), { code: /^SQLITE_CORRUPT$/, message: /frame [23] of the log/ });
});

t.test(
  "the log is moved into the database during writes, and stays short; a reader that needs it delays this, without error",
  async (t) => {
    const folder = testFolder(t);
    const file = join(folder, "gatehouse.db");
    const database = await openDatabase(folder);
    database.raw.exec("CREATE TABLE load (n INTEGER PRIMARY KEY, filler BLOB)");
    const insert = database.raw.prepare("INSERT INTO load (filler) VALUES (randomblob(200000))");
    // SQLite's own
    const frames = () => (database.raw.prepare("PRAGMA wal_checkpoint(NOOP)").get() as { log: number }).log;
    const write = async (until: () => boolean) => {
      for (let n = 0; n < 2_000 && !until(); n++) await database.write(() => insert.run());
      t.ok(until(), `${frames()} frames`);
    };
    const isShort = () => frames() < 500;
    await write(() => !isShort());
    await write(isShort);
    const reader = new SqliteDatabase(file, { readonly: true });
    reader.exec("BEGIN");
    const seen = reader.prepare("SELECT count(*) FROM load").pluck();
    const before = seen.get();
    await write(() => frames() > 2_500);
    t.equal(seen.get(), before, "the reader has its moment");
    reader.close();
    await write(isShort);
    const { commits } = database.figures;
    await database.stop();
    const after = new SqliteDatabase(file, { readonly: true });
    t.equal(after.prepare("SELECT count(*) FROM load").pluck().get(), commits);
    t.equal(after.pragma("integrity_check", { simple: true }), "ok");
    after.close();
  },
);

t.test("a write is readable and announced at once, and acknowledged when its sync has ended", async (t) => {
  const database = await openDatabase(testFolder(t));
  const { fdatasync } = fs;
  const held: (() => void)[] = [];
  const holding = (descriptor: number, done: (error: NodeJS.ErrnoException | null) => void) =>
    void held.push(() => fdatasync(descriptor, done));
  fs.fdatasync = Object.assign(holding, { __promisify__: fdatasync.__promisify__ });
  syncBuiltinESMExports();
  t.teardown(() => {
    fs.fdatasync = fdatasync;
    syncBuiltinESMExports();
  });
  const happened: string[] = [];
  const write = database
    .write(() => {
      database.raw.prepare("INSERT INTO hub VALUES ('k', 'v')").run();
      database.committed(() => happened.push("announced"));
    })
    .then(() => happened.push("acknowledged"));
  while (held.length === 0) await turn();
  const later = database.durable().then(() => happened.push("durable"));
  await turn();
  t.same(happened, ["announced"]);
  t.equal(database.raw.prepare("SELECT value FROM hub WHERE key = 'k'").pluck().get(), "v");
  for (const sync of held.splice(0)) sync();
  await Promise.all([write, later]);
  t.same(happened, ["announced", "acknowledged", "durable"]);
  await database.stop();
});

/** A thread in its turn at the disk: until the loop asks for room, or ending right away. */
function threadAtDisk(t: Test, file: string, ends: boolean) {
  const seen = new Int32Array(new SharedArrayBuffer(4));
  const module = new URL("../../src/core/kernel/disk-turns.ts", import.meta.url).href;
  const program = `
    const { getEnvironmentData, parentPort, workerData } = require("node:worker_threads");
    import(${JSON.stringify(module)}).then(({ inDiskTurn }) => {
      const { words } = getEnvironmentData("gatehouse.disk-turns");
      inDiskTurn(require("node:fs").openSync(workerData.file, "r"), () => {
        parentPort.postMessage("at the disk");
        if (workerData.ends) process.exit();
        while (words[1] === 0) Atomics.wait(workerData.seen, 0, 0, 1);
        workerData.seen[0] = 1;
      });
    });`;
  const thread = new Worker(program, { eval: true, workerData: { file, seen, ends } });
  t.teardown(() => thread.terminate());
  return { thread, hasSeenAsking: () => seen[0] === 1 };
}

t.test("while a thread waits for the disk the loop commits nothing, but asks for room and gets it", async (t) => {
  const folder = testFolder(t);
  const database = await openDatabase(folder);
  t.teardown(() => database.stop());
  const { thread, hasSeenAsking } = threadAtDisk(t, join(folder, "gatehouse.db"), false);
  await once(thread, "message");
  await database.write(() => database.raw.exec("INSERT INTO hub (key, value) VALUES ('turn', '1')"));
  t.ok(hasSeenAsking(), "a commit that does not check would have been made before the turn ended");
});

t.test("a thread that ends within its turn does not block the disk for long", async (t) => {
  const file = join(testFolder(t, { file: "" }), "file");
  const turns = new DiskTurns(file, 20);
  const { thread } = threadAtDisk(t, file, true);
  await once(thread, "exit");
  const { words } = getEnvironmentData("gatehouse.disk-turns") as { words: Int32Array };
  t.not(words[0], 0, "the turn was never ended");
  while (turns.isTaken()) await turn();
});
