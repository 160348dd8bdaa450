/** A page of the feed costs what it shows, whatever else is in it, and a sweep its total. */
import { setImmediate } from "node:timers/promises";
import t from "tap";
import { FEED_KINDS, type FeedKind, feedSight } from "../../../src/core/api/feed-kinds.ts";
import { systemClock } from "../../../src/core/kernel/clock.ts";
import type { Database } from "../../../src/core/storage/database.ts";
import { Feed } from "../../../src/features/feed/feed.ts";
import { FeedItemTable } from "../../../src/features/feed/tables/feed-item.ts";
import { testBase } from "../../support/base.ts";
import { openDatabase, seedAccount } from "../../support/database.ts";
import { testFolder } from "../../support/test-folder.ts";

const ITEMS = 200_000;
const PAGE = { sinceMs: Number.MIN_SAFE_INTEGER, before: { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER } };

/** The table on a database that counts the rows that its queries give, and the statements of the table. */
function counted(database: Database): { table: FeedItemTable; rows: () => number; prepared: readonly string[] } {
  let count = 0;
  const raw = new Proxy(database.raw, {
    get(target, property) {
      if (property !== "prepare") return Reflect.get(target, property) as unknown;
      return (sql: string) => {
        const statement = target.prepare<unknown[]>(sql);
        return {
          all: (...values: unknown[]) => {
            const found = statement.all(...values);
            count += found.length;
            return found;
          },
          get: (...values: unknown[]) => {
            count += 1;
            return statement.get(...values);
          },
          run: (...values: unknown[]) => statement.run(...values),
        };
      };
    },
  });
  const table = new FeedItemTable({ raw });
  return { table, rows: () => count, prepared: table.statements };
}

t.test("for a key that may see none of 200,000 items, a page reads none of them", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const { siteId } = seedAccount(database);
  database.raw.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ITEMS})
     INSERT INTO feed_item (site_id, device_id, kind, title, body, about_vehicles, read, at)
     SELECT ${siteId}, NULL, CASE WHEN i % 2 = 0 THEN 'automation.fired' ELSE 'plate.allowed' END, 'x', '', 1, 0, i FROM n`,
  );
  const { table, rows, prepared } = counted(database);
  const key = feedSight({ method: "api_key", role: "owner", scopes: ["events:read"] });
  t.same(table.page(siteId, { ...PAGE, limit: 100, sight: key }), [], "all of them concern vehicles");
  t.same(table.unread(siteId, { ...PAGE, limit: 100, sight: key }), []);
  t.equal(rows(), 0);
  // Nothing is scanned and nothing is sorted: SQLite reads only its results, from an index, and stops at the limit.
  const pages = prepared.filter((sql) => /AND kind = \? .*LIMIT/s.test(sql) && sql.startsWith("SELECT"));
  // a page of others than owners also looks at whom each message is for
  t.equal(pages.length, 4);
  for (const sql of pages) {
    const forPerson = sql.includes("recipients");
    const plan = database.raw
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(siteId, "x", 0, 0, 0, 0, ...(forPerson ? [1] : []), 1)
      .map(({ detail }) => detail);
    t.equal(plan.length, 1, plan.join("; "));
    t.match(
      plan[0],
      /^SEARCH feed_item USING (COVERING )?INDEX feed_item_(unread_)?by_kind \(site_id=\? AND kind=\? AND about_vehicles=\? AND at>\? AND at<\?\)$/,
    );
    t.equal(plan[0]?.includes("COVERING"), !forPerson);
  }
  const before = rows();
  const owner = { kinds: FEED_KINDS, vehicles: true };
  const page = table.page(siteId, { ...PAGE, limit: 100, sight: owner });
  t.same(
    page.map(({ at }) => at),
    Array.from({ length: 100 }, (_, n) => ITEMS - n),
    "newest first, over kinds",
  );
  t.ok(rows() - before <= 100 * (2 + 1), `${rows() - before} rows: a page of each existing kind, and the page`);
});

t.test("a page over kinds begins at the end of the last one, even within one instant", async (t) => {
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const { siteId } = seedAccount(database);
  const table = new FeedItemTable(database);
  const kinds: FeedKind[] = ["device.online", "device.offline", "plate.allowed"];
  const ids = Array.from({ length: 60 }, (_, n) =>
    table.insert({
      siteId,
      deviceId: null,
      kind: kinds[n % 3] ?? "",
      title: "",
      body: "",
      words: null,
      aboutVehicles: n % 2,
      recipients: null,
      picture: null,
      byAccount: null,
      becauseOf: null,
      at: Math.floor(n / 7),
    }),
  );
  for (const sight of [
    { kinds, vehicles: true },
    { kinds: kinds.slice(0, 2), vehicles: false },
  ]) {
    const shown = ids
      .filter((_, n) => sight.kinds.some((kind) => kind === kinds[n % 3]) && (sight.vehicles || n % 2 === 0))
      .reverse();
    const listed: number[] = [];
    for (let before = PAGE.before; ; ) {
      const page = table.page(siteId, { sinceMs: PAGE.sinceMs, before, limit: 4, sight });
      listed.push(...page.map(({ id }) => id));
      const last = page.at(-1);
      if (last === undefined) break;
      before = { at: last.at, id: last.id };
    }
    t.same(listed, shown);
  }
});

t.test(
  "a sweep over the items of many devices reads each twice, a few at a time, and gives others their turn",
  async (t) => {
    const [devices, each, room] = [2_000, 10, 8_000];
    const database = await openDatabase(testFolder(t));
    t.teardown(() => database.stop());
    const { siteId } = seedAccount(database);
    database.raw.exec(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${devices * each - 1})
     INSERT INTO feed_item (site_id, device_id, kind, title, body, about_vehicles, read, at)
     SELECT ${siteId}, 'device-' || (i % ${devices}), 'device.offline', 'x', '', 0, 0, i FROM n`,
    );
    const { table, prepared } = counted(database);
    t.same(table.sites(), [siteId]);
    for (const sql of prepared.filter((text) => text.includes("(at, id) > (?, ?)"))) {
      const values = [...sql.matchAll(/\?/g)].map(() => 1);
      const plan = database.raw.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...values);
      t.match(
        plan.map(({ detail }) => detail),
        [/^SEARCH feed_item USING (COVERING )?INDEX feed_item_(by_time|unread) /],
        sql,
      );
    }
    const feed = new Feed(testBase(database, systemClock, { feed: { maxRows: room } }));
    let isDone = false;
    const swept = feed.sweep().finally(() => {
      isDone = true;
    });
    let turns = 0;
    for (; !isDone; turns++) await setImmediate();
    t.equal(await swept, devices * each - room);
    t.ok(turns > 100, `${turns} turns`);
    const left = database.raw
      .prepare<[], { count: number; oldest: number }>(
        "SELECT count(*) AS count, min(at) AS oldest FROM feed_item GROUP BY device_id",
      )
      .all();
    t.equal(left.length, devices);
    t.ok(
      left.every(({ count, oldest }) => count === room / devices && oldest >= devices * (each - room / devices)),
      "the newest of each device stay",
    );
  },
);
