import t, { type Test } from "tap";
import { FEED_KINDS, feedSight, isShown } from "../../src/core/api/feed-kinds.ts";
import { ALL_SCOPES, type Scope } from "../../src/core/api/scopes.ts";
import type { Feed } from "../../src/features/feed/feed.ts";
import { removeAllDue } from "../support/aged.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { DeviceParts } from "../support/device-parts.ts";
import { testFolder } from "../support/test-folder.ts";

const OWNER = { method: "session", role: "owner", scopes: ALL_SCOPES } as const;
const MEMBER = { method: "session", role: "member", scopes: ["events:read", "plates:read"] } as const;
/** A key belongs to an owner, but is not a signed-in owner. */
const keyWith = (...scopes: Scope[]) => ({ method: "api_key", role: "owner", scopes }) as const;
const T0 = Date.parse("2026-03-01T00:00:00Z");

async function begin(t: Test): Promise<{
  feed: Feed;
  parts: DeviceParts;
  siteId: number;
  testSiteId: number;
  add: (at: number, siteId?: number) => Promise<number>;
}> {
  const database = await openDatabase(testFolder(t));
  const { siteId, testSiteId } = seedAccount(database);
  const parts = new DeviceParts(database);
  t.teardown(() => database.stop());
  const add = (at: number, site = siteId): Promise<number> =>
    database.write(
      () =>
        parts.feed.record({ siteId: site, kind: "system.started", deviceId: null, title: `at ${at}`, body: "", at }) ??
        0,
    );
  return { feed: parts.feed, parts, siteId, testSiteId, add };
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

t.test("of a made-up past nobody is notified, and one item of each kind is announced for all", async (t) => {
  const { feed, parts, siteId } = await begin(t);
  const notified: string[] = [];
  feed.onRecorded(({ title }) => notified.push(title));
  const most = 300; // more than a device's share
  const record = (title: string, at: number, deviceId: string | null = null): number | null =>
    feed.record({ siteId, kind: deviceId === null ? "system.started" : "device.event", deviceId, title, body: "", at });
  await parts.database.write(() =>
    feed.pastWhile(() => {
      for (let n = 0; n < most; n++) record(`bell ${n}`, T0 + n, "bell");
      record("newest", T0 + 20);
      record("older", T0 + 10);
    }),
  );
  t.equal(feed.list(siteId, { limit: 500 }).length, most + 2);
  t.same(
    parts.of("feed.added").map(({ title, withEarlier }) => [title, withEarlier]),
    [
      [`bell ${most - 1}`, true],
      ["newest", true],
    ],
  );
  t.same(notified, []);
  await parts.database.write(() => record("now", T0 + 30, "bell"));
  t.same(notified, ["now"], "its share is whole");
  t.equal(parts.of("feed.added").at(-1)?.withEarlier, undefined);
  await t.rejects(
    parts.database.write(() =>
      feed.pastWhile(() => {
        record("undone", T0);
        throw new Error("stop");
      }),
    ),
  );
  t.equal(parts.of("feed.added").length, 3);
});

t.test("an item is announced once it is on disk, and not at all if its job fails", async (t) => {
  const { parts, siteId, add } = await begin(t);
  const itemId = await add(T0);
  t.match(parts.of("feed.added"), [
    { siteId, itemId, kind: /^system\.started$/, title: `at ${T0}`, body: "", deviceId: null, at: T0 },
  ]);
  await t.rejects(
    parts.database.write(() => {
      parts.feed.record({ siteId, kind: "system.started", deviceId: null, title: "x", body: "", at: T0 });
      throw new Error("no");
    }),
  );
  t.equal(parts.of("feed.added").length, 1);
  t.equal(parts.feed.list(siteId, { limit: 10 }).length, 1);
});

t.test("a reader sees only what its rights allow; marking those as read leaves the rest unread", async (t) => {
  const { feed, parts, siteId } = await begin(t);
  const kinds = [
    "device.online",
    "key.created",
    "plate.allowed",
    "webhook.disabled",
    "security.login_failed",
    "occupancy.full",
    "system.clock",
  ] as const;
  const ids: number[] = [];
  for (const [n, kind] of kinds.entries())
    ids.push(
      await parts.database.write(
        () => parts.feed.record({ siteId, kind, deviceId: null, title: kind, body: "", at: T0 + n }) ?? 0,
      ),
    );
  const seen = (query: object): string[] => feed.list(siteId, { limit: 10, ...query }).map(({ kind }) => kind);
  const [owner, member, key, plates] = [
    OWNER,
    MEMBER,
    keyWith("events:read"),
    keyWith("events:read", "plates:read"),
  ].map(feedSight);
  t.same(seen({ sight: owner }), [...kinds].reverse());
  t.same(seen({ sight: member }), ["system.clock", "occupancy.full", "plate.allowed", "device.online"]);
  t.same(seen({ sight: key }), ["system.clock", "device.online"]);
  t.same(
    seen({ sight: feedSight(keyWith(...ALL_SCOPES)) }),
    seen({ sight: plates }),
    "a key with every scope is not a signed-in owner",
  );
  t.same(seen({ sight: plates }), ["system.clock", "occupancy.full", "plate.allowed", "device.online"]);
  t.same(seen({ sight: member, limit: 2 }), ["system.clock", "occupancy.full"], "a page is full all the same");
  t.same([feed.unreadCount(siteId, owner), feed.unreadCount(siteId, member), feed.unreadCount(siteId, key)], [7, 4, 2]);
  await t.rejects(
    feed.markRead(siteId, ids[1] ?? 0, true, member),
    { code: /^not_found$/ },
    "hidden items do not exist",
  );
  t.equal(await feed.markAllRead(siteId, Number.MAX_SAFE_INTEGER, member), 4);
  t.same(seen({ unreadOnly: true }), ["security.login_failed", "webhook.disabled", "key.created"]);
});

t.test("an item that concerns vehicles needs the right to read plates, whatever its kind", async (t) => {
  const { feed, parts, siteId } = await begin(t);
  const record = (title: string, more: { body?: string; aboutVehicles?: boolean } = {}): Promise<number> =>
    parts.database.write(
      () => feed.record({ siteId, kind: "automation.notify", deviceId: null, title, body: "", at: T0, ...more }) ?? 0,
    );
  await record("Somebody came", { aboutVehicles: true });
  await record("mh-12 ab 1234 is at the gate");
  await record("At the gate", { body: "22 BH 1234 AA" });
  await record("Washing is done", { body: "at 12:30, after 1234 s" });
  const titles = (sight: ReturnType<typeof feedSight>): string[] =>
    feed.list(siteId, { limit: 10, sight }).map(({ title }) => title);
  t.same(titles(feedSight(keyWith("events:read"))), ["Washing is done"]);
  t.equal(titles(feedSight(keyWith("events:read", "plates:read"))).length, 4);
  t.match(parts.of("feed.added"), [
    { aboutVehicles: true },
    { aboutVehicles: true },
    { aboutVehicles: true },
    { aboutVehicles: false },
  ]);
});

t.test("what is for chosen persons is seen by them and by owners, and cannot be marked by others", async (t) => {
  const { feed, parts, siteId } = await begin(t);
  const [asha, ravi] = [7, 70];
  const record = (title: string, to: readonly number[] | null) =>
    parts.database.write(
      () =>
        feed.record({
          ...{ siteId, kind: "automation.notify", deviceId: null, title, body: "", at: T0 },
          ...{ audience: { to, picture: null }, by: asha },
        }) ?? 0,
    );
  await record("for all", null);
  const id = await record("for Ravi", [ravi]);
  const sightOf = (reader: Parameters<typeof feedSight>[0]) => {
    const sight = feedSight(reader);
    const titles = (query: object): string[] =>
      feed.list(siteId, { limit: 10, sight, ...query }).map(({ title }) => title);
    const page = feed.activity(siteId, { part: "automation", limit: 10, sight });
    return {
      list: titles({}),
      unread: titles({ unreadOnly: true }),
      ofPerson: titles({ by: asha }),
      activity: page.events.map(({ title }) => title),
      count: feed.unreadCount(siteId, sight),
      stream: isShown(reader, { kind: "automation.notify", aboutVehicles: false, recipients: [ravi] }),
    };
  };
  const both = ["for Ravi", "for all"];
  const everything = { list: both, unread: both, ofPerson: both, activity: both, count: 2, stream: true };
  const some = ["for all"];
  const rest = { list: some, unread: some, ofPerson: some, activity: some, count: 1, stream: false };
  t.same(sightOf(OWNER), everything);
  t.same(sightOf({ ...OWNER, accountId: asha }), everything);
  t.same(sightOf({ ...MEMBER, accountId: ravi }), everything);
  t.same(sightOf({ ...MEMBER, accountId: asha }), rest, "7 is not 70");
  t.same(sightOf(MEMBER), rest, "nobody in particular");
  t.same(sightOf({ ...keyWith(...ALL_SCOPES), accountId: ravi }), rest, "a key is no person");
  const others = feedSight({ ...MEMBER, accountId: asha });
  await t.rejects(feed.markRead(siteId, id, true, others), { code: /^not_found$/ });
  t.equal(await feed.markAllRead(siteId, Number.MAX_SAFE_INTEGER, others), 1);
  t.match(parts.of("feed.added"), [{ recipients: null }, { recipients: [ravi] }]);
});

t.test("a kind missing from the table is shown to nobody", async (t) => {
  const { feed, parts, siteId } = await begin(t);
  await parts.database.write(() =>
    parts.database.raw
      .prepare("INSERT INTO feed_item (site_id, kind, title, at) VALUES (?, 'plate.future', 'MH12AB1234', ?)")
      .run(siteId, T0),
  );
  t.same(feed.list(siteId, { limit: 10, sight: feedSight(OWNER) }), []);
  t.equal(feed.unreadCount(siteId, feedSight(OWNER)), 0);
  for (const kind of ["plate.future", "toString", "__proto__"])
    t.notOk(isShown(OWNER, { kind, aboutVehicles: false, recipients: null }), kind);
  for (const kind of FEED_KINDS) t.ok(isShown(OWNER, { kind, aboutVehicles: true, recipients: null }), kind);
});

t.test("items are read one by one or all up to the last one seen", async (t) => {
  const { feed, siteId, testSiteId, add } = await begin(t);
  const ids: number[] = [];
  for (let i = 0; i < 4; i++) ids.push(await add(T0 + i));
  const foreign = await add(T0, testSiteId);
  t.equal(feed.unreadCount(siteId), 4);
  await feed.markRead(siteId, ids[3] ?? 0);
  await t.rejects(feed.markRead(siteId, foreign), { code: /^not_found$/ });
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

t.test("the feed is limited by age and by number in each household", async (t) => {
  const { feed, parts, siteId, testSiteId, add } = await begin(t);
  const day = 86_400_000;
  for (let i = 0; i < 70; i++) await add(T0 + i * day);
  for (let i = 0; i < 3; i++) await add(T0 + i, testSiteId);
  parts.clock.advance(T0 + 100 * day - parts.clock.now());
  t.equal(await removeAllDue(feed.aged), 10 + 3, "ten and three too old");
  t.equal(await feed.sweep(), 10, "ten over fifty");
  const left = feed.list(siteId, { limit: 500 });
  t.equal(left.length, 50);
  t.equal(left.at(-1)?.at, T0 + 20 * day);
  t.same(feed.list(testSiteId, { limit: 5 }), []);
  t.equal((await removeAllDue(feed.aged)) + (await feed.sweep()), 0);
});

t.test("the source that filled the feed makes room in it, and one device has its share", async (t) => {
  const { feed, parts, siteId, add } = await begin(t);
  for (let i = 0; i < 10; i++) await add(T0 + i);
  const say = (deviceId: string, at: number): Promise<number | null> =>
    parts.database.write(() => feed.record({ siteId, kind: "device.event", deviceId, title: deviceId, body: "", at }));
  for (let i = 0; i < 20; i++) await say("quiet", T0 + 100 + i);
  let taken = 0;
  for (let i = 0; i < 300; i++) if ((await say("loud", T0 + 200 + i)) !== null) taken += 1;
  t.equal(taken, 200);
  t.equal(feed.leftOut, 100);
  parts.clock.advance(60_000);
  t.not(await say("loud", T0 + 600), null, "a minute later it may add items again");
  t.equal(await feed.sweep(), 181);
  const kept = feed.list(siteId, { limit: 500 }).map(({ title }) => title);
  t.same(
    [kept.filter((title) => title === "quiet").length, kept.filter((title) => title === "loud").length, kept.length],
    [20, 20, 50],
    "the oldest items of all stay",
  );
});
