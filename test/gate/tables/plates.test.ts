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
import { testBase } from "../../support/base.ts";
import { openDatabase, seedAccount } from "../../support/database.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { testFolder } from "../../support/test-folder.ts";

/** Queries that read a whole table on purpose: cameras are few, pictures are counted and compared with their files. */
const WHOLE_TABLE = [
  /FROM camera ORDER BY/,
  /SELECT DISTINCT gate_device_id AS deviceId FROM camera/, // after an edit of a camera; there are few
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
    VehicleTable,
    VisitTable,
    PlateReadTable,
  ])
    prepared.push(...new Table(database).statements);
  prepared.push(...new PlateRuleTable(testBase(database, new FakeClock())).statements);
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

t.test(
  "a plate that a person allowed, or their guest's, decides nothing from the end of their access on",
  async (t) => {
    const database = await openDatabase(testFolder(t));
    t.teardown(() => database.stop());
    const { accountId, siteId } = seedAccount(database);
    const rules = new PlateRuleTable(testBase(database, new FakeClock()));
    const draft = { siteId, plate: "X", formatted: "X", label: "", validFrom: null, validTo: null, windows: null };
    const insert = (kind: "allow" | "deny", deviceId: string | null) =>
      rules.insert(
        { ...draft, kind, deviceId, enabled: 1, createdAt: 0, earns: null },
        { master: "owner", passId: null },
      );
    const END = 5_000;
    database.writeNow(() => {
      const [own, guests] = [insert("allow", null), insert("allow", "a")];
      insert("deny", "b");
      insert("allow", "c");
      database.raw.exec(`
      INSERT INTO account (id, email, name, password_hash, role, household_of, ends_at, created_at, updated_at)
        VALUES (20, 'g@example.org', 'Gopal', '', 'gatekeeper', ${accountId}, ${END}, 0, 0);
      INSERT INTO guest_pass (id, site_id, rule_id, token_hash, label, valid_to, tries_left, created_at, created_by)
        VALUES (7, ${siteId}, ${guests}, 'x', '', 9000, 0, 0, 'session:1');
      INSERT INTO issued (kind, id, issuer, role) VALUES ('plate_rule', '${own}', 20, 'gatekeeper'), ('guest_pass', '7', 20, 'gatekeeper')`);
    });
    const enabled = (at: number) => rules.deciding({ siteId, plate: "X", at }).map((rule) => rule.enabled);
    t.same(enabled(END - 1), [1, 1, 1, 1]);
    t.same(enabled(END), [0, 0, 1, 1]);
    database.writeNow(() => database.raw.exec("UPDATE account SET ended_at = 1 WHERE id = 20"));
    t.same(enabled(0), [0, 0, 1, 1], "whatever the clock says");
  },
);

t.test("a rule that is added, changed or removed is announced, once it is committed", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const { siteId } = seedAccount(database);
  const base = testBase(database, new FakeClock());
  const told: number[] = [];
  base.bus.on("plate_rules.changed", "test", (fact) => told.push(fact.siteId));
  const rules = new PlateRuleTable(base); // as an estate has its own
  const owner = { master: "owner", passId: null } as const;
  const draft = { siteId, plate: "X", formatted: "X", label: "", validFrom: null, validTo: null, windows: null };
  const id = await database.write(() => {
    const made = rules.insert(
      { ...draft, kind: "allow", deviceId: null, enabled: 1, createdAt: 0, earns: null },
      owner,
    );
    t.same(told, [], "not before");
    return made;
  });
  t.same(told, [siteId]);
  const changed = rules.find(siteId, id);
  if (changed === null) throw new Error("the rule is gone");
  await database.write(() => rules.update({ ...changed, label: "Asha" }, owner));
  t.same(told, [siteId, siteId]);
  await database.write(() => rules.remove(changed, owner));
  t.same(told, [siteId, siteId, siteId]);
  const add = (plate: string): number =>
    rules.insert(
      { ...draft, plate, formatted: plate, kind: "allow", deviceId: null, enabled: 1, createdAt: 0, earns: null },
      owner,
    );
  const failed = database.write(() => {
    add("Y");
    throw new Error("refused");
  });
  await t.rejects(failed);
  t.equal(told.length, 3, "nothing was added");
  await database.write(() => ["A", "B", "C"].map(add));
  t.equal(told.length, 4, "the lines of an import together");
});
