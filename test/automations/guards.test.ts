import t from "tap";
import { CauseMemory } from "../../src/features/automations/causes.ts";
import { RateGuard } from "../../src/features/automations/rate-guard.ts";
import type { Rule, Trigger } from "../../src/features/automations/rules/rule.ts";
import { brief } from "../../src/features/automations/trigger-event.ts";
import { TriggerIndex } from "../../src/features/automations/trigger-index.ts";
import { FakeClock } from "../support/fake-clock.ts";

t.test("a rule may run so often within any minute, counted separately for each rule", async (t) => {
  const clock = new FakeClock();
  const guard = new RateGuard(clock, 3);
  t.same([guard.allows(1), guard.allows(1), guard.allows(2)], [true, true, true]);
  clock.advance(59_999);
  t.same([guard.allows(1), guard.allows(1)], [true, false], "the fourth within a minute");
  t.equal(guard.allows(1), true, "the count starts again");
  const later = new RateGuard(clock, 2);
  t.same([later.allows(1), later.allows(1)], [true, true]);
  clock.advance(60_000);
  t.same([later.allows(1), later.allows(1), later.allows(1)], [true, true, false], "a minute is over");
  const forgotten = new RateGuard(clock, 1);
  forgotten.allows(1);
  forgotten.forget(1);
  t.equal(forgotten.allows(1), true);
});

t.test("a device's reaction within five seconds of a rule's command is its effect", async (t) => {
  const clock = new FakeClock();
  const memory = new CauseMemory(clock);
  const causes = [{ automationId: 1, name: "One", runId: "run_1" }] as const;
  const state = ["power", "watts"];
  const isEffect = (changed: readonly string[] | null, device = "lamp"): boolean =>
    memory.of(device, changed, state).length > 0;
  memory.sent("lamp", ["power"], causes);
  t.equal(isEffect(["power"]), true);
  t.equal(isEffect(["watts"]), false, "another key than the command's");
  t.equal(isEffect(["watts", "power"]), true);
  t.equal(isEffect(null), true, "an event");
  t.equal(isEffect(["power"], "fan"), false);
  memory.sent("lamp", ["ch", "on"], causes);
  t.equal(isEffect(["watts"]), true, "a command in words that the state does not have");
  clock.advance(5_000);
  t.equal(isEffect(["watts"]), true);
  clock.advance(1);
  t.equal(isEffect(["watts"]), false);
  memory.sent("lamp", ["power"], causes);
  memory.sent("lamp", ["power"], []);
  t.equal(isEffect(["power"]), false, "the latest command wins");
  for (let n = 0; n < 2_000; n++) memory.sent(`device ${n}`, [], causes);
  t.equal(isEffect(null, "device 0"), true);
  memory.sent("device 0", [], causes);
  memory.sent("one more", [], causes);
  t.equal(isEffect(null, "device 1"), false, "2,000 commands are remembered, the oldest is forgotten first");
  t.equal(isEffect(null, "device 0"), true, "it was sent another meanwhile");
});

t.test("rules are found by their trigger, in the order of their ids", async (t) => {
  const index = new TriggerIndex();
  const rule = (id: number, trigger: Trigger) => ({ id, trigger }) as Rule;
  const state = (deviceId: string): Trigger => ({ type: "state", deviceId, field: "power", op: "truthy" });
  const rules = [
    rule(3, state("plug")),
    rule(1, state("plug")),
    rule(2, state("fan")),
    rule(4, { type: "device", deviceId: "plug", event: "online" }),
    rule(5, { type: "event", deviceId: "plug", kind: "button" }),
    rule(6, { type: "plate", deviceId: "camera" }),
    rule(7, { type: "time", at: "07:00" }),
  ];
  for (const one of rules) index.add(one);
  t.same(index.of("state", "plug"), [1, 3]);
  t.same(index.of("device", "plug"), [4]);
  t.same(index.of("event", "plug"), [5]);
  t.same(index.of("state"), []);
  t.same(index.of("plate"), [6], "by its type alone: a plate's device is a filter");
  t.same(index.of("time"), [7]);
  for (const one of rules.slice(0, 2)) index.remove(one);
  t.same(index.of("state", "plug"), []);
  t.same(index.of("state", "fan"), [2]);
  index.remove(rule(9, state("nobody")));
});

t.test("a value is kept whole while its text is short", async (t) => {
  const text = "x".repeat(198);
  t.equal(brief(text), text, "200 characters with its quotes");
  t.equal(brief(`${text}y`), `"${text}y…`);
  t.same(brief({ a: 1 }), { a: 1 });
  t.equal(brief(undefined), undefined);
});
