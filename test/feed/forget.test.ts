/** Feed items about a vehicle are deleted with it: current ones, and those of earlier versions. */
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import t, { type Test } from "tap";
import type { NewFeedItem } from "../../src/core/api/feed-kinds.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { readMigrations } from "../../src/core/storage/migrate.ts";
import { openDatabase, PROJECT_ROOT, seedAccount } from "../support/database.ts";
import { DeviceParts } from "../support/device-parts.ts";
import { testFolder } from "../support/test-folder.ts";

const PLATE = "MH12AB1234";
const AT = Date.parse("2026-03-01T00:00:00Z");

/** Titles that remain when the plate is deleted in one household. */
async function leftOf(database: Database, siteId: number): Promise<string[]> {
  const parts = new DeviceParts(database);
  await database.write(() => parts.feed.forgetPlate(siteId, PLATE));
  return parts.feed.list(siteId, { limit: 100 }).map(({ title }) => title);
}

t.test("items that are about a plate or name it are deleted; all others stay", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const { siteId, testSiteId } = seedAccount(database);
  const parts = new DeviceParts(database);
  const about = { siteId, deviceId: null, at: AT } as const;
  const seen = { label: "", labelled: "no", camera: "Entry", way: "in" } as const;
  const items: NewFeedItem[] = [
    {
      ...about,
      kind: "plate.allowed",
      plates: [PLATE],
      text: { code: "plate.allowed", plate: "MH 12 AB 1234", ...seen },
    },
    {
      ...about,
      kind: "command.failed",
      plates: [PLATE],
      aboutVehicles: true,
      text: { code: "gate.failed", plate: "MH 12 AB 1234", why: "x" },
    },
    { ...about, kind: "automation.notify", title: "Visitors", body: "Open for DL 8 CAF 5031 and mh-12-ab-1234" },
    { ...about, kind: "automation.paused", text: { code: "automation.paused", name: "Open for MH12AB1234", n: 60 } },
    {
      ...about,
      kind: "plate.denied",
      plates: ["MH12AB1235"],
      text: { code: "plate.denied", plate: "MH 12 AB 1235", ...seen },
    },
    { ...about, kind: "automation.notify", title: "Dinner", body: "at 12 or 1234" },
    {
      ...about,
      siteId: testSiteId,
      kind: "plate.allowed",
      plates: [PLATE],
      text: { code: "plate.allowed", plate: "MH 12 AB 1234", ...seen },
    },
  ];
  await database.write(() => {
    for (const item of items) parts.feed.record(item);
  });
  t.strictSame((await leftOf(database, siteId)).sort(), ["Dinner", "MH 12 AB 1235 denied"]);
  t.equal(parts.feed.list(testSiteId, { limit: 10 }).length, 1, "another household's");
  t.equal(orphans(database), 0, "the subjects of deleted items are deleted too");
});

t.test("rows of earlier versions: with words, with a title alone, with a plate in a person's text", async (t) => {
  const { file, siteId } = earlierDatabase(t, [
    [
      "plate.allowed",
      "MH 12 AB 1234 allowed",
      "at Entry, entering",
      '{"code":"plate.allowed","way":"in","plate":"MH 12 AB 1234","label":"","camera":"Entry"}',
    ],
    ["plate.watch", "MH 12 AB 1234 seen (watch list)", "Owner, at Entry", null],
    [
      "plate.allowed",
      "MH 12 AB 1235 allowed",
      "Owner, at Entry",
      '{"code":"plate.allowed","way":"seen","plate":"MH 12 AB 1235","label":"Owner","camera":"Entry"}',
    ],
    ["automation.notify", "Car", "MH12AB1234 is here", null],
    ["plate.denied", "MH 12 AB 1236 denied", "", "{torn"],
    ["device.event", "Box MH12AB1234", "what a device wrote, about no vehicle", null],
  ]);
  const database = await openDatabase(file);
  t.teardown(() => database.stop());
  t.strictSame((await leftOf(database, siteId)).sort(), [
    "Box MH12AB1234",
    "MH 12 AB 1235 allowed",
    "MH 12 AB 1236 denied",
  ]);
  const kept = new DeviceParts(database).feed
    .list(siteId, { limit: 10 })
    .find(({ title }) => title === "MH 12 AB 1235 allowed");
  t.match(
    kept?.words,
    { code: /^plate\.allowed$/, label: "Owner", labelled: "yes" },
    "its text exists in every language",
  );
});

t.test("deleting finds rows by their subject", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const plan = database.raw
    .prepare(
      "EXPLAIN QUERY PLAN DELETE FROM feed_item WHERE id IN (SELECT item_id FROM feed_subject WHERE site_id = 1 AND subject = 'X')",
    )
    .all() as { detail: string }[]; // a plan's rows
  const steps = plan.map(({ detail }) => detail).join("\n");
  t.match(steps, /SEARCH feed_item USING INTEGER PRIMARY KEY/);
  t.match(steps, /SEARCH feed_subject USING PRIMARY KEY \(site_id=\? AND subject=\?\)/);
  t.notMatch(steps, /SCAN feed/);
});

function orphans(database: Database): number {
  return database.raw
    .prepare("SELECT count(*) FROM feed_subject WHERE item_id NOT IN (SELECT id FROM feed_item)")
    .pluck()
    .get() as number; // a count
}

/** A database as the version before feed subjects left it, with these items: kind, title, body, words. */
function earlierDatabase(
  t: Test,
  items: readonly (readonly [string, string, string, string | null])[],
): { file: string; siteId: number } {
  const file = testFolder(t);
  const raw = new SqliteDatabase(join(file, "gatehouse.db"));
  for (const { sql, version } of readMigrations(join(PROJECT_ROOT, "src/core/storage/migrations")).slice(0, 18)) {
    raw.exec(sql);
    raw.pragma(`user_version = ${version}`);
  }
  raw.exec(
    "INSERT INTO account (id, email, name, password_hash, created_at, updated_at) VALUES (1, 'a@example.org', 'A', '', 0, 0)",
  );
  raw.exec("INSERT INTO site (id, account_id, env, name) VALUES (1, 1, 'live', 'Home')");
  const insert = raw.prepare("INSERT INTO feed_item (site_id, kind, title, body, words, at) VALUES (1, ?, ?, ?, ?, ?)");
  for (const item of items) insert.run(...item, AT);
  raw.close();
  return { file, siteId: 1 };
}
