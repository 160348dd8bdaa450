import {
  chmodSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { chunksOf } from "../../src/core/kernel/steady-file.ts";
import { pack, unpack } from "../../src/features/backups/pack.ts";
import { stageRestore } from "../../src/features/backups/restore.ts";
import { workInThread } from "../../src/features/backups/thread.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

const migrationsFolder = join(PROJECT_ROOT, "src/core/storage/migrations");
const MEGABYTE = 1_048_576;

/** A gzip file that starts like a database and unpacks to `megabytes`. */
async function bomb(file: string, megabytes: number): Promise<void> {
  const zeros = Buffer.alloc(MEGABYTE);
  const pieces = function* (): Generator<Buffer> {
    yield Buffer.from("SQLite format 3\0");
    for (let count = 0; count < megabytes; count++) yield zeros;
  };
  await pipeline(Readable.from(pieces(), { objectMode: false }), createGzip({ level: 9 }), createWriteStream(file));
}

t.test("a 300 KB backup that unpacks to 300 MB is refused before it has filled the disk", async (t) => {
  const folder = testFolder(t);
  const file = join(folder, "bomb.db.gz");
  await bomb(file, 300);
  t.ok(statSync(file).size < MEGABYTE);
  const dataFolder = join(folder, "data");
  const restoring = stageRestore({
    file,
    dataFolder,
    passphrase: null,
    migrationsFolder,
    nowMs: 0,
    doWork: workInThread,
  });
  await t.rejects(restoring, { code: /^damaged_file$/, message: /far more than a backup can hold/ });
  t.same(readdirSync(dataFolder), [], "nothing of it is left");
  const before = statfsSync(folder).bavail;
  await t.rejects(unpack(file, join(folder, "plain.db"), null), { code: /^damaged_file$/ });
  t.notOk(existsSync(join(folder, "plain.db")));
  t.ok(before - statfsSync(folder).bavail < 100 * MEGABYTE);
  await t.rejects(unpack(file, null, null), { code: /^damaged_file$/ }, "nor is it read to its end");
});

t.test("the same inside an encrypted backup", async (t) => {
  const folder = testFolder(t);
  const [plain, packed] = [join(folder, "zeros"), join(folder, "bomb.age")];
  writeFileSync(plain, Buffer.alloc(150 * MEGABYTE));
  await pack(chunksOf(plain), packed, "a long enough phrase");
  await t.rejects(unpack(packed, join(folder, "out"), "a long enough phrase"), {
    code: /^damaged_file$/,
    message: /far more/,
  });
});

t.test("an encrypted backup whose key derivation needs half a gigabyte is refused by its first lines", async (t) => {
  const file = join(testFolder(t), "hard.age");
  const line = (bytes: number): string => Buffer.alloc(bytes, 7).toString("base64").replaceAll("=", "");
  writeFileSync(
    file,
    `age-encryption.org/v1\n-> scrypt ${line(16)} 19\n${line(32)}\n--- ${line(32)}\n${"x".repeat(64)}`,
  );
  await t.rejects(unpack(file, null, "a long enough phrase"), { code: /^damaged_file$/ });
});

t.test("a backup restores only files of a hub, and none from elsewhere", async (t) => {
  const folder = testFolder(t);
  const make = async (name: string, fill: (raw: SqliteDatabase.Database) => void): Promise<string> => {
    const plain = join(folder, `${name}.db`);
    const raw = new SqliteDatabase(plain);
    fill(raw);
    raw.close();
    await pack(chunksOf(plain), `${plain}.gz`, null);
    return `${plain}.gz`;
  };
  const manifest = JSON.stringify({
    format: 1,
    version: "1.0.0",
    databaseVersion: 0,
    at: "2026-01-01T00:00:00Z",
    files: ["../../escaped", "hub.key"],
  });
  const tricks = await make("tricks", (raw) => {
    raw.exec("CREATE TABLE backup_file (name TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT");
    const insert = raw.prepare("INSERT INTO backup_file VALUES (?, ?)");
    for (const name of ["../../escaped", "/tmp/escaped-gatehouse", "tls/../../escaped", "hub.key"])
      insert.run(name, Buffer.from("x"));
    insert.run("manifest", Buffer.from(manifest));
  });
  const dataFolder = join(folder, "a/b/data");
  const options = { dataFolder, passphrase: null, migrationsFolder, nowMs: 0, doWork: workInThread };
  await stageRestore({ ...options, file: tricks });
  t.same(readdirSync(join(dataFolder, "restore-ready")).sort(), ["gatehouse.db", "hub.key", "plan.json"]);
  for (const path of [
    join(folder, "escaped"),
    join(folder, "a/escaped"),
    join(folder, "a/b/escaped"),
    "/tmp/escaped-gatehouse",
  ])
    t.notOk(existsSync(path), path);
  const made = await make("made", (raw) =>
    raw.exec("CREATE VIEW backup_file AS SELECT 'manifest' AS name, zeroblob(900000000) AS content"),
  );
  await t.rejects(stageRestore({ ...options, file: made }), { code: /^wrong_file$/ }, "computed contents are refused");
});

t.test(
  "a data folder with wide permissions is the hub's alone after its start, and so is everything it creates",
  async (t) => {
    const dataFolder = testFolder(t);
    const raw = new SqliteDatabase(join(dataFolder, "gatehouse.db"));
    raw.close();
    mkdirSync(join(dataFolder, "backups"));
    writeFileSync(join(dataFolder, "backups/gatehouse-old.db.gz"), "x");
    mkdirSync(join(dataFolder, "spool"));
    writeFileSync(join(dataFolder, "spool/old.jpg"), "x");
    writeFileSync(join(dataFolder, "gatehouse.db-wal"), "");
    for (const name of [
      "",
      "gatehouse.db",
      "gatehouse.db-wal",
      "backups",
      "backups/gatehouse-old.db.gz",
      "spool",
      "spool/old.jpg",
    ])
      chmodSync(join(dataFolder, name), name.includes(".") ? 0o644 : 0o755);
    const hub = await startHubProcess(dataFolder);
    const open: string[] = [];
    for (const name of ["", ...readdirSync(dataFolder, { recursive: true, encoding: "utf8" })]) {
      const { mode } = statSync(join(dataFolder, name));
      if ((mode & 0o077) !== 0) open.push(`${name} ${(mode & 0o777).toString(8)}`);
    }
    await hub.stop();
    t.same(open, []);
    t.ok(readFileSync(join(dataFolder, "gatehouse.db")).length > 0);
  },
);
