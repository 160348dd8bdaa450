/** The end of a person's access: what stops at that moment, by the clock and by the rows, and what a new end brings back. */
import t, { type Test } from "tap";
import type { Role } from "../../src/core/api/roles.ts";
import type { Access } from "../../src/features/access/access.ts";
import { GOOD_PASSWORD, openAccess } from "../support/access.ts";
import { FakeClock } from "../support/fake-clock.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const FROM = { address: "192.168.1.9", userAgent: "Firefox" };
const HOST = { accountId: null, actor: "cli" };
const APP = { name: "app", env: "live", scopes: ["devices:read"], origins: [], expiresAt: null } as const;
const ENDED = { code: /^forbidden$/, words: { code: "forbidden.accessEnded" } };

/** A household with its first owner; `isWatching`: ends are noted when they come, as in a hub that runs. */
async function houseIn(t: Test, { isWatching = true } = {}) {
  const parts = await openAccess(t);
  const { access, database } = parts;
  await access.watch.start();
  if (isWatching) await access.ends.start();
  t.teardown(() => access.ends.stop());
  const passwordHash = await access.passwords.hash(GOOD_PASSWORD);
  const home = await database.write(() =>
    access.accounts.create({ email: "olga@example.org", name: "Olga", passwordHash }, HOST),
  );
  let nth = 0;
  const join = async (
    role: Role,
    endsAt: number | null = null,
    by: { accountId: number | null; actor: string } = HOST,
  ) => {
    nth += 1;
    const { code, invitation } = await access.persons.invite(home.id, { name: `Guest ${nth}`, role, endsAt }, by);
    const email = `p${nth}@example.org`;
    const request = { code, name: `Person ${nth}`, email, password: GOOD_PASSWORD };
    const opened = await access.persons.join(request, { ...FROM, address: `10.0.0.${nth}` });
    const actor = { accountId: opened.account.id, actor: `session:${opened.sessionId}` };
    return { id: opened.account.id, email, actor, token: opened.token, request, invitation };
  };
  const edit = (id: number, endsAt: number | null, by = HOST as { accountId: number | null; actor: string }) =>
    access.persons.edit(home.id, id, { endsAt }, by);
  return { ...parts, home, join, edit };
}

const isOpen = ({ sessions }: Access, token: string) => sessions.match(`gatehouse_session=${token}`).kind;
const signIn = ({ signIn: door }: Access, email: string) =>
  door.login({ email, password: GOOD_PASSWORD, totp: null }, FROM);

t.test("at the end, sessions, apps and what the person issued stop; the person stays", async (t) => {
  const { access, clock, home, join, database } = await houseIn(t);
  const person = await join("owner", clock.now() + DAY);
  t.equal(person.invitation.expiresAt, clock.now() + DAY, "the invitation is good no longer than the access");
  const { secret } = await access.keys.create(home.id, APP, person.actor);
  const [recovery = ""] = await access.secondFactor.renewCodes(person.id, person.actor);
  const invited = await access.persons.invite(home.id, { name: "Friend", role: "member" }, person.actor);
  const promoted = await join("member");
  await access.persons.setRole(home.id, promoted.id, "owner", person.actor);
  const letIn = await join("member", null, person.actor);
  let heard = 0;
  access.watch.onChange(() => {
    heard += 1;
  });
  clock.advance(DAY - 1);
  t.equal(isOpen(access, person.token), "active");
  t.equal(access.keys.match(secret).kind, "active");
  t.equal(heard, 0);
  clock.advance(1);
  t.equal(isOpen(access, person.token), "expired", "by the clock");
  t.equal(access.keys.match(secret).kind, "revoked");
  t.equal(heard, 1, "who has something open is looked at in this moment");
  await database.write(() => {});
  t.equal(isOpen(access, person.token), "unknown", "by the rows");
  t.equal(access.keys.match(secret).kind, "revoked");
  await t.rejects(access.persons.join({ ...person.request, code: invited.code }, FROM), { code: /^invalid_code$/ });
  await t.rejects(signIn(access, person.email), ENDED);
  await t.rejects(access.signIn.openKnown(person.id, FROM), ENDED, "nor with a passkey");
  await t.rejects(
    access.signIn.recover({ email: person.email, code: recovery, password: "another quiet sentence" }, FROM),
    ENDED,
  );
  await t.rejects(access.signIn.login({ email: person.email, password: "not it", totp: null }, FROM), {
    code: /^invalid_login$/,
  });
  const list = access.persons.list(home.id);
  t.hasStrict(
    list.find(({ id }) => id === person.id),
    { hasEnded: true, sessions: 0, role: "owner" },
  );
  t.equal(list.find(({ id }) => id === promoted.id)?.role, "member", "an owner through them is one no longer");
  t.ok(
    list.some(({ id }) => id === letIn.id),
    "a member whom they let in stays, as when they are removed",
  );
  t.hasStrict(access.audit.list(home.id, 3)[0], { action: "person.ended", actor: "hub", target: "Person 1" });
});

t.test("an end that could not be stored counts all the same, also once the clock is set back", async (t) => {
  const { access, clock, join } = await houseIn(t, { isWatching: false });
  const person = await join("member", clock.now() + HOUR);
  const { secret } = await access.keys.create(person.id, APP, person.actor);
  const caller = access.authenticator.check({ authorization: `Bearer ${secret}`, xApiKey: null, cookie: null });
  t.ok(access.authenticator.stands(caller));
  clock.advance(HOUR);
  const stops = async (why: string) => {
    t.equal(isOpen(access, person.token), "expired", why);
    t.equal(access.keys.match(secret).kind, "revoked", why);
    t.notOk(access.authenticator.stands(caller), why);
    t.notOk(access.sessions.isAlive(person.id, Number(person.actor.actor.slice(8))), why);
    await t.rejects(signIn(access, person.email), ENDED, why);
  };
  await stops("when it has come");
  clock.jump(-2 * HOUR);
  await stops("when the clock is set back");
});

t.test("an end that was noted stays, whatever the clock says, until an owner gives another one", async (t) => {
  const { access, clock, join, edit, home, database } = await houseIn(t);
  const person = await join("gatekeeper", clock.now() + HOUR);
  const { secret } = await access.keys.create(person.id, APP, person.actor);
  clock.advance(HOUR);
  await database.write(() => {});
  clock.jump(-3 * DAY);
  await t.rejects(signIn(access, person.email), ENDED);
  t.equal(access.keys.match(secret).kind, "revoked");
  await t.rejects(edit(person.id, clock.now()), { code: /^invalid_body$/, details: [{ field: "/until" }] });
  const again = await edit(person.id, clock.now() + 30 * DAY);
  t.hasStrict(again, { hasEnded: false, role: "gatekeeper" });
  t.equal(isOpen(access, person.token), "unknown", "no session comes back");
  t.equal(access.keys.match(secret).kind, "revoked", "no app comes back");
  t.equal(isOpen(access, (await signIn(access, person.email)).token), "active", "the password is still theirs");
  t.hasStrict(
    access.audit.list(home.id, 20).find(({ action }) => action === "person.edited"),
    { detail: { id: person.id, again: true } },
  );
  clock.advance(30 * DAY);
  await t.rejects(signIn(access, person.email), ENDED);
});

t.test("a start after the end refuses the person before anybody is let in", async (t) => {
  const { access, clock, home, join } = await houseIn(t, { isWatching: false });
  const person = await join("owner", clock.now() + HOUR);
  const { key } = await access.keys.create(home.id, APP, person.actor);
  clock.advance(2 * HOUR);
  await access.ends.start();
  t.equal(isOpen(access, person.token), "unknown");
  t.type(access.keys.get(home.id, key.id).revokedAt, "number");
  t.ok(access.persons.list(home.id).find(({ id }) => id === person.id)?.hasEnded);
});

t.test("only time that has certainly come ends an access", async (t) => {
  const { access, clock, join } = await houseIn(t, { isWatching: false });
  const person = await join("member", clock.now() + HOUR);
  const certain = FakeClock.prototype.certain;
  t.teardown(() => {
    clock.certain = certain;
  });
  const known = clock.now();
  clock.certain = () => known;
  clock.advance(10 * HOUR);
  t.equal(isOpen(access, person.token), "active", "the clock jumped ahead and nobody confirms it");
  clock.certain = certain;
  t.equal(isOpen(access, person.token), "expired");
});

t.test("the first owner never ends, and nobody makes their own access longer", async (t) => {
  const { access, clock, home, join, edit } = await houseIn(t);
  const later = clock.now() + DAY;
  await t.rejects(edit(home.id, later), { code: /^conflict$/, words: { code: "conflict.firstOwnerStays" } });
  const owner = await join("owner", later);
  const own = { code: /^forbidden$/, words: { code: "forbidden.ownEnd" } };
  await t.rejects(edit(owner.id, null, owner.actor), own);
  await t.rejects(edit(owner.id, later + 1, owner.actor), own);
  const friend = await join("member");
  await access.persons.setRole(home.id, friend.id, "owner", owner.actor);
  const friendActor = { accountId: friend.id, actor: `session:${2 ** 41}` };
  await t.rejects(edit(owner.id, null, friendActor), own, "nor through somebody whom they made an owner");
  t.equal((await edit(owner.id, later - HOUR, owner.actor)).endsAt, later - HOUR, "shorter they may make it");
  t.equal((await edit(owner.id, null, { accountId: home.id, actor: `session:${2 ** 41}` })).endsAt, null);
  await t.rejects(edit(friend.id, later, { ...owner.actor, accountId: 999 }), { code: /^forbidden$/ });
});

t.test("who gives an access again answers for it", async (t) => {
  const { access, clock, home, join, edit, database } = await houseIn(t);
  const [anna, gopal] = [await join("owner"), await join("gatekeeper", clock.now() + HOUR)];
  clock.advance(HOUR);
  await database.write(() => {});
  await edit(gopal.id, null, anna.actor);
  t.same(
    access.persons.grants(home.id, anna.id).map(({ kind, count }) => [kind, count]),
    [
      ["gatekeeper", 1],
      ["member", 1],
    ],
  );
  await access.persons.remove(home.id, anna.id, HOST);
  t.equal(access.persons.list(home.id).find(({ id }) => id === gopal.id)?.role, "member");
});

t.test("who gives another role and a longer access answers for the new role", async (t) => {
  const { access, clock, home, join } = await houseIn(t);
  const [anna, ravi] = [await join("owner"), await join("owner", clock.now() + HOUR)];
  await access.persons.edit(home.id, ravi.id, { role: "gatekeeper", endsAt: null }, anna.actor);
  const answering = (["owner", "gatekeeper", "member"] as const).map((kind) =>
    access.grants.issuerOf(kind, String(ravi.id)),
  );
  t.same(answering, [null, anna.id, anna.id]);
});

t.test("an invitation ends with the access that it gives, and nobody comes in again by a used one", async (t) => {
  const { access, clock, home, join, database } = await houseIn(t);
  const invite = (endsAt: number | null) =>
    access.persons.invite(home.id, { name: "Late", role: "member", endsAt }, HOST);
  await t.rejects(invite(clock.now()), { code: /^invalid_body$/, details: [{ field: "/until", code: "past" }] });
  const waiting = await invite(clock.now() + HOUR);
  const person = await join("member", clock.now() + HOUR);
  clock.advance(HOUR);
  await database.write(() => {});
  const other = { ...person.request, name: "Somebody", email: "other@example.org" };
  await t.rejects(access.persons.join({ ...other, code: waiting.code }, FROM), { code: /^invalid_code$/ });
  await t.rejects(access.persons.join(other, FROM), { code: /^invalid_code$/ }, "the code that they joined with");
  const fresh = await invite(null);
  await t.rejects(access.persons.join({ ...person.request, code: fresh.code }, FROM), { code: /^conflict$/ });
  t.equal(access.persons.invitations(home.id).length, 1);
});

t.test("what is under way when the end comes is refused in its job, or ends with its line", async (t) => {
  const { access, clock, home, join, database } = await houseIn(t, { isWatching: false });
  const owner = await join("owner", clock.now() + HOUR);
  const caller = access.authenticator.check({
    authorization: null,
    xApiKey: null,
    cookie: `gatehouse_session=${owner.token}`,
  });
  clock.advance(HOUR);
  await t.rejects(access.persons.invite(home.id, { name: "Friend", role: "owner" }, owner.actor), {
    code: /^forbidden$/,
  });
  await database.write(() => t.throws(() => access.authenticator.askAgain(caller, "member"), { code: /^forbidden$/ }));
  const { key, secret } = await access.keys.create(home.id, APP, owner.actor);
  t.equal(access.keys.match(secret).kind, "revoked", "a key made after the end never works");
  t.type(access.keys.get(home.id, key.id).revokedAt, "number");
});
