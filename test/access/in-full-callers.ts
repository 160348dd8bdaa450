/** Which caller asks, with which credential, and how an app gets one. */

import type { Caller } from "../../src/core/api/caller.ts";
import { HubKey } from "../../src/core/platform/hub-key.ts";
import { Accounts } from "../../src/features/access/accounts.ts";
import { AppPairing } from "../../src/features/access/app-pairing.ts";
import { DeviceCookies, deviceCookie } from "../../src/features/access/device-cookie.ts";
import { totpCode, totpStep } from "../../src/features/access/totp.ts";
import { GOOD_PASSWORD } from "../support/access.ts";
import { bytesOf, type Households, shownSession } from "./in-full-households.ts";

const BY = { accountId: null, actor: "cli" };
const FROM = { address: "192.168.1.9", userAgent: "Firefox" };
const MINUTE = 60_000;

const CALLER: Caller = {
  method: "session",
  accountId: 1,
  householdId: 1,
  role: "owner",
  siteId: 1,
  env: "live",
  scopes: ["devices:read", "devices:control"],
  keyName: "console",
  actor: "session:1",
  origins: [],
};

export const callerScenarios: Readonly<Record<string, (parts: Households) => Promise<void>>> = {
  async "pairing an app"({ r, clock }) {
    const made: unknown[] = [];
    let stands = true;
    const pairing = new AppPairing({
      clock,
      authenticator: { stands: () => stands },
      makeKey: async (caller, key) => `secret ${made.push([caller.accountId, key])}`,
    });
    const begin = (address = "10.0.0.1") =>
      pairing.begin({ name: "Panel", scopes: ["devices:read", "rooms:read"], address });
    const shown = ({ deviceCode, userCode, ...rest }: ReturnType<typeof begin>) => rest;
    const one = begin();
    await r.step("begun", () => [shown(begin()), pairing.waiting]);
    await r.step("nobody's", () => pairing.fetch("x"));
    await r.step("not approved", () => pairing.fetch(one.deviceCode));
    clock.advance(1_799);
    await r.step("too early", () => pairing.fetch(one.deviceCode));
    clock.advance(6_800);
    await r.step("in time", () => pairing.fetch(one.deviceCode));
    await r.step("looked at", () => pairing.look(one.userCode.toLowerCase().replace("-", " "), CALLER));
    await r.step("a wrong code", () => pairing.look("BCDF", CALLER));
    const approve = (scopes: Caller["scopes"]) => pairing.approve(one.userCode, CALLER, { name: "Mine", scopes });
    await r.step("more than it asked for", () => approve(["devices:read", "devices:control"]));
    await r.step("more than the person has", () => approve(["rooms:read"]));
    await r.step("approved", () => approve(["devices:read"]));
    await r.step("approved again", () => approve(["devices:read"]));
    clock.advance(6_800);
    await r.step("fetched", async () => [await pairing.fetch(one.deviceCode), made]);
    await r.step("fetched again", () => pairing.fetch(one.deviceCode));
    const two = begin();
    await r.step("denied", () => pairing.deny(two.userCode, CALLER));
    await r.step("fetched after that", () => pairing.fetch(two.deviceCode));
    const three = begin();
    pairing.approve(three.userCode, CALLER, { name: "Mine", scopes: [] });
    stands = false;
    await r.step("approved by who is gone", () => pairing.fetch(three.deviceCode));
    while (pairing.waiting < 5) begin();
    await r.step("a sixth of one address", () => begin());
    clock.advance(600_000 - 15_399 - 1);
    await r.step("when the first is nearly over", () => pairing.waiting);
    await r.step("a moment before", () => begin());
    clock.advance(1);
    await r.step("and then", () => [shown(begin()), pairing.waiting]);
    for (let n = 0; n < 199; n++) begin(`10.0.1.${n}`);
    await r.step("two hundred at most", () => [pairing.waiting, shown(begin("10.0.2.1")), pairing.waiting]);
    for (let n = 0; n < 10; n++)
      try {
        pairing.look("x", CALLER);
      } catch {}
    await r.step("too many guesses", () => pairing.look("x", CALLER));
    await r.step("by another", () => pairing.look("x", { ...CALLER, accountId: 2 }));
  },

  async "who asks"({ r, access, clock, home }) {
    const { authenticator, keys, signIn, accounts, proofs } = access;
    const none = { authorization: null, xApiKey: null, cookie: null };
    const { secret } = await keys.create(
      home,
      { name: "App", env: "test", scopes: ["rooms:read"], origins: [], expiresAt: clock.now() + MINUTE },
      BY,
    );
    const session = await signIn.login({ email: "olga@example.org", password: GOOD_PASSWORD, totp: null }, FROM);
    const cookie = `gatehouse_session=${session.token}`;
    for (const [name, headers] of Object.entries({
      nothing: {},
      bearer: { authorization: `bearer  ${secret} ` },
      header: { xApiKey: ` ${secret} ` },
      both: { authorization: `Bearer ${secret}`, xApiKey: secret },
      "two of them": { authorization: `Bearer ${secret}`, xApiKey: "x" },
      basic: { authorization: "Basic x" },
      "an unknown key": { xApiKey: "x" },
      "a session": { cookie },
      "a key and a session": { xApiKey: secret, cookie },
      "a session over TLS": { cookie, secure: true },
      "an unknown session": { cookie: "gatehouse_session=x" },
      "an empty header": { xApiKey: " ", cookie },
    }))
      await r.step(name, () => authenticator.check({ ...none, ...headers }));
    await r.step("the box and a device", () => [
      authenticator.boxCaller(),
      authenticator.deviceCaller({ id: "cam", siteId: accounts.siteIdOf(home, "live") }),
      authenticator.deviceCaller({ id: "cam", siteId: accounts.siteIdOf(home, "test") }),
    ]);
    const caller = authenticator.check({ ...none, cookie });
    const byKey = authenticator.check({ ...none, xApiKey: secret });
    const box = authenticator.boxCaller();
    const proof = (who: Caller | null, host: string | null = null) => who && access.checkProof(who, host);
    await r.step("proved at the sign-in", () => [proof(caller), proof(box)]);
    await r.step("a key proves nothing", () => proof(byKey));
    clock.advance(5 * MINUTE);
    await r.step("for five minutes", () => proof(caller));
    clock.advance(1);
    await r.step("and no longer", () => proof(caller, "gatehouse.local"));
    proofs.proved(session.sessionId, home);
    proofs.forget(home, session.sessionId);
    await r.step("kept", () => proof(caller));
    proofs.forget(home);
    await r.step("forgotten", () => proof(caller));
    await r.step("an ended key", () => authenticator.check({ ...none, xApiKey: secret }));
    await r.step("what stands", () => [caller, byKey, box].map((one) => one && authenticator.stands(one)));
    await r.step("with other rights", () =>
      Object.entries({ role: "member", scopes: [], origins: ["x"], siteId: 9, env: "test", householdId: 9 }).map(
        ([member, value]) => [member, authenticator.stands({ ...caller, [member]: value } as Caller)],
      ),
    );
    await access.sessions.revoke(home, session.sessionId, "cli");
    await r.step("its session is over", () => [authenticator.stands(caller), box && authenticator.stands(box)]);
    const revoked = await keys.create(home, { name: "B", env: "live", scopes: [], origins: [], expiresAt: null }, BY);
    const again = authenticator.check({ ...none, xApiKey: revoked.secret });
    await keys.revoke(home, revoked.key.id, BY);
    await r.step("a revoked key", () => [
      authenticator.stands(again),
      authenticator.check({ ...none, xApiKey: revoked.secret }),
    ]);
  },

  async "an app of a member"({ r, access, database, home, other, passwordHash }) {
    const { keys, accounts, persons } = access;
    const person = (email: string, householdId: number) =>
      database.write(() => accounts.createPerson({ email, name: " Asha ", passwordHash, role: "member", householdId }));
    const { id: asha } = await person(" asha@example.org ", home);
    await r.step("another with her address", () => person("ASHA@example.org", other));
    const { key, secret } = await keys.create(
      asha,
      { name: "Panel", env: "live", scopes: ["scenes:run"], origins: [], expiresAt: null },
      BY,
    );
    await r.step("whose it is", () => [keys.personIn(key), keys.personIn(keys.get(home, key.id)), keys.match(secret)]);
    await r.step("listed", () => [keys.list(home).length, keys.list(other).length, keys.list(asha).length]);
    await r.step("of another household", () => keys.get(other, key.id));
    await r.step("given more", () => keys.edit(home, key.id, { scopes: ["scenes:run", "plates:write"] }, BY));
    await r.step("given as much", async () => (await keys.edit(home, key.id, { scopes: ["plates:read"] }, BY)).scopes);
    await r.step("she goes", () => persons.remove(home, asha, BY));
    await r.step("and it with her", () => [keys.match(secret), keys.list(home).length]);
  },

  async "while nothing can be stored"({ r, access, clock, database, home }) {
    const { signIn, secondFactor, sessions, accounts } = access;
    const { secret } = secondFactor.begin(home);
    const code = (ms = 0) => totpCode(bytesOf(secret), totpStep(clock.now() + ms));
    await secondFactor.confirm(home, code(), BY);
    database.raw.pragma("max_page_count = 1"); // as many as there are
    await database
      .write(() => database.raw.prepare("INSERT INTO hub (key, value) VALUES ('x', ?)").run("x".repeat(200_000)))
      .catch(() => undefined);
    await r.step("the storage", () => database.state);
    const login = async (totp: string) =>
      shownSession(await signIn.login({ email: "olga@example.org", password: GOOD_PASSWORD, totp }, FROM));
    await r.step("its code was used before", () => login(code()));
    await r.step("the next", () => login(code(30_000)));
    await r.step("which is used now", () => login(code(30_000)));
    await r.step("in memory", () => sessions.list(home));
    await r.step("as it stands", () => accounts.get(home).totpStep === totpStep(clock.now()));
  },

  async "where the zone is"({ r, access: { audit }, clock, database }) {
    for (const zone of ["", "Europe/Berlin"]) {
      const accounts = new Accounts({ database, clock, audit, newSite: { name: "Home", timeZone: zone } });
      for (const timeZone of ["Asia/Tokyo", "UTC", "Etc/GMT"])
        await r.step(`of the settings "${zone}", of the owner "${timeZone}"`, async () => {
          const email = `${zone}${timeZone}@example.org`;
          const { id } = await database.write(() =>
            accounts.create({ email, name: "", passwordHash: "x", timeZone }, BY),
          );
          const site = accounts.siteIdOf(id, "live");
          const given = [accounts.isZoneGiven(site)];
          await accounts.editSite(site, { name: "Villa" }, BY);
          given.push(accounts.isZoneGiven(site));
          await accounts.editSite(site, { timeZone: "UTC" }, BY);
          return [...given, accounts.isZoneGiven(site)];
        });
    }
  },

  async "the hub's own key"({ r }) {
    const key = new HubKey(Buffer.alloc(32, 1));
    const sealed = key.seal(Buffer.from("secret"), "totp 1");
    await r.step("opened", () => [key.open(sealed, "totp 1").toString(), sealed.length]);
    await r.step("under another name", () => key.open(sealed, "totp 2"));
    await r.step("cut off", () => key.open(sealed.subarray(0, 20), "totp 1"));
    await r.step("derived", () => [key.derive("a").toString("hex"), key.derive("b").toString("hex")]);
  },

  async "browsers that are known"({ r }) {
    const devices = new DeviceCookies(new HubKey(Buffer.alloc(32, 1)));
    const named = (id: number) => ({ id, uid: `u${id}`, generation: 0 });
    const token = devices.issue(named(1));
    const id = token.split(".")[1];
    const match = (cookie: string | null, account: number | null = 1) =>
      devices.match(cookie, account === null ? null : named(account)) === id;
    await r.step("by their cookies", () => [
      match(`gatehouse_device=${token}`),
      match(`a=b;  __Host-gatehouse_device=${token} `),
      match(`other=${token}`),
      match(`gatehouse_device=${token}`, 2),
      match(`gatehouse_device=${token}`, null),
      match(`gatehouse_device=${token}x`),
      match(null),
      id?.length,
    ]);
    await r.step("cookies", () => [deviceCookie("T", false), deviceCookie("T", true)]);
  },
};
