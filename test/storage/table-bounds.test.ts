import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { defaultSettings } from "../../src/core/settings/load.ts";
import { MOST_SET_ASIDE } from "../../src/core/storage/bad-rows.ts";
import { boundsPage, TABLE_BOUNDS } from "../../src/core/storage/table-bounds.ts";
import { IssuedTable } from "../../src/features/access/tables/issued.ts";
import { LEFT_KEPT, noteFabrics } from "../../src/features/matter/bridge/fabrics.ts";
import { MatterTables } from "../../src/features/matter/tables/matter.ts";
import { openDatabase, PROJECT_ROOT, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

const src = join(PROJECT_ROOT, "src");
/** All SQL of the hub, as text. */
const sql = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((file) => /^core\/storage\/[\w-]+\.ts$|\/tables\/[\w-]+\.ts$/.test(file))
  .map((file) => readFileSync(join(src, file), "utf8"))
  .join("\n");

t.test("every table of the schema is bounded, and nothing else is in the list", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const { raw } = database;
  const tables = raw
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")
    .pluck()
    .all();
  t.strictSame(Object.keys(TABLE_BOUNDS).sort(), tables);

  for (const [table, bound] of Object.entries(TABLE_BOUNDS)) {
    const deletes = new RegExp(`DELETE FROM ${table}\\b`).test(sql);
    if (bound.by === "owner row") {
      const parents = raw
        .prepare<[string], { table: string; on_delete: string }>(
          'SELECT "table", on_delete FROM pragma_foreign_key_list(?)',
        )
        .all(table);
      t.match(
        parents.find((parent) => parent.table === bound.of && parent.on_delete === "CASCADE"),
        { table: bound.of },
        `${table} is deleted with its row of ${bound.of}`,
      );
    } else if (bound.by !== "nature") {
      t.ok(deletes, `something deletes from ${table}`);
      for (const file of bound.who.match(/[a-z-]+(\/[a-z-]+)+\.ts/g) ?? [])
        t.ok(
          ["src", "src/core", "src/features", "."].some((root) => existsSync(join(PROJECT_ROOT, root, file))),
          `${table}: ${file}`,
        );
      t.match(bound.who, /\/[a-z-]+\.ts/, `${table} names what deletes from it`);
    }
    if (bound.by === "age" && bound.setting !== undefined) {
      const [group = "", name = ""] = bound.setting.split(".");
      t.type(Reflect.get(Object(Reflect.get(defaultSettings(), group)), name), "number", bound.setting);
    }
  }
});

t.test("docs/what-is-kept.md matches the list (else: node scripts/generate-docs.mjs)", async (t) => {
  t.equal(readFileSync(join(PROJECT_ROOT, "docs/what-is-kept.md"), "utf8"), boundsPage());
});

t.test("the issuer of a grant is forgotten once the grant is gone, and not before", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const { siteId } = seedAccount(database);
  const { raw } = database;
  const issued = new IssuedTable(database);
  raw.prepare("INSERT INTO device (id, site_id, name, type, created_at) VALUES ('7', ?, 'a', 'light', 1)").run(siteId);
  const put = raw.prepare("INSERT INTO issued (kind, id, issuer, role) VALUES (?, ?, 1, 'owner')");
  for (const kind of ["device", "api_key", "invitation", "guest_pass", "webhook", "matter_home", "automation"])
    put.run(kind, "7");
  put.run("notification_channel", "push");
  t.equal(issued.forgetGone(), 6);
  t.same(raw.prepare("SELECT kind FROM issued ORDER BY kind").pluck().all(), ["device", "notification_channel"]);
});

t.test("the newest set-aside files and departed homes are kept, up to their limits", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  await database.write(() => {
    for (let n = 0; n < MOST_SET_ASIDE + 20; n++)
      database.setAside({ table: "scene", key: String(n), column: "actions", content: "?" });
  });
  const keys = database.raw.prepare("SELECT row_key FROM set_aside ORDER BY id").pluck().all();
  t.equal(keys.length, MOST_SET_ASIDE);
  t.equal(keys[0], "20");

  const clock = new FakeClock();
  const tables = new MatterTables(database);
  for (let n = 0; n < LEFT_KEPT + 20; n++) {
    await noteFabrics([{ fabric: `f${n}`, index: 1, vendorId: 1, label: "" }], { database, tables, clock });
    clock.advance(1_000);
  }
  const fabrics = tables.fabrics();
  t.equal(fabrics.length, LEFT_KEPT + 1);
  t.equal(fabrics[0]?.fabric, "f19");
  t.equal(fabrics.filter(({ leftAt }) => leftAt === null).length, 1);
});
