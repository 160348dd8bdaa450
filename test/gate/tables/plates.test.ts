import t from "tap";
import type { Database } from "../../../src/core/storage/database.ts";
import { CameraTable } from "../../../src/features/gate/tables/camera.ts";
import { LanePassTable } from "../../../src/features/gate/tables/lane-pass.ts";
import { PlateImageTable } from "../../../src/features/gate/tables/plate-image.ts";
import { PlateReadTable } from "../../../src/features/gate/tables/plate-read.ts";
import { PlateRuleTable } from "../../../src/features/gate/tables/plate-rule.ts";
import { ShownFrameTable } from "../../../src/features/gate/tables/shown-frame.ts";
import { ShownGlanceTable } from "../../../src/features/gate/tables/shown-glance.ts";
import { VehicleTable } from "../../../src/features/gate/tables/vehicle.ts";
import { VisitTable } from "../../../src/features/gate/tables/visit.ts";
import { openDatabase } from "../../support/database.ts";
import { testFolder } from "../../support/test-folder.ts";

/** Queries that read a whole table on purpose: cameras are few, pictures are counted and compared with their files. */
const WHOLE_TABLE = [
  /FROM camera ORDER BY/,
  /FROM plate_image$/,
  /DELETE FROM visit_closure WHERE at < \?/,
  /FROM sqlite_sequence/,
];

/** A database that notes what is prepared on it. */
function listening(database: Database, prepared: string[]): Pick<Database, "raw"> {
  const raw = new Proxy(database.raw, {
    get(target, property) {
      if (property !== "prepare") return Reflect.get(target, property) as unknown;
      return (sql: string) => {
        prepared.push(sql);
        return target.prepare(sql);
      };
    },
  });
  return { raw };
}

t.test("every query of the plate tables uses an index, and no page is sorted by hand", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const prepared: string[] = [];
  for (const Table of [
    CameraTable,
    LanePassTable,
    ShownFrameTable,
    ShownGlanceTable,
    PlateImageTable,
    PlateRuleTable,
    VehicleTable,
    VisitTable,
    PlateReadTable,
  ])
    prepared.push(...new Table(database).statements);
  const heard = listening(database, prepared); // a list's own statements are put together when it is asked for
  const reads = new PlateReadTable(heard);
  reads.find(1, 1);
  const filters = {
    deviceId: "cam",
    plate: "X",
    plates: "[]",
    decision: "deny",
    decisions: "[]",
    status: "recognised",
    since: 1,
    before: { at: 1, id: 1 },
  } as const;
  reads.list(1, {}, 10);
  // keys of the object
  for (const name of Object.keys(filters)) reads.list(1, { [name]: filters[name as keyof typeof filters] }, 10);
  reads.list(1, filters, 10);
  reads.list(1, { before: filters.before }, 10, "oldest");
  t.ok(prepared.length > 40);
  for (const sql of prepared.filter(
    (text) => !WHOLE_TABLE.some((known) => known.test(text)) && !text.startsWith("INSERT INTO plate"),
  )) {
    const statement = database.raw.prepare<unknown[]>(`EXPLAIN QUERY PLAN ${sql}`);
    const named = Object.fromEntries([...sql.matchAll(/@([a-zA-Z_]+)/g)].map(([, name]) => [name, null]));
    const marks = [...sql.matchAll(/\?/g)].map(() => null);
    const plan = (Object.keys(named).length > 0 ? statement.all(named) : statement.all(...marks)) as {
      detail: string;
    }[]; // columns of EXPLAIN QUERY PLAN
    const details = plan.map(({ detail }) => detail).join("; ");
    t.notMatch(details, /SCAN (?!.*USING (COVERING )?INDEX|CONSTANT ROW|\()/, `${sql}\n${details}`);
    if (/LIMIT/.test(sql)) t.notMatch(details, /TEMP B-TREE/, `${sql}\n${details}`);
  }
});
