/**
 * A hub that is killed while it makes the demo's house has every part of it once after the next start. A real hub
 * process, SIGKILL, and what is on disk.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import SqliteDatabase from "better-sqlite3";
import t from "tap";
import { automationsOf, DEVICES, SCENES, VEHICLES } from "../../src/features/sandbox/household.ts";
import { eventually, OWNER, startHubProcess } from "../support/hub-process.ts";
import { testFolder } from "../support/test-folder.ts";

t.setTimeout(240_000);
/** So many of the newest passes have one. */
const PICTURES = 40;
const ENV = { GATEHOUSE_DEMO: "true", GATEHOUSE_RECOGNITION: "false", GATEHOUSE_TIME_ZONE: "Asia/Kolkata" };

/** One number of a database that a hub has open. */
function ask(file: string, sql: string): number {
  const database = new SqliteDatabase(file, { readonly: true, timeout: 10_000 });
  try {
    return Number(database.prepare(sql).pluck().get());
  } finally {
    database.close();
  }
}

t.test("killed again and again while it is made, the demo's house is there once", async (t) => {
  const folder = testFolder(t);
  const file = join(folder, "gatehouse.db");
  const count = (sql: string): number => ask(file, `SELECT count(*) FROM ${sql}`);
  const hasPictures = (): boolean => {
    const plates = join(folder, "plates", "0");
    return existsSync(plates) && readdirSync(plates).length > 3;
  };

  const claimed = await startHubProcess(folder, ENV);
  void fetch(`${claimed.url}/api/claim`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: claimed.claimCode, ...OWNER }),
  }).catch(() => {}); // it is killed before it can answer
  while (!hasPictures()) await setImmediate();
  await claimed.kill();

  const again = await startHubProcess(folder, ENV);
  t.equal(again.claimCode, null, "the owner is there");
  while (count("plate_read WHERE device_id = 'demo-camera'") === 0) await setTimeout(1);
  await again.kill();
  t.equal(count("device WHERE id LIKE 'demo-%'"), DEVICES.length, "the past and the house come together");

  const last = await startHubProcess(folder, ENV);
  await eventually(() => (last.output().includes("the demo household is running") ? true : undefined), 60_000);
  await last.stop();

  const made = ask(file, "SELECT stored_at FROM plate_read WHERE device_id = 'demo-camera' ORDER BY id LIMIT 1");
  const site = "site_id = (SELECT site_id FROM device WHERE id = 'demo-gate')";
  const reads = `plate_read WHERE ${site} AND at < ${made}`;
  const repeated = (what: string, columns: string): number =>
    count(`(SELECT 1 FROM ${what} GROUP BY ${columns} HAVING count(*) > 1)`);
  t.ok(count(reads) > 60, `${count(reads)} reads`);
  t.equal(repeated(`${reads} AND plate IS NOT NULL`, "at / 90000"), 0, "cars are minutes apart");
  t.equal(count(`plate_image WHERE read_id IN (SELECT id FROM ${reads})`), PICTURES);
  t.ok(count(`opening WHERE ${site} AND at < ${made}`) > 40, "with their openings");
  t.equal(
    repeated(`feed_item WHERE ${site} AND kind NOT IN ('device.online', 'device.offline')`, "kind, title, at"),
    0,
  );
  for (const kind of ["gate.not_closed", "device.danger"])
    t.equal(count(`feed_item WHERE ${site} AND kind = '${kind}'`), 1, kind);
  t.equal(count(`feed_item WHERE ${site} AND kind = 'device.added'`), DEVICES.length);
  t.equal(count(`scene WHERE ${site}`), SCENES.length);
  t.equal(count(`automation WHERE ${site}`), automationsOf("demo-", String).length);
  t.equal(count(`plate_rule WHERE ${site}`), VEHICLES.filter(({ rule }) => rule !== null).length);
  const gate = "SELECT id FROM state_series WHERE device_id = 'demo-gate' AND key = 'position'";
  t.equal(
    count(`state_change WHERE series_id = (${gate}) AND at < ${made}`),
    4 * count(`opening WHERE ${site} AND at < ${made}`) + 1,
    "the gate moved once for each",
  );
});
