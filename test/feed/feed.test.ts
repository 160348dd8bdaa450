import t, { type Test } from "tap";
import type { Feed } from "../../src/feed/feed.js";
import { openDatabase, seedAccount } from "../support/database.js";
import { DeviceHalf } from "../support/device-half.js";

const T0 = Date.parse("2026-03-01T00:00:00Z");

async function begin(
  t: Test,
): Promise<{ feed: Feed; half: DeviceHalf; siteId: number; testSiteId: number; add: (at: number, siteId?: number) => Promise<number> }> {
  const database = await openDatabase(t.testdir());
  const { siteId, testSiteId } = seedAccount(database);
  const half = new DeviceHalf(database);
  t.teardown(() => database.stop());
  const add = (at: number, site = siteId): Promise<number> =>
    database.write(() => half.feed.record({ siteId: site, kind: "system.started", deviceId: null, title: `at ${at}`, body: "", at }));
  return { feed: half.feed, half, siteId, testSiteId, add };
}

t.test("items come newest first, by time and then by id, since inclusive", async (t) => {
  const { feed, siteId, testSiteId, add } = await begin(t);
  const ids: number[] = [];
  for (const at of [T0, T0 + 20, T0 + 10, T0 + 20]) ids.push(await add(at));
  await add(T0 + 15, testSiteId);
  const [a, b, c, d] = ids;
  const list = (query = {}): number[] => feed.list(siteId, { limit: 10, ...query }).map(({ id }) => id);
  t.same(list(), [d, b, c, a]);
  t.same(list({ sinceMs: T0 + 10 }), [d, b, c]);
  t.same(list({ sinceMs: T0 + 11 }), [d, b]);
  t.same(list({ limit: 1 }), [d]);
  t.same(list({ before: { at: T0 + 20, id: d } }), [b, c, a], "a page may end between items of one instant");
  t.same(list({ before: { at: T0 + 20, id: b }, sinceMs: T0 + 5 }), [c]);
  t.same(list({ before: { at: T0, id: a } }), []);
});

t.test("an item is announced once it is on disk, and not at all when its job fails", async (t) => {
  const { half, siteId, add } = await begin(t);
  const itemId = await add(T0);
  t.match(half.of("feed.added"), [{ siteId, itemId, kind: "system.started", title: `at ${T0}`, body: "", deviceId: null, at: T0 }]);
  await t.rejects(
    half.database.write(() => {
      half.feed.record({ siteId, kind: "system.started", deviceId: null, title: "x", body: "", at: T0 });
      throw new Error("no");
    }),
  );
  t.equal(half.of("feed.added").length, 1);
  t.equal(half.feed.list(siteId, { limit: 10 }).length, 1);
});

t.test("members see what is the household's, not keys, receivers and sign-ins; what they mark as read leaves those unread", async (t) => {
  const { feed, half, siteId } = await begin(t);
  const kinds = ["device.online", "key.created", "plate.allowed", "webhook.disabled", "security.login_failed", "system.clock"] as const;
  for (const [n, kind] of kinds.entries())
    await half.database.write(() => half.feed.record({ siteId, kind, deviceId: null, title: kind, body: "", at: T0 + n }));
  const seen = (query: object): string[] => feed.list(siteId, { limit: 10, ...query }).map(({ kind }) => kind);
  t.same(seen({ reader: "owner" }), [...kinds].reverse());
  t.same(seen({ reader: "member" }), ["system.clock", "plate.allowed", "device.online"]);
  t.same(seen({ reader: "member", limit: 2 }), ["system.clock", "plate.allowed"], "a page is full all the same");
  t.same([feed.unreadCount(siteId, "owner"), feed.unreadCount(siteId, "member")], [6, 3]);
  t.equal(await feed.markAllRead(siteId, Number.MAX_SAFE_INTEGER, "member"), 3);
  t.same(seen({ unreadOnly: true }), ["security.login_failed", "webhook.disabled", "key.created"]);
});

t.test("items are read one by one or all up to what the reader saw", async (t) => {
  const { feed, siteId, testSiteId, add } = await begin(t);
  const ids: number[] = [];
  for (let i = 0; i < 4; i++) ids.push(await add(T0 + i));
  const foreign = await add(T0, testSiteId);
  t.equal(feed.unreadCount(siteId), 4);
  await feed.markRead(siteId, ids[3] ?? 0);
  await t.rejects(feed.markRead(siteId, foreign), { code: "not_found" });
  t.equal(feed.unreadCount(siteId), 3);
  t.equal(await feed.markAllRead(siteId, ids[1] ?? 0), 2);
  t.same(
    feed.list(siteId, { limit: 10, unreadOnly: true }).map(({ id }) => id),
    [ids[2]],
  );
  await feed.markRead(siteId, ids[3] ?? 0, false);
  t.equal(feed.unreadCount(siteId), 2);
  t.equal(feed.unreadCount(testSiteId), 1);
});

t.test("the feed is bounded by age and by number in each household", async (t) => {
  const { feed, siteId, testSiteId, add } = await begin(t);
  const day = 86_400_000;
  for (let i = 0; i < 70; i++) await add(T0 + i * day);
  for (let i = 0; i < 3; i++) await add(T0 + i, testSiteId);
  t.equal(await feed.sweep(T0 + 100 * day), 10 + 10 + 3, "ten and three too old, ten over fifty");
  const left = feed.list(siteId, { limit: 500 });
  t.equal(left.length, 50);
  t.equal(left.at(-1)?.at, T0 + 20 * day);
  t.same(feed.list(testSiteId, { limit: 5 }), []);
  t.equal(await feed.sweep(T0 + 100 * day), 0);
});
