import t, { type Test } from "tap";
import { ALL_SCOPES } from "../../src/core/api/scopes.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Accounts } from "../../src/features/access/accounts.ts";
import { Audit } from "../../src/features/access/audit.ts";
import { Authenticator, type CredentialHeaders, sessionIdOf } from "../../src/features/access/authenticator.ts";
import { makeKeyText } from "../../src/features/access/key-format.ts";
import { Keys } from "../../src/features/access/keys.ts";
import { Proofs } from "../../src/features/access/proof.ts";
import { RightsWatch } from "../../src/features/access/rights-watch.ts";
import { Sessions } from "../../src/features/access/sessions.ts";
import { openAccess } from "../support/access.ts";
import { openDatabase, seedAccount } from "../support/database.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { testFolder } from "../support/test-folder.ts";

const NOTHING: CredentialHeaders = { authorization: null, xApiKey: null, cookie: null };
const BY = { accountId: null, actor: "cli" };
const DAY_MS = 86_400_000;

async function doorIn(t: Test) {
  const clock = new FakeClock();
  const database = await openDatabase(testFolder(t));
  t.teardown(() => database.stop());
  const { accountId, siteId, testSiteId } = seedAccount(database);
  const audit = new Audit(database);
  const accounts = new Accounts({ database, clock, audit, newSite: { name: "Home", timeZone: "UTC" } });
  const watch = new RightsWatch(database, { clock, accounts });
  const keys = new Keys({
    database,
    clock,
    logger: silentLogger,
    accounts,
    audit,
    watch,
    recordFeedItem: () => {},
  });
  await keys.start();
  const sessions = new Sessions({
    database,
    clock,
    logger: silentLogger,
    audit,
    proofs: new Proofs(clock),
    watch,
    isEnded: accounts.isEnded,
    idleDays: 14,
    maxDays: 90,
  });
  const door = new Authenticator({ accounts, keys, sessions });
  const { secret, key } = await keys.create(
    accountId,
    { name: "App", env: "live", scopes: ["devices:read"], origins: ["https://app.example.org"], expiresAt: null },
    BY,
  );
  const session = await database.write(() => sessions.open(accountId, { address: "192.168.1.9", userAgent: "test" }));
  const cookie = `theme=dark; gatehouse_session=${session.token}`;
  return { door, keys, sessions, clock, database, accountId, siteId, testSiteId, secret, key, session, cookie };
}

t.test("a request without a credential learns which kind is missing", async (t) => {
  const { door } = await doorIn(t);
  t.throws(() => door.check(NOTHING), { code: /^missing_credential$/, headers: { "WWW-Authenticate": /^Bearer/ } });
  t.throws(() => door.check({ ...NOTHING, xApiKey: "" }), { code: /^missing_credential$/ });
});

t.test("a key is accepted in either header", async (t) => {
  const { door, secret, key } = await doorIn(t);
  for (const headers of [
    { authorization: `Bearer ${secret}` },
    { authorization: `bearer  ${secret}` },
    { xApiKey: secret },
    { authorization: `Bearer ${secret}`, xApiKey: secret },
  ])
    t.equal(door.check({ ...NOTHING, ...headers }).actor, `api_key:${key.id}`);
});

t.test("two headers with different keys, other schemes and unknown keys are invalid", async (t) => {
  const { door, secret, cookie } = await doorIn(t);
  for (const headers of [
    { authorization: `Bearer ${secret}`, xApiKey: makeKeyText("live") },
    { authorization: `Basic ${secret}` },
    { authorization: "Bearer" },
    { authorization: `Bearer ${secret} more` },
    { xApiKey: makeKeyText("live") },
    { xApiKey: "nonsense", cookie },
  ])
    t.throws(
      () => door.check({ ...NOTHING, ...headers }),
      { code: /^invalid_credential$/, headers: { "WWW-Authenticate": /invalid_token/ } },
      JSON.stringify(headers),
    );
});

t.test("expired and revoked keys are reported as such", async (t) => {
  const { door, keys, accountId, key, secret, clock } = await doorIn(t);
  const soon = await keys.create(
    accountId,
    { name: "Guest", env: "live", scopes: [], origins: [], expiresAt: clock.now() + 10 },
    BY,
  );
  clock.advance(10);
  t.throws(() => door.check({ ...NOTHING, xApiKey: soon.secret }), { code: /^expired_credential$/ });
  await keys.revoke(accountId, key.id, BY);
  t.throws(() => door.check({ ...NOTHING, xApiKey: secret }), { code: /^revoked_credential$/ });
});

t.test("a session holds all scopes on the live household", async (t) => {
  const { door, cookie, siteId, session } = await doorIn(t);
  const caller = door.check({ ...NOTHING, cookie });
  t.hasStrict(caller, {
    method: "session",
    siteId,
    env: "live",
    keyName: "console",
    actor: `session:${session.id}`,
    scopes: ALL_SCOPES,
  });
  t.equal(sessionIdOf(caller), session.id);
});

t.test("a session ends when idle, at its absolute limit, and when revoked", async (t) => {
  const { door, cookie, clock, sessions, accountId, session, database } = await doorIn(t);
  for (let day = 0; day < 89; day += 13) {
    door.check({ ...NOTHING, cookie });
    await database.write(() => {});
    clock.advance(13 * DAY_MS);
  }
  t.throws(() => door.check({ ...NOTHING, cookie }), { code: /^expired_credential$/ });
  const fresh = await database.write(() => sessions.open(accountId, { address: "::1", userAgent: "", secure: true }));
  const freshCookie = `__Host-gatehouse_session=${fresh.token}`;
  door.check({ ...NOTHING, cookie: freshCookie, secure: true });
  t.same(
    sessions.list(accountId).map((info) => info.id),
    [fresh.id],
  );
  t.equal(await database.write(() => sessions.purge()), 1);
  await t.rejects(sessions.revoke(accountId + 1, fresh.id, "cli"), { code: /^not_found$/ });
  await sessions.revoke(accountId, fresh.id, "cli");
  t.throws(() => door.check({ ...NOTHING, cookie: freshCookie, secure: true }), { code: /^invalid_credential$/ });
  t.not(fresh.id, session.id);
  const idle = await database.write(() => sessions.open(accountId, { address: "::1", userAgent: "" }));
  clock.advance(14 * DAY_MS);
  t.throws(() => door.check({ ...NOTHING, cookie: `gatehouse_session=${idle.token}` }), {
    code: /^expired_credential$/,
  });
});

t.test("the cookie is hidden from scripts and other sites", async (t) => {
  const { sessions } = await doorIn(t);
  t.match(
    sessions.cookie("abc", false),
    /^gatehouse_session=abc; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Strict$/,
  );
  t.match(sessions.cookie("abc", true), /^__Host-gatehouse_session=abc; .*; Secure$/);
  t.match(sessions.clearedCookie(true), /^__Host-gatehouse_session=; Path=\/; Max-Age=0;/);
});

t.test("the host acts as the owner once there is one", async (t) => {
  const { door, siteId } = await doorIn(t);
  const caller = door.boxCaller();
  t.hasStrict(caller, { method: "session", siteId, actor: "cli" });
  t.equal(caller && sessionIdOf(caller), 0);
  const { access: nobodys } = await openAccess(t);
  t.equal(nobodys.authenticator.boxCaller(), null);
});

t.test("an open connection lasts as long as its credential keeps the same rights", async (t) => {
  const { door, keys, sessions, clock, database, accountId, secret, key, session, cookie } = await doorIn(t);
  const byKey = door.check({ ...NOTHING, xApiKey: secret });
  const bySession = door.check({ ...NOTHING, cookie });
  const box = door.boxCaller();
  t.same(
    [byKey, bySession, box].map((caller) => caller !== null && door.stands(caller)),
    [true, true, true],
  );
  await keys.edit(accountId, key.id, { name: "Renamed" }, BY);
  t.ok(door.stands(byKey), "a name grants no right");
  await keys.edit(accountId, key.id, { scopes: ["devices:read", "events:read"] }, BY);
  t.notOk(door.stands(byKey), "the client has to reconnect with its current rights");
  const anew = door.check({ ...NOTHING, xApiKey: secret });
  await keys.revoke(accountId, key.id, BY);
  t.notOk(door.stands(anew));
  await sessions.revoke(accountId, session.id, "cli");
  t.notOk(door.stands(bySession));
  const next = await database.write(() => sessions.open(accountId, { address: "192.168.1.9", userAgent: "test" }));
  t.not(next.id, session.id, "an id is issued once: audit lines name it");
  const open = door.check({ ...NOTHING, cookie: `gatehouse_session=${next.token}` });
  t.ok(door.stands(open));
  t.notOk(door.stands({ ...open, actor: `session:${next.id + 1}` }));
  t.notOk(door.stands({ ...open, actor: "somebody" }));
  clock.advance(15 * DAY_MS);
  t.notOk(door.stands(open), "it has expired");
});

t.test("a device with its own credential is a member without scopes, in the household that it is in", async (t) => {
  const { door, accountId, siteId, testSiteId } = await doorIn(t);
  const caller = { method: "device", accountId, role: "member", scopes: [], keyName: "camera-1" };
  t.match(door.deviceCaller({ id: "camera-1", siteId }), { ...caller, siteId, env: "live" });
  t.match(door.deviceCaller({ id: "camera-1", siteId: testSiteId }), { ...caller, siteId: testSiteId, env: "test" });
});
