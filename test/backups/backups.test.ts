import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t, { type Test } from "tap";
import { chunksOf } from "../../src/core/kernel/steady-file.ts";
import { openSettings, takeBack } from "../../src/core/settings/store.ts";
import { extractCompanions, readManifest } from "../../src/features/backups/backup-file.ts";
import { Backups } from "../../src/features/backups/backups.ts";
import type { BackupsOptions } from "../../src/features/backups/backups-options.ts";
import { locate, mountedUnder } from "../../src/features/backups/destinations.ts";
import { filesOfKeys } from "../../src/features/backups/key-folder.ts";
import { pack, packingOf, unpack } from "../../src/features/backups/pack.ts";
import { applyRestore, stageRestore } from "../../src/features/backups/restore.ts";
import { workInThread } from "../../src/features/backups/thread.ts";
import { doWork } from "../../src/features/backups/work.ts";
import { rehearsalFolder } from "../../src/features/backups/work-folder.ts";
import { backupOptions } from "../support/backup-options.ts";
import { openDatabase, PROJECT_ROOT } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

const migrationsFolder = join(PROJECT_ROOT, "src/core/storage/migrations");
const MORNING = Date.UTC(2026, 2, 10, 4, 0);
const DAY = 86_400_000;

async function backupsIn(t: Test, changes: Partial<BackupsOptions> = {}) {
  const dataFolder = testFolder(t);
  writeFileSync(join(dataFolder, "hub.key"), "key");
  const database = await openDatabase(dataFolder);
  t.teardown(() => database.stop());
  const clock = new FakeClock(MORNING);
  const settings = { scheduled: true, time: "03:15", keepDaily: 2, keepWeekly: 1, destinations: [] as string[] };
  let bytes = 0;
  const wrote = (count: number): void => {
    bytes += count;
  };
  const options = backupOptions(database, dataFolder, { settings: () => settings, clock, wrote, ...changes });
  return { backups: new Backups(options), database, dataFolder, clock, settings, written: () => bytes };
}

t.test("a backup is written, read back and listed", async (t) => {
  const { backups } = await backupsIn(t);
  const [made] = await backups.make(null, "person");
  const [listed] = await backups.list();
  t.hasStrict(listed, { id: made?.id, problem: null, destination: "local", encrypted: 0, present: true });
  t.equal(packingOf(listed?.file ?? ""), "gzip");
  await backups.remove(made?.id ?? 0);
  t.same(await backups.list(), []);
  t.notOk(existsSync(listed?.file ?? ""));
});

t.test("a second backup within the second, or after the clock went back, has its own file", async (t) => {
  const { backups, clock } = await backupsIn(t);
  const [first] = await backups.make(null, "person");
  clock.advance(1_000);
  const [second] = await backups.make(null, "person");
  clock.jump(-1_000);
  const [third] = await backups.make(null, "person");
  t.equal(new Set([first?.file, second?.file, third?.file]).size, 3);
  for (const { file, sha256 } of await backups.list())
    t.equal(
      createHash("sha256")
        .update(readFileSync(file ?? ""))
        .digest("hex"),
      sha256,
      "each is what was written",
    );
});

t.test(
  "if a deletion cannot be recorded nothing is deleted, and a file that cannot be deleted keeps its row",
  async (t) => {
    let fails = false;
    const { backups, database } = await backupsIn(t, {
      doWork: async (order) => {
        if (fails && order.kind === "remove") throw new Error("EIO");
        return doWork(order);
      },
    });
    const [made] = await backups.make(null, "person");
    const id = made?.id ?? 0;
    const full = Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
    const write = database.write.bind(database);
    database.write = () => Promise.reject(full);
    await t.rejects(backups.remove(id), full);
    t.ok(existsSync(made?.file ?? ""), "the only backup is still there");
    database.write = write;
    fails = true;
    await t.rejects(backups.remove(id), { code: /^conflict$/, message: "The file cannot be removed." });
    t.match(await backups.list(), [{ file: made?.file, present: true, sha256: made?.sha256 }]);
  },
);

t.test("a file without a row is listed again, and is neither rotated nor rehearsed", async (t) => {
  const { backups, database } = await backupsIn(t);
  const [made] = await backups.make(null, "person");
  await database.write(() => database.raw.prepare("DELETE FROM backup").run());
  writeFileSync(join(made?.file ?? "", "../gatehouse-notes.txt"), "no backup");
  const listed = await backups.list();
  t.match(listed, [
    { file: made?.file, bytes: made?.bytes, present: true, at: MORNING, sha256: null, encrypted: 0, problem: null },
  ]);
  t.equal(listed.length, 1);
  t.same(await backups.list(), listed, "once");
  await t.rejects(backups.rehearse(), { code: /^conflict$/ });
  t.equal((await backups.file(listed[0]?.id ?? 0)).file, made?.file, "it can be downloaded");
});

t.test("an encrypted backup opens with its passphrase only", async (t) => {
  const { backups, dataFolder } = await backupsIn(t);
  await t.rejects(backups.setPassphrase("short"), { code: /^weak_password$/ });
  await backups.setPassphrase("a long enough phrase");
  const [row] = await backups.make(null, "person");
  const file = row?.file ?? "";
  t.match(file, /\.db\.gz\.age$/);
  t.notOk(readFileSync(file).includes("SQLite format"), "nothing of the database is readable");
  const plain = join(dataFolder, "plain.db");
  await t.rejects(unpack(file, plain, null), { code: /^wrong_passphrase$/, message: /passphrase is needed/ });
  await t.rejects(unpack(file, plain, "another long phrase"), { code: /^wrong_passphrase$/, message: /wrong/ });
  await unpack(file, plain, "a long enough phrase");
  t.match(readManifest(plain, migrationsFolder), { version: "1.2.3", files: ["hub.key"] });
  const rehearsal = await backups.rehearse();
  t.match(rehearsal, { ok: 1, text: /is sound/ });
  t.notOk(existsSync(join(dataFolder, "rehearsal")), "nothing of the rehearsal stays");
});

t.test("a backup of the first format, with its files in a table of the database, is read and restored", async (t) => {
  const { backups, dataFolder } = await backupsIn(t);
  const [made] = await backups.make(null, "person");
  const old = join(dataFolder, "old.db");
  await unpack(made?.file ?? "", old, null);
  const files = extractCompanions(old);
  const raw = new SqliteDatabase(old);
  raw.exec("CREATE TABLE backup_file (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT");
  const insert = raw.prepare("INSERT INTO backup_file VALUES (?, ?)");
  for (const { name, content } of files) insert.run(name, content);
  const manifest = {
    format: 1,
    version: "1.0.0",
    databaseVersion: 1,
    at: "2026-01-01T00:00:00.000Z",
    files: ["hub.key"],
  };
  insert.run("manifest", Buffer.from(JSON.stringify(manifest)));
  raw.close();
  t.match(readManifest(old, migrationsFolder), { format: 1, version: "1.0.0" });
  t.same(extractCompanions(old), files);
  const after = new SqliteDatabase(old, { readonly: true });
  t.equal(after.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'backup_file'").pluck().get(), 0);
  t.equal(after.pragma("integrity_check", { simple: true }), "ok");
  after.close();
});

t.test("a backup writes little more than its file, and a rehearsal writes nothing if there is memory", async (t) => {
  const { backups, database, dataFolder, written } = await backupsIn(t);
  const filling = database.raw.prepare("INSERT INTO hub (key, value) VALUES (?, hex(randomblob(20000)))");
  await database.write(() => {
    for (let n = 0; n < 200; n++) filling.run(`filling ${n}`);
  });
  const [made] = await backups.make(null, "person");
  t.ok((made?.bytes ?? 0) > 3_000_000);
  t.equal(written(), made?.bytes);
  t.same(
    readdirSync(dataFolder).filter((name) => name.startsWith("backup-work")),
    [],
  );
  t.equal(statSync(made?.file ?? "").nlink, 1);
  const { root, folder } = await rehearsalFolder(dataFolder, 1_000_000, () => 3_000_000);
  t.match(folder, /^\/dev\/shm\/gatehouse-rehearsal-\w+\/data$/);
  t.equal(statSync(root).mode & 0o077, 0, "no other user can look into it");
  rmSync(root, { recursive: true });
  t.equal((await rehearsalFolder(dataFolder, 1_000_000, () => 1_500_000)).folder, join(dataFolder, "rehearsal"));
});

t.test(
  "a backup that finds the database damaged reports it to the storage, which accepts no more writes",
  async (t) => {
    const { backups, database, dataFolder } = await backupsIn(t);
    const { raw } = database;
    await database.write(() => {
      raw.exec("CREATE TABLE idle (id INTEGER PRIMARY KEY, text TEXT)");
      const insert = raw.prepare("INSERT INTO idle (text) VALUES (?)");
      for (let n = 0; n < 400; n++) insert.run("x".repeat(200));
    });
    raw.pragma("wal_checkpoint(TRUNCATE)");
    const page = Number(raw.prepare("SELECT max(pageno) FROM dbstat WHERE name = 'idle'").pluck().get());
    const descriptor = openSync(join(dataFolder, "gatehouse.db"), "r+");
    writeSync(descriptor, Buffer.alloc(512, 0xff), 0, 512, (page - 1) * 4096);
    closeSync(descriptor);
    t.equal(database.state, "ok");
    const [row] = await backups.make(null, "person");
    t.match(row?.problem, /The database is damaged/);
    t.equal(database.state, "damaged");
    t.match(database.stateReason, /idle|page|tree/i);
    await t.rejects(
      database.write(() => {}),
      { code: /^unavailable$/ },
    );
  },
);

t.test("the rehearsal detects a backup damaged on its medium", async (t) => {
  const { backups } = await backupsIn(t);
  const [row] = await backups.make(null, "person");
  const bytes = readFileSync(row?.file ?? "");
  bytes.fill(0, Math.floor(bytes.length / 2), Math.floor(bytes.length / 2) + 200);
  writeFileSync(row?.file ?? "", bytes);
  t.match(await backups.rehearse(), { ok: 0, text: /damaged/ });
  t.match(backups.lastRehearsal(), { ok: 0 });
});

t.test("an unreachable destination fails alone and reports why", async (t) => {
  const { backups, settings, dataFolder } = await backupsIn(t);
  mkdirSync(join(dataFolder, "nas"));
  settings.destinations = ["local", `folder:${join(dataFolder, "nas")}`, "mount:/mnt/none", "usb:STICK"];
  const rows = await backups.make(null, "person");
  t.same(
    rows.map(({ destination, problem }) => [destination.split(":")[0], problem]),
    [
      ["local", null],
      ["folder", null],
      ["mount", "Nothing is mounted at /mnt/none."],
      ["usb", "No stick named STICK is plugged in."],
    ],
  );
  t.same(JSON.parse(rows.at(-1)?.words ?? ""), { code: "place.noStick", label: "STICK" }, "and in no language yet");
  t.equal(readdirSync(join(dataFolder, "nas")).length, 1);
  t.notOk(existsSync(join(dataFolder, "backup-work")), "no drafts are left");
});

t.test("a share is found by its mount point, a stick by its label", async (t) => {
  const folder = testFolder(t, { labels: { STICK: t.fixture("symlink", "../../sda1") } });
  const mounts = {
    mountInfo: () => "30 1 8:1 / /media/x rw - vfat /dev/sda1 rw\n31 1 0:40 / /mnt/my\\040share rw - cifs //nas/x rw\n",
    labelFolder: join(folder, "labels"),
  };
  t.match(locate("mount:/mnt/my share", folder, mounts), { root: "/mnt/my share" });
  t.hasStrict(locate("mount:/mnt/other", folder, mounts), {
    root: null,
    words: { code: "place.notMounted", folder: "/mnt/other" },
  });
  t.match(locate("usb:STICK", folder, mounts), { root: "/media/x" });
  t.hasStrict(locate("usb:OTHER", folder, mounts), { root: null, words: { code: "place.noStick", label: "OTHER" } });
  t.same(mountedUnder("/media", mounts), ["/media/x"]);
});

t.test(
  "scheduled backups: once a day, caught up after a night without power, never before the clock is known",
  async (t) => {
    let trusted = false;
    const { backups, clock, dataFolder } = await backupsIn(t, { clockTrusted: () => trusted });
    const made = async (): Promise<number> => (await backups.list()).length;
    await backups.tick();
    t.equal(await made(), 0, "the time is not known");
    trusted = true;
    // The hub started now, in the test's real time; its first backup is due after that.
    clock.jump(Date.now() + 2 * DAY - clock.now());
    await backups.tick();
    t.equal(await made(), 1, "caught up");
    await backups.tick();
    t.equal(await made(), 1, "once");
    clock.advance(DAY);
    await backups.tick();
    clock.advance(DAY);
    await backups.tick();
    clock.advance(DAY);
    await backups.tick();
    const kept = await made();
    t.ok(kept >= 2 && kept <= 3, "rotated");
    t.equal(readdirSync(join(dataFolder, "backups")).length, kept);
  },
);

t.test("a restore interrupted anywhere is finished at the next start", async (t) => {
  const { backups, dataFolder } = await backupsIn(t);
  const [row] = await backups.make(null, "person");
  for (let cut = 0; cut < 6; cut++) {
    const folder = join(dataFolder, `home-${cut}`);
    mkdirSync(folder);
    for (const [name, text] of Object.entries({
      "hub.key": "old key",
      "gatehouse.db": "old database",
      "gatehouse.db-wal": "old wal",
    }))
      writeFileSync(join(folder, name), text);
    await stageRestore({
      file: row?.file ?? "",
      dataFolder: folder,
      passphrase: null,
      migrationsFolder,
      nowMs: MORNING,
      doWork,
    });
    t.equal(readFileSync(join(folder, "hub.key"), "utf8"), "old key", "nothing is touched before the switch");
    // An interruption: the first `cut` moves of the switch were made.
    const aside = join(folder, "before-restore-2026-03-10T04-00-00-000Z");
    mkdirSync(aside, { recursive: true });
    const moves = [
      [join(folder, "gatehouse.db"), join(aside, "gatehouse.db")],
      [join(folder, "gatehouse.db-wal"), join(aside, "gatehouse.db-wal")],
      [join(folder, "hub.key"), join(aside, "hub.key")],
      [join(folder, "restore-ready/hub.key"), join(folder, "hub.key")],
      [join(folder, "restore-ready/gatehouse.db"), join(folder, "gatehouse.db")],
    ] as const;
    for (const [from, to] of moves.slice(0, cut)) renameSync(from, to);
    t.equal(applyRestore(folder)?.manifest.version, "1.2.3");
    t.equal(readFileSync(join(folder, "hub.key"), "utf8"), "key", `after ${cut} moves`);
    t.equal(readFileSync(join(aside, "gatehouse.db"), "utf8"), "old database");
    t.notOk(existsSync(join(folder, "gatehouse.db-wal")), "the old journal is not replayed into the new database");
    const raw = new SqliteDatabase(join(folder, "gatehouse.db"));
    t.equal(raw.pragma("quick_check", { simple: true }), "ok");
    raw.close();
    t.equal(applyRestore(folder), null, "once");
  }
});

t.test("the settings of a backup are on trial: the host's own, if any, are kept beside them", async (t) => {
  for (const own of ['{"gate":{}}', null]) {
    const folder = testFolder(t, {
      "restore-ready": {
        "plan.json": JSON.stringify({ aside: "before-restore-1", manifest: {} }),
        "gatehouse.json": '{"http":{"port":"none"}}',
      },
      ...(own === null ? {} : { "gatehouse.json": own }),
    });
    applyRestore(folder);
    const store = () => openSettings({ env: { GATEHOUSE_DATA: folder }, argv: [] });
    t.throws(store, { name: /^SettingsError$/ });
    t.ok(takeBack({ env: { GATEHOUSE_DATA: folder }, argv: [] }));
    t.same(JSON.parse(readFileSync(join(folder, "gatehouse.json"), "utf8")), JSON.parse(own ?? "{}"));
    t.same(store().current.http.port, 8080, "and the hub starts");
  }
  const folder = testFolder(t, {
    "restore-ready": { "plan.json": JSON.stringify({ aside: "before-restore-1", manifest: {} }) },
    "gatehouse.json": "{}",
  });
  applyRestore(folder);
  t.notOk(existsSync(join(folder, "gatehouse.json.proven")), "a backup without settings puts none on trial");
});

t.test("packing and unpacking returns the same", async (t) => {
  const folder = testFolder(t, { from: "x".repeat(300_000) });
  for (const passphrase of [null, "correct horse battery"]) {
    const packed = await pack(chunksOf(join(folder, "from")), join(folder, "packed"), passphrase);
    const unpacked = await unpack(join(folder, "packed"), join(folder, "to"), passphrase);
    t.same(unpacked, packed);
    t.equal(readFileSync(join(folder, "to"), "utf8"), "x".repeat(300_000));
  }
});

t.test("the work is done in a thread, and its refusals arrive unchanged", async (t) => {
  const { backups, dataFolder } = await backupsIn(t, { doWork: workInThread });
  const [row] = await backups.make(null, "person");
  t.equal(row?.problem, null);
  const junk = join(dataFolder, "junk");
  writeFileSync(junk, "junk");
  await t.rejects(backups.restore(junk, null), { code: /^wrong_file$/, message: /not a backup/ });
});

t.test("keys of Matter are in encrypted backups only, and stay inactive on another host", async (t) => {
  const { backups, dataFolder } = await backupsIn(t);
  const folder = join(dataFolder, "matter");
  for (const [name, content] of [
    ["controller/fabrics.fabrics", "the fabric's keys"],
    ["bridge/root.basicInformation.uniqueId", "me"],
    ["bridge/matter.pid", "123"],
    ["bridge/matter.lock", ""],
    ["bridge/driver.json.tmp", "half"],
  ] as const) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const [open] = await backups.make(null, "person");
  await unpack(open?.file ?? "", join(dataFolder, "open.db"), null);
  t.same(
    readManifest(join(dataFolder, "open.db"), migrationsFolder).files,
    ["hub.key"],
    "an unencrypted file has none",
  );
  await backups.setPassphrase("a long enough phrase");
  const [sealed] = await backups.make(null, "person");
  const restore = async (to: string): Promise<void> => {
    const stage = { file: sealed?.file ?? "", dataFolder: to, passphrase: "a long enough phrase", migrationsFolder };
    await stageRestore({ ...stage, nowMs: MORNING, doWork });
    applyRestore(to);
  };
  const box = join(dataFolder, "box");
  mkdirSync(join(box, "matter/bridge"), { recursive: true });
  writeFileSync(join(box, "hub.key"), "another one");
  writeFileSync(join(box, "matter/bridge/root.x"), "the other's");
  await restore(box);
  const there = (name: string): string => readFileSync(join(box, "matter", name), "utf8");
  t.equal(there("controller/fabrics.fabrics"), "the fabric's keys");
  t.equal(there("bridge/root.basicInformation.uniqueId"), "me");
  t.same(readdirSync(join(box, "matter")).sort(), ["bridge", "controller", "restored"]);
  t.same(readdirSync(join(box, "matter/bridge")), ["root.basicInformation.uniqueId"], "no locks, and nothing else's");
  writeFileSync(join(folder, "controller/fabrics.fabrics"), "newer keys");
  const same = join(dataFolder, "same");
  mkdirSync(same);
  writeFileSync(join(same, "hub.key"), "key");
  renameSync(folder, join(same, "matter"));
  await restore(same);
  t.equal(readFileSync(join(same, "matter/controller/fabrics.fabrics"), "utf8"), "newer keys", "a hub that goes back");
  t.notOk(existsSync(join(same, "matter/restored")), "keeps its own, and needs no confirmation");
});

t.test("keys in a forged backup stay within their folder", async (t) => {
  for (const name of ["../hub.key", "bridge/../../x", "/etc/x", "other/x", "bridge/.", "bridge/..", "bridge/a/b"])
    t.throws(() => filesOfKeys(Buffer.from(JSON.stringify({ [name]: "eA==" }))), { code: /^damaged_file$/ }, name);
  for (const text of ["[]", '"x"', '{"bridge/x":5}'])
    t.throws(() => filesOfKeys(Buffer.from(text)), { code: /^damaged_file$/ }, text);
});
