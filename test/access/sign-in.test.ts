import t, { type Test } from "tap";
import { matchTotp, totpCode, totpStep } from "../../src/features/access/totp.ts";
import { GOOD_PASSWORD, openAccess } from "../support/access.ts";

const FROM = { address: "192.168.1.9", userAgent: "Firefox" };
const EMAIL = "owner@example.org";
const BY = { accountId: null, actor: "cli" };

async function owned(t: Test) {
  const parts = await openAccess(t);
  const { access, database } = parts;
  const passwordHash = await access.passwords.hash(GOOD_PASSWORD);
  const account = await database.write(() => access.accounts.create({ email: EMAIL, name: "Olga", passwordHash }, BY));
  const login = (password = GOOD_PASSWORD, totp: string | null = null, from = FROM, email = EMAIL) =>
    access.signIn.login({ email, password, totp }, from);
  return { ...parts, account, login };
}

t.test("the right password opens a session, in whatever case the address is typed", async (t) => {
  const { access, login, account, feed } = await owned(t);
  const opened = await login(GOOD_PASSWORD, null, FROM, " OWNER@Example.org ");
  t.equal(opened.account.id, account.id);
  t.hasStrict(access.sessions.match(`gatehouse_session=${opened.token}`), { kind: "active", accountId: account.id });
  t.hasStrict(feed.at(-1), { kind: "security.login", body: "From 192.168.1.9" });
});

t.test(
  "a wrong password and an unknown address get the same answer; the owner is notified after it is sent",
  async (t) => {
    const { login, feed, clock, database } = await owned(t);
    const heard = async (): Promise<number> => {
      clock.advance(1_200);
      await database.write(() => {});
      return feed.filter((item) => item.kind === "security.login_failed").length;
    };
    await t.rejects(login("wrong"), { code: /^invalid_login$/ });
    t.equal(feed.length, 0, "writing about a known account does not change the response time");
    await t.rejects(login("wrong", null, FROM, "nobody@example.org"), { code: /^invalid_login$/ });
    t.equal(await heard(), 1);
    await t.rejects(login("wrong"), { code: /^invalid_login$/ });
    t.equal(await heard(), 1, "at most one feed item a minute");
    clock.advance(60_000);
    await t.rejects(login("wrong"), { code: /^invalid_login$/ });
    t.equal(await heard(), 2);
    const audited = database.raw.prepare("SELECT actor, target FROM audit WHERE action = 'login.failed'").all();
    t.same(audited, Array(2).fill({ actor: "hub", target: FROM.address }), "and one audit line each time");
  },
);

t.test("after five wrong tries the wait grows, even for the right password", async (t) => {
  const { login, clock } = await owned(t);
  for (let i = 0; i < 5; i++) await t.rejects(login("wrong"), { code: /^invalid_login$/ });
  await t.rejects(login(), { code: /^rate_limited$/, headers: { "Retry-After": "1" } });
  clock.advance(1_000);
  await t.rejects(login("wrong"), { code: /^invalid_login$/ });
  await t.rejects(login(), { code: /^rate_limited$/, fields: { retryAfterSeconds: 2 } });
  for (let i = 0; i < 20; i++) {
    clock.advance(60_000);
    await t.rejects(login("wrong"), { code: /^invalid_login$/ });
  }
  await t.rejects(login(), { code: /^rate_limited$/, fields: { retryAfterSeconds: 60 } }, "never longer than a minute");
  clock.advance(60_000);
  await login();
  await t.rejects(login("wrong"), { code: /^invalid_login$/ }, "a success resets the count");
  await login();
});

t.test("simultaneous tries count each other", async (t) => {
  const { login } = await owned(t);
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => login("wrong")));
  const codes = outcomes.map((outcome) =>
    outcome.status === "rejected" ? (outcome.reason as { code: string }).code : "in",
  );
  t.same(codes.filter((code) => code === "invalid_login").length, 5);
  t.same(codes.filter((code) => code === "rate_limited").length, 3);
});

t.test("a member's sign-in resets that member's wrong tries, not those on another account", async (t) => {
  const { access, login, database, clock } = await owned(t);
  const passwordHash = await access.passwords.hash("member-of-the-house-12");
  await database.write(() => access.accounts.create({ email: "member@example.org", name: "Mika", passwordHash }, BY));
  const asMember = (password = "member-of-the-house-12") => login(password, null, FROM, "member@example.org");
  for (let i = 0; i < 4; i++) await t.rejects(login("wrong"), { code: /^invalid_login$/ });
  await asMember();
  await t.rejects(login("wrong"), { code: /^invalid_login$/ }, "the fifth");
  await t.rejects(login("wrong"), { code: /^rate_limited$/ });
  await t.rejects(asMember(), { code: /^rate_limited$/ }, "the address waits, whichever account is tried");
  clock.advance(1_000);
  await asMember();
  await t.rejects(login("wrong"), { code: /^invalid_login$/ });
  await t.rejects(
    login("wrong"),
    { code: /^rate_limited$/, fields: { retryAfterSeconds: 2 } },
    "the count was not reset",
  );
});

t.test(
  "a browser the owner signed in from keeps its allowance anywhere; another account's cookie gives none",
  async (t) => {
    const { access, login, database } = await owned(t);
    const { deviceToken, account } = await login();
    const cookie = `a=b; gatehouse_device=${deviceToken}`;
    const elsewhere = { address: "192.168.1.77", userAgent: "", cookie };
    for (let at = 0; at < 8; at++)
      await login("wrong", null, { address: `10.0.0.${at}`, userAgent: "" }).catch(() => {});
    await t.rejects(login(GOOD_PASSWORD, null, { ...elsewhere, cookie: null } as never), { code: /^rate_limited$/ });
    await t.rejects(
      login(GOOD_PASSWORD, null, { ...elsewhere, cookie: `gatehouse_device=${account.id}.x.y` } as never),
      { code: /^rate_limited$/ },
    );
    await login(GOOD_PASSWORD, null, elsewhere);
    for (let at = 0; at < 5; at++) await t.rejects(login("wrong", null, elsewhere), { code: /^invalid_login$/ });
    await t.rejects(login("wrong", null, elsewhere), { code: /^rate_limited$/ }, "guesses with the cookie count too");

    const passwordHash = await access.passwords.hash("member-of-the-house-12");
    await database.write(() => access.accounts.create({ email: "member@example.org", name: "Mika", passwordHash }, BY));
    const member = await login("member-of-the-house-12", null, FROM, "member@example.org");
    const foreign = { address: "192.168.1.78", userAgent: "", cookie: `gatehouse_device=${member.deviceToken}` };
    await t.rejects(login("wrong", null, foreign), { code: /^rate_limited$/ });
  },
);

t.test("wrong codes of a second factor are limited even with the right password", async (t) => {
  const { access, account, login, clock } = await owned(t);
  const { secret } = access.secondFactor.begin(account.id);
  const bits = [...secret]
    .map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0"))
    .join("");
  const bytes = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  await access.secondFactor.confirm(account.id, totpCode(bytes, totpStep(clock.now())), BY);
  let judged = 0;
  for (let at = 0; at < 60; at++) {
    clock.advance(60_000);
    const wrong = String((Number(totpCode(bytes, totpStep(clock.now()))) + 500_000) % 1_000_000).padStart(6, "0");
    await login(GOOD_PASSWORD, wrong, { address: `10.0.0.${at}`, userAgent: "" }).catch(
      (error: { code: string }) => (judged += Number(error.code === "invalid_login")),
    );
  }
  t.ok(judged >= 10 && judged <= 20, `${judged} codes were checked in an hour`);
});

t.test(
  "a recovery judges the password only after the code, and keeps the code if the password is refused",
  async (t) => {
    const { access, account, clock } = await owned(t);
    const [code = ""] = await access.secondFactor.renewCodes(account.id, BY);
    const recover = (email: string, given: string, password: string) =>
      access.signIn.recover({ email, code: given, password }, FROM);
    for (const email of [EMAIL, "nobody@example.org"])
      await t.rejects(recover(email, "AAAAA-AAAAA", "short"), { code: /^invalid_login$/ });
    await t.rejects(recover(EMAIL, code, "short"), { code: /^weak_password$/ });
    await recover(EMAIL, code, "seven kettles under moss");
    clock.advance(1_200);
    await t.rejects(recover(EMAIL, code, "seven kettles under moss"), { code: /^invalid_login$/ });
  },
);

t.test("other clients cannot slow the owner at an address the owner has signed in from", async (t) => {
  const { login } = await owned(t);
  await login();
  const otherClient = { address: "192.168.1.66", userAgent: "" };
  for (let i = 0; i < 5; i++) await t.rejects(login("wrong", null, otherClient), { code: /^invalid_login$/ });
  await t.rejects(login("wrong", null, otherClient), { code: /^rate_limited$/ });
  await t.rejects(login(GOOD_PASSWORD, null, { address: "192.168.1.67", userAgent: "" }), { code: /^rate_limited$/ });
  await login();
});

t.test("a second factor is required, each of its codes works once, and a recovery code replaces it once", async (t) => {
  const { access, account, login, clock } = await owned(t);
  const { secret, uri } = access.secondFactor.begin(account.id);
  t.match(uri, new RegExp(`^otpauth://totp/Gatehouse:owner%40example.org\\?secret=${secret}&issuer=Gatehouse`));
  const bytes = Buffer.from(
    secret
      .split("")
      .map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0"))
      .join("")
      .match(/.{8}/g)
      ?.map((bits) => Number.parseInt(bits, 2)) ?? [],
  );
  const codeNow = () => totpCode(bytes, totpStep(clock.now()));
  await t.rejects(access.secondFactor.confirm(account.id, "000000", BY), { code: /^invalid_code$/ });
  const codes = await access.secondFactor.confirm(account.id, codeNow(), BY);
  t.equal(new Set(codes).size, 10);
  await t.rejects(login(), { code: /^totp_required$/ });
  await t.rejects(
    login(GOOD_PASSWORD, codeNow()),
    { code: /^invalid_login$/ },
    "the code that confirmed the set-up is used up",
  );
  clock.advance(30_000);
  const code = codeNow();
  await login(GOOD_PASSWORD, code);
  await t.rejects(login(GOOD_PASSWORD, code), { code: /^invalid_login$/ });
  const [first = ""] = codes;
  await login(GOOD_PASSWORD, first.toLowerCase().replace("-", " "));
  await t.rejects(login(GOOD_PASSWORD, first), { code: /^invalid_login$/ });
  t.equal(access.secondFactor.codesLeft(account.id), 9);
  const renewed = await access.secondFactor.renewCodes(account.id, BY);
  await t.rejects(login(GOOD_PASSWORD, codes[1]), { code: /^invalid_login$/ }, "renewing the codes voids the old ones");
  await login(GOOD_PASSWORD, renewed[0]);
  await access.secondFactor.disable(account.id, BY);
  await login();
});

t.test("the secret of a second factor cannot be read from the database", async (t) => {
  const { access, account, database, clock } = await owned(t);
  const { secret } = access.secondFactor.begin(account.id);
  const bits = secret
    .split("")
    .map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0"))
    .join("");
  const bytes = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  await access.secondFactor.confirm(account.id, totpCode(bytes, totpStep(clock.now())), BY);
  const stored = access.accounts.get(account.id).totpSecret ?? Buffer.alloc(0);
  t.equal(stored.length, 12 + 16 + 20);
  t.notOk(stored.includes(bytes));
  t.equal(matchTotp(stored.subarray(28), totpCode(bytes, totpStep(clock.now())), clock.now()), null);
  database.raw
    .prepare("UPDATE account SET totp_secret = ? WHERE id = ?")
    .run(Buffer.concat([stored.subarray(0, 47), Buffer.of((stored[47] ?? 0) ^ 1)]), account.id);
  await t.rejects(access.secondFactor.take(access.accounts.get(account.id), "123456"), { code: /^unavailable$/ });
});

t.test("a changed password ends every other session and refuses the old one", async (t) => {
  const { access, account, login, feed } = await owned(t);
  const other = await login();
  const mine = await login();
  const next = "marble tulip sails north 9";
  const change = (to: string) => access.signIn.changePassword(account.id, { next: to, sessionId: mine.sessionId });
  await t.rejects(change("short"), { code: /^weak_password$/ });
  await t.rejects(change("owner@example.org Olga"), { code: /^weak_password$/ });
  await change(next);
  t.equal(access.sessions.match(`gatehouse_session=${other.token}`).kind, "unknown");
  t.equal(access.sessions.match(`gatehouse_session=${mine.token}`).kind, "active");
  t.equal(feed.at(-1)?.kind, "security.password_changed");
  await t.rejects(login(), { code: /^invalid_login$/ });
  await login(next);
});

t.test("a sign-in with the old password during the change is refused", async (t) => {
  const { access, account, login } = await owned(t);
  const mine = await login();
  const next = "marble tulip sails north 9";
  const changed = access.signIn.changePassword(account.id, { next, sessionId: mine.sessionId });
  const refused = t.rejects(login(), { code: /^invalid_login$/ }); // compared with the previous hash
  await Promise.all([changed, refused]);
  t.same(
    access.sessions.list(account.id).map(({ id }) => id),
    [mine.sessionId],
  );
  await login(next);
});

t.test("rehashing an outdated hash does not overwrite a password changed meanwhile", async (t) => {
  const { access, account, login, database } = await owned(t);
  const { Passwords } = await import("../../src/features/access/password.ts");
  const old = await new Passwords({ ln: 9, r: 8, p: 1 }).hash(GOOD_PASSWORD);
  await database.write(() => access.accounts.setPassword(account.id, old));
  const next = "marble tulip sails north 9";
  const changed = access.signIn.reset(null, next, BY);
  const refused = t.rejects(login(), { code: /^invalid_login$/ });
  await Promise.all([changed, refused]);
  await login(next);
});

t.test("a session that ends while its new password is being hashed changes nothing", async (t) => {
  const { access, account, login } = await owned(t);
  const { sessionId } = await login();
  const changed = access.signIn.changePassword(account.id, { next: "marble tulip sails north 9", sessionId });
  await access.sessions.revoke(account.id, sessionId, "session:0");
  await t.rejects(changed, { code: /^expired_credential$/ });
  await login();
});

t.test("a reset on the host sets the password, removes the second factor and ends all sessions", async (t) => {
  const { access, login, account, clock } = await owned(t);
  const { secret } = access.secondFactor.begin(account.id);
  const bits = secret
    .split("")
    .map((c) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(c).toString(2).padStart(5, "0"))
    .join("");
  const bytes = Buffer.from(bits.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []);
  const [code = ""] = await access.secondFactor.confirm(account.id, totpCode(bytes, totpStep(clock.now())), BY);
  const opened = await login(GOOD_PASSWORD, code);
  const next = "seven kettles under moss";
  await access.signIn.reset(null, next, BY);
  t.equal(access.sessions.match(`gatehouse_session=${opened.token}`).kind, "unknown");
  await login(next);
  await t.rejects(access.signIn.reset("nobody@example.org", next, BY), { code: /^not_found$/ });
});

t.test("a recovery code sets a new password without the old one", async (t) => {
  const { access, account, login } = await owned(t);
  const [code = ""] = await access.secondFactor.renewCodes(account.id, BY);
  const next = "seven kettles under moss";
  await t.rejects(access.signIn.recover({ email: EMAIL, code: "22222-22222", password: next }, FROM), {
    code: /^invalid_login$/,
  });
  await access.signIn.recover({ email: EMAIL, code, password: next }, FROM);
  await login(next);
  await t.rejects(access.signIn.recover({ email: EMAIL, code, password: `${next} again` }, FROM), {
    code: /^invalid_login$/,
  });
});

t.test("a hash of another cost is renewed at the next sign-in", async (t) => {
  const { access, account, login, database } = await owned(t);
  const { Passwords } = await import("../../src/features/access/password.ts");
  const old = await new Passwords({ ln: 9, r: 8, p: 1 }).hash(GOOD_PASSWORD);
  await database.write(() => access.accounts.setPassword(account.id, old));
  await login();
  t.match(access.accounts.get(account.id).passwordHash, /^\$scrypt\$ln=10,r=8,p=1\$/);
  await login();
});
