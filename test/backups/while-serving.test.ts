import fs, { mkdirSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t, { type Test } from "tap";
import { Backups } from "../../src/features/backups/backups.ts";
import { probeFolderInThread } from "../../src/features/backups/folder-probe.ts";
import { unpack } from "../../src/features/backups/pack.ts";
import { workInThread } from "../../src/features/backups/thread.ts";
import { backupOptions } from "../support/backup-options.ts";
import { openDatabase } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

/** Backups as the hub has them, with one more destination, on a database of this size. */
async function servingHub(t: Test, megabytes: number) {
  const dataFolder = testFolder(t);
  writeFileSync(join(dataFolder, "hub.key"), "key");
  const nas = join(dataFolder, "nas");
  mkdirSync(nas);
  const database = await openDatabase(dataFolder);
  t.teardown(() => database.stop());
  database.raw.exec(
    "CREATE TABLE load (n INTEGER PRIMARY KEY, filler BLOB); CREATE TABLE twin (n INTEGER PRIMARY KEY)",
  );
  const insert = database.raw.prepare("INSERT INTO load (filler) VALUES (randomblob(?))");
  const twin = database.raw.prepare("INSERT INTO twin (n) VALUES (?)");
  const add = (bytes: number): number => {
    const n = Number(insert.run(bytes).lastInsertRowid);
    twin.run(n);
    return n;
  };
  database.writeNow(() => {
    for (let i = 0; i < 100 * megabytes; i++) add(10_000);
  });
  const settings = {
    scheduled: true,
    time: "03:15",
    keepDaily: 2,
    keepWeekly: 1,
    destinations: [`folder:${nas}`, "local"],
  };
  const backups = new Backups(
    backupOptions(database, dataFolder, { settings: () => settings, probe: probeFolderInThread, doWork: workInThread }),
  );
  return { backups, database, dataFolder, nas, add };
}

t.test("a backup made during writes is one snapshot, and misses nothing acknowledged before it", async (t) => {
  const { backups, database, dataFolder, add } = await servingHub(t, 12);
  const acknowledged = await database.write(() => add(1_000));
  let running = true;
  let last = acknowledged;
  const writing = (async () => {
    while (running) last = await database.write(() => add(5_000));
  })();
  const rows = await backups.make(null, "person");
  running = false;
  await writing;
  t.same(
    rows.map(({ destination, problem }) => [destination.split(":")[0], problem]),
    [
      ["local", null],
      ["folder", null],
    ],
    "the hub's own disk first",
  );
  const file = join(dataFolder, "unpacked.db");
  await unpack(rows[0]?.file ?? "", file, null);
  const copy = new SqliteDatabase(file, { readonly: true });
  t.teardown(() => copy.close());
  const kept = copy.prepare("SELECT max(n) FROM load").pluck().get() as number; // n INTEGER
  t.equal(copy.pragma("quick_check", { simple: true }), "ok");
  t.ok(kept >= acknowledged, `row ${kept}; ${acknowledged} was acknowledged before`);
  t.ok(kept < last, `written meanwhile: up to ${last}`);
  t.equal(copy.prepare("SELECT count(*) FROM load").pluck().get(), kept, "no row is missing");
  t.equal(
    copy.prepare("SELECT count(*) FROM load JOIN twin USING (n)").pluck().get(),
    kept,
    "no transaction is in it partially",
  );
});

t.test("the thread that serves devices does no work of a backup", async (t) => {
  const { backups, database, dataFolder, nas } = await servingHub(t, 2);
  const touched = watchFiles(t, [nas, join(dataFolder, "backups")]);
  database.raw.backup = () => Promise.reject(new Error("copied by the thread that serves devices"));
  const made = (await backups.make(null, "person")).find(({ destination }) => destination !== "local");
  t.match(made, { problem: null });
  t.equal((await backups.list()).filter(({ present }) => present).length, 2);
  t.ok((await backups.destinations()).every(({ ready, freeBytes }) => ready && freeBytes !== null));
  t.match(await backups.rehearse(), { ok: 1 });
  t.match(await backups.file(made?.id ?? 0), { file: made?.file });
  await backups.remove(made?.id ?? 0);
  await t.rejects(backups.file(made?.id ?? 0), { code: /^not_found$/ });
  t.same(touched(), [], "this thread neither touched the destination nor waited for a disk");
});

/**
 * Records every call of this thread to `node:fs` that names something in the folders, and every synchronous wait for
 * the disk.
 */
function watchFiles(t: Test, folders: readonly [string, string]): () => string[] {
  const touched: string[] = [];
  for (const api of [fs, fs.promises]) {
    for (const [name, own] of Object.entries(api)) {
      if (typeof own !== "function" || !/^[a-z]/.test(name)) continue;
      const noting = Object.assign(function (this: unknown, ...args: unknown[]): unknown {
        const first = String(args[0]);
        if (/^f(data)?syncSync$/.test(name) || folders.some((folder) => first.startsWith(folder)))
          touched.push(`${name} ${first}`);
        return Reflect.apply(own, this, args);
      }, own);
      Reflect.set(api, name, noting);
      t.teardown(() => {
        Reflect.set(api, name, own);
        syncBuiltinESMExports();
      });
    }
  }
  syncBuiltinESMExports();
  fs.existsSync(folders[0]);
  mkdirSync(folders[0], { recursive: true });
  t.same(touched.splice(0).length, 2, "calls are recorded, including those of named imports");
  return () => touched;
}
