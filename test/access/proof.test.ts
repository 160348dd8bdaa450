import t from "tap";
import type { Caller } from "../../src/core/api/caller.ts";
import { loadHubKey } from "../../src/core/platform/hub-key.ts";
import { isEverydaySetting, settingFields } from "../../src/core/settings/schema.ts";
import { Challenges } from "../../src/features/access/challenges.ts";
import { PROOF_MS, Proofs, SET_UP_MS } from "../../src/features/access/proof.ts";
import { PasskeyTable } from "../../src/features/access/tables/passkey.ts";
import { GOOD_PASSWORD, openAccess } from "../support/access.ts";
import { FakeClock } from "../support/fake-clock.ts";

const EVERYDAY = [
  ..."storage.commitIntervalMs devices.commandTtlSeconds devices.offlineAfterSeconds".split(" "),
  ..."webhooks.parallel webhooks.telemetryGapMs recognition.enabled recognition.threads".split(" "),
  ..."recognition.budgetMs recognition.queuedBursts recognition.countries gate.passSeconds".split(" "),
  ..."site.name site.timeZone log.level log.format sntp.enabled sntp.port backups.time".split(" "),
  ..."box.dailyWriteMegabytes demo.enabled demo.speed".split(" "),
];

const caller = (overrides: Partial<Caller> = {}): Caller => ({
  method: "session",
  accountId: 1,
  householdId: 1,
  role: "owner",
  siteId: 1,
  env: "live",
  scopes: [],
  keyName: "console",
  actor: "session:7",
  origins: [],
  ...overrides,
});
const ways = () => ({ secondFactor: true, passkey: true });
const STALE = { code: /^fresh_proof_required$/, fields: { maxAgeSeconds: 300, secondFactor: true, passkey: true } };

t.test("a proof is valid for five minutes in its session, however the wall clock is set", async (t) => {
  const clock = new FakeClock();
  const proofs = new Proofs(clock);
  t.throws(() => proofs.check(caller(), 7, ways), STALE, "an unknown session");
  proofs.proved(7, 1);
  proofs.check(caller(), 7, ways);
  t.throws(() => proofs.check(caller(), 8, ways), STALE, "another session");
  t.throws(() => proofs.check(caller({ accountId: 2 }), 7, ways), STALE, "another person");
  clock.jump(-86_400_000);
  proofs.check(caller(), 7, ways);
  clock.advance(PROOF_MS);
  proofs.check(caller(), 7, ways);
  clock.advance(1);
  clock.jump(-PROOF_MS * 2);
  t.throws(() => proofs.check(caller(), 7, ways), STALE, "setting the wall clock back revives nothing");
  proofs.proved(7, 1);
  clock.jump(86_400_000);
  proofs.check(caller(), 7, ways);
});

t.test("the claim of a new hub counts for an hour, in its session and for what adds a device", async (t) => {
  const clock = new FakeClock();
  const proofs = new Proofs(clock);
  proofs.proved(7, 1);
  proofs.proved(8, 1);
  proofs.claimed(7, 1);
  clock.advance(PROOF_MS + 1);
  proofs.check(caller(), 7, ways, "set-up");
  t.throws(() => proofs.check(caller(), 7, ways), STALE, "everything else needs a fresh one");
  t.throws(() => proofs.check(caller(), 8, ways, "set-up"), STALE, "another session of the same person");
  t.throws(() => proofs.check(caller({ accountId: 2 }), 7, ways, "set-up"), STALE, "another person");
  t.throws(() => proofs.check(caller({ method: "api_key", actor: "api_key:7" }), 0, ways, "set-up"), {
    code: /^fresh_proof_required$/,
  });
  clock.jump(-86_400_000);
  clock.advance(SET_UP_MS - PROOF_MS - 1);
  proofs.check(caller(), 7, ways, "set-up");
  clock.advance(1);
  t.throws(() => proofs.check(caller(), 7, ways, "set-up"), STALE, "an hour later");
  proofs.claimed(7, 1);
  proofs.forget(1, 7);
  proofs.check(caller(), 7, ways, "set-up");
  proofs.forget(1);
  t.throws(() => proofs.check(caller(), 7, ways, "set-up"), STALE, "forgotten with the person's rights");
});

t.test("an API key proves nothing; the host needs no proof", async (t) => {
  const proofs = new Proofs(new FakeClock());
  proofs.proved(0, 1);
  t.throws(() => proofs.check(caller({ method: "api_key", actor: "api_key:7" }), 1, ways), {
    code: /^fresh_proof_required$/,
  });
  t.throws(() => proofs.check(caller({ method: "api_key", actor: "cli" }), 1, ways), {
    code: /^fresh_proof_required$/,
  });
  proofs.check(caller({ actor: "cli" }), 0, ways);
});

t.test("proofs are forgotten with the session or person they belong to", async (t) => {
  const proofs = new Proofs(new FakeClock());
  for (const session of [7, 8]) proofs.proved(session, 1);
  proofs.proved(9, 2);
  proofs.forget(1, 8);
  t.throws(() => proofs.check(caller(), 7, ways), STALE);
  proofs.check(caller(), 8, ways);
  proofs.check(caller({ accountId: 2 }), 9, ways);
  proofs.forget(1);
  t.throws(() => proofs.check(caller(), 8, ways), STALE);
});

t.test("a proof by password includes the second factor if there is one", async (t) => {
  const { access, clock, database, folder } = await openAccess(t);
  const from = { address: "192.168.1.20", userAgent: "test" };
  const { account, sessionId } = await access.claim.claim(
    { code: access.claim.code() ?? "", name: "Olga", email: "o@example.org", password: GOOD_PASSWORD },
    from,
  );
  const who = caller({ accountId: account.id, actor: `session:${sessionId}` });
  access.checkProof(who, null);
  clock.advance(PROOF_MS + 1);
  t.throws(() => access.checkProof(who, null), {
    code: /^fresh_proof_required$/,
    fields: { secondFactor: false, passkey: false },
  });
  await t.rejects(access.signIn.prove(account.id, { password: "wrong", totp: null }, from), {
    code: /^invalid_login$/,
  });
  await access.signIn.prove(account.id, { password: GOOD_PASSWORD, totp: null }, from);
  await database.write(() =>
    access.accounts.setTotp(account.id, loadHubKey(folder).seal(Buffer.alloc(20), `totp ${account.id}`)),
  );
  await t.rejects(access.signIn.prove(account.id, { password: GOOD_PASSWORD, totp: null }, from), {
    code: /^totp_required$/,
  });
  await t.rejects(access.signIn.prove(account.id, { password: GOOD_PASSWORD, totp: "000000" }, from), {
    code: /^invalid_login$/,
  });
  t.throws(() => access.checkProof(who, null), { code: /^fresh_proof_required$/, fields: { secondFactor: true } });
});

t.test("a recovery or reset removes passkeys, a password change keeps them", async (t) => {
  const { access, database } = await openAccess(t);
  const from = { address: "192.168.1.20", userAgent: "test" };
  const claim = { code: access.claim.code() ?? "", name: "Olga", email: "o@example.org", password: GOOD_PASSWORD };
  const { account, sessionId } = await access.claim.claim(claim, from);
  const by = { accountId: account.id, actor: "cli" };
  const table = new PasskeyTable(database);
  const row = {
    accountId: account.id,
    publicKey: Buffer.of(1),
    counter: 0,
    rpId: "hub.local",
    transports: "[]",
    name: "Phone",
    createdAt: 1,
  };
  const give = (credentialId: string) => database.write(() => table.insert({ ...row, credentialId }));
  await give("a");
  await access.signIn.changePassword(account.id, { next: "seven kettles under moss", sessionId });
  t.equal(access.passkeys.list(account.id).length, 1);
  const [code = ""] = await access.secondFactor.renewCodes(account.id, by);
  await access.signIn.recover({ email: claim.email, code, password: "umbrellas eat purple soup" }, from);
  t.strictSame(access.passkeys.list(account.id), []);
  await give("b");
  await access.signIn.reset(null, "violin gravel and an otter", by);
  t.strictSame(access.passkeys.list(account.id), []);
});

t.test("a challenge is valid for one purpose, once, for five minutes", async (t) => {
  const clock = new FakeClock();
  const challenges = new Challenges(clock);
  const one = challenges.issue("a").toString("base64url");
  t.ok(challenges.isOpen(one, "a"));
  t.notOk(challenges.isOpen(one, "b"));
  t.notOk(challenges.isOpen(`${one}=`, "a"), "in one spelling only");
  t.notOk(
    challenges.isOpen(
      one.replace(/^./, (first) => (first === "A" ? "B" : "A")),
      "a",
    ),
  );
  t.notOk(challenges.isOpen("", "a"));
  t.notOk(new Challenges(clock).isOpen(one, "a"), "of this process only");
  t.ok(challenges.spend(one));
  t.notOk(challenges.spend(one));
  t.notOk(challenges.isOpen(one, "a"));
  const two = challenges.issue("a").toString("base64url");
  clock.jump(-86_400_000);
  clock.advance(5 * 60_000 - 1);
  t.ok(challenges.isOpen(two, "a"));
  clock.advance(1);
  t.notOk(challenges.isOpen(two, "a"));
});

t.test("all settings that affect security or delete data need a proof; everyday ones do not", async (t) => {
  const everyday = settingFields().flatMap(({ key }) => (isEverydaySetting(key) ? [key] : []));
  t.strictSame(everyday, EVERYDAY, "a new one is a decision: it affects neither safety nor what is kept");
  for (const key of [
    "tls.mode",
    "http.trustProxy",
    "mqtt.port",
    "access.claimFromAnywhere",
    "rates.failedCredentialsPerMinute",
    "backups.destinations",
    "telemetry.rawDays",
    "feed.days",
    "plates.readRetentionDays",
    "backups.keepDaily",
    "storage.minFreeMegabytes",
    "unknown.name",
  ])
    t.notOk(isEverydaySetting(key), key);
  t.ok(isEverydaySetting("log.level"));
});
