import { writeFileSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { openSettings } from "../../src/core/settings/store.ts";
import { addFunctions, readMigrations } from "../../src/core/storage/migrate.ts";
import { keepsOpeningConfidence } from "../../src/features/gate/opening-confidence.ts";
import { openDatabase, PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

const SETTING = "gate.minConfidence";

/** A data folder of the version before, with a camera that opens a gate on one of its sites, or none. */
function folderBefore(folder: string, env: "live" | "test" | null): string {
  const all = readMigrations(join(PROJECT_ROOT, "src/core/storage/migrations"));
  const before = all.slice(
    0,
    all.findIndex(({ name }) => name.endsWith("-opening-confidence.sql")),
  );
  const raw = new SqliteDatabase(join(folder, "gatehouse.db"));
  addFunctions(raw);
  for (const { sql } of before) raw.exec(sql);
  raw.pragma(`user_version = ${before.length}`);
  raw.exec(
    `INSERT INTO account (id, email, name, password_hash, created_at, updated_at) VALUES (1, 'a@b.c', 'A', '', 0, 0)`,
  );
  for (const [id, kind] of [
    [1, "live"],
    [2, "test"],
  ] as const)
    raw
      .prepare("INSERT INTO site (id, account_id, env, name, time_zone) VALUES (?, 1, ?, 'Home', 'UTC')")
      .run(id, kind);
  if (env !== null) {
    const site = env === "live" ? 1 : 2;
    const device = raw.prepare("INSERT INTO device (id, site_id, name, type, created_at) VALUES (?, ?, ?, ?, 0)");
    device.run("cam", site, "Camera", "camera");
    device.run("gate", site, "Gate", "gate");
    raw
      .prepare(
        "INSERT INTO camera (device_id, site_id, gate_device_id, gate_command, updated_at) VALUES ('cam', ?, 'gate', '{}', 0)",
      )
      .run(site);
  }
  raw.close();
  return folder;
}

/** Starts the part on the folder; what the hub then opens a gate from, and where that comes from. */
async function startOn(folder: string, env: Record<string, string> = {}) {
  const settings = openSettings({ env: { GATEHOUSE_DATA: folder, ...env }, argv: [] });
  const database = await openDatabase(folder);
  await keepsOpeningConfidence({ database, settings, logger: silentLogger }).start();
  await database.stop();
  const source = settings.describe().find(({ key }) => key === SETTING)?.source;
  return { least: settings.current.gate.minConfidence, source, settings };
}

t.test("a new hub opens by reads that are sure", async (t) => {
  t.match(await startOn(testFolder(t)), { least: 90, source: "default" });
});

t.test("a hub whose gates opened by any read keeps that, as a setting, until its owner chooses", async (t) => {
  const folder = folderBefore(testFolder(t), "live");
  const { least, source, settings } = await startOn(folder);
  t.match({ least, source }, { least: 0, source: "file" });
  t.match(await startOn(folder), { least: 0, source: "file" }, "and at the next start");
  await settings.change({ [SETTING]: null });
  t.match(await startOn(folder), { least: 90, source: "default" }, "the owner's choice stays");
});

t.test("what was chosen before the upgrade stays; a hub without a gate of its own gets the new default", async (t) => {
  const chosen = folderBefore(testFolder(t), "live");
  writeFileSync(join(chosen, "gatehouse.json"), JSON.stringify({ gate: { minConfidence: 70 } }));
  t.match(await startOn(chosen), { least: 70, source: "file" });
  const named = folderBefore(testFolder(t, { named: {} }), "live");
  t.match(await startOn(named, { GATEHOUSE_GATE_MIN_CONFIDENCE: "80" }), { least: 80, source: "environment" });
  t.match(await startOn(folderBefore(testFolder(t, { a: {} }), "test")), { least: 90 }, "a simulated gate");
  t.match(await startOn(folderBefore(testFolder(t, { b: {} }), null)), { least: 90 });
});

t.test("settings that cannot be written leave the safe default, and the next start tries again", async (t) => {
  const folder = folderBefore(testFolder(t), "live");
  const database = await openDatabase(folder);
  const settings = openSettings({ env: { GATEHOUSE_DATA: folder }, argv: [] });
  const part = keepsOpeningConfidence({
    database,
    settings: { describe: () => settings.describe(), change: () => Promise.reject(new Error("read-only")) },
    logger: silentLogger,
  });
  await part.start();
  await part.stop();
  await database.stop();
  t.equal(settings.current.gate.minConfidence, 90);
  t.match(await startOn(folder), { least: 0, source: "file" });
});
