import t from "tap";
import { PASSWORD_COST, Passwords } from "../../src/access/password.js";
import { CHEAP_COST } from "../support/access.js";

t.test("a hash is a PHC string with a salt of its own that only its password fits", async (t) => {
  const passwords = new Passwords(CHEAP_COST);
  const [first, second] = await Promise.all([passwords.hash("päss"), passwords.hash("päss")]);
  t.match(first, /^\$scrypt\$ln=10,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  t.not(first, second);
  t.same(await passwords.verify("päss", first), { ok: true, outdated: false });
  t.same(await passwords.verify("pa\u0308ss", first), { ok: true, outdated: false }, "typed on another keyboard");
  t.same(await passwords.verify("pass", first), { ok: false, outdated: false });
  for (const broken of ["", "$scrypt$", first.replace("scrypt", "argon2"), first.slice(0, -5)])
    t.same(await passwords.verify("päss", broken), { ok: false, outdated: false });
});

t.test("the cost in use is that of the design", async (t) => {
  t.same(PASSWORD_COST, { ln: 15, r: 8, p: 3 });
  const hash = await new Passwords().hash("x");
  t.same(await new Passwords(CHEAP_COST).verify("x", hash), { ok: true, outdated: true });
});

t.test("more than eight waiting checks are refused instead of queued", async (t) => {
  const passwords = new Passwords(CHEAP_COST);
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => passwords.hash("x")));
  t.equal(outcomes.filter((outcome) => outcome.status === "fulfilled").length, 8);
  t.match(
    outcomes.find((outcome) => outcome.status === "rejected"),
    { reason: { code: "unavailable" } },
  );
  await passwords.hash("x");
});
