import t, { type Test } from "tap";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { AutomationTimerTable } from "../../src/features/automations/tables/automation-timer.ts";
import { type DueTimer, Timers } from "../../src/features/automations/timers.ts";
import { commandTo, Household, whenOn } from "../support/automations.ts";
import { testFolder } from "../support/test-folder.ts";

const DAY = 86_400_000;

/** Timers beside a rule that starts none itself. */
async function timersIn(t: Test) {
  const home = await Household.open(testFolder(t));
  const rule = await home.rule({ trigger: whenOn("plug") });
  const other = await home.rule({ trigger: whenOn("plug") });
  await home.automations.stop();
  t.teardown(() => home.database.stop());
  const { database, clock, trust } = home;
  const due: DueTimer[] = [];
  const build = () => new Timers({ database, clock, trust, logger: silentLogger }, (timer) => due.push(timer));
  const restarted = (settleMs = 10_000) => {
    const timers = build();
    timers.load();
    timers.arm(settleMs);
    return timers;
  };
  const rows = async () => {
    await database.write(() => {});
    return new AutomationTimerTable(database).all();
  };
  return { home, rule, other, clock, trust, due, restarted, rows };
}

t.test("a relative timer counts elapsed time, a schedule the wall clock", async (t) => {
  const { rule, clock, due, restarted, rows } = await timersIn(t);
  const timers = restarted();
  const begun = clock.now();
  const delay = timers.after(60_000, { automationId: rule, kind: "delay", payload: "d" });
  const schedule = timers.at(begun + 60_000, { automationId: rule, kind: "schedule", payload: "s" });
  timers.at(begun, { automationId: rule, kind: "queued", payload: "q" });
  t.hasStrict(await rows(), [
    { id: delay, automationId: rule, kind: "delay", dueAt: begun + 60_000, startedAt: begun, remainingMs: 60_000 },
    { id: schedule, kind: "schedule", dueAt: begun + 60_000, remainingMs: 0, wallTrusted: true },
    { kind: "queued", payload: "q" },
  ]);
  clock.jump(-30_000);
  clock.advance(59_999);
  t.same(due, []);
  clock.advance(1);
  t.hasStrict(due, [{ id: delay, kind: "delay", payload: "d", lateMs: 0 }]);
  t.equal(due.length, 1, "queued triggers are never due by themselves");
  t.same(
    timers.of(rule).map(({ kind }) => kind),
    ["schedule", "queued"],
    "a schedule is set again by its owner",
  );
  clock.advance(29_999);
  t.equal(due.length, 1, "the wall clock was set back");
  clock.advance(1);
  t.hasStrict(due[1], { id: schedule, kind: "schedule", lateMs: 0 });
  timers.reset(schedule, clock.now() + 5_000, "again");
  clock.advance(5_000);
  t.hasStrict(due[2], { id: schedule, payload: "again" });
  t.hasStrict(await rows(), [{ id: schedule, dueAt: clock.now(), payload: "again" }, {}]);
  timers.stop();
  t.equal(clock.pending, 0);
});

t.test("after a restart the wall clock gives the remainder; overdue timers wait for the hub to settle", async (t) => {
  const { rule, clock, due, restarted, home } = await timersIn(t);
  const first = restarted();
  first.after(60_000, { automationId: rule, kind: "delay", payload: "soon" });
  first.after(10_000, { automationId: rule, kind: "hold", payload: "overdue" });
  first.after(10_000, { automationId: rule, kind: "interval", payload: "turn" });
  clock.advance(5_000);
  first.stop();
  await home.database.write(() => {});
  clock.jump(20_000); // the hub is off
  const timers = restarted(10_000);
  clock.advance(0);
  t.match(due, [{ payload: "turn", lateMs: 15_000 }], "an interval at once");
  clock.advance(9_999);
  t.equal(due.length, 1);
  clock.advance(1);
  t.match(due[1], { payload: "overdue", lateMs: 25_000 });
  clock.advance(24_999);
  t.equal(due.length, 2);
  clock.advance(1);
  t.match(due[2], { payload: "soon", lateMs: 0 });
  t.same(
    timers.of(rule).map(({ kind }) => kind),
    ["interval"],
    "an interval keeps its row",
  );
  timers.again(timers.of(rule)[0]?.id ?? 0, 1_000);
  clock.advance(1_000);
  t.match(due[3], { payload: "turn", lateMs: 0 });
  timers.again(999, 1_000);
  timers.reset(999, 0, "");
  timers.remove(999);
  timers.stop();
});

t.test("while the time is not known the saved remainder counts, until the clock is trusted", async (t) => {
  const { rule, clock, trust, due, restarted, home } = await timersIn(t);
  const first = restarted();
  first.after(60_000, { automationId: rule, kind: "delay", payload: "d" });
  first.at(clock.now() + 5_000, { automationId: rule, kind: "schedule", payload: "s" });
  clock.advance(10_000);
  due.length = 0;
  first.stop();
  await home.database.write(() => {});
  trust.become("unknown");
  clock.jump(-DAY); // a clock without a battery
  const blind = restarted();
  clock.advance(49_999);
  t.same(due, []);
  clock.advance(1);
  t.match(due, [{ payload: "d", lateMs: null }], "fifty seconds were left; the delay is unknown");
  blind.stop();
  const again = restarted();
  again.after(60_000, { automationId: rule, kind: "delay", payload: "made blind" });
  clock.advance(1_000);
  again.stop();
  await home.database.write(() => {});
  due.length = 0;
  clock.jump(3 * DAY);
  trust.become("trusted");
  const last = restarted();
  clock.advance(58_999);
  t.notOk(
    due.some(({ payload }) => payload === "made blind"),
    "its own wall time was never right",
  );
  clock.advance(1);
  t.ok(due.some(({ payload, lateMs }) => payload === "made blind" && lateMs === null));
  last.stop();
});

t.test("once the clock is trusted again, a timer uses its original wall time", async (t) => {
  const { rule, clock, trust, due, restarted, home, rows } = await timersIn(t);
  const first = restarted();
  first.after(3_600_000, { automationId: rule, kind: "delay", payload: "d" });
  first.stop();
  await home.database.write(() => {});
  const wall = clock.now();
  clock.jump(-DAY);
  trust.become("unknown");
  const timers = restarted();
  const other = timers.after(2_000_000, { automationId: rule, kind: "delay", payload: "o" });
  clock.advance(600_000);
  const saved = { savedAt: clock.now(), startedAt: wall, automationId: rule, kind: "delay", payload: "d" };
  const [kept, late] = await rows();
  t.match(
    kept,
    { ...saved, dueAt: wall + 3_600_000, remainingMs: 3_000_000, wallTrusted: true },
    "the right time stays",
  );
  t.hasStrict(late, { id: other, dueAt: clock.now() + 1_400_000, remainingMs: 1_400_000, wallTrusted: false });
  clock.jump(wall + 3_600_000 - 5_000 - clock.now()); // an hour was lost while it was off
  trust.become("trusted");
  const [right, now] = await rows();
  t.match(right, { dueAt: wall + 3_600_000, remainingMs: 5_000, wallTrusted: true, savedAt: clock.now() });
  t.hasStrict(now, { id: other, dueAt: clock.now() + 1_400_000, remainingMs: 1_400_000, wallTrusted: true });
  clock.advance(4_999);
  t.same(due, []);
  clock.advance(1);
  t.match(due, [{ payload: "d", lateMs: 0 }]);
  timers.stop();
});

t.test("timers are removed with their rule, by kind or all, and others stay", async (t) => {
  const { rule, other, clock, due, restarted, rows } = await timersIn(t);
  const timers = restarted();
  const make = (automationId: number, kind: "delay" | "hold") =>
    timers.after(1_000, { automationId, kind, payload: kind });
  make(rule, "delay");
  make(rule, "hold");
  make(other, "delay");
  timers.removeOf(rule, ["hold"]);
  t.same(
    timers.of(rule).map(({ kind }) => kind),
    ["delay"],
  );
  t.equal((await rows()).length, 2);
  timers.forget(rule);
  timers.forget(999);
  t.same(timers.of(rule), []);
  t.equal((await rows()).length, 2, "rows are removed with the rule");
  clock.advance(1_000);
  t.same(
    due.map(({ automationId }) => automationId),
    [other],
  );
  t.same(timers.of(999), []);
  timers.stop();
});

t.test("a rule's next turn is the nearest time that triggers it", async (t) => {
  const { rule, clock, restarted } = await timersIn(t);
  const timers = restarted();
  t.equal(timers.nextTurn(rule), null);
  timers.after(10, { automationId: rule, kind: "delay", payload: "" });
  timers.at(Number.POSITIVE_INFINITY, { automationId: rule, kind: "schedule", payload: "" });
  t.equal(timers.nextTurn(rule), null, "neither a delay nor an unknown time");
  timers.at(clock.now() + 2 * DAY, { automationId: rule, kind: "schedule", payload: "" });
  t.equal(timers.nextTurn(rule), clock.now() + 2 * DAY);
  timers.after(DAY, { automationId: rule, kind: "interval", payload: "" });
  t.equal(timers.nextTurn(rule), clock.now() + DAY);
  timers.stop();
  t.equal(clock.pending, 0);
});

t.test("the remaining wait is saved every ten minutes", async (t) => {
  const { rule, clock, restarted, rows } = await timersIn(t);
  const timers = restarted();
  timers.after(DAY, { automationId: rule, kind: "delay", payload: "" });
  clock.advance(599_999);
  t.equal((await rows())[0]?.remainingMs, DAY);
  clock.advance(1);
  t.match((await rows())[0], { remainingMs: DAY - 600_000, savedAt: clock.now() });
  timers.stop();
});

t.test("after a stop of the engine nothing runs any more, whatever was waiting", async (t) => {
  const home = await Household.open(testFolder(t));
  const waits = { type: "sequence", actions: [commandTo("lamp"), { type: "delay", seconds: 60 }, commandTo("fan")] };
  await home.rule({ trigger: whenOn("plug"), action: waits, mode: "queued" });
  await home.rule({ trigger: { ...whenOn("plug"), forSeconds: 30 } });
  await home.rule({ trigger: { type: "interval", everySeconds: 5 } });
  await home.rule({ trigger: { type: "time", at: "07:00" } });
  home.state("plug", { power: true });
  home.state("plug", { power: false });
  home.state("plug", { power: true });
  await home.settle();
  t.ok(home.clock.pending > 0);
  await home.automations.stop();
  t.equal(home.clock.pending, 0);
  const { length } = home.commands;
  home.clock.advance(DAY);
  home.state("plug", { power: false });
  home.state("plug", { power: true });
  await home.settle();
  t.equal(home.commands.length, length);
  await home.close();
});
