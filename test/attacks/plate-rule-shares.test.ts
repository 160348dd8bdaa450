/**
 * A gatekeeper who fills the lists of plates: others still add, rules that have ended give room, and when the gatekeeper
 * falls, all of it is dead at once while the gate goes on working.
 */
import t, { type Test } from "tap";
import { PlateRuleTable } from "../../src/features/gate/tables/plate-rule.ts";
import { startConsoleHub } from "../support/console-hub.ts";
import { passesOf } from "../support/played-pass.ts";

t.setTimeout(180_000);
const PASSWORD = "a quiet sentence about rain";
const plate = (n: number, series = "AB"): string => `MH12${series}${String(1_000 + n)}`;

async function household(t: Test) {
  const home = await startConsoleHub(t);
  const { hub, call } = home;
  const { access, gate } = hub;
  const householdId = access.accounts.owner()?.id ?? 0;
  const siteId = access.accounts.household()?.id ?? 0;
  const by = { accountId: householdId, actor: "cli" };
  const keeper = async (name: string, role: "gatekeeper" | "owner" = "gatekeeper") => {
    const { code } = await access.persons.invite(householdId, { name, role }, by);
    const from = { address: "192.168.1.20", userAgent: "phone" };
    const email = `${name.toLowerCase()}@example.org`;
    const { account } = await access.persons.join({ code, name, email, password: PASSWORD }, from);
    const { id } = await hub.base.database.write(() => access.sessions.open(account.id, from));
    return { id: account.id, actor: `session:${id}` };
  };
  /** Straight into the lists, as an import does it; answers how many were added, and why another was not. */
  const fills = async (actor: string, series: readonly string[], more: object = {}) => {
    const rules = series.flatMap((letters) =>
      Array.from({ length: 1_000 }, (_, n) => ({ plate: plate(n, letters), ...more })),
    );
    const { added, refused } = await gate.rules.import(siteId, rules, actor);
    return { added: added.length, why: refused[0]?.problem.words };
  };
  return { ...home, hub, call, householdId, siteId, by, keeper, fills };
}

t.test("nobody who keeps the gate takes the room of all", async (t) => {
  const { hub, keeper, fills, siteId } = await household(t);
  const [first, second] = [await keeper("Ravi"), await keeper("Asha")];
  const all = ["AA", "AB", "AC", "AD", "AE", "AF"];
  t.match(await fills(first.actor, all), { added: 2_500, why: { code: "refusal.most.plateRulesOwn", limit: 2_500 } });
  t.match(await fills(second.actor, ["BA", "BB"]), { added: 1_250, why: { code: "refusal.most.plateRulesOwn" } });
  const owner = await keeper("Meena", "owner");
  await hub.gate.rules.create(siteId, { plate: "MH14XY0001" }, owner.actor); // an owner adds as before
  t.match(await fills("cli", ["CA", "CB"]), { added: 1_249, why: { code: "refusal.most.plateRules", limit: 5_000 } });
  const rules = hub.gate.rules.list(siteId).slice(0, 100);
  const ended = { validFrom: 1_000, validTo: 2_000 };
  for (const { id } of rules) await hub.gate.rules.edit(siteId, id, ended, "cli");
  t.match(await fills("cli", ["DA"]), { added: 100 }, "what has ended gives room");
});

t.test("what has ended is shared, too, and comes back only where there is room", async (t) => {
  const { hub, keeper, fills, siteId } = await household(t);
  const { rules } = hub.gate;
  const ended = { validFrom: 1_000, validTo: 2_000 };
  const [first, second] = [await keeper("Ravi"), await keeper("Asha")];
  const letters = ["A", "B", "C", "D", "E", "F"];
  const series = (row: string) => letters.map((letter) => `${row}${letter}`);
  t.match(await fills(first.actor, series("A"), ended), { added: 5_000, why: { code: "refusal.most.plateRulesOwn" } });
  t.match(await fills(second.actor, series("B"), ended), { added: 2_500, why: { code: "refusal.most.plateRulesOwn" } });
  const owner = await keeper("Meena", "owner");
  await rules.create(siteId, { plate: "MH14XY0001" }, owner.actor); // an owner finds room
  const revived: string[] = [];
  for (const { id, plate: one } of rules
    .list(siteId)
    .filter((rule) => rule.plate.startsWith("MH12A"))
    .slice(0, 2)) {
    const edit = rules.edit(siteId, id, { validTo: null }, first.actor);
    revived.push(
      await edit.then(
        () => one,
        ({ words }: { words: { code: string } }) => words.code,
      ),
    );
  }
  t.same(revived.slice(1), ["refusal.most.plateRulesOwn"], "who has 5,000 that have ended brings one back");
});

t.test("ended ones are as many at most", async (t) => {
  const { fills } = await household(t);
  const ended = { validFrom: 1_000, validTo: 2_000 };
  const all = ["AA", "AB", "AC", "AD", "AE", "AF", "AG", "AH", "AJ", "AK", "AL"];
  t.match(await fills("cli", all, ended), { added: 10_000, why: { code: "refusal.most.plateRulesEnded" } });
});

t.test("guests' passes", async (t) => {
  const { hub, keeper, siteId } = await household(t);
  const { actor } = await keeper("Ravi");
  const input = {
    ...{ label: "Guest", plate: null, deviceId: null, validFrom: null, windows: [] },
    ...{ validTo: hub.base.clock.now() + 3_600_000, guestMayTellPlate: true },
  };
  const gives = (by: string) =>
    hub.gate.passes.create(siteId, input, by).then(
      () => "given",
      ({ words }: { words: { code: string } }) => words.code,
    );
  for (let n = 0; n < 100; n++) t.equal(await gives(actor), "given");
  t.equal(await gives(actor), "refusal.most.passesOwn");
  t.equal(await gives("cli"), "given");
});

t.test("with the gatekeeper all their rules end at once, and are switched off some at a time", async (t) => {
  const { hub, call, keeper, fills, siteId, householdId, by } = await household(t);
  const { gate } = hub;
  await call("POST", "/api/devices", { id: "camera", name: "Entry", type: "camera" });
  await call("POST", "/api/devices", { id: "gate", name: "Gate", type: "gate" });
  await call("PATCH", "/api/cameras/camera", { gate: { deviceId: "gate", command: { open: true } }, direction: "in" });
  const { id, actor } = await keeper("Ravi");
  const validTo = Date.now() + 3_600_000;
  t.match(await fills(actor, ["AA", "AB"], { validTo }), { added: 2_000 });
  const decided: string[] = [];
  const stop = hub.base.bus.on(
    "read.decided",
    "test",
    ({ plate: seen, decision }) => void decided.push(`${seen} ${decision}`),
  );
  t.teardown(stop);
  const on = () => gate.rules.list(siteId).filter(({ enabled }) => enabled).length;
  const { settled } = await hub.access.persons.setRole(householdId, id, "member", by);
  t.same(settled.ended, { plate_rule: 2_000 });
  const left = on();
  t.ok(left > 0, `${left} are still to be switched off`);
  const asked = { siteId, plate: plate(999, "AB"), at: hub.base.clock.certain() };
  t.match(
    gate.rules.list(siteId).find((rule) => rule.plate === asked.plate),
    { enabled: true },
  );
  t.match(new PlateRuleTable(hub.base).deciding(asked), [{ enabled: 0 }], "but none lets anybody in");
  // who takes one over answers for it
  const kept = gate.rules.list(siteId).find(({ plate: one }) => one === plate(998, "AB"))?.id ?? 0;
  await gate.rules.edit(siteId, kept, { validTo: null }, "cli");
  await passesOf(hub, "camera", [plate(999, "AB")], { direction: "in" });
  t.same(decided, [`${plate(999, "AB")} unknown`], "the gate goes on working");
  for (let tries = 0; tries < 600 && on() > 1; tries++) await new Promise((resolve) => setTimeout(resolve, 50));
  t.same(
    gate.rules
      .list(siteId)
      .filter(({ enabled }) => enabled)
      .map((rule) => rule.id),
    [kept],
  );
});
