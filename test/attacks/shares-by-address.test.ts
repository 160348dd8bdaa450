/** Addresses are free: shares by address hold against a host that has many, and earlier clients keep their places. */
import t from "tap";
import { shareOf } from "../../src/core/kernel/admission.ts";
import { mentionsPlate, platesIn } from "../../src/core/plates/mention.ts";
import { AppPairing } from "../../src/features/access/app-pairing.ts";
import { FakeClock } from "../support/fake-clock.ts";

t.test("the addresses of one 64-bit network are one share", async (t) => {
  const [one] = ["2001:db8:1:2::1", "2001:db8:1:2:ffff:1:2:3", "2001:0db8:0001:0002::"].map(shareOf);
  for (const same of ["2001:db8:1:2::1", "2001:db8:1:2:ffff:1:2:3", "2001:0db8:0001:0002::", "2001:DB8:1:2::9%eth0"])
    t.equal(shareOf(same), one, same);
  for (const other of ["2001:db8:1:3::1", "fe80::1", "::1"]) t.not(shareOf(other), one);
  t.equal(shareOf("192.168.1.7"), "192.168.1.7");
  t.equal(shareOf("unknown"), "unknown");
});

t.test("a host with many addresses does not push out a waiting app", async (t) => {
  const clock = new FakeClock();
  const pairing = new AppPairing({ clock, authenticator: { stands: () => true }, makeKey: async () => "" });
  const begin = (address: string) => pairing.begin({ name: "App", scopes: [], address });
  const own = begin("192.168.1.5");
  let taken = 0;
  for (let n = 0; n < 300; n++) {
    try {
      begin(`10.0.${n >> 8}.${n & 255}`);
      taken += 1;
    } catch (error) {
      t.hasStrict(error, { code: "rate_limited" });
    }
  }
  t.equal(taken, 199);
  await t.rejects(pairing.fetch(own.deviceCode), { code: /^authorization_pending$/ }, "it is still waiting");
  const crowd = new AppPairing({ clock, authenticator: { stands: () => true }, makeKey: async () => "" });
  for (let n = 0; n < 5; n++) crowd.begin({ name: "x", scopes: [], address: `2001:db8:1:2::${n}` });
  t.throws(() => crowd.begin({ name: "x", scopes: [], address: "2001:db8:1:2:3:4:5:6" }), { code: /^rate_limited$/ });
  for (let n = 0; n < 195; n++) crowd.begin({ name: "x", scopes: [], address: `10.1.${Math.floor(n / 5)}.1` });
  t.doesNotThrow(
    () => crowd.begin({ name: "x", scopes: [], address: "192.168.1.6" }),
    "the one with the most gives way",
  );
});

t.test("recognizes a plate in a text in any script, of any country", async (t) => {
  for (const text of [
    "MH12AB1234",
    "seen: ＭＨ１２ＡＢ１２３４",
    "МН 12 АВ 1234",
    "ΜΗ12ΑΒ1234",
    "MH\u200b12\u00adAB\u20601234",
    "mh १२ ab १२३४",
    "AB12 CDE",
    "ＡＢ１２ ＣＤＥ",
  ])
    t.ok(mentionsPlate(text), text);
  t.same(platesIn("ＭＨ１２ＡＢ１２３４").includes("MH12AB1234"), true);
  for (const text of ["Someone is at the door", "21.5 °C in the kitchen", "Light 3 is on", "Дверь открыта", "गेट खुला है"])
    t.notOk(mentionsPlate(text), text);
});
