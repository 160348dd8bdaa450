/** Rules, their timers, traces and documents at the edges of every limit. */
import t from "tap";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { tellsOfVehicles } from "../../src/features/automations/rights.ts";
import { AutomationTimerTable } from "../../src/features/automations/tables/automation-timer.ts";
import { type DueTimer, Timers } from "../../src/features/automations/timers.ts";
import { type Trace, Traces } from "../../src/features/automations/traces.ts";
import { copyName, rulesOf, within } from "../../src/features/automations/transfer.ts";
import { commandTo, Household, whenOn } from "../support/automations.ts";
import { testFolder } from "../support/test-folder.ts";

const DAY = 86_400_000;

function refusal(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [error.code, error.message, error.details.map(({ field, code }) => `${field} ${code}`)];
  }
}

t.test("an immediate action is never late: a gate gets it, whatever triggered the rule", async (t) => {
  const home = await Household.open(testFolder(t));
  const { siteId, bus, clock } = home;
  const at = clock.now();
  const pass = {
    siteId,
    readId: 1,
    deviceId: "cam",
    plate: "KA01AB1234",
    decision: "allow" as const,
    direction: "in" as const,
  };
  const acts: [JsonObject, () => void][] = [
    [whenOn("plug"), () => home.state("plug", { power: true })],
    [
      { type: "device", deviceId: "plug", event: "offline" },
      () => bus.announce("device.presence", { siteId, deviceId: "plug", online: false, announced: true, at } as never),
    ],
    [
      { type: "event", deviceId: "plug", kind: "button" },
      () => bus.announce("device.event", { siteId, deviceId: "plug", kind: "button", title: "", body: "", at }),
    ],
    [
      { type: "plate" },
      () => bus.announce("read.decided", { ...pass, status: "recognised", at, firstOfPass: true } as never),
    ],
    [
      { type: "occupancy", op: "gt", value: 0 },
      () => bus.announce("occupancy.changed", { siteId, inside: 1, previous: 0, at }),
    ],
    [{ type: "interval", everySeconds: 60 }, () => clock.advance(60_000)],
  ];
  for (const [trigger, act] of acts) {
    const id = await home.rule({ trigger, action: commandTo("gate", { open: true }) });
    home.commands.length = 0;
    act();
    await home.settle();
    t.same(
      home.commands.map(({ deviceId, actor, source, command }) => [deviceId, actor, source, command]),
      [["gate", `automation:${id}`, "automation", '{"open":true}']],
      JSON.stringify(trigger),
    );
    const [trace] = await home.automations.traces(siteId, id);
    t.same([trace?.outcome, trace?.result], ["ran", "ok"]);
    await home.automations.remove(siteId, id);
  }
  await home.close();
});

t.test("the reactions of a scene's devices are effects of the rule that activated it", async (t) => {
  const home = await Household.open(testFolder(t));
  const scene = { type: "scene", sceneId: 1 };
  const first = await home.rule({ trigger: { ...whenOn("lamp"), op: "changed" }, action: scene });
  const other = await home.rule({ trigger: { ...whenOn("fan"), op: "changed" }, action: scene });
  home.state("lamp", { power: true });
  await home.settle();
  t.same(home.scenes, [1]);
  home.state("lamp", { power: false });
  home.state("fan", { power: false });
  t.same(await home.story(first), ["loop", "ran"]);
  t.same(await home.story(other), ["ran"], "a device that is not in it is free");
  home.clock.advance(5_001);
  home.state("lamp", { power: true });
  t.same((await home.story(first))[0], "ran");
  await home.close();
});

t.test("a document of rules is accepted with up to 500 of them, and its errors are named", async (t) => {
  const document = (automations: unknown, more: object = {}) => ({
    format: "gatehouse-automations",
    version: 1,
    automations,
    ...more,
  });
  const many = (count: number) => Array.from({ length: count }, (_, n) => n);
  t.same(rulesOf(document(many(500))), many(500));
  t.same(rulesOf(document([])), []);
  for (const [what, field] of [
    [document(many(501)), "/automations"],
    [document({}), "/automations"],
    [document([], { version: 2 }), "/version"],
    [document([], { format: "gatehouse" }), "/format"],
    ["gatehouse-automations", "/format"],
    [null, "/format"],
  ] as const) {
    const found = refusal(() => rulesOf(what)) as unknown[];
    t.same([found[0], found[2]], ["invalid_body", [`${field} invalid`]]);
  }
  t.equal(copyName("x".repeat(113)), `${"x".repeat(113)} (copy)`);
  t.equal(copyName(`${"😀".repeat(113)}yz`), `${"😀".repeat(113)} (copy)`);
  const inner = () => {
    throw new Problem("invalid_body", "No.", { details: [{ field: "/name", code: "empty", message: "No." }] });
  };
  t.same(
    refusal(() => within("/automations/3", inner)),
    ["invalid_body", "/automations/3: No.", ["/automations/3/name empty"]],
  );
  t.equal(
    within("/x", () => 5),
    5,
  );
});

t.test("a rule concerns vehicles by what it watches, its name and the texts that it sends", async (t) => {
  const rule = (more: object) =>
    ({ name: "Light", trigger: whenOn("plug"), conditions: [], action: commandTo("lamp"), ...more }) as never;
  const notify = (title: string, body: string) => ({ type: "notify", title, body });
  const inSequence = (...actions: object[]) => ({ action: { type: "sequence", actions } });
  for (const [more, tells] of [
    [{}, false],
    [{ trigger: { type: "plate" } }, true],
    [{ name: "KA 01 AB 1234" }, true],
    [{ action: notify("At home", "KA01AB1234 is here") }, true],
    [inSequence(commandTo("lamp"), notify("KA01AB1234", "is here")), true],
    [inSequence(notify("At home", "somebody is here")), false],
    [inSequence(commandTo("lamp", { text: "KA01AB1234" })), false],
  ] as const)
    t.equal(tellsOfVehicles(rule(more)), tells, JSON.stringify(more));
});

/** A household whose rules are stopped: its clock, its database and two rules' ids. */
async function stopped(t: { testdir: () => string; teardown: (end: () => unknown) => void }) {
  const home = await Household.open(testFolder(t));
  const rule = await home.rule({ trigger: whenOn("plug") });
  await home.automations.stop();
  t.teardown(() => home.database.stop());
  return { home, rule, database: home.database, clock: home.clock };
}

t.test("fifty traces of a rule are kept, each whole up to 4 KiB and truncated beyond", async (t) => {
  const { rule, database, clock } = await stopped(t);
  const traces = new Traces({ database, clock, logger: silentLogger });
  traces.start();
  const trace = (at: number, more: Partial<Trace> = {}): Trace => ({
    at,
    outcome: "ran",
    trigger: { type: "time" },
    ...more,
  });
  const times = async () => (await traces.list(rule)).map(({ at }) => at);
  const newest = (count: number, last: number) => Array.from({ length: count }, (_, n) => last - n);
  for (let at = 1; at <= 50; at++) traces.add(rule, trace(at));
  t.same(await times(), newest(50, 50));
  traces.add(rule, trace(51));
  t.same(await times(), newest(50, 51));
  for (let at = 100; at <= 150; at++) traces.add(rule, trace(at));
  t.same(await times(), newest(50, 150), "more than fifty at once");
  t.same((await traces.list(rule, 2)).length, 2);

  const last = async (one: Trace): Promise<Trace | undefined> => {
    traces.add(rule, one);
    return (await traces.list(rule, 1))[0];
  };
  const padded = (length: number) => {
    const bare = JSON.stringify(trace(200, { trigger: { type: "state", to: "" } })).length;
    return trace(200, { trigger: { type: "state", to: "x".repeat(length - bare) } });
  };
  t.same(await last(padded(4_096)), padded(4_096));
  t.same(await last(padded(4_097)), {
    ...trace(200, { trigger: { type: "state", to: `"${"x".repeat(199)}…` } }),
    shortened: true,
    steps: [],
  });
  const steps = (count: number, what: number, error: number) =>
    Array.from({ length: count }, () => ({
      type: "command" as const,
      what: "w".repeat(what),
      result: "failed" as const,
      error: "e".repeat(error),
    }));
  t.same(await last(trace(300, { steps: steps(15, 200, 300), saw: "s".repeat(300) })), {
    ...trace(300, { saw: `"${"s".repeat(199)}…` }),
    shortened: true,
    steps: steps(7, 80, 120),
  });
  const many = await last(trace(400, { result: "failed", steps: steps(40, 200, 300) }));
  t.same(many, { ...trace(400, { result: "failed" }), shortened: true, steps: steps(8, 80, 120) }, "eight by eight");
  const wide = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`key ${n}`, "x".repeat(300)]));
  t.same(
    await last(trace(500, { outcome: "not_run", reason: "busy", trigger: { type: "state", ...wide } })),
    { at: 500, outcome: "not_run", trigger: { type: "state" }, reason: "busy", shortened: true },
    "the minimum that is still useful",
  );
  await traces.stop();
  t.equal(clock.pending, 0);
});

t.test("timers: new ones beside existing ones, and only changed rows are written", async (t) => {
  const { home, rule, database, clock } = await stopped(t);
  const due: DueTimer[] = [];
  const start = () => {
    const timers = new Timers({ database, clock, trust: home.trust, logger: silentLogger }, (timer) => due.push(timer));
    timers.load();
    timers.arm(0);
    return timers;
  };
  const rows = async () => {
    await database.write(() => {});
    return new AutomationTimerTable(database).all();
  };
  const first = start();
  const schedule = first.at(clock.now() + 5_000, { automationId: rule, kind: "schedule", payload: "a" });
  await rows();
  first.stop();
  await rows();
  const timers = start();
  const begun = clock.now();
  const interval = timers.after(60_000, { automationId: rule, kind: "interval", payload: "i" });
  t.same(
    (await rows()).map(({ id, kind }) => [id, kind]),
    [
      [schedule, "schedule"],
      [interval, "interval"],
    ],
  );
  timers.reset(schedule, begun + 5_000, "a");
  clock.advance(1_000);
  timers.reset(schedule, begun + 5_000, "a");
  t.equal((await rows())[0]?.savedAt, begun, "nothing has changed");
  timers.reset(schedule, begun + 5_000, "b");
  t.same(
    (await rows()).slice(0, 1).map(({ savedAt, payload }) => [savedAt, payload]),
    [[begun + 1_000, "b"]],
    "another payload",
  );
  clock.advance(1_000);
  timers.reset(schedule, begun + 6_000, "b");
  t.same(
    (await rows()).slice(0, 1).map(({ savedAt, dueAt }) => [savedAt, dueAt]),
    [[begun + 2_000, begun + 6_000]],
    "another time",
  );
  clock.advance(4_000);
  t.same(due, [{ id: schedule, automationId: rule, kind: "schedule", payload: "b", dueAt: begun + 6_000, lateMs: 0 }]);
  timers.again(interval, 7_000);
  timers.remove(schedule);
  t.equal(timers.nextTurn(rule), begun + 13_000);
  await rows(); // the commit waits by the same clock
  const before = clock.pending;
  timers.at(clock.now() + 1_000 * DAY, { automationId: rule, kind: "schedule", payload: "" });
  t.equal(clock.pending, before + 1, "a thousand days ahead are accepted");
  timers.at(clock.now() + 1_000 * DAY + 1, { automationId: rule, kind: "schedule", payload: "" });
  t.equal(clock.pending, before + 1, "nothing beyond");
  timers.stop();
  t.equal(clock.pending, 0);
});

t.test(
  "putting a rule creates it once, leaves an equal one alone, and replaces a different one as a whole",
  async (t) => {
    const home = await Household.open(testFolder(t));
    const { siteId, automations } = home;
    const body = { name: "Night", trigger: whenOn("plug"), action: commandTo("lamp") };
    await automations.create(siteId, body); // the shapes are ready then
    const put = (id: number | null, what: JsonObject) => home.database.write(() => automations.put(siteId, id, what));
    const { id, changed } = await put(null, body);
    t.equal(changed, true);
    t.same(await put(id, body), { id, changed: false });
    t.same(await put(id, { ...body, name: "Day" }), { id, changed: true });
    t.same(await put(id, { ...body, name: "Day", cooldownSeconds: 0 }), { id, changed: false }, "with its defaults");
    const { name, action } = automations.get(siteId, id);
    t.same([name, action, automations.list(siteId).length], ["Day", commandTo("lamp"), 2]);
    await home.close();
  },
);

t.test("a failed step names the reason: the hub's own by code, others' verbatim", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: whenOn("plug"), action: commandTo("gate") });
  const turn = async () => {
    home.state("plug", { power: false });
    home.state("plug", { power: true });
    await home.settle();
    const [trace] = await home.automations.traces(home.siteId, id);
    return [trace?.result, trace?.steps] as const;
  };
  const failed = { type: "command", what: "gate", result: "failed" };
  home.refusals.set("gate", new Problem("unavailable", "no radio"));
  t.same(await turn(), ["failed", [{ ...failed, error: "no radio" }]]);
  const words = { code: "step.tooLate" } as const;
  home.refusals.set("gate", new Problem("unavailable", words));
  const [, steps] = await turn();
  t.same(
    steps?.map((step) => step.words),
    [words],
  );
  home.refusals.clear();
  t.same(await turn(), ["ok", [{ type: "command", what: "gate", result: "sent" }]]);
  await home.close();
});
