import t from "tap";
import { CommandTable } from "../../../src/features/devices/tables/command.ts";
import { DeviceTable } from "../../../src/features/devices/tables/device.ts";
import { RoomTable } from "../../../src/features/devices/tables/room.ts";
import { FeedItemTable } from "../../../src/features/feed/tables/feed-item.ts";
import { SceneTable } from "../../../src/features/scenes/tables/scene.ts";
import { openDatabase } from "../../support/database.ts";
import { testFolder } from "../../support/test-folder.ts";

/** Queries that read whole small tables on purpose, at start or in a sweep. */
const WHOLE_TABLE = [
  /^SELECT id, .* FROM (device|room)$/s,
  /^DELETE FROM retired_device WHERE retired_at < \?$/,
  /^SELECT id FROM retired_device$/,
];

t.test("every query of the tables for devices uses an index, and no page is sorted by hand", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const { raw } = database;
  const tables = [CommandTable, DeviceTable, FeedItemTable, RoomTable, SceneTable];
  const prepared = tables.flatMap((Table) => new Table(database).statements);
  t.ok(prepared.length > 30);
  for (const sql of prepared.filter((text) => !WHOLE_TABLE.some((known) => known.test(text)))) {
    const statement = raw.prepare<unknown[]>(`EXPLAIN QUERY PLAN ${sql}`);
    const named = Object.fromEntries([...sql.matchAll(/@([A-Za-z_]+)/g)].map(([, name]) => [name, null]));
    const marks = [...sql.matchAll(/\?/g)].map(() => null);
    const plan = (Object.keys(named).length > 0 ? statement.all(named) : statement.all(...marks)) as {
      detail: string;
    }[]; // columns of EXPLAIN QUERY PLAN
    const details = plan.map(({ detail }) => detail).join("; ");
    t.notMatch(details, /SCAN (?!.*USING (COVERING )?INDEX|CONSTANT ROW|\()/, `${sql}\n${details}`);
    if (/LIMIT \?/.test(sql)) t.notMatch(details, /TEMP B-TREE/, sql);
  }
});
