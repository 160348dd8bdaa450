import t from "tap";
import { GOOD_PASSWORD, openAccess } from "../support/access.ts";

const FROM = { address: "192.168.1.9", userAgent: "Firefox" };

t.test("the claim code creates the first account with both households, and is void afterwards", async (t) => {
  const { access } = await openAccess(t);
  const code = access.claim.code() ?? "";
  t.match(code, /^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/);
  t.equal(access.claim.code(), code, "the code stays the same until the hub is claimed");
  t.notOk(access.claim.claimed);
  const request = {
    code: code.toLowerCase().replace("-", " "),
    email: "o@example.org",
    name: "Olga",
    password: GOOD_PASSWORD,
  };
  const opened = await access.claim.claim(request, FROM);
  t.equal(access.sessions.match(`gatehouse_session=${opened.token}`).kind, "active");
  t.same(
    access.accounts.sites().map((site) => [site.env, site.name, site.timeZone]),
    [
      ["live", "Home", "Asia/Kolkata"],
      ["test", "Home (test)", "Asia/Kolkata"],
    ],
  );
  t.ok(access.claim.claimed);
  t.equal(access.claim.code(), null);
  await t.rejects(access.claim.claim(request, FROM), { code: /^conflict$/ });
});

t.test("of two simultaneous claims one succeeds", async (t) => {
  const { access } = await openAccess(t);
  const code = access.claim.code() ?? "";
  const claim = (email: string) => access.claim.claim({ code, email, name: "X", password: GOOD_PASSWORD }, FROM);
  const outcomes = await Promise.allSettled([claim("a@example.org"), claim("b@example.org")]);
  t.same(outcomes.map((outcome) => outcome.status).sort(), ["fulfilled", "rejected"]);
  t.equal(access.accounts.sites().length, 2);
});

t.test("a wrong code, a public address and a weak password are refused", async (t) => {
  const { access } = await openAccess(t);
  const good = { code: access.claim.code() ?? "", email: "o@example.org", name: "Olga", password: GOOD_PASSWORD };
  await t.rejects(access.claim.claim({ ...good, code: "AAAAA-AAAAA" }, FROM), {
    code: /^invalid_code$/,
    details: [{ field: /^\/code$/ }],
  });
  await t.rejects(access.claim.claim(good, { ...FROM, address: "203.0.113.7" }), { code: /^forbidden$/ });
  await t.rejects(access.claim.claim({ ...good, password: "tooshort" }, FROM), {
    code: /^weak_password$/,
    details: [{ field: /^\/password$/ }],
  });
  t.notOk(access.claim.claimed);
});

t.test("after ten tries in ten minutes the address has to wait", async (t) => {
  const { access, clock } = await openAccess(t);
  const good = { code: access.claim.code() ?? "", email: "o@example.org", name: "Olga", password: GOOD_PASSWORD };
  for (let i = 0; i < 10; i++)
    await t.rejects(access.claim.claim({ ...good, code: "AAAAA-AAAAA" }, FROM), { code: /^invalid_code$/ });
  await t.rejects(access.claim.claim(good, FROM), { code: /^rate_limited$/, headers: { "Retry-After": "60" } });
  clock.advance(60_000);
  await access.claim.claim(good, FROM);
});

t.test("the answer waits for what is made with the claim, but not for ever", async (t) => {
  for (const isMade of [true, false]) {
    const { access, clock } = await openAccess(t);
    const made = Promise.withResolvers<void>();
    let isOwned = false;
    access.claim.waitFor(() => {
      isOwned = access.claim.claimed;
      return made.promise;
    });
    const request = { code: access.claim.code() ?? "", email: "o@example.org", name: "Olga", password: GOOD_PASSWORD };
    let isAnswered = false;
    const answer = access.claim.claim(request, FROM).then(() => {
      isAnswered = true;
    });
    while (!isOwned) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
    t.notOk(isAnswered);
    if (isMade) made.resolve();
    else clock.advance(60_000);
    await answer;
  }
});
