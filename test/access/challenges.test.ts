import t from "tap";
import { Challenges } from "../../src/features/access/challenges.ts";
import { DeviceCookies, deviceCookie, type KnownAccount } from "../../src/features/access/device-cookie.ts";
import { FakeClock } from "../support/fake-clock.ts";

t.test("a challenge works for its purpose, for five minutes, once", async (t) => {
  const clock = new FakeClock();
  const challenges = new Challenges(clock);
  const issued = (purpose = "sign in"): string => challenges.issue(purpose).toString("base64url");
  const one = issued();
  t.not(one, issued());
  t.equal(challenges.isOpen(one, "sign in"), true);
  t.equal(challenges.isOpen(one, "add"), false);
  t.equal(new Challenges(clock).isOpen(one, "sign in"), false, "another process");
  const bytes = Buffer.from(one, "base64url");
  for (const place of [0, 15, 16, 23, 24, bytes.length - 1]) {
    const other = Buffer.from(bytes);
    other.writeUInt8((other.readUInt8(place) + 1) % 256, place);
    t.equal(challenges.isOpen(other.toString("base64url"), "sign in"), false, `byte ${place} changed`);
  }
  for (const wrong of ["", "AAAA", one.slice(0, -2), `${one}AA`, `${one}=`, ` ${one}`])
    t.equal(challenges.isOpen(wrong, "sign in"), false, wrong.slice(0, 4));
  t.equal(challenges.spend(one), true);
  t.equal(challenges.spend(one), false);
  t.equal(challenges.isOpen(one, "sign in"), false);
  const second = issued();
  clock.advance(5 * 60_000 - 1);
  t.equal(challenges.isOpen(second, "sign in"), true);
  t.equal(challenges.spend(one), false, "still remembered");
  clock.advance(1);
  t.equal(challenges.isOpen(second, "sign in"), false);
});

t.test("10,000 answered challenges are remembered; after that none is accepted until some expire", async (t) => {
  const clock = new FakeClock();
  const challenges = new Challenges(clock);
  for (let n = 0; n < 9_999; n++) challenges.spend(`c${n}`);
  t.equal(challenges.spend("last"), true);
  t.equal(challenges.spend("one more"), false);
  clock.advance(5 * 60_000 - 1);
  t.equal(challenges.spend("one more"), false);
  clock.advance(1);
  t.equal(challenges.spend("one more"), true);
});

t.test("a device cookie is recognized for its own account only", async (t) => {
  const SEVEN = { id: 7, uid: "seven", generation: 0 };
  const EIGHT = { id: 8, uid: "eight", generation: 0 };
  const derived = { derive: () => Buffer.alloc(32, 1) };
  const cookies = new DeviceCookies(derived);
  const token = cookies.issue(SEVEN);
  const id = token.split(".")[1] ?? "";
  t.match(token, /^7\.[0-9A-Za-z]{22}\.[\w-]{43}$/);
  const match = (header: string | null, account: KnownAccount | null = SEVEN) => cookies.match(header, account);
  t.equal(match(`gatehouse_device=${token}`), id);
  t.equal(match(`__Host-gatehouse_device=${token}`), id);
  t.equal(match(`a=b; gatehouse_device=wrong; gatehouse_device=${token}`), id, "whatever other cookies are sent");
  t.equal(match(`other=${token}`), null);
  t.equal(match(null), null);
  t.equal(match(""), null);
  t.equal(match(`gatehouse_device=${token}`, EIGHT), null);
  t.equal(match(`gatehouse_device=${token}`, null), null);
  t.equal(match(`gatehouse_device=8${token.slice(1)}`, EIGHT), null, "it cannot be moved to another account");
  t.equal(match(`gatehouse_device=7.${id}.`), null);
  t.equal(new DeviceCookies({ derive: () => Buffer.alloc(32, 2) }).match(`gatehouse_device=${token}`, SEVEN), null);
  t.equal(
    match(`gatehouse_device=${token}`, { ...SEVEN, uid: "other" }),
    null,
    "not for another account that has the same id",
  );
  t.equal(match(`gatehouse_device=${token}`, { ...SEVEN, generation: 1 }), null, "not after the password was changed");
  const year = "Path=/; Max-Age=34560000; HttpOnly; SameSite=Strict";
  t.equal(deviceCookie("x", false), `gatehouse_device=x; ${year}`);
  t.equal(deviceCookie("x", true), `__Host-gatehouse_device=x; ${year}; Secure`);
});
