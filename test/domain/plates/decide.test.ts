import t from "tap";
import { type DecidingRule, decide, listOf } from "../../../src/domain/plates/decide.js";
import { occupancyOf } from "../../../src/domain/plates/occupancy.js";
import { type OpenPass, passOf } from "../../../src/domain/plates/passes.js";

const rule = (id: number, kind: DecidingRule["kind"], more: Partial<DecidingRule> = {}): DecidingRule => ({
  id,
  kind,
  deviceId: null,
  validFrom: null,
  validTo: null,
  enabled: true,
  ...more,
});

t.test("deny wins, then allow, then watch, then unknown", async (t) => {
  const all = [rule(1, "watch"), rule(2, "allow"), rule(3, "deny", { deviceId: "cam" })];
  t.match(decide(all, "cam", 0), { decision: "deny", rule: { id: 3 }, watching: [{ id: 1 }] });
  t.match(decide(all, "other", 0), { decision: "allow", rule: { id: 2 } });
  t.match(decide(all.slice(0, 1), "cam", 0), { decision: "watch", rule: { id: 1 } });
  t.same(decide([], "cam", 0), { decision: "unknown", rule: null, watching: [] });
  t.match(decide([rule(1, "allow"), rule(2, "allow", { deviceId: "cam" })], "cam", 0), { rule: { id: 2 } }, "the hit counts on the rule made for this camera");
});

t.test("a rule holds from validFrom to just before validTo, while enabled", async (t) => {
  const visitor = rule(1, "allow", { validFrom: 100, validTo: 200 });
  t.same(
    [99, 100, 199, 200].map((at) => decide([visitor], "cam", at).decision),
    ["unknown", "allow", "allow", "unknown"],
  );
  t.equal(decide([rule(1, "deny", { enabled: false })], "cam", 0).decision, "unknown");
  t.equal(listOf([rule(1, "allow"), rule(2, "deny", { deviceId: "x" })], 0)?.kind, "deny");
  t.equal(listOf([visitor], 250), null);
});

t.test("a pass takes reads of its plate within the window, to both sides", async (t) => {
  const pass = (id: number, plate: string, at: number, lastAt = at, direction: OpenPass["direction"] = null): OpenPass => ({
    id,
    plate,
    at,
    lastAt,
    direction,
  });
  const own = [pass(1, "A", 10_000, 40_000)];
  const find = (at: number, nearby = own, direction: OpenPass["direction"] = null) => passOf({ plate: "A", direction, at }, nearby, 30_000)?.id ?? null;
  t.same(
    [-20_000, -20_001, 30_000, 70_000, 70_001].map((at) => find(at)),
    [1, null, 1, 1, null],
  );
  t.equal(find(60_000, [...own, pass(2, "B", 50_000)]), null, "another plate was between");
  t.equal(find(60_000, [...own, pass(2, "B", 65_000)]), 1, "another plate came after");
  t.equal(find(50_000, [pass(1, "A", 40_000, 40_000, "in")], "out"), null, "it turned round");
  t.equal(find(50_000, [pass(1, "A", 40_000, 40_000, "in")], "in"), 1);
  t.equal(find(50_000, [pass(1, "A", 30_000), pass(3, "A", 45_000)]), 3, "the nearer one");
});

t.test("occupancy", async (t) => {
  t.same(occupancyOf(3, null), { inside: 3, capacity: null, free: null, full: false, percent: null });
  t.same(occupancyOf(0, 0), { inside: 0, capacity: 0, free: 0, full: true, percent: 100 });
  t.same(occupancyOf(2, 3), { inside: 2, capacity: 3, free: 1, full: false, percent: 67 });
  t.same(occupancyOf(5, 4), { inside: 5, capacity: 4, free: 0, full: true, percent: 125 });
});
