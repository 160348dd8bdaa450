/** Everything the parts of access answer, refuse, publish and store, at the edges of every limit. */
import t, { type Test } from "tap";
import type { Role } from "../../src/core/api/roles.ts";
import type { NewKey } from "../../src/features/access/keys.ts";
import { totpCode, totpStep } from "../../src/features/access/totp.ts";
import { GOOD_PASSWORD } from "../support/access.ts";
import { sameAsRecorded } from "../support/recorded.ts";
import { callerScenarios } from "./in-full-callers.ts";
import { bytesOf, type Households, households, shownSession } from "./in-full-households.ts";
import { policyTables } from "./in-full-rules.ts";
import { signInScenarios } from "./in-full-sign-in.ts";

const BY = { accountId: null, actor: "cli" };
const FROM = { address: "192.168.1.9", userAgent: "Firefox" };
const MINUTE = 60_000;
const DAY = 86_400_000;

const scenarios: Readonly<Record<string, (parts: Households, t: Test) => Promise<void>>> = {
  async "accounts and households"({ r, access: { accounts }, database, home, other, passwordHash }) {
    const shown = ({ id, email, name, role, householdOf }: ReturnType<typeof accounts.get>) => [
      id,
      email,
      name,
      role,
      householdOf,
    ];
    const create = (email: string, timeZone?: string) =>
      database.write(() => shown(accounts.create({ email, name: " Asha ", passwordHash, timeZone }, BY)));
    await r.step("made", () => create(" asha@example.org ", "Europe/Berlin"));
    await r.step("made again", () => create("ASHA@example.org"));
    await r.step("found", () =>
      [" Olga@Example.org", "nobody@example.org"].map((email) => accounts.byEmail(email)?.id ?? null),
    );
    await r.step("nobody", () => accounts.get(99));
    await r.step("the owner", () => [accounts.owner()?.id, accounts.claimed, accounts.ofHousehold(home).length]);
    await r.step("renamed", async () => shown(await accounts.edit(home, { name: "Olga P" }, BY)));
    await r.step("moved", async () => shown(await accounts.edit(home, { email: "op@example.org" }, BY)));
    await r.step("moved to the same", async () => shown(await accounts.edit(home, { email: "OP@example.org" }, BY)));
    await r.step("moved to another's", () => accounts.edit(home, { email: "ravi@example.org" }, BY));
    await r.step("households", () => accounts.sites());
    await r.step("a household of nobody", () => accounts.site(99));
    await r.step("whose household", () => (["live", "test"] as const).map((env) => accounts.siteIdOf(other, env)));
    await r.step("whose household: nobody's", () => accounts.siteIdOf(99, "live"));
    await r.step("half a place", () => accounts.editSite(1, { latitude: 18.5 }, BY));
    await r.step("the other half", () => accounts.editSite(1, { longitude: 18.5 }, BY));
    await r.step("a place", () =>
      accounts.editSite(1, { latitude: 0, longitude: 73.8, capacity: 0, name: "Villa" }, BY),
    );
    await r.step("a zone", () => accounts.editSite(2, { timeZone: "UTC" }, BY));
    await r.step("as it stands", () => [accounts.site(1), accounts.site(2), accounts.isZoneGiven(1)]);
  },

  async "persons of a household"({ r, access, clock, home, other }) {
    const { persons } = access;
    let [nth, address] = [0, 0];
    const codes: string[] = [];
    const invite = async (household = home, role: Role = "member") => {
      const { code, invitation } = await persons.invite(household, { name: `Guest ${++nth}`, role }, BY);
      codes.push(code);
      return invitation;
    };
    const join = async (code: string, more: object = {}) =>
      shownSession(
        await persons.join(
          { code, name: " Asha ", email: " asha@example.org ", password: GOOD_PASSWORD, ...more },
          { ...FROM, address: `10.0.0.${++address}` },
        ),
      );
    await r.step("invited", () => invite());
    await r.step("invited as owner", () => invite(home, "owner"));
    await r.step("invited by another", () => invite(other));
    const [member = "", owner = "", stranger = ""] = codes;
    await r.step("who waits", () => [persons.invitations(home), persons.invitations(other)]);
    await r.step("a wrong code", () => join("0000-0000-0000"));
    await r.step("a weak password", () => join(member, { password: "asha asha asha asha" }));
    await r.step("a short password", () => join(member, { password: "short" }));
    await r.step("another's address", () => join(member, { email: "OLGA@example.org" }));
    clock.advance(3 * DAY - 1);
    await r.step("joined", () => join(member.toLowerCase()));
    await r.step("joined again", () => join(member, { email: "b@example.org" }));
    await r.step("joined as owner", () => join(owner, { email: "b@example.org", name: "B" }));
    clock.advance(1);
    await r.step("joined too late", () => join(stranger, { email: "c@example.org" }));
    await r.step("everybody", () => [persons.list(home), persons.list(other), persons.invitations(other)]);
    const [, asha, b] = persons.list(home).map(({ id }) => id);
    await r.step("another role", () => persons.setRole(home, asha ?? 0, "owner", BY).then(({ person }) => person));
    await r.step("the head's", () => persons.setRole(home, home, "member", BY));
    await r.step("a stranger's", () => persons.setRole(other, asha ?? 0, "member", BY));
    await r.step("sessions", () => persons.sessions(home, asha ?? 0));
    await r.step("sessions of a stranger", () => persons.sessions(other, asha ?? 0));
    await r.step("a session ends", () => persons.endSession(home, asha ?? 0, 1, BY));
    await r.step("it ends again", () => persons.endSession(home, asha ?? 0, 1, BY));
    await r.step("a session of a stranger", () => persons.endSession(other, b ?? 0, 2, BY));
    await access.keys.create(b ?? 0, { name: "Panel", env: "live", scopes: [], origins: [], expiresAt: null }, BY);
    await r.step("removed", () => persons.remove(home, b ?? 0, BY));
    await r.step("the head is removed", () => persons.remove(home, home, BY));
    await r.step("nobody is removed", () => persons.remove(home, b ?? 0, BY));
    await r.step("taken back", async () => persons.withdraw(home, (await invite()).id, BY));
    await r.step("taken back by another", async () => persons.withdraw(other, (await invite()).id, BY));
    for (let n = persons.list(home).length + persons.invitations(home).length; n < 29; n++) await invite();
    await r.step("the thirtieth", () => invite());
    await r.step("one more", () => invite());
    clock.advance(3 * DAY);
    await r.step("when those have ended", () => invite());
    for (let n = 0; n < 10; n++) await join("x").catch(() => (address = 99));
    await r.step("wrong codes of one address", () => {
      address = 99;
      return join("x");
    });
  },

  async "gatekeepers of a household"({ r, access, home }) {
    const { persons, keys, grants } = access;
    let code = "";
    await r.step("invited", async () => {
      const made = await persons.invite(home, { name: "Gopal", role: "gatekeeper" }, BY);
      code = made.code;
      return made.invitation;
    });
    const from = { ...FROM, address: "10.0.0.1" };
    const who = { code, name: "Gopal", email: "gopal@example.org", password: GOOD_PASSWORD };
    await r.step("joined", async () => shownSession(await persons.join(who, from)));
    const id = persons.list(home).at(-1)?.id ?? 0;
    const by = { accountId: id, actor: "session:1" };
    const app = (scopes: NewKey["scopes"]): NewKey => ({
      name: "App",
      env: "live",
      scopes,
      origins: [],
      expiresAt: null,
    });
    const writing = await keys.create(id, app(["plates:read", "plates:write"]), by);
    const reading = await keys.create(id, app(["plates:read"]), by);
    await r.step("their apps", () => [persons.grants(home, id), keys.list(home).map(({ scopes }) => scopes)]);
    await r.step("more than the role has", () => keys.edit(home, reading.key.id, { scopes: ["devices:write"] }, BY));
    await r.step(
      "what the role has",
      async () => (await keys.edit(home, reading.key.id, { scopes: ["plates:read", "plates:write"] }, BY)).scopes,
    );
    await r.step("an owner", () => persons.setRole(home, id, "owner", BY).then(({ person }) => person.role));
    await r.step("a gatekeeper again", () =>
      persons.setRole(home, id, "gatekeeper", BY).then(({ settled }) => settled),
    );
    await r.step("the same once more", () =>
      persons.setRole(home, id, "gatekeeper", BY).then(({ settled }) => settled),
    );
    await r.step("who answers", () => [
      grants.issuerOf("gatekeeper", String(id)),
      grants.stands("gatekeeper", String(id)),
    ]);
    await r.step("a member", () => persons.setRole(home, id, "member", BY).then(({ settled }) => settled));
    await r.step("what is left", () =>
      [writing, reading].map(({ secret }) => {
        const match = keys.match(secret);
        return match.kind === "active" ? match.caller.scopes : match.kind;
      }),
    );
    await r.step("removed", () => persons.remove(home, id, BY));
  },

  async keys({ r, access, clock, database, home, other }) {
    const { keys } = access;
    const NEW: NewKey = {
      name: "App",
      env: "live",
      scopes: ["devices:read"],
      origins: ["https://a.example"],
      expiresAt: null,
    };
    const secrets: string[] = [];
    const create = async (more: Partial<NewKey> = {}, household = home) => {
      const { key, secret } = await keys.create(household, { ...NEW, ...more }, BY);
      secrets.push(secret);
      return { ...key, lastFour: key.lastFour.length };
    };
    const match = (n: number) => keys.match(secrets[n] ?? "");
    const now = clock.now();
    await r.step("one", () => create());
    await r.step("one of the test household", () =>
      create({ env: "test", origins: [], scopes: [], expiresAt: now + DAY }),
    );
    await r.step("over already", () => create({ expiresAt: now }));
    await r.step("for a moment", () => create({ expiresAt: now + 1, origins: [] }));
    await r.step("another household's", () => create({ origins: ["https://b.example"] }, other));
    for (const origin of ["https://a.example/", "https://*.example", "null", "a.example"])
      await r.step(`from ${origin}`, () => create({ origins: ["https://a.example", origin] }));
    await r.step("used", () => [match(0), match(1), match(2), keys.match("gth_live_x"), keys.match(`${secrets[0]}x`)]);
    clock.advance(1);
    await r.step("a moment later", () => [
      match(2),
      keys.callerOf(3),
      keys.callerOf(99),
      keys.author(3),
      keys.author(99),
    ]);
    const lastUse = () => database.raw.prepare("SELECT id, last_used_at FROM api_key").all();
    clock.advance(MINUTE - 2);
    await r.step("the last use", async () => [match(0).kind, await database.write(lastUse)]);
    clock.advance(1);
    await r.step("and a minute later", async () => [match(0).kind, await database.write(lastUse)]);
    await r.step("origins", () =>
      ["https://a.example", "https://b.example", "https://c.example"].map((one) => keys.listsOrigin(one)),
    );
    const shown = ({ id, name, scopes, origins, revokedAt, expiresAt, rotatedTo }: ReturnType<typeof keys.get>) => ({
      id,
      name,
      scopes,
      origins,
      revokedAt,
      expiresAt,
      rotatedTo,
    });
    await r.step("edited", async () =>
      shown(await keys.edit(home, 1, { name: "B", scopes: ["rooms:read"], origins: [] }, BY)),
    );
    await r.step("edited by nothing", async () => shown(await keys.edit(home, 1, {}, BY)));
    await r.step("edited to no origin", () => keys.edit(home, 1, { origins: ["x"] }, BY));
    await r.step("an ended one edited", () => keys.edit(home, 3, {}, BY));
    await r.step("another's edited", () => keys.edit(other, 1, {}, BY));
    const rotate = async (id: number) => {
      const { key, previous } = await keys.rotate(home, id, BY);
      return [shown(key), shown(previous)];
    };
    await r.step("rotated", () => rotate(1));
    await r.step("rotated again", () => rotate(1));
    await r.step("one that ends sooner", () => rotate(2));
    await r.step("its author", () => [1, 2, 5, 6].map((id) => keys.author(id)));
    await r.step("revoked", async () => shown(await keys.revoke(home, 5, BY)));
    await r.step("revoked again", async () => shown(await keys.revoke(home, 5, BY)));
    await r.step("another's revoked", () => keys.revoke(home, 4, BY));
    await r.step("none", () => keys.get(home, 99));
    await r.step("a revoked one's author", () => [keys.author(1), keys.author(5), keys.callerOf(5)]);
    clock.advance(DAY - MINUTE);
    await r.step("a day later", () => [match(0), match(1), keys.list(home).map(shown), keys.list(other).length]);
    clock.advance(90 * DAY - DAY);
    const listed = () => keys.list(home).map(({ id }) => id);
    await r.step("months later", listed);
    clock.advance(MINUTE);
    await r.step("and a minute", listed);
    clock.advance(DAY);
    await r.step("started anew", async () => {
      const before = listed();
      await keys.stop();
      const stopped = [match(3), keys.author(4), keys.list(other).length];
      await keys.start();
      return [before, stopped, listed(), keys.author(5), match(0)];
    });
    for (let n = 0; n < 49; n++) await create({ origins: [] }, other);
    await r.step("fifty", () => [keys.list(other).length, keys.listsOrigin("https://b.example")]);
    await r.step("one more than fifty", () => create({}, other));
  },

  async sessions({ r, access, clock, database, home, other }) {
    const { sessions } = access;
    const open = (secure = false, accountId = home) =>
      database.write(() => sessions.open(accountId, { ...FROM, userAgent: "F".repeat(301), secure }));
    const [plain, tls] = [await open(), await open(true)];
    const match = (
      { token }: { readonly token: string },
      secure = false,
      name = secure ? "__Host-gatehouse_session" : "gatehouse_session",
    ) => sessions.match(`a=b; ${name}=${token}`, secure);
    await r.step("by their cookies", () => [
      match(plain),
      match(tls, true),
      match(tls),
      match(plain, true),
      match(tls, true, "gatehouse_session"),
      match({ token: "x" }),
      match({ token: "" }),
      sessions.match(null),
    ]);
    await r.step("cookies", () =>
      [false, true].flatMap((secure) => [sessions.cookie("T", secure), sessions.clearedCookie(secure)]),
    );
    await r.step("of whom", () => [
      sessions.list(home),
      sessions.list(other),
      sessions.isAlive(home, 1),
      sessions.isAlive(other, 1),
      sessions.isAlive(home, 9),
    ]);
    const uses = () =>
      database.write(() => database.raw.prepare("SELECT id, last_used_at FROM session ORDER BY id").all());
    clock.advance(MINUTE - 1);
    await r.step("used within a minute", async () => [match(plain), await uses()]);
    clock.advance(1);
    await r.step("used after a minute", async () => [match(plain), await uses()]);
    const unstored = sessions.openUnstored(home, { ...FROM, userAgent: "F".repeat(301), secure: true });
    await r.step("one that no row has", () => [
      unstored.id,
      match(unstored, true),
      sessions.list(home),
      sessions.isAlive(home, unstored.id),
    ]);
    clock.advance(DAY - 1);
    await r.step("for a day", () => match(unstored, true));
    clock.advance(1);
    await r.step("and no longer", () => match(unstored, true));
    await r.step("it ends", () => sessions.revoke(home, unstored.id, "cli"));
    await r.step("it ends again", () => sessions.revoke(home, unstored.id, "cli"));
    await r.step("another's ends", () => sessions.revoke(other, 1, "cli"));
    clock.advance(13 * DAY - 1);
    await r.step("a moment before it is idle", () => [match(plain), match(tls, true), sessions.isAlive(home, 1)]);
    await r.step("those that are kept", async () => [await database.write(() => sessions.purge()), await uses()]);
    for (let n = 0; n < 5; n++) {
      clock.advance(13 * DAY);
      match(plain);
      await uses();
    }
    await r.step("ninety days", () => {
      clock.advance((sessions.list(home)[0]?.expiresAt ?? 0) - clock.now() - 1);
      const before = match(plain);
      clock.advance(1);
      return [before, match(plain)];
    });
    const many: { readonly id: number; readonly token: string }[] = [];
    for (let n = 0; n < 51; n++) {
      clock.advance(1);
      many.push(await open());
    }
    await r.step("fifty at most", () => [sessions.list(home).length, match(many[0] ?? plain), match(many[1] ?? plain)]);
    for (let n = 0; n < 21; n++) many.push(sessions.openUnstored(home, FROM));
    await r.step("twenty without a row", () => [
      sessions.list(home).length,
      match(many[51] ?? plain),
      match(many[52] ?? plain),
    ]);
    await r.step("all but one end", () =>
      database.write(() => [sessions.endOthers(home, (many[50] ?? plain).id), sessions.list(home).length]),
    );
    await r.step("all end", () => database.write(() => [sessions.endOthers(home, 0), sessions.list(home)]));
  },

  async "second factors"({ r, access, clock, home }) {
    const { secondFactor, accounts } = access;
    const account = () => accounts.get(home);
    const begin = () => {
      const { secret, uri } = secondFactor.begin(home);
      return { secret: bytesOf(secret), letters: secret.length, uri: uri.replace(secret, "SECRET") };
    };
    const codeAt = (secret: Buffer, ms = 0) => totpCode(secret, totpStep(clock.now() + ms));
    await r.step("nothing begun", () => secondFactor.confirm(home, "000000", BY));
    await r.step("begun", () => [begin().uri, begin().letters]);
    await r.step("a wrong code", () => secondFactor.confirm(home, "x", BY));
    const late = begin().secret;
    clock.advance(15 * MINUTE + 1);
    await r.step("confirmed too late", () => secondFactor.confirm(home, codeAt(late), BY));
    const { secret } = begin();
    clock.advance(15 * MINUTE);
    let codes: readonly string[] = [];
    await r.step("confirmed", async () => {
      codes = await secondFactor.confirm(home, codeAt(secret), BY);
      return [codes.length, codes.every((code) => /^[2-9A-HJ-NP-Z]{5}-[2-9A-HJ-NP-Z]{5}$/.test(code))];
    });
    await r.step("confirmed again", () => secondFactor.confirm(home, codeAt(secret, 30_000), BY));
    await r.step("its code again", () => secondFactor.take(account(), codeAt(secret)));
    await r.step("the next code", () => secondFactor.take(account(), codeAt(secret, 30_000)));
    await r.step("the one before", () => secondFactor.take(account(), codeAt(secret)));
    await r.step("a wrong one", () => secondFactor.take(account(), "abc"));
    const [first = "", second = "", third = ""] = codes;
    await r.step("a recovery code", () => secondFactor.take(account(), first.toLowerCase().replace("-", " ")));
    await r.step("the same again", () => secondFactor.take(account(), first));
    await r.step("those left", () => [
      secondFactor.codesLeft(home),
      secondFactor.hasRecoveryCode(home, first),
      secondFactor.hasRecoveryCode(home, second),
      secondFactor.hasRecoveryCode(null, second),
      secondFactor.hasRecoveryCode(home, ""),
    ]);
    await r.step("used for a password", () =>
      [second, second, "x"].map((code) => secondFactor.useRecoveryCode(home, code)),
    );
    await r.step("renewed", async () => (await secondFactor.renewCodes(home, BY)).length);
    await r.step("an old one", () => [secondFactor.hasRecoveryCode(home, third), secondFactor.codesLeft(home)]);
    await r.step("off", () => secondFactor.disable(home, BY));
    await r.step("then any code does", async () => [
      await secondFactor.take(account(), "x"),
      secondFactor.codesLeft(home),
    ]);
  },

  async "who did what"({ r, access: { audit }, clock, database, home, other }) {
    const record = (accountId: number | null, action: string) =>
      database.write(() => audit.record({ accountId, actor: "hub", action, target: "x", at: clock.now() }));
    for (const [accountId, action] of [
      [home, "a"],
      [null, "b"],
      [other, "c"],
      [home, "d"],
    ] as const) {
      clock.advance(DAY);
      await record(accountId, action);
    }
    await r.step("of a household and the box", () => audit.list(home, 3));
    await r.step("further back", () => audit.list(home, 2, audit.list(home, 2).at(-1)?.id ?? null));
    let days = 2;
    const aged = audit.aged(() => days, clock);
    await r.step("what is old", () => [
      aged.kind,
      aged.setting,
      aged.keepDays(),
      aged.held(),
      aged.due(0),
      aged.due(1),
      aged.due(2),
    ]);
    clock.advance(1);
    await r.step("a moment later", () => [aged.due(1), aged.due(2)]);
    days = 1;
    await r.step("removed", async () => [await aged.remove(1), await aged.remove(99), aged.held()]);
  },
};

t.test("the parts of access answer, refuse and publish what is recorded", async (t) => {
  const found: Record<string, unknown> = { ...(await policyTables()) };
  for (const [name, scenario] of Object.entries({ ...scenarios, ...signInScenarios, ...callerScenarios }))
    await t.test(name, async (t) => {
      const parts = await households(t);
      await scenario(parts, t);
      found[name] = parts.r.steps;
    });
  sameAsRecorded(t, "access", found);
});
