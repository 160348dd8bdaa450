import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { userVersion } from "../../src/features/updates/user-version.ts";
import { testFolder } from "../support/test-folder.ts";

t.test("the version after a crash is read from where it is, the file or its journal", async (t) => {
  const folder = testFolder(t);
  const file = join(folder, "hub.db");
  const raw = new SqliteDatabase(file);
  raw.exec("CREATE TABLE t (x TEXT); PRAGMA user_version = 3; PRAGMA journal_mode = WAL");
  const crashed = (name: string): string => {
    const copy = join(folder, name);
    copyFileSync(file, copy);
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    return copy;
  };
  raw.exec("INSERT INTO t VALUES ('a')");
  t.equal(userVersion(crashed("same")), 3);
  raw.exec("PRAGMA user_version = 4; INSERT INTO t VALUES ('b')");
  t.equal(userVersion(crashed("migrated")), 4, "only the journal knows");
  raw.exec("PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO t VALUES ('c')");
  t.equal(userVersion(crashed("checkpointed")), 4, "the journal has no first page, or the same");
  raw.exec("PRAGMA user_version = 5; PRAGMA wal_checkpoint(FULL); PRAGMA user_version = 4");
  t.equal(userVersion(crashed("again")), 4, "of two generations the present one counts");
  raw.close();
  t.equal(userVersion(file), 4);
  writeFileSync(join(folder, "junk"), "junk");
  t.equal(userVersion(join(folder, "junk")), 0);
  t.equal(userVersion(join(folder, "none")), 0);
});
