import t from "tap";
import type { Scope } from "../../src/core/api/scopes.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import type { Trace } from "../../src/features/automations/traces.ts";
import { commandTo, Household, whenOn } from "../support/automations.ts";
import { testFolder } from "../support/test-folder.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const changed = (deviceId = "plug"): JsonObject => ({ ...whenOn(deviceId), op: "changed" });
const sequence = (...actions: JsonObject[]): JsonObject => ({ type: "sequence", actions });
const delayed = (seconds: number, deviceId = "lamp"): JsonObject =>
  sequence({ type: "delay", seconds }, commandTo(deviceId));
const sent = (what: string) => ({ type: "command", what, result: "sent" });

/** The reasons in a rule's traces, newest first; runs are named in the order of appearance. */
async function tracesOf(home: Household, id: number): Promise<object[]> {
  await home.settle();
  const runs = new Map<string, string>();
  const named = (runId: string): string => {
    const name = runs.get(runId) ?? `run ${runs.size + 1}`;
    runs.set(runId, name);
    return name;
  };
  const traces: Trace[] = await home.automations.traces(home.siteId, id);
  return traces.map(({ at: _at, runId, causes, ...rest }) => ({
    ...rest,
    ...(runId === undefined ? {} : { runId: named(runId) }),
    ...(causes === undefined ? {} : { causes: causes.map((cause) => ({ ...cause, runId: named(cause.runId) })) }),
  }));
}
const ran = (id: number, trigger: JsonObject, steps: object[] = [sent("lamp")]) => ({
  outcome: "ran",
  trigger,
  runId: "run 1",
  causes: [{ automationId: id, name: "Rule", runId: "run 1" }],
  result: "ok",
  steps,
});

t.test("a trace describes its trigger in the trigger's own terms, and the result of each step", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-03-02T06:59:00Z" });
  home.place = { timeZone: "UTC", latitude: 0, longitude: 0 };
  const { siteId, bus, clock } = home;
  const only = async (trigger: JsonObject, act: (at: number) => void, fired: JsonObject): Promise<void> => {
    const id = await home.rule({ trigger });
    act(clock.now());
    t.same(await tracesOf(home, id), [ran(id, fired)], JSON.stringify(trigger));
    await home.automations.remove(siteId, id);
  };
  await only(changed(), () => home.state("plug", { power: "x".repeat(198) }), {
    type: "state",
    deviceId: "plug",
    field: "power",
    from: null,
    to: "x".repeat(198),
  });
  await only(changed(), () => home.state("plug", { power: "y".repeat(199) }), {
    type: "state",
    deviceId: "plug",
    field: "power",
    from: "x".repeat(198),
    to: `"${"y".repeat(199)}…`,
  });
  const presence = (online: boolean, announced: boolean) => (at: number) =>
    bus.announce("device.presence", { siteId, deviceId: "plug", online, announced, at } as never);
  await only(
    { type: "device", deviceId: "plug", event: "online" },
    (at) => {
      presence(true, false)(at);
      presence(false, true)(at);
      presence(true, true)(at);
    },
    { type: "device", deviceId: "plug", event: "online" },
  );
  await only({ type: "device", deviceId: "plug", event: "offline" }, presence(false, true), {
    type: "device",
    deviceId: "plug",
    event: "offline",
  });
  await only(
    { type: "event", deviceId: "plug", kind: "press" },
    (at) => {
      for (const kind of ["hold", "press"])
        bus.announce("device.event", { siteId, deviceId: "plug", kind, data: {}, at } as never);
    },
    { type: "event", deviceId: "plug", kind: "press" },
  );
  const read = { deviceId: "camera", plate: "AB1", decision: "allow", direction: "in", readId: 7 };
  await only(
    { type: "plate", decision: "allow" },
    (at) => {
      bus.announce("read.decided", { siteId, ...read, firstOfPass: false, at } as never);
      bus.announce("read.decided", { siteId, ...read, firstOfPass: true, at } as never);
    },
    { type: "plate", ...read },
  );
  await only(
    { type: "occupancy", op: "gt", value: 1 },
    (at) => {
      bus.announce("occupancy.changed", { siteId, previous: 0, inside: 1, at } as never);
      bus.announce("occupancy.changed", { siteId, previous: 1, inside: 2, at } as never);
    },
    { type: "occupancy", from: 1, to: 2 },
  );
  await only({ type: "interval", everySeconds: 10 }, () => clock.advance(10 * SECOND), {
    type: "interval",
    everySeconds: 10,
  });
  await only({ type: "time", at: "07:00" }, () => clock.advance(MINUTE), {
    type: "time",
    at: "07:00",
    scheduledFor: "2026-03-02T07:00:00.000Z",
  });
  const id = await home.rule({ trigger: { type: "plate" } });
  await home.automations.runNow(siteId, id, "user:1");
  t.same(await tracesOf(home, id), [ran(id, { type: "manual", actor: "user:1" })]);
  bus.announce("read.decided", { siteId: home.otherSiteId, ...read, firstOfPass: true, at: 0 } as never);
  t.equal((await tracesOf(home, id)).length, 1, "another household's");
  await home.close();
});

t.test("a trace shows why a rule did not run, with the deciding part, and how a waiting run continues", async (t) => {
  const home = await Household.open(testFolder(t));
  const { clock } = home;
  const fired = (from: unknown, to: unknown) => ({ type: "state", deviceId: "plug", field: "power", from, to });
  const condition = { type: "state", deviceId: "fan", field: "level", op: "gt", value: 3 };
  const judged = await home.rule({
    trigger: changed(),
    conditions: [{ type: "not", condition: { type: "occupancy", op: "gt", value: 5 } }, condition],
  });
  const resting = await home.rule({ trigger: changed(), cooldownSeconds: 10 });
  const single = await home.rule({ trigger: changed(), action: delayed(4) });
  const restart = await home.rule({ trigger: changed(), action: delayed(4), mode: "restart" });
  const held = await home.rule({ trigger: { ...whenOn("plug"), forSeconds: 60 } });
  home.state("fan", { level: 3 });
  home.state("plug", { power: 1 });
  await home.settle();
  clock.advance(3 * SECOND);
  home.state("plug", { power: 0 });
  await home.settle();
  t.same(await tracesOf(home, judged), [
    { outcome: "not_run", trigger: fired(1, 0), reason: "condition", decidedBy: condition, saw: 3 },
    { outcome: "not_run", trigger: fired(null, 1), reason: "condition", decidedBy: condition, saw: 3 },
  ]);
  t.same(await tracesOf(home, resting), [
    { outcome: "not_run", trigger: fired(1, 0), reason: "cooldown" },
    ran(resting, fired(null, 1)),
  ]);
  const waiting = (id: number, run: string, trigger: object) => ({
    outcome: "waiting",
    trigger,
    runId: run,
    causes: [{ automationId: id, name: "Rule", runId: run }],
    steps: [{ type: "delay", what: "4", result: "waited" }],
  });
  t.same(await tracesOf(home, single), [
    { outcome: "not_run", trigger: fired(1, 0), reason: "busy" },
    waiting(single, "run 1", fired(null, 1)),
  ]);
  t.same(await tracesOf(home, restart), [
    waiting(restart, "run 1", fired(1, 0)),
    { ...waiting(restart, "run 2", fired(null, 1)), outcome: "stopped", reason: "restarted" },
    waiting(restart, "run 2", fired(null, 1)),
  ]);
  t.same(await tracesOf(home, held), [{ outcome: "not_run", trigger: fired(null, 1), reason: "hold_ended", saw: 0 }]);
  clock.advance(SECOND);
  await home.settle();
  const done = [{ type: "delay", what: "4", result: "waited" }, sent("lamp")];
  t.same((await tracesOf(home, single))[0], ran(single, fired(null, 1), done));
  clock.advance(6 * SECOND - 1);
  home.state("plug", { power: 2 });
  t.hasStrict((await tracesOf(home, resting))[0], { reason: "cooldown" }, "a millisecond before its end");
  clock.advance(1);
  home.state("plug", { power: 3 });
  t.hasStrict((await tracesOf(home, resting))[0], { outcome: "ran" });
  t.equal(home.automations.get(home.siteId, resting).lastTriggeredAt, new Date(clock.now()).toISOString());
  home.clock.jump(-MINUTE);
  home.state("plug", { power: 4 });
  t.hasStrict(
    (await tracesOf(home, resting))[0],
    { outcome: "ran" },
    "a run recorded under a wrong clock does not count",
  );
  await home.close();
});

t.test("queued triggers are traced when they come and when they run", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: changed(), action: delayed(4), mode: "queued" });
  t.same(
    [1, 2].map(() => home.automations.runNow(home.siteId, id, "user:1").started),
    [true, false],
  );
  t.same(home.automations.runNow(home.siteId, id, "user:2"), { started: false, reason: "queued" });
  await home.settle();
  home.clock.advance(4 * SECOND);
  await home.settle();
  home.clock.advance(4 * SECOND);
  await home.settle();
  const seen = (await tracesOf(home, id)) as { outcome: string; runId?: string; trigger: JsonObject }[];
  t.same(seen.map(({ outcome, runId, trigger }) => [outcome, runId, trigger.actor]).reverse(), [
    ["waiting", undefined, "user:1"],
    ["waiting", undefined, "user:2"],
    ["waiting", "run 3", "user:1"],
    ["waiting", "run 1", "user:1"],
    ["ran", "run 3", "user:1"],
    ["waiting", "run 2", "user:2"],
    ["ran", "run 1", "user:1"],
  ]);
  const busy = await home.rule({ trigger: changed(), action: delayed(9) });
  home.automations.runNow(home.siteId, busy, "user:1");
  const error = await Promise.resolve()
    .then(() => home.automations.runNow(home.siteId, busy, "user:1"))
    .catch((problem: Problem) => problem);
  t.hasStrict(error, { code: "conflict", words: { code: "conflict.runWaiting" } });
  await home.close();
});

t.test("the line that a rule ran quotes no message that it had for chosen persons", async (t) => {
  const home = await Household.open(testFolder(t));
  const tell = { type: "notify", title: "Ravi has left", body: "", to: ["owners"] };
  await home.rule({ name: "Tell", trigger: changed("lock"), action: sequence(tell, commandTo("lamp")) });
  home.state("lock", { power: 1 });
  await home.settle();
  const fired = home.feed.filter(({ kind }) => kind !== "automation.notify");
  t.match(JSON.stringify(fired), /step\.aMessage/);
  t.notMatch(JSON.stringify(fired), /Ravi has left/);
  await home.close();
});

t.test("the feed names up to five actions of a run, or the first that failed, once a minute each", async (t) => {
  const home = await Household.open(testFolder(t));
  const many = sequence(
    commandTo("lamp"),
    { type: "scene", sceneId: 1 },
    { type: "notify", title: "Hello", body: "there" },
    { type: "delay", seconds: 0 },
    commandTo("fan"),
    commandTo("plug"),
    commandTo("gate"),
  );
  const id = await home.rule({ name: "Many", trigger: changed("lock"), action: many });
  const items = () =>
    home.feed.flatMap(({ kind, siteId, deviceId, at, aboutVehicles, ...rest }) =>
      "text" in rest ? [{ kind, siteId, deviceId, at, aboutVehicles, text: rest.text }] : [],
    );
  home.state("lock", { power: 1 });
  await home.settle();
  home.clock.advance(0);
  await home.settle();
  const about = { siteId: home.siteId, deviceId: null, aboutVehicles: false };
  const fired = {
    ...about,
    kind: "automation.fired",
    at: home.clock.now(),
    text: {
      code: "automation.fired",
      name: "Many",
      n: 6,
      steps: [
        { code: "step.command", device: "lamp" },
        { code: "step.scene", scene: "Evening" },
        { code: "step.message", title: "Hello" },
        { code: "step.command", device: "fan" },
        { code: "step.command", device: "plug" },
      ],
      more: 1,
    },
  };
  t.same(items(), [fired]);
  t.match(
    home.feed.find(({ kind }) => kind === "automation.notify"),
    { ...about, title: "Hello", body: "there" },
  );
  t.same(home.lan, [{ title: "Hello", body: "there" }]);
  home.clock.advance(MINUTE - 1);
  home.state("lock", { power: 2 });
  await home.settle();
  home.clock.advance(0);
  await home.settle();
  t.equal(items().length, 1, "within the minute");
  home.refusals.set("plug", new Problem("unsupported_command", "The plug cannot do that."));
  home.refusals.set("gate", new Error("x"));
  home.clock.advance(1);
  home.state("lock", { power: 3 });
  await home.settle();
  home.clock.advance(0);
  await home.settle();
  t.same(items().slice(1), [
    {
      ...about,
      kind: "automation.failed",
      at: home.clock.now(),
      text: { code: "automation.failed", name: "Many", what: "plug", why: "The plug cannot do that." },
    },
  ]);
  home.refusals.clear();
  home.state("lock", { power: 4 });
  await home.settle();
  home.clock.advance(0);
  await home.settle();
  t.equal(items().at(-1)?.kind, "automation.fired", "a minute after the first");
  t.match(home.automations.get(home.siteId, id), { lastResult: "ok" });
  await home.close();
});

t.test("at each step a run may do what its author may do; a new author ends what waits", async (t) => {
  const home = await Household.open(testFolder(t));
  const scopes: readonly Scope[] = ["devices:read", "devices:control", "scenes:run"];
  const keyId = home.key(scopes);
  const body = {
    name: "Rule",
    trigger: changed(),
    action: sequence(
      { type: "delay", seconds: 5 },
      commandTo("lamp"),
      { type: "scene", sceneId: 1 },
      { type: "notify", title: "x", body: "" },
    ),
  };
  const { id } = await home.automations.create(home.siteId, body, { keyId, actor: `api_key:${keyId}`, scopes });
  t.same(home.automations.get(home.siteId, id).author, { keyId, name: `key ${keyId}`, mayRun: true });
  home.state("plug", { power: 1 });
  await home.settle();
  home.keys.set(keyId, ["devices:read", "scenes:run"]);
  home.clock.advance(5 * SECOND);
  await home.settle();
  const notAllowed = { result: "failed", words: { code: "step.notAllowed" } };
  t.match((await tracesOf(home, id))[0], {
    outcome: /^ran$/,
    result: /^failed$/,
    steps: [
      { type: /^delay$/, what: "5", result: /^waited$/ },
      { type: /^command$/, what: "lamp", ...notAllowed },
      { type: /^scene$/, what: "Evening", result: /^sent$/ },
      { type: /^notify$/, what: "x", result: /^sent$/ },
    ],
  });
  t.equal(home.automations.get(home.siteId, id).author?.mayRun, false);
  home.state("plug", { power: 2 });
  t.hasStrict((await tracesOf(home, id))[0], { outcome: "not_run", reason: "author" });
  const error = await Promise.resolve()
    .then(() => home.automations.runNow(home.siteId, id, "user:1"))
    .catch((problem: Problem) => problem);
  t.hasStrict(error, { code: "conflict", words: { code: "conflict.authorMayNot" } });
  home.keys.set(keyId, scopes);
  home.state("plug", { power: 3 });
  await home.settle();
  await home.automations.edit(home.siteId, id, { cooldownSeconds: 1 });
  t.hasStrict((await tracesOf(home, id))[0], { outcome: "stopped", reason: "author" });
  t.equal(home.automations.get(home.siteId, id).author, null);
  home.clock.advance(5 * SECOND);
  await home.settle();
  t.equal(home.commands.length, 0);
  await home.close();
});

for (const [lateMs, outcome, late] of [
  [5_000, "ran", undefined],
  [5_001, "ran", 5],
  [900_000, "ran", 900],
  [900_001, "not_run", 900],
] as const)
  t.test(`a schedule that is ${lateMs} ms late`, async (t) => {
    const home = await Household.open(testFolder(t), { startAt: "2026-03-02T06:59:00Z", extra: { settleMs: 0 } });
    const id = await home.rule({
      trigger: { type: "time", at: "07:00" },
      action: sequence(commandTo("lamp"), commandTo("gate")),
    });
    await home.powerCut(MINUTE + lateMs);
    home.clock.advance(0);
    await home.settle();
    const trigger = {
      type: "time",
      at: "07:00",
      scheduledFor: "2026-03-02T07:00:00.000Z",
      ...(late === undefined ? {} : { lateSeconds: late }),
    };
    const [trace] = await tracesOf(home, id);
    const isLate = lateMs > 5_000;
    t.hasStrict(trace, { outcome, trigger });
    t.same((trace as { trigger: object }).trigger, trigger);
    t.same(
      home.commands.map(({ deviceId }) => deviceId),
      outcome === "not_run" ? [] : isLate ? ["lamp"] : ["lamp", "gate"],
    );
    if (outcome === "not_run") t.hasStrict(trace, { reason: "missed" });
    else if (isLate)
      t.hasStrict(trace, {
        result: "failed",
        steps: [sent("lamp"), { result: "skipped_late", words: { code: "step.tooLate" } }],
      });
    await home.close();
  });

for (const [lateMs, outcome] of [
  [5_000, "both"],
  [5_001, "late"],
  [900_000, "late"],
  [900_001, "missed"],
] as const)
  t.test(`a hold time that ended ${lateMs} ms ago`, async (t) => {
    const home = await Household.open(testFolder(t), { extra: { settleMs: 0 } });
    const id = await home.rule({
      trigger: { ...whenOn("plug"), forSeconds: 60 },
      action: sequence(commandTo("lamp"), commandTo("gate")),
    });
    home.state("plug", { power: true });
    await home.powerCut(MINUTE + lateMs);
    home.clock.advance(0);
    await home.settle();
    const names = home.commands.map(({ deviceId }) => deviceId);
    t.same(names, outcome === "both" ? ["lamp", "gate"] : outcome === "late" ? ["lamp"] : []);
    const fired = { type: "state", deviceId: "plug", field: "power", from: null, to: true };
    const [trace] = await tracesOf(home, id);
    if (outcome === "missed") t.same(trace, { outcome: "not_run", reason: "missed", trigger: fired });
    else t.hasStrict(trace, { outcome: "ran", trigger: fired, result: outcome === "both" ? "ok" : "failed" });
    await home.close();
  });
