import t, { type Test } from "tap";
import { totpCode, totpStep } from "../../src/features/access/totp.ts";
import { GOOD_PASSWORD, openAccess } from "../support/access.ts";

const FROM = { address: "192.168.1.9", userAgent: "Firefox" };
const BY = { accountId: null, actor: "cli" };
const DAY = 86_400_000;

async function households(t: Test) {
  const parts = await openAccess(t);
  const { access, database } = parts;
  const passwordHash = await access.passwords.hash(GOOD_PASSWORD);
  const own = (email: string, name: string) =>
    database.write(() => access.accounts.create({ email, name, passwordHash }, BY));
  const [home, other] = [await own("olga@example.org", "Olga"), await own("ravi@example.org", "Ravi")];
  let nth = 0;
  const join = async (householdId = home.id, role: "member" | "owner" = "member") => {
    nth += 1;
    const { code, invitation } = await access.persons.invite(householdId, { name: `Guest ${nth}`, role }, BY);
    const session = await access.persons.join(
      { code, name: `Person ${nth}`, email: `p${nth}@example.org`, password: GOOD_PASSWORD },
      { ...FROM, address: `10.0.0.${nth}` },
    );
    return { code, invitation, session, id: session.account.id };
  };
  const actions = (): string[] =>
    database.raw
      .prepare<[], { action: string }>("SELECT action FROM audit ORDER BY id")
      .all()
      .map(({ action }) => action);
  return { ...parts, home, other, join, actions };
}

t.test("an invitation is valid for three days, once, for its own household", async (t) => {
  const { access, clock, home, other, join, actions } = await households(t);
  const { persons } = access;
  const { code, invitation } = await persons.invite(home.id, { name: "Asha", role: "member" }, BY);
  t.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){2}[0-9A-HJKMNP-TV-Z]{4}$/);
  t.equal(invitation.expiresAt, clock.now() + 3 * DAY);
  t.same(persons.invitations(home.id), [invitation]);
  t.same(persons.invitations(other.id), []);
  await t.rejects(persons.withdraw(other.id, invitation.id, BY), { code: /^not_found$/ });
  const request = { code, name: "Asha", email: "asha@example.org", password: GOOD_PASSWORD };
  await t.rejects(persons.join({ ...request, password: "short" }, FROM), { code: /^weak_password$/ });
  clock.advance(3 * DAY - 1);
  const typed = code.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l");
  const joined = await persons.join({ ...request, code: typed }, FROM);
  t.hasStrict(joined.account, { role: "member", householdOf: home.id, name: "Asha" });
  t.hasStrict(access.sessions.match(`gatehouse_session=${joined.token}`), {
    kind: "active",
    accountId: joined.account.id,
  });
  await t.rejects(persons.join({ ...request, email: "b@example.org" }, FROM), { code: /^invalid_code$/ }, "once");
  t.same(persons.invitations(home.id), []);
  const late = await persons.invite(home.id, { name: "Late", role: "member" }, BY);
  clock.advance(3 * DAY);
  await t.rejects(persons.join({ ...request, code: late.code }, FROM), { code: /^invalid_code$/ });
  t.same(persons.invitations(home.id), []);
  const taken = await persons.invite(home.id, { name: "Taken", role: "owner" }, BY);
  await persons.withdraw(home.id, taken.invitation.id, BY);
  await t.rejects(persons.join({ ...request, code: taken.code }, FROM), { code: /^invalid_code$/ });
  await t.rejects(persons.withdraw(home.id, taken.invitation.id, BY), { code: /^not_found$/ });
  const owner = await join(home.id, "owner");
  t.equal(owner.session.account.role, "owner");
  const recorded = actions();
  for (const action of ["person.invited", "person.joined", "person.invitation_withdrawn"])
    t.ok(recorded.includes(action), action);
});

t.test("a household has at most thirty persons and invitations; households are counted separately", async (t) => {
  const { access, home, other, clock } = await households(t);
  const invite = (householdId: number) => access.persons.invite(householdId, { name: "Guest", role: "member" }, BY);
  for (let n = 1; n < 30; n++) await invite(home.id);
  await t.rejects(invite(home.id), { code: /^limit_reached$/, fields: { limit: 30 } });
  await invite(other.id);
  clock.advance(3 * DAY);
  await invite(home.id);
  t.equal(access.persons.invitations(home.id).length, 1, "ended ones no longer count");
});

t.test("ten wrong codes in ten minutes from one address", async (t) => {
  const { access, clock } = await households(t);
  const wrong = (address = "10.9.9.9") =>
    access.persons.join(
      { code: "0000-0000-0000", name: "x", email: "x@example.org", password: GOOD_PASSWORD },
      { ...FROM, address },
    );
  for (let n = 0; n < 10; n++) await t.rejects(wrong(), { code: /^invalid_code$/ });
  await t.rejects(wrong(), { code: /^rate_limited$/, headers: { "Retry-After": "60" } });
  await t.rejects(wrong("10.9.9.8"), { code: /^invalid_code$/ }, "other addresses are not blocked");
  clock.advance(60_000);
  await t.rejects(wrong(), { code: /^invalid_code$/ });
});

t.test("persons can be changed only from their own household, and the first owner by no one", async (t) => {
  const { access, home, other, join, clock, actions } = await households(t);
  const { persons, sessions, proofs } = access;
  const guest = await join();
  const outsider = await join(other.id);
  t.same(
    persons.list(home.id).map(({ name, isHead, role, sessions: count }) => [name, isHead, role, count]),
    [
      ["Olga", true, "owner", 0],
      ["Person 1", false, "member", 1],
    ],
  );
  t.equal(persons.list(home.id)[0]?.lastSeenAt, null);
  t.equal(persons.list(home.id)[1]?.lastSeenAt, clock.now());
  for (const [why, who] of [
    ["a person of another household", outsider.id],
    ["an unknown id", 999],
  ] as const) {
    await t.rejects(persons.setRole(home.id, who, "owner", BY), { code: /^not_found$/ }, why);
    await t.rejects(persons.remove(home.id, who, BY), { code: /^not_found$/ }, why);
    t.throws(() => persons.sessions(home.id, who), { code: /^not_found$/ }, why);
    await t.rejects(persons.endSession(home.id, who, outsider.session.sessionId, BY), { code: /^not_found$/ }, why);
  }
  await t.rejects(persons.setRole(home.id, home.id, "member", BY), { code: /^conflict$/ });
  await t.rejects(persons.remove(home.id, home.id, BY), { code: /^conflict$/ });
  await t.rejects(persons.endSession(home.id, guest.id, outsider.session.sessionId, BY), { code: /^not_found$/ });
  t.ok(sessions.isAlive(outsider.id, outsider.session.sessionId));
  t.hasStrict((await persons.setRole(home.id, guest.id, "owner", BY)).person, {
    id: guest.id,
    role: "owner",
    isHead: false,
  });
  const caller = { accountId: guest.id, actor: `session:${guest.session.sessionId}`, method: "session" } as never;
  t.throws(
    () => proofs.check(caller, guest.session.sessionId, () => ({ secondFactor: false, passkey: false })),
    { code: /^fresh_proof_required$/ },
    "an earlier proof covered fewer rights",
  );
  await persons.endSession(home.id, guest.id, guest.session.sessionId, BY);
  t.notOk(sessions.isAlive(guest.id, guest.session.sessionId));
  t.same(persons.sessions(home.id, guest.id), []);
  const key = await access.keys.create(
    guest.id,
    { name: "App", env: "live", scopes: ["devices:read"], origins: [], expiresAt: null },
    BY,
  );
  t.equal(access.keys.match(key.secret).kind, "active");
  t.same(
    access.keys.list(home.id).map(({ accountId }) => accountId),
    [guest.id],
    "the household sees its members' keys",
  );
  t.same(access.keys.list(other.id), []);
  t.equal(access.keys.personIn(key.key), "Person 1");
  await t.rejects(access.keys.edit(home.id, key.key.id, { scopes: ["webhooks:write"] as never }, BY), {
    code: /^invalid_body$/,
    details: [{ field: /^\/scopes$/, code: /^not_yours$/ }],
  });
  await persons.remove(home.id, guest.id, BY);
  t.not(access.keys.match(key.secret).kind, "active", "an app ends with its person");
  t.same(access.keys.list(home.id), []);
  t.equal(persons.list(home.id).length, 1);
  const recorded = actions();
  for (const action of ["person.role_changed", "person.removed", "key.revoked"])
    t.ok(recorded.includes(action), action);
});

t.test("a second factor applies once it is confirmed, and each code works once", async (t) => {
  const { access, home, database, clock, actions } = await households(t);
  const { secondFactor, accounts } = access;
  const codeAt = (secret: string, at = clock.now()): string => totpCode(fromBase32(secret), totpStep(at));
  await t.rejects(secondFactor.confirm(home.id, "000000", BY), { code: /^conflict$/ }, "no set-up was begun");
  const late = secondFactor.begin(home.id);
  clock.advance(15 * 60_000 + 1);
  await t.rejects(secondFactor.confirm(home.id, codeAt(late.secret), BY), { code: /^conflict$/ });
  const { secret, uri } = secondFactor.begin(home.id);
  t.match(uri, /^otpauth:\/\/totp\/Gatehouse:olga/);
  clock.advance(15 * 60_000);
  await t.rejects(secondFactor.confirm(home.id, "000000", BY), { code: /^invalid_code$/ });
  t.equal(accounts.get(home.id).totpSecret, null);
  const codes = await secondFactor.confirm(home.id, codeAt(secret), BY);
  t.equal(codes.length, 10);
  t.equal(new Set(codes).size, 10);
  for (const code of codes) t.match(code, /^[2-9A-HJ-NP-Z]{5}-[2-9A-HJ-NP-Z]{5}$/);
  await t.rejects(secondFactor.confirm(home.id, codeAt(secret), BY), { code: /^conflict$/ }, "it is already confirmed");
  const take = (code: string) => secondFactor.take(accounts.get(home.id), code);
  t.equal(await take(codeAt(secret)), false, "the code that confirmed it");
  clock.advance(30_000);
  t.equal(await take(codeAt(secret)), true);
  t.equal(await take(codeAt(secret)), false);
  t.equal(await take("nonsense"), false);
  t.equal(await take((codes[0] ?? "").toLowerCase().replace("-", " ")), true);
  t.equal(await take(codes[0] ?? ""), false);
  t.equal(secondFactor.codesLeft(home.id), 9);
  t.equal(secondFactor.hasRecoveryCode(home.id, codes[1] ?? ""), true);
  t.equal(secondFactor.hasRecoveryCode(home.id, codes[0] ?? ""), false);
  t.equal(secondFactor.hasRecoveryCode(null, codes[1] ?? ""), false);
  t.equal(await database.write(() => secondFactor.useRecoveryCode(home.id, codes[1] ?? "")), true);
  t.equal(await database.write(() => secondFactor.useRecoveryCode(home.id, codes[1] ?? "")), false);
  t.equal(await database.write(() => secondFactor.useRecoveryCode(home.id, "")), false);
  const fresh = await secondFactor.renewCodes(home.id, BY);
  t.equal(secondFactor.codesLeft(home.id), 10);
  t.equal(await take(codes[2] ?? ""), false, "all earlier ones are void");
  t.equal(await take(fresh[0] ?? ""), true);
  await secondFactor.disable(home.id, BY);
  t.equal(secondFactor.codesLeft(home.id), 0);
  t.equal(accounts.get(home.id).totpSecret, null);
  t.equal(await take("anything"), true, "no second factor is asked for any more");
  const recorded = actions();
  for (const action of ["totp.enabled", "totp.disabled", "recovery_codes.renewed", "recovery_code.used"])
    t.ok(recorded.includes(action), action);
});

t.test("sessions: lifetime, number, and where they are accepted", async (t) => {
  const { access, home, other, database, clock } = await households(t);
  const { sessions } = access;
  const open = (accountId = home.id, secure = false) =>
    database.write(() => sessions.open(accountId, { ...FROM, secure, userAgent: "x".repeat(400) }));
  const kind = (token: string, secure = false): string =>
    sessions.match(`${secure ? "__Host-" : ""}gatehouse_session=${token}`, secure).kind;
  const one = await open();
  t.equal(kind(one.token), "active");
  t.equal(sessions.list(home.id)[0]?.userAgent.length, 300);
  t.equal(sessions.match(null).kind, "none");
  t.equal(sessions.match("gatehouse_session=; a=b").kind, "none");
  t.equal(kind("nonsense"), "unknown");
  const safe = await open(home.id, true);
  t.equal(kind(safe.token, true), "active");
  t.equal(kind(safe.token), "none", "opened over TLS, it is accepted only over TLS");
  t.equal(kind(one.token, true), "none", "opened without TLS, it is not accepted over TLS");
  t.ok(sessions.isAlive(home.id, one.id));
  t.notOk(sessions.isAlive(other.id, one.id));
  t.notOk(sessions.isAlive(home.id, 999));
  await t.rejects(sessions.revoke(other.id, one.id, "cli"), { code: /^not_found$/ });
  clock.advance(14 * DAY - 1);
  t.equal(kind(one.token), "active");
  await database.write(() => {});
  clock.advance(14 * DAY - 1);
  t.equal(kind(one.token), "active", "every use restarts the fourteen days");
  await database.write(() => {});
  clock.advance(14 * DAY);
  t.equal(kind(one.token), "expired");
  t.same(sessions.list(home.id), []);
  clock.advance(1);
  t.equal(await database.write(() => sessions.purge()), 2);
  const long = await open();
  for (let day = 0; day < 89; day += 1) {
    clock.advance(DAY);
    kind(long.token);
    await database.write(() => {});
  }
  clock.advance(DAY - 1);
  t.equal(kind(long.token), "active");
  clock.advance(1);
  t.equal(kind(long.token), "expired", "ninety days at most");
  const made = [];
  for (let n = 0; n < 51; n++) {
    made.push(await open());
    clock.advance(1);
  }
  t.equal(sessions.list(home.id).length, 50);
  t.equal(kind(made[0]?.token ?? ""), "unknown", "the least recently used goes first");
  t.equal(kind(made[1]?.token ?? ""), "active");
  const keep = made.at(-1);
  t.equal(await database.write(() => sessions.endOthers(home.id, keep?.id ?? 0)), 49);
  t.equal(kind(keep?.token ?? ""), "active");
  t.match(sessions.cookie("x", true), /^__Host-gatehouse_session=x; .*Max-Age=7776000; .*; Secure$/);
  t.match(sessions.clearedCookie(false), /^gatehouse_session=; .*Max-Age=0; .*Strict$/);
});

t.test("while nothing can be stored, sessions live in memory for a day", async (t) => {
  const { access, home, other, database, clock } = await households(t);
  const { sessions } = access;
  const one = sessions.openUnstored(home.id, FROM);
  const kind = (token: string): string => sessions.match(`gatehouse_session=${token}`).kind;
  t.equal(kind(one.token), "active");
  t.ok(sessions.isAlive(home.id, one.id));
  t.notOk(sessions.isAlive(other.id, one.id));
  t.equal(sessions.list(home.id).length, 1);
  t.equal(sessions.list(other.id).length, 0);
  await t.rejects(sessions.revoke(other.id, one.id, "cli"), { code: /^not_found$/ });
  await sessions.revoke(home.id, one.id, "cli");
  t.equal(kind(one.token), "unknown");
  const [mine, theirs, kept] = [home.id, other.id, home.id].map((id) => sessions.openUnstored(id, FROM));
  await database.write(() => sessions.endOthers(home.id, kept?.id ?? 0));
  t.same(
    [mine, theirs, kept].map((session) => kind(session?.token ?? "")),
    ["unknown", "active", "active"],
  );
  clock.advance(DAY - 1);
  t.equal(kind(kept?.token ?? ""), "active");
  clock.advance(1);
  t.equal(kind(kept?.token ?? ""), "expired");
  const many = Array.from({ length: 21 }, () => sessions.openUnstored(home.id, FROM));
  t.equal(kind(many[0]?.token ?? ""), "unknown", "twenty at most, the oldest goes first");
  t.equal(kind(many[1]?.token ?? ""), "active");
});

/** The bytes of a secret in the form people type. */
function fromBase32(text: string): Buffer {
  const bits = [...text].map((letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"),
  );
  const bytes = bits.join("").match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
