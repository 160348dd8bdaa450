import t, { type Test } from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Accounts } from "../../src/features/access/accounts.ts";
import { Audit } from "../../src/features/access/audit.ts";
import { makeKeyText } from "../../src/features/access/key-format.ts";
import { Keys, MAX_KEYS, type NewKey, ROTATION_GRACE_MS } from "../../src/features/access/keys.ts";
import { RightsWatch } from "../../src/features/access/rights-watch.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

const BY = { accountId: null, actor: "cli" };
const NEW: NewKey = {
  name: "App",
  env: "live",
  scopes: ["devices:read"],
  origins: ["https://app.example.org"],
  expiresAt: null,
};

async function keysIn(t: Test, folder = testFolder(t)) {
  const clock = new FakeClock();
  const database = await openDatabase(folder);
  t.teardown(() => database.stop());
  const account = seedAccount(database);
  const other = seedAccount(database, "other@example.org");
  const feed: string[] = [];
  const audit = new Audit(database);
  const accounts = new Accounts({ database, clock, audit, newSite: { name: "Home", timeZone: "UTC" } });
  const watch = new RightsWatch(database, { clock, accounts });
  await watch.start();
  const build = () =>
    new Keys({
      database,
      clock,
      logger: silentLogger,
      accounts,
      audit,
      watch,
      recordFeedItem: (item) => feed.push(`${item.siteId} ${item.kind}`),
    });
  const keys = build();
  await keys.start();
  return { keys, build, clock, database, account, other, feed, audit };
}

t.test("a new key is found by its text and acts on the household of its kind", async (t) => {
  const { keys, account, feed, audit } = await keysIn(t);
  const live = await keys.create(account.accountId, NEW, BY);
  const test = await keys.create(account.accountId, { ...NEW, env: "test" }, BY);
  t.match(live.secret, /^gth_live_[0-9A-Za-z]{36}$/);
  t.match(test.secret, /^gth_test_[0-9A-Za-z]{36}$/);
  t.equal(live.key.prefix, live.secret.slice(0, 13));
  t.equal(live.key.lastFour, live.secret.slice(-4));
  t.hasStrict(keys.match(live.secret), {
    kind: "active",
    caller: {
      method: "api_key",
      siteId: account.siteId,
      env: "live",
      keyName: "App",
      actor: `api_key:${live.key.id}`,
      scopes: ["devices:read"],
    },
  });
  t.hasStrict(keys.match(test.secret), { kind: "active", caller: { siteId: account.testSiteId, env: "test" } });
  t.same(feed, [`${account.siteId} key.created`, `${account.siteId} key.created`]);
  t.same(
    audit.list(account.accountId, 10).map((line) => line.action),
    ["key.created", "key.created"],
  );
});

t.test("the key text is nowhere in the database", async (t) => {
  const { keys, account, database } = await keysIn(t);
  const { secret } = await keys.create(account.accountId, NEW, BY);
  t.notMatch(JSON.stringify(database.raw.prepare("SELECT * FROM api_key").all()), secret);
  t.notMatch(JSON.stringify(database.raw.prepare("SELECT * FROM audit").all()), secret);
});

t.test("a typo, another hub's key and nonsense are unknown", async (t) => {
  const { keys, account } = await keysIn(t);
  const { secret } = await keys.create(account.accountId, NEW, BY);
  const typo = secret.slice(0, 20) + (secret[20] === "x" ? "y" : "x") + secret.slice(21);
  for (const text of [
    typo,
    makeKeyText("live"),
    "",
    "gth_live_",
    `${secret} `,
    secret.toLowerCase(),
    secret.replace("gth_live_", "gth_test_"),
  ])
    t.equal(keys.match(text).kind, "unknown", JSON.stringify(text));
});

t.test("a revoked key and an expired key are reported differently", async (t) => {
  const { keys, account, clock, feed } = await keysIn(t);
  const revoked = await keys.create(account.accountId, NEW, BY);
  await keys.revoke(account.accountId, revoked.key.id, BY);
  t.equal(keys.match(revoked.secret).kind, "revoked");
  t.equal(feed.at(-1), `${account.siteId} key.revoked`);
  const expiring = await keys.create(account.accountId, { ...NEW, expiresAt: clock.now() + 1_000 }, BY);
  clock.advance(999);
  t.equal(keys.match(expiring.secret).kind, "active");
  clock.advance(1);
  t.equal(keys.match(expiring.secret).kind, "expired");
  await t.rejects(keys.create(account.accountId, { ...NEW, expiresAt: clock.now() }, BY), { code: /^invalid_body$/ });
});

t.test("after a rotation both keys work for 24 hours, then only the new one", async (t) => {
  const { keys, account, clock } = await keysIn(t);
  const old = await keys.create(account.accountId, NEW, BY);
  const { secret, key, previous } = await keys.rotate(account.accountId, old.key.id, BY);
  t.equal(previous.rotatedTo, key.id);
  t.same([key.name, key.scopes, key.origins], [NEW.name, NEW.scopes, NEW.origins]);
  clock.advance(ROTATION_GRACE_MS - 1);
  t.equal(keys.match(old.secret).kind, "active");
  t.equal(keys.match(secret).kind, "active");
  await t.rejects(keys.rotate(account.accountId, old.key.id, BY), { code: /^conflict$/ });
  clock.advance(1);
  t.equal(keys.match(old.secret).kind, "expired");
  t.equal(keys.match(secret).kind, "active");
});

t.test("an account has at most fifty active keys; ended ones do not count", async (t) => {
  const { keys, account, other } = await keysIn(t);
  const made = await Promise.all(
    Array.from({ length: MAX_KEYS }, (_, i) => keys.create(account.accountId, { ...NEW, name: `Key ${i}` }, BY)),
  );
  await t.rejects(keys.create(account.accountId, NEW, BY), { code: /^limit_reached$/ });
  t.equal(keys.list(account.accountId).length, MAX_KEYS);
  await keys.create(other.accountId, NEW, BY);
  await keys.revoke(account.accountId, made[0]?.key.id ?? 0, BY);
  await keys.create(account.accountId, NEW, BY);
});

t.test("one account can neither see nor change another's key", async (t) => {
  const { keys, account, other } = await keysIn(t);
  const { key } = await keys.create(account.accountId, NEW, BY);
  t.same(keys.list(other.accountId), []);
  t.throws(() => keys.get(other.accountId, key.id), { code: /^not_found$/ });
  await t.rejects(keys.revoke(other.accountId, key.id, BY), { code: /^not_found$/ });
  await t.rejects(keys.edit(other.accountId, key.id, { name: "Mine" }, BY), { code: /^not_found$/ });
  await t.rejects(keys.rotate(other.accountId, key.id, BY), { code: /^not_found$/ });
});

t.test("a changed scope or origin applies from the next request", async (t) => {
  const { keys, account } = await keysIn(t);
  const { key, secret } = await keys.create(account.accountId, NEW, BY);
  t.ok(keys.listsOrigin("https://app.example.org"));
  await keys.edit(account.accountId, key.id, { scopes: ["plates:read"], origins: ["http://192.168.1.5:3000"] }, BY);
  t.match(keys.match(secret), { caller: { scopes: ["plates:read"], origins: ["http://192.168.1.5:3000"] } });
  t.notOk(keys.listsOrigin("https://app.example.org"));
  await t.rejects(keys.edit(account.accountId, key.id, { origins: ["https://a.example/"] }, BY), {
    code: /^invalid_body$/,
    details: [{ field: /^\/origins\/0$/ }],
  });
});

t.test("the last use is stored to the minute and survives a restart, as the keys do", async (t) => {
  const { keys, build, account, clock, database } = await keysIn(t);
  const { key, secret } = await keys.create(account.accountId, NEW, BY);
  const first = clock.now();
  keys.match(secret);
  clock.advance(59_000);
  keys.match(secret);
  t.equal(keys.get(account.accountId, key.id).lastUsedAt, first);
  clock.advance(1_000);
  keys.match(secret);
  await database.write(() => {});
  const restarted = build();
  await restarted.start();
  t.equal(restarted.get(account.accountId, key.id).lastUsedAt, first + 60_000);
  t.equal(restarted.match(secret).kind, "active");
});

t.test("rules follow the key that wrote them through a rotation, and end when it is revoked", async (t) => {
  const { keys, build, account, clock, database } = await keysIn(t);
  const { key } = await keys.create(account.accountId, NEW, BY);
  const scopesOf = (from: Keys = keys): readonly string[] | null => from.author(key.id).scopes;
  t.same(scopesOf(), ["devices:read"]);
  const { key: next } = await keys.rotate(account.accountId, key.id, BY);
  await keys.edit(account.accountId, next.id, { scopes: ["rooms:read"] }, BY);
  clock.advance(ROTATION_GRACE_MS + 1);
  t.same(scopesOf(), ["rooms:read"], "the successor's");
  await database.write(() =>
    database.raw
      .prepare(
        `INSERT INTO automation (site_id, name, enabled, trigger, conditions, action, mode, cooldown_seconds, author_key, created_at, updated_at)
         VALUES (?, 'r', 1, '{}', '[]', '{}', 'single', 0, ?, 0, 0)`,
      )
      .run(account.siteId, next.id),
  );
  clock.advance(100 * 86_400_000);
  const later = build();
  await later.start();
  t.same(scopesOf(later), ["rooms:read"], "a rotated key is kept");
  t.same(
    later.list(account.accountId).map(({ id }) => id),
    [next.id],
    "although no list shows it any more",
  );
  await later.revoke(account.accountId, next.id, BY);
  t.equal(scopesOf(later), null);
  clock.advance(100 * 86_400_000);
  const last = build();
  await last.start();
  t.same(last.author(next.id), { name: "App", scopes: null }, "nor is a key that a rule belongs to");
  t.same(last.author(999), { name: "", scopes: null });
});

t.test("a removed scope does not return by an edit or a rotation in the same commit", async (t) => {
  const { keys, build, account } = await keysIn(t);
  const made = await keys.create(account.accountId, { ...NEW, scopes: ["devices:read", "devices:control"] }, BY);
  const { id } = made.key;
  const [, , rotated] = await Promise.all([
    keys.edit(account.accountId, id, { scopes: ["devices:read"] }, BY),
    keys.edit(account.accountId, id, { name: "Wall panel" }, BY),
    keys.rotate(account.accountId, id, BY),
  ]);
  const left = { name: "Wall panel", scopes: ["devices:read"] };
  t.hasStrict(keys.get(account.accountId, id), left);
  t.hasStrict(rotated.key, left, "nor in the succeeding key");
  const again = build();
  await again.start();
  t.hasStrict(again.get(account.accountId, id), left);
});

t.test("a key that is revoked in the same commit is neither changed nor replaced", async (t) => {
  const { keys, account } = await keysIn(t);
  const { key } = await keys.create(account.accountId, NEW, BY);
  const outcomes = await Promise.allSettled([
    keys.revoke(account.accountId, key.id, BY),
    keys.edit(account.accountId, key.id, { name: "Still here" }, BY),
    keys.rotate(account.accountId, key.id, BY),
  ]);
  t.same(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "rejected"],
  );
  t.equal(keys.list(account.accountId).length, 1);
});
