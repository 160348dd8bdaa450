/** Signing in, passkeys, and claiming a hub. */
import type { Test } from "tap";
import { HubKey } from "../../src/core/platform/hub-key.ts";
import { Claim } from "../../src/features/access/claim.ts";
import type { SignInSource } from "../../src/features/access/sign-in.ts";
import { totpCode, totpStep } from "../../src/features/access/totp.ts";
import { GOOD_PASSWORD } from "../support/access.ts";
import { SoftPasskey } from "../support/soft-passkey.ts";
import { bytesOf, type Households, shownSession } from "./in-full-households.ts";

const BY = { accountId: null, actor: "cli" };
const FROM: SignInSource = { address: "192.168.1.9", userAgent: "Firefox" };
const NEXT = "lantern-cobalt-93-yak";
const MINUTE = 60_000;
const PAGE = { rpId: "gatehouse.local", origin: "https://gatehouse.local:8443" };

export const signInScenarios: Readonly<Record<string, (parts: Households, t: Test) => Promise<void>>> = {
  async "signing in"({ r, access, clock, home, other }) {
    const { signIn, secondFactor, accounts, sessions } = access;
    let address = 0;
    const fresh = (more: Partial<SignInSource> = {}) => ({ ...FROM, address: `10.0.0.${++address}`, ...more });
    const login = async (more: object = {}, from: SignInSource = fresh()) =>
      shownSession(
        await signIn.login({ email: "olga@example.org", password: GOOD_PASSWORD, totp: null, ...more }, from),
      );
    const later = async (ms: number) => {
      clock.advance(ms);
      await new Promise((resolve) => setImmediate(resolve));
    };
    await r.step("right", () =>
      login({ email: " OLGA@example.org" }, fresh({ secure: true, userAgent: "F".repeat(201) })),
    );
    await r.step("wrong", () => login({ password: "x" }));
    await r.step("not told at once", () => later(199));
    await r.step("told", () => later(1_001));
    await r.step("wrong within a minute", () => login({ password: "x" }));
    await r.step("not told twice", () => later(MINUTE - 1_201));
    await r.step("nobody", () => login({ email: "nobody@example.org" }));
    await r.step("nobody is not told", () => later(1_200));
    await r.step("wrong after a minute", () => login({ password: "x" }));
    await r.step("told again", () => later(1_200));
    const from = fresh();
    for (let n = 0; n < 2; n++) await login({ password: "x" }, from).catch(() => undefined);
    await r.step("too often for the account", () => login({}));
    await r.step("another account from there", () => login({ email: "ravi@example.org" }, from));
    clock.advance(16 * MINUTE);
    const { secret } = secondFactor.begin(home);
    const bytes = bytesOf(secret);
    const code = (ms = 0) => totpCode(bytes, totpStep(clock.now() + ms));
    const codes = await secondFactor.confirm(home, code(), BY);
    clock.advance(MINUTE);
    await r.step("a code is needed", () => login());
    await r.step("with a code", () => login({ totp: code() }));
    await r.step("with the same code", () => login({ totp: code() }));
    await r.step("with a recovery code", () => login({ totp: codes[0] ?? "" }));
    clock.advance(16 * MINUTE);
    await r.step("proved", () => signIn.prove(home, { password: GOOD_PASSWORD, totp: code() }, fresh()));
    await r.step("proved by half", () => signIn.prove(home, { password: GOOD_PASSWORD, totp: null }, fresh()));
    await r.step("proved by nothing", () => signIn.prove(other, { password: "x", totp: null }, fresh()));
    for (let n = 0; n < 10; n++) {
      clock.advance(MINUTE);
      await login({ totp: "x" }).catch(() => undefined);
    }
    clock.advance(MINUTE);
    await r.step("the last wrong code", () => login({ totp: "x" }));
    clock.advance(MINUTE);
    await r.step("too many codes", () => login({ totp: "x" }));
    clock.advance(120 * MINUTE);
    const recover = (more: object = {}) =>
      signIn.recover({ email: "olga@example.org", code: codes[1] ?? "", password: NEXT, ...more }, fresh());
    await r.step("recovered by nobody", () => recover({ email: "nobody@example.org" }));
    await r.step("recovered by a wrong code", () => recover({ code: "x" }));
    await r.step("recovered to a weak password", () => recover({ password: "olga olga olga olga" }));
    await r.step("recovered", () => recover());
    await r.step("recovered again", () => recover());
    clock.advance(16 * MINUTE);
    await r.step("with the new password alone", () => login({ password: NEXT }));
    const { sessionId } = await signIn.login({ email: "olga@example.org", password: NEXT, totp: null }, fresh());
    await r.step("changed to a short one", () => signIn.changePassword(home, { next: "short", sessionId }));
    await r.step("changed", () => signIn.changePassword(home, { next: GOOD_PASSWORD, sessionId }));
    await r.step("which sessions", () => sessions.list(home).map(({ id }) => id === sessionId));
    await r.step("reset to a short one", () => signIn.reset(null, "short", BY));
    await r.step("reset of nobody", () => signIn.reset("nobody@example.org", NEXT, BY));
    await r.step("reset", async () => (await signIn.reset("ravi@example.org", "correct horse 1", BY)).name);
    await r.step("reset of the owner", async () => [
      (await signIn.reset(null, NEXT, BY)).name,
      sessions.list(home).length,
    ]);
    await r.step("as it stands", () => [accounts.get(home).totpSecret, secondFactor.codesLeft(home)]);
  },

  async passkeys({ r, access, clock, database, home, other }) {
    const { passkeys } = access;
    const phone = new SoftPasskey(PAGE.origin);
    const make = async (key = phone, { accountId = home, sessionId = 1, by = 1, page = PAGE, lies = {} } = {}) => {
      const options = await passkeys.creationOptions(accountId, sessionId, page);
      return passkeys.add(
        { accountId, sessionId: by, name: "Phone", response: key.create({ ...options, rp: { id: page.rpId } }, lies) },
        page,
        BY,
      );
    };
    await r.step("options", async () => {
      const { challenge, user, pubKeyCredParams, ...rest } = await passkeys.creationOptions(home, 1, PAGE);
      return {
        ...rest,
        challenge: challenge.length,
        user: { ...user, id: user.id.length },
        kinds: pubKeyCredParams.length > 0,
      };
    });
    await r.step("made", () => make());
    await r.step("made again", () => make());
    await r.step("of another session", () => make(new SoftPasskey(PAGE.origin), { by: 2 }));
    await r.step("not verified", () => make(new SoftPasskey(PAGE.origin), { lies: { userVerified: false } }));
    await r.step("of another page", () => make(new SoftPasskey("https://evil.example")));
    await r.step("of which host", () => [
      passkeys.has(home, PAGE.rpId),
      passkeys.has(home, "x"),
      passkeys.has(other, PAGE.rpId),
      passkeys.anyFor(PAGE.rpId),
      passkeys.anyFor("x"),
    ]);
    await r.step(
      "left out the next time",
      async () => (await passkeys.creationOptions(home, 1, PAGE)).excludeCredentials?.length,
    );
    await r.step(
      "and not elsewhere",
      async () => (await passkeys.creationOptions(home, 1, { ...PAGE, rpId: "x" })).excludeCredentials?.length,
    );
    const signIn = { kind: "sign-in" } as const;
    const proof = { kind: "proof", accountId: home, sessionId: 1 } as const;
    const use = async (
      asked: typeof signIn | typeof proof,
      used: typeof asked | object = asked,
      lies = {},
      page = PAGE,
    ) => passkeys.verify(phone.get(await passkeys.requestOptions(asked, PAGE), lies), used as typeof asked, page);
    await r.step("asked for", async () => {
      const { challenge, allowCredentials, ...rest } = await passkeys.requestOptions(signIn, PAGE);
      const forProof = (await passkeys.requestOptions(proof, PAGE)).allowCredentials;
      return { ...rest, challenge: challenge.length, of: [allowCredentials?.length, forProof?.length] };
    });
    await r.step("signed in", () => use(signIn));
    await r.step("proved", () => use(proof));
    await r.step("a proof for a sign-in", () => use(proof, signIn));
    await r.step("a proof of another", () => use(proof, { ...proof, accountId: other }));
    await r.step("used in another session", () => use(proof, { ...proof, sessionId: 2 }));
    await r.step("used on another page", () => use(signIn, signIn, {}, { ...PAGE, rpId: "x" }));
    await r.step("of another origin", () => use(signIn, signIn, { origin: "https://evil.example" }));
    await r.step("used without its user", () => use(signIn, signIn, { userVerified: false }));
    await r.step("by a copy", () => use(signIn, signIn, { counter: 1 }));
    await r.step("the same answer twice", async () => {
      const answer = phone.get(await passkeys.requestOptions(signIn, PAGE));
      return [await passkeys.verify(answer, signIn, PAGE), await passkeys.verify(answer, signIn, PAGE)];
    });
    await r.step("too late", async () => {
      const answer = phone.get(await passkeys.requestOptions(signIn, PAGE));
      clock.advance(5 * MINUTE);
      return passkeys.verify(answer, signIn, PAGE);
    });
    await r.step("in time", async () => {
      const answer = phone.get(await passkeys.requestOptions(signIn, PAGE));
      clock.advance(5 * MINUTE - 1);
      return passkeys.verify(answer, signIn, PAGE);
    });
    await r.step("renamed", () => passkeys.rename(home, 1, "Old phone"));
    await r.step("another's renamed", () => passkeys.rename(other, 1, "Mine"));
    await r.step("another's removed", () => passkeys.remove(other, 1, BY));
    await r.step("listed", () => [passkeys.list(home), passkeys.list(other)]);
    await r.step("removed", () => passkeys.remove(home, 1, BY));
    database.raw.exec(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 19)
      INSERT INTO passkey (account_id, credential_id, public_key, counter, rp_id, transports, name, created_at)
      SELECT ${home}, 'c' || n, x'00', 0, 'y', '[]', '', 0 FROM n`);
    await r.step("the twentieth", () => make(new SoftPasskey(PAGE.origin)));
    await r.step("one more", () => make(new SoftPasskey(PAGE.origin)));
    await r.step("all go", () => database.write(() => [passkeys.removeAll(home), passkeys.list(home)]));
  },

  async "claiming a hub"({ r, access, clock, database, passwordHash }) {
    const { accounts, passwords, signIn, proofs } = access;
    const hubKey = new HubKey(Buffer.alloc(32, 1));
    const claimed = (more: object = {}) =>
      new Claim({
        ...{ database, clock, hubKey, accounts, passwords, signIn, proofs },
        ...{ fromAnywhere: false, hadOwner: () => false, givenCode: null, ...more },
      });
    const request = { code: "x", email: "new@example.org", name: "New", password: NEXT };
    await r.step("owned", () => claimed().claim(request, FROM));
    await r.step("nothing to show", () => [claimed().code(), claimed().claimed, claimed().isLost]);
    await database.write(() => database.raw.exec("DELETE FROM audit; DELETE FROM site; DELETE FROM account"));
    await r.step("its owner was lost", () => claimed({ hadOwner: () => true }).claim(request, FROM));
    await r.step("lost", () => {
      const lost = claimed({ hadOwner: () => true });
      return [lost.code(), lost.claimed, lost.isLost];
    });
    const claim = claimed();
    await r.step("to be had", () => [
      claim.code(),
      claim.claimed,
      claim.isLost,
      claimed({ givenCode: "ABCDEFGH" }).code(),
    ]);
    const code = claim.code() ?? "";
    await r.step("from elsewhere", () => claim.check(code, { address: "8.8.8.8" }));
    await r.step("from anywhere", () => claimed({ fromAnywhere: true }).check(code, { address: "8.8.8.8" }));
    await r.step("from home", () =>
      [
        "127.0.0.1",
        "172.16.0.1",
        "172.32.0.1",
        "192.168.255.1",
        "192.169.0.1",
        "100.127.0.1",
        "100.128.0.1",
        "169.254.1.1",
        "::1",
        "fe80::1%eth0",
        "fd00::1",
        "2001:db8::1",
        "::ffff:10.0.0.1",
        "x",
      ].map((address) => {
        try {
          return [address, claim.check(code.toLowerCase(), { address }) === undefined];
        } catch (error) {
          return [address, String(error)];
        }
      }),
    );
    await r.step("a wrong code", () => claim.check("x", { address: "10.0.0.1" }));
    for (let n = 0; n < 9; n++)
      try {
        claim.check("x", { address: "10.0.0.2" });
      } catch {}
    await r.step("the tenth", () => claim.check(code, { address: "10.0.0.2" }));
    await r.step("one more", () => claim.check(code, { address: "10.0.0.2" }));
    await r.step("with a weak password", () =>
      claim.claim({ ...request, code, password: "new new new new new" }, FROM),
    );
    await r.step("two at once", async () => {
      const both = [0, 1].map(() =>
        claim.claim({ ...request, code, timeZone: "Europe/Berlin" }, FROM).then(shownSession, String),
      );
      return Promise.all(both);
    });
    await r.step("owned now", () => [claim.code(), accounts.sites(), accounts.owner()?.passwordHash === passwordHash]);
  },
};
