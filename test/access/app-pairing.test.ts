import t from "tap";
import type { Caller } from "../../src/core/api/caller.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { AppPairing } from "../../src/features/access/app-pairing.ts";
import { FakeClock } from "../support/fake-clock.ts";

const OWNER: Caller = {
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
const MEMBER: Caller = { ...OWNER, accountId: 2, role: "member", scopes: ["devices:read"], actor: "session:2" };

function codeOf(action: () => unknown): string {
  try {
    action();
    return "";
  } catch (error) {
    return error instanceof Problem ? error.code : String(error);
  }
}

function begin() {
  const clock = new FakeClock();
  const made: { by: number; name: string; scopes: readonly string[] }[] = [];
  const standing = new Set([1, 2]);
  const pairing = new AppPairing({
    clock,
    authenticator: { stands: ({ accountId }) => standing.has(accountId) },
    makeKey: async ({ accountId }, { name, scopes }) => {
      made.push({ by: accountId, name, scopes });
      return `gth_live_${made.length}`;
    },
  });
  const ask = (address = "192.168.1.9") =>
    pairing.begin({ name: "Panel", scopes: ["devices:read", "devices:control"], address });
  return { clock, made, standing, pairing, ask };
}

t.test("an app requests a key, waits, is approved and fetches the key once", async (t) => {
  const { clock, made, pairing, ask } = begin();
  const { deviceCode, userCode, expiresIn, interval } = ask();
  t.match(userCode, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  t.match({ deviceCode, expiresIn, interval }, { deviceCode: /^[\w-]{43}$/, expiresIn: 600, interval: 2 });
  await t.rejects(pairing.fetch(deviceCode), { code: /^authorization_pending$/ });
  await t.rejects(pairing.fetch(deviceCode), { code: /^slow_down$/, fields: { interval: 7 } });
  clock.advance(2_000);
  await t.rejects(pairing.fetch(deviceCode), { code: /^slow_down$/ }, "the interval has grown");
  t.hasStrict(pairing.look(userCode.toLowerCase().replace("-", " "), OWNER), { name: "Panel", address: "192.168.1.9" });
  pairing.approve(userCode, OWNER, { name: "Kitchen panel", scopes: ["devices:read"] });
  t.same(made, [], "no key until the app comes for it");
  t.throws(() => pairing.look(userCode, OWNER), { code: /^invalid_code$/ }, "a request cannot be approved twice");
  clock.advance(20_000);
  t.same(await pairing.fetch(deviceCode), { secret: "gth_live_1", scopes: ["devices:read"] });
  clock.advance(60_000);
  await t.rejects(pairing.fetch(deviceCode), { code: /^expired_token$/ });
  t.same(made, [{ by: 1, name: "Kitchen panel", scopes: ["devices:read"] }]);
});

t.test(
  "an approver grants no more than they have or was requested, and nothing once they lose the right",
  async (t) => {
    const { clock, made, standing, pairing, ask } = begin();
    const { deviceCode, userCode } = ask();
    t.throws(() => pairing.approve(userCode, MEMBER, { name: "x", scopes: ["devices:read", "devices:control"] }), {
      code: /^insufficient_scope$/,
    });
    t.throws(
      () => pairing.approve(userCode, { ...OWNER, scopes: ["plates:read"] }, { name: "x", scopes: ["plates:read"] }),
      { code: /^insufficient_scope$/ },
    );
    pairing.approve(userCode, MEMBER, { name: "x", scopes: ["devices:read"] });
    standing.delete(2);
    await t.rejects(pairing.fetch(deviceCode), { code: /^access_denied$/ });
    const refused = ask();
    pairing.deny(refused.userCode, OWNER);
    await t.rejects(pairing.fetch(refused.deviceCode), { code: /^access_denied$/ });
    const late = ask();
    pairing.approve(late.userCode, OWNER, { name: "x", scopes: ["devices:read"] });
    clock.advance(600_000);
    await t.rejects(pairing.fetch(late.deviceCode), { code: /^expired_token$/ }, "approved but never fetched");
    t.same(made, []);
    t.equal(pairing.waiting, 0);
  },
);

t.test("10,000 pending apps: five per address, 200 in all; the address with the most gives way", async (t) => {
  const { clock, pairing, ask } = begin();
  const honest = ask("192.168.1.50");
  for (let n = 0; n < 5_000; n++) {
    if (n < 5) ask();
    else if (codeOf(ask) !== "rate_limited") t.fail(`${n} of one address`);
  }
  t.equal(pairing.waiting, 6);
  // When all places are taken, newcomers with as many places as anyone else are refused: earlier requests stay.
  for (let n = 0; n < 5_000; n++) codeOf(() => ask(`192.168.7.${n % 100}`));
  t.equal(pairing.waiting, 200);
  t.equal(
    pairing.look(honest.userCode, OWNER).address,
    "192.168.1.50",
    "the one app of another address waits as before",
  );
  clock.advance(600_000);
  ask();
  t.equal(pairing.waiting, 1, "finished requests are forgotten");
});

t.test("codes cannot be guessed: ten tries per person in ten minutes, not counting correct ones", async (t) => {
  const { clock, pairing, ask } = begin();
  const { userCode } = ask();
  for (let n = 0; n < 30; n++) pairing.look(userCode, OWNER);
  for (let n = 0; n < 10; n++)
    t.throws(() => pairing.look(`BBBB-BBB${"BCDFGHJKLM"[n]}`, MEMBER), { code: /^invalid_code$/ });
  t.throws(() => pairing.look(userCode, MEMBER), { code: /^rate_limited$/ }, "even the right code reveals nothing now");
  t.equal(pairing.look(userCode, OWNER).name, "Panel", "other people are not blocked");
  clock.advance(60_000);
  t.equal(pairing.look(userCode, MEMBER).name, "Panel");
});
