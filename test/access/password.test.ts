import t from "tap";
import { PASSWORD_COST, Passwords } from "../../src/features/access/password.ts";
import { CHEAP_COST } from "../support/cheap-cost.ts";

t.test("a hash is a PHC string with its own salt that only its password matches", async (t) => {
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

t.test(
  "the cost in use is one cited in src/features/access/password.ts; hashes of another cost are outdated",
  async (t) => {
    t.same(PASSWORD_COST, { ln: 14, r: 8, p: 5 });
    const hash = await new Passwords().hash("x");
    t.same(await new Passwords(CHEAP_COST).verify("x", hash), { ok: true, outdated: true });
  },
);

t.test("with eight checks waiting, more are refused instead of queued", async (t) => {
  const passwords = new Passwords(CHEAP_COST);
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, () => passwords.hash("x")));
  t.equal(outcomes.filter((outcome) => outcome.status === "fulfilled").length, 8);
  t.hasStrict(
    outcomes.find((outcome) => outcome.status === "rejected"),
    { reason: { code: "unavailable" } },
  );
  await passwords.hash("x");
});

t.test("callers take turns, and the one with the most waiting gives way", async (t) => {
  const passwords = new Passwords(CHEAP_COST);
  const order: string[] = [];
  const asked = (name: string, known = false) =>
    passwords.verify("x", null, { name, known }).then(
      () => order.push(name),
      () => order.push(`${name} refused`),
    );
  const crowd = Array.from({ length: 10 }, () => asked("flood"));
  await Promise.all([...crowd, asked("neighbour"), asked("owner", true)]);
  t.equal(order.filter((name) => name === "flood refused").length, 2, "eight of one caller");
  const served = order.filter((name) => !name.endsWith("refused"));
  t.same(served.slice(0, 3), ["flood", "owner", "flood"], "known callers come next");
  t.ok(served.indexOf("neighbour") <= 3, "no caller waits behind a whole flood");

  const many = Array.from({ length: 40 }, (_, at) => asked(`stranger-${at % 4}`));
  order.length = 0;
  await Promise.all([...many, asked("late")]);
  t.ok(order.includes("late"), "there is room for a caller with nothing waiting");
});
