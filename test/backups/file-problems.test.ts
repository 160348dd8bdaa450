/**
 * Reasons why a backup, an update or a picture cannot be read are distinguished: no room, wrong passphrase, damaged,
 * newer, unreadable, another kind of file.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import SqliteDatabase from "better-sqlite3";
import t, { type Test } from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { chunksOf } from "../../src/core/kernel/steady-file.ts";
import { Backups } from "../../src/features/backups/backups.ts";
import { pack, unpack } from "../../src/features/backups/pack.ts";
import { stageRestore } from "../../src/features/backups/restore.ts";
import { workInThread } from "../../src/features/backups/thread.ts";
import { Uploads } from "../../src/features/backups/uploads.ts";
import { PlateImageFiles } from "../../src/features/gate/images.ts";
import { openBundle } from "../../src/features/updates/bundle.ts";
import { backupOptions } from "../support/backup-options.ts";
import { openDatabase, PROJECT_ROOT } from "../support/database.ts";
import { fillDisk, smallDisk } from "../support/small-disk.ts";
import { testFolder } from "../support/test-folder.ts";

const migrationsFolder = join(PROJECT_ROOT, "src/core/storage/migrations");
const PHRASE = "a long enough phrase";
const MEGABYTE = 1_048_576;

/** A sound backup of a real database. */
async function backupFile(t: Test): Promise<string> {
  const folder = testFolder(t);
  writeFileSync(join(folder, "hub.key"), "key");
  const database = await openDatabase(folder);
  t.teardown(() => database.stop());
  await database.write(() =>
    database.raw.prepare("INSERT INTO hub (key, value) VALUES ('filler', ?)").run(randomBytes(100_000).toString("hex")),
  );
  const backups = new Backups(backupOptions(database, folder));
  const [row] = await backups.make(null, "person");
  return row?.file ?? "";
}

function restoring(file: string, dataFolder: string, passphrase: string | null = null): Promise<unknown> {
  return stageRestore({ file, dataFolder, passphrase, migrationsFolder, nowMs: 0, doWork: workInThread });
}

t.test("each reason has its own code, and nothing stays of what was refused", async (t) => {
  const sound = await backupFile(t);
  const folder = join(t.testdirName, "cases");
  mkdirSync(folder);
  const data = join(folder, "data");
  const put = (name: string, bytes: Buffer | string): string => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const bytes = readFileSync(sound);
  const plain = gunzipSync(bytes);
  const newer = put("newer.db", plain);
  const raw = new SqliteDatabase(newer);
  raw.pragma("user_version = 9999");
  raw.close();
  const flipped = Buffer.from(bytes);
  flipped.fill(0x55, flipped.length >> 1, (flipped.length >> 1) + 50);
  const torn = Buffer.from(plain);
  torn.fill(0xff, 8_192, 20_000);
  const locked = put("locked", "");
  await pack(chunksOf(put("plain.db", plain)), locked, PHRASE);
  const tampered = Buffer.from(readFileSync(locked));
  tampered[tampered.length - 40] = (tampered[tampered.length - 40] ?? 0) ^ 1;
  for (const [what, file, passphrase, code] of [
    ["cut off", put("cut", bytes.subarray(0, bytes.length - 500)), null, "damaged_file"],
    ["changed", put("flipped", flipped), null, "damaged_file"],
    ["torn pages", put("torn", torn), null, "damaged_file"],
    ["changed, encrypted", put("tampered", tampered), PHRASE, "damaged_file"],
    ["no passphrase", locked, null, "wrong_passphrase"],
    ["another passphrase", locked, "another long phrase", "wrong_passphrase"],
    ["of a newer hub", newer, null, "newer_file"],
    ["something else", put("junk", "junk"), null, "wrong_file"],
    ["another database", put("other.db", emptyDatabase(join(folder, "made.db"))), null, "wrong_file"],
    ...Object.entries(UNSTARTABLE).map(
      ([what, sql]) =>
        [what, put(what, changedDatabase(plain, join(folder, "changing.db"), sql)), null, "damaged_file"] as const,
    ),
    ["a medium that fails", "/proc/self/mem", null, "unreadable_file"], // the system answers EIO
    ["not there", join(folder, "nothing"), null, "not_found"],
  ] as const) {
    await t.rejects(restoring(file, data, passphrase), { code: new RegExp(`^${code}$`) }, what);
    t.same(readdirSync(data), [], what);
  }
  await restoring(sound, data);
  t.same(readdirSync(data), ["restore-ready"]);
});

/** A file from which a hub would not start, although each page is sound. */
const UNSTARTABLE = {
  "without a table": "DROP TABLE scene",
  "without a column": "ALTER TABLE scene RENAME COLUMN icon TO picture",
  "of a lower version than it says": "PRAGMA user_version = 12",
  "of no version": "PRAGMA user_version = 0",
  "of a version below none": "PRAGMA user_version = -5",
  "with a trigger": "CREATE TRIGGER no BEFORE INSERT ON session BEGIN SELECT RAISE(ABORT, 'no'); END",
};

function changedDatabase(content: Buffer, file: string, sql: string): Buffer {
  writeFileSync(file, content);
  new SqliteDatabase(file).exec(sql).close();
  return readFileSync(file);
}

function emptyDatabase(file: string): Buffer {
  new SqliteDatabase(file).exec("CREATE TABLE t (a)").close();
  return readFileSync(file);
}

t.test(
  "a sound backup that does not fit is not called damaged, whether refused in advance or when the disk fills",
  async (t) => {
    const disk = smallDisk(t, 96);
    if (disk === null) {
      t.pass("skipped: this user may not mount a file system");
      return;
    }
    const folder = testFolder(t);
    const [large, packed, sealed] = [join(folder, "large"), join(folder, "large.gz"), join(folder, "large.age")];
    writeFileSync(
      large,
      Buffer.concat([Buffer.from("SQLite format 3\0"), randomBytes(2 * MEGABYTE), Buffer.alloc(44 * MEGABYTE)]),
    );
    await pack(chunksOf(large), packed, null);
    await pack(chunksOf(large), sealed, PHRASE);
    const free = (): number => statfsSync(disk).bavail;
    const before = free();
    // 46 MB and what the hub needs itself are more than 96 MB.
    for (const file of [large, packed])
      await t.rejects(unpack(file, join(disk, "out"), null), {
        code: /^storage_full$/,
        message: /111 MB have to be free/,
      });
    t.equal(free(), before, "nothing was written");
    await t.rejects(
      unpack(sealed, join(disk, "out"), PHRASE),
      { code: /^storage_full$/ },
      "its inner size is known only during the work",
    );
    t.equal(free(), before, "and what was written is gone");

    const small = join(folder, "small.gz");
    writeFileSync(
      large,
      Buffer.concat([Buffer.from("SQLite format 3\0"), randomBytes(2 * MEGABYTE), Buffer.alloc(18 * MEGABYTE)]),
    );
    await pack(chunksOf(large), small, null);
    const unpacking = unpack(small, join(disk, "out"), null);
    unpacking.catch(() => {}); // checked below
    while (!existsSync(join(disk, "out"))) await new Promise((resolve) => setImmediate(resolve));
    fillDisk(join(disk, "foreign"), 0);
    await t.rejects(unpacking, { code: /^storage_full$/ }, "another process took the room meanwhile");
    t.notOk(existsSync(join(disk, "out")));

    const uploads = new Uploads({ folder: join(disk, "uploads"), clock: systemClock });
    t.throws(() => uploads.open("backup", MEGABYTE), { code: /^storage_full$/ });
  },
);

t.test("an update and a picture that the medium does not return are unreadable, not something else", async (t) => {
  const folder = testFolder(t, { "a-folder": {}, pictures: { "0": { "7.jpg": {} } } });
  t.throws(() => openBundle(join(folder, "a-folder"), []), { code: /^unreadable_file$/ });
  t.throws(() => openBundle(join(folder, "nothing"), []), { code: /^not_found$/ });
  await t.rejects(new PlateImageFiles(join(folder, "pictures")).read(7), {
    code: /^unreadable_file$/,
    message: "The picture cannot be read from its medium (folder).",
  });
  t.equal(await new PlateImageFiles(join(folder, "pictures")).read(8), null);
});
