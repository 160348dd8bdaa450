import t from "tap";
import type { Scope } from "../../src/core/api/scopes.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { commandTo, Household, whenOn } from "../support/automations.ts";
import { testFolder } from "../support/test-folder.ts";

async function problemOf(task: Promise<unknown>): Promise<Problem> {
  try {
    await task;
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error("no problem at all");
}

t.test("a rule in the contract's shapes is returned as written, with every default", async (t) => {
  const home = await Household.open(testFolder(t));
  const body = {
    name: "  Morning ",
    enabled: true,
    trigger: { type: "time", at: "07:00", days: [1, 2, 3, 4, 5] },
    action: commandTo("lamp"),
  };
  const rule = await home.automations.create(home.siteId, body);
  const at = new Date(home.clock.now()).toISOString();
  const whole = {
    id: rule.id,
    name: "Morning",
    enabled: true,
    trigger: body.trigger,
    conditions: [],
    action: body.action,
    mode: "single",
    cooldownSeconds: 0,
    lastTriggeredAt: null,
    lastResult: null,
    createdAt: at,
    updatedAt: at,
    author: null,
  };
  t.same(rule, whole);
  t.same(home.automations.list(home.siteId), [whole]);
  t.same(home.automations.list(home.otherSiteId), []);
  await home.powerCut(0);
  t.same(home.automations.get(home.siteId, rule.id), whole, "from disk too");
  await home.close();
});

t.test("a patch replaces top-level members and is checked as a whole", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: whenOn("plug"), cooldownSeconds: 5 });
  home.clock.advance(1_000);
  const off = await home.automations.edit(home.siteId, id, { enabled: false });
  t.match(off, { enabled: false, cooldownSeconds: 5, updatedAt: new Date(home.clock.now()).toISOString() });
  const other = await home.automations.edit(home.siteId, id, { trigger: { type: "sun", event: "sunrise" } });
  t.same(other.trigger, { type: "sun", event: "sunrise" }, "not merged into the old trigger");
  for (const patch of [
    {},
    [],
    null,
    "x",
    { id: 3 },
    { enabled: "yes" },
    { trigger: { type: "state", deviceId: "plug" } },
  ])
    t.equal(
      (await problemOf(home.automations.edit(home.siteId, id, patch))).code,
      "invalid_body",
      JSON.stringify(patch),
    );
  t.same(home.automations.get(home.siteId, id), other, "a refused patch changes nothing");
  await home.close();
});

t.test("two simultaneous patches both count", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: whenOn("plug") });
  await Promise.all([
    home.automations.edit(home.siteId, id, { name: "New" }),
    home.automations.edit(home.siteId, id, { cooldownSeconds: 9 }),
  ]);
  t.hasStrict(home.automations.get(home.siteId, id), { name: "New", cooldownSeconds: 9 });
  await home.close();
});

t.test("a rule whose device was removed can be switched off and renamed, but not switched on", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: whenOn("plug") });
  home.devices.delete("plug");
  t.equal((await home.automations.edit(home.siteId, id, { enabled: false, name: "Old" })).enabled, false);
  t.equal((await problemOf(home.automations.edit(home.siteId, id, { enabled: true }))).code, "device_not_owned");
  await home.close();
});

t.test("rules of another site, and deleted rules, are not found", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: whenOn("plug") });
  const { automations, otherSiteId, siteId } = home;
  const attempts = [
    () => automations.edit(otherSiteId, id, { enabled: false }),
    () => automations.remove(otherSiteId, id),
    () => automations.traces(otherSiteId, id),
    () => automations.duplicate(otherSiteId, id),
    async () => automations.get(otherSiteId, id),
    async () => automations.runNow(otherSiteId, id, "session:1"),
    async () => automations.dryRun(otherSiteId, id),
    () => automations.edit(siteId, 999, {}),
  ];
  for (const attempt of attempts) t.equal((await problemOf(attempt())).code, "automation_not_found");
  await automations.remove(siteId, id);
  t.equal((await problemOf(automations.remove(siteId, id))).code, "automation_not_found");
  t.same(automations.list(siteId), []);
  const next = await home.rule({ trigger: whenOn("plug") });
  t.ok(next > id, "an id is not reused");
  await home.close();
});

t.test("a site holds a bounded number of rules", async (t) => {
  const home = await Household.open(testFolder(t), { extra: { maxRules: 2 } });
  await Promise.all([home.rule({ trigger: whenOn("plug") }), home.rule({ trigger: whenOn("plug") })]);
  t.equal((await problemOf(home.rule({ trigger: whenOn("plug") }))).code, "limit_reached");
  await home.close();
});

t.test("export and import carry rules over, all or none, and imported ones are off", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({
    name: "Night",
    trigger: whenOn("plug"),
    conditions: [{ type: "sun", is: "down" }],
    mode: "queued",
  });
  const copy = await home.automations.duplicate(home.siteId, id);
  t.hasStrict(copy, { name: "Night (copy)", enabled: false, mode: "queued" });
  const document = JSON.parse(JSON.stringify(home.automations.exportRules(home.siteId)));
  const added = await home.automations.importRules(home.siteId, document);
  t.same(
    added.map(({ name, conditions }) => ({ name, conditions })),
    [
      { name: "Night", conditions: [{ type: "sun", is: "down" }] },
      { name: "Night (copy)", conditions: [{ type: "sun", is: "down" }] },
    ],
  );
  document.automations[1].trigger = { type: "time", at: "7:00" };
  const problem = await problemOf(home.automations.importRules(home.siteId, document));
  t.equal(problem.code, "invalid_body");
  t.equal(problem.details[0]?.field, "/automations/1/trigger/at");
  t.equal(home.automations.list(home.siteId).length, 4);
  for (const wrong of [
    null,
    {},
    { format: "gatehouse-automations", version: 2 },
    { format: "gatehouse-automations", version: 1, automations: 1 },
  ])
    t.equal((await problemOf(home.automations.importRules(home.siteId, wrong))).code, "invalid_body");
  await home.close();
});

t.test("a dry run shows what would happen and with which values, and sends nothing", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-03-02T06:00:00Z" });
  const id = await home.rule({
    trigger: { type: "state", deviceId: "plug", field: "watts", op: "gt", value: 5 },
    conditions: [
      { type: "time", from: "22:00", to: "06:00" },
      { type: "state", deviceId: "plug", field: "watts", op: "lt", value: 50 },
    ],
    action: { type: "sequence", actions: [commandTo("lamp"), { type: "delay", seconds: 5 }] },
  });
  const sample = { type: "state", deviceId: "plug", previous: { watts: 1 }, state: { watts: 10 } } as const;
  t.match(home.automations.dryRun(home.siteId, id, { sample }), {
    triggers: true,
    conditionsHold: false,
    wouldRun: false,
    conditions: [
      { holds: false, saw: "2026-03-02 06:00" },
      { holds: true, saw: 10 },
    ],
  });
  t.hasStrict(home.automations.dryRun(home.siteId, id, { sample, at: Date.parse("2026-03-02T23:00:00Z") }), {
    wouldRun: true,
    steps: [{ step: { type: "command" } }, { step: { type: "delay" } }],
  });
  t.match(home.automations.dryRun(home.siteId, id, { sample: { ...sample, previous: { watts: 9 } } }), {
    triggers: false,
    wouldRun: false,
  });
  const timed = await home.rule({ trigger: { type: "time", at: "07:00", days: [1] } });
  t.same(home.automations.dryRun(home.siteId, timed).nextRuns.slice(0, 2), [
    "2026-03-02T07:00:00.000Z",
    "2026-03-09T07:00:00.000Z",
  ]);
  await home.settle();
  t.same(home.commands, []);
  t.same(await home.automations.traces(home.siteId, id), []);
  await home.close();
});

t.test("a draft sees its own site's devices and no others", async (t) => {
  const home = await Household.open(testFolder(t));
  home.device("stranger", "lock", home.otherSiteId);
  home.state("stranger", { power: true });
  const on = { type: "state", deviceId: "stranger", field: "power", op: "truthy" };
  const look = (siteId: number) => home.automations.preview(siteId, { trigger: on, conditions: [on] });
  t.match(await look(home.siteId), {
    holds: false,
    saw: "the device is gone",
    trigger: { holds: false, saw: "the device is gone" },
  });
  t.match(await look(home.otherSiteId), { holds: true, saw: true, trigger: { holds: true } });
  const offline = { type: "device", deviceId: "stranger", event: "offline" };
  t.match(await home.automations.preview(home.siteId, { trigger: offline }), { trigger: { holds: null, saw: null } });
  home.trust.become("unknown");
  const noon = { type: "time", at: "12:00" };
  t.match(await home.automations.preview(home.siteId, { trigger: noon, conditions: [{ type: "sun", is: "up" }] }), {
    now: null,
    holds: false,
    saw: "the site has no coordinates",
    trigger: { next: null },
  });
  t.same(home.commands, []);
  await home.close();
});

t.test("run now runs a rule that is off, past its conditions, and its mode holds", async (t) => {
  const home = await Household.open(testFolder(t));
  const action = { type: "sequence", actions: [commandTo("lamp"), { type: "delay", seconds: 60 }] };
  const id = await home.rule({
    enabled: false,
    trigger: { type: "time", at: "03:00" },
    conditions: [{ type: "any", conditions: [] }],
    action,
  });
  t.match(home.automations.runNow(home.siteId, id, "session:7"), { started: true, runId: /^run_/ });
  t.equal(home.commands.length, 1);
  t.throws(() => home.automations.runNow(home.siteId, id, "session:7"), { code: /^conflict$/ });
  home.clock.advance(60_000);
  await home.settle();
  const [trace] = await home.automations.traces(home.siteId, id);
  t.hasStrict(trace, { outcome: "ran", result: "ok", trigger: { type: "manual", actor: "session:7" } });
  await home.close();
});

t.test("a rule that ran in a made-up past has a trace of it", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({
    trigger: { type: "time", at: "18:30" },
    action: { type: "command", deviceId: "plug", command: { power: true } },
  });
  const at = home.clock.now() - 3_600_000;
  home.automations.recordPast(id, at);
  t.same(await home.automations.traces(home.siteId, id), [
    {
      at,
      outcome: "ran",
      result: "ok",
      trigger: { type: "time", at: "18:30" },
      steps: [{ type: "command", what: "plug", result: "sent" }],
    },
  ]);
  await home.close();
});

t.test("a dry run accepts a sample of each kind for its trigger and no other", async (t) => {
  const home = await Household.open(testFolder(t));
  const samples = {
    state: { type: "state", deviceId: "plug", state: { power: true }, previous: { power: false } },
    device: { type: "device", deviceId: "plug", event: "offline" },
    plate: { type: "plate", deviceId: "gate", plate: "AB1", decision: "allow", direction: "in" },
    occupancy: { type: "occupancy", inside: 3, previous: 2 },
    event: { type: "event", deviceId: "plug", kind: "button" },
  } as const;
  const triggers = {
    state: whenOn("plug"),
    device: { type: "device", deviceId: "plug", event: "offline" },
    plate: { type: "plate", decision: "allow" },
    occupancy: { type: "occupancy", op: "gte", value: 3 },
    event: { type: "event", deviceId: "plug", kind: "button" },
  };
  for (const [kind, trigger] of Object.entries(triggers)) {
    const id = await home.rule({ trigger });
    for (const [other, sample] of Object.entries(samples))
      t.equal(
        home.automations.dryRun(home.siteId, id, { sample }).triggers,
        kind === other,
        `${other} for a trigger by ${kind}`,
      );
    t.equal(home.automations.dryRun(home.siteId, id).triggers, true, "without a sample it counts as fired");
  }
  const online = { ...samples.device, event: "online" } as const;
  const offline = await home.rule({ trigger: triggers.device });
  t.equal(home.automations.dryRun(home.siteId, offline, { sample: online }).triggers, false);
  const last = await home.rule({ trigger: triggers.occupancy });
  const falling = { type: "occupancy", inside: 3, previous: 4 } as const;
  t.equal(home.automations.dryRun(home.siteId, last, { sample: falling }).triggers, false, "it held already");
  await home.close();
});

t.test("a dry run shows what blocks a step, the next five times, and that a rule is off", async (t) => {
  const home = await Household.open(testFolder(t));
  const action = {
    type: "sequence",
    actions: [commandTo("lamp"), commandTo("fan"), commandTo("plug"), { type: "notify", title: "Done", body: "" }],
  };
  const id = await home.rule({ trigger: { type: "time", at: "07:00" }, action });
  home.devices.delete("fan");
  const plug = home.devices.get("plug");
  if (plug !== undefined) home.devices.set("plug", { ...plug, online: false });
  const run = home.automations.dryRun(home.siteId, id);
  t.same(
    run.steps.map(({ note }) => note),
    [null, "The device is gone.", "The device is offline now.", null],
  );
  t.same(
    run.nextRuns,
    [2, 3, 4, 5, 6].map((day) => `2026-03-0${day}T07:00:00.000Z`),
  );
  t.equal(run.wouldRun, true);
  await home.automations.edit(home.siteId, id, { enabled: false });
  t.match(home.automations.dryRun(home.siteId, id), { triggers: true, conditionsHold: true, wouldRun: false });
  const sun = await home.rule({ trigger: { type: "sun", event: "sunset" } });
  t.same(home.automations.dryRun(home.siteId, sun).nextRuns, [], "the house's location is unknown");
  home.place = { timeZone: "Asia/Kolkata", latitude: 28.6, longitude: 77.2 };
  t.equal(home.automations.dryRun(home.siteId, sun).nextRuns.length, 5);
  const state = await home.rule({ trigger: whenOn("lamp") });
  t.same(home.automations.dryRun(home.siteId, state).nextRuns, []);
  home.trust.become("unknown");
  t.same(home.automations.dryRun(home.siteId, id).nextRuns, [], "the time is not known");
  await home.close();
});

t.test("a preview evaluates every trigger by what it watches", async (t) => {
  const home = await Household.open(testFolder(t));
  home.inside = 2;
  home.state("plug", { power: true, watts: 40 });
  const lamp = home.devices.get("lamp");
  if (lamp !== undefined) home.devices.set("lamp", { ...lamp, online: false });
  const triggerNow = async (trigger: JsonObject) => (await home.automations.preview(home.siteId, { trigger })).trigger;
  const state = { type: "state", deviceId: "plug", field: "watts" };
  t.same(await triggerNow({ ...state, op: "changed" }), { holds: null, saw: 40, next: null });
  t.same(await triggerNow({ ...state, op: "gt", value: 40 }), { holds: false, saw: 40, next: null });
  t.same(await triggerNow({ ...state, op: "gte", value: 40 }), { holds: true, saw: 40, next: null });
  t.same(await triggerNow({ type: "occupancy", op: "changed" }), { holds: null, saw: 2, next: null });
  t.same(await triggerNow({ type: "occupancy", op: "lt", value: 2 }), { holds: false, saw: 2, next: null });
  t.same(await triggerNow({ type: "occupancy", op: "eq", value: 2 }), { holds: true, saw: 2, next: null });
  const device = { type: "device", deviceId: "lamp" };
  t.same(await triggerNow({ ...device, event: "offline" }), { holds: true, saw: "offline", next: null });
  t.same(await triggerNow({ ...device, event: "online" }), { holds: false, saw: "offline", next: null });
  t.same(await triggerNow({ ...device, deviceId: "fan", event: "online" }), { holds: true, saw: "online", next: null });
  t.same(await triggerNow({ ...device, deviceId: "stranger", event: "online" }), {
    holds: null,
    saw: null,
    next: null,
  });
  t.same(await triggerNow({ type: "time", at: "07:00" }), {
    holds: null,
    saw: null,
    next: Date.parse("2026-03-02T07:00:00Z"),
  });
  t.same(await triggerNow({ type: "event", deviceId: "plug", kind: "button" }), { holds: null, saw: null, next: null });
  t.same(await triggerNow({ type: "plate" }), { holds: null, saw: null, next: null });
  t.same(await triggerNow({ type: "time" }), { holds: null, saw: null, next: null }, "incomplete");
  await home.close();
});

t.test(
  "a preview evaluates each condition in place, and none if there are too many or they are too deep",
  async (t) => {
    const home = await Household.open(testFolder(t));
    home.place = { timeZone: "Asia/Kolkata", latitude: 28.6, longitude: 77.2 };
    home.state("plug", { power: true });
    const look = (conditions: readonly unknown[]) => home.automations.preview(home.siteId, { conditions });
    const on = { type: "state", deviceId: "plug", field: "power", op: "truthy" };
    const off = { ...on, op: "falsy" };
    const mixed = await look([{ type: "any", conditions: [off, { type: "not", condition: off }] }, on]);
    t.same(
      mixed.conditions.map(({ at, holds }) => [at, holds]),
      [
        ["/conditions/0", true],
        ["/conditions/0/conditions/0", false],
        ["/conditions/0/conditions/1", true],
        ["/conditions/0/conditions/1/condition", false],
        ["/conditions/1", true],
      ],
    );
    t.equal(mixed.holds, true);
    t.hasStrict(await look([on, off]), { holds: false, decidedBy: { op: "falsy" }, saw: true });
    t.match(await look([on, { type: "state" }]), {
      holds: null,
      conditions: [{ holds: true }, { at: "/conditions/1", holds: null, saw: null }],
    });
    const nots = (depth: number): JsonObject => (depth === 1 ? on : { type: "not", condition: nots(depth - 1) });
    t.equal((await look([nots(8)])).conditions.length, 8);
    t.match(await look([nots(9)]), { holds: null, conditions: [] });
    const many = Array.from({ length: 49 }, () => on);
    const group = { type: "all", conditions: Array.from({ length: 50 }, () => on) };
    t.equal((await look([group, ...many])).conditions.length, 100);
    t.match(await look([group, ...many, on]), { holds: null, conditions: [] });
    t.match(await look([null, "x"]), { holds: null, conditions: [{ holds: null }, { holds: null }] });
    const today = await look([]);
    t.equal(today.timeZone, "Asia/Kolkata");
    t.ok(Number(today.sunrise) < Number(today.sunset));
    t.ok(Number(today.sunset) - Number(today.sunrise) < 13 * 3_600_000, "of one day");
    await home.close();
  },
);

t.test("a site's rules are its own, and keys leave the household a tenth of the room", async (t) => {
  const home = await Household.open(testFolder(t), { extra: { maxRules: 11 } });
  const scopes: readonly Scope[] = ["devices:read", "devices:control"];
  const keyId = home.key(scopes);
  const key = { keyId, actor: `api_key:${keyId}`, scopes };
  const body = { name: "Rule", trigger: whenOn("plug"), action: commandTo("lamp") };
  for (let n = 0; n < 9; n++) await home.automations.create(home.siteId, body, key);
  const refused = await problemOf(home.automations.create(home.siteId, body, key));
  t.match(refused, { code: /^limit_reached$/, message: /at most 9 / });
  await home.rule({ trigger: whenOn("plug") });
  await home.rule({ trigger: whenOn("plug") });
  t.match(await problemOf(home.rule({ trigger: whenOn("plug") })), { code: /^limit_reached$/, message: /at most 11 / });
  t.same(home.automations.rules(home.otherSiteId), []);
  t.same(home.automations.exportRules(home.otherSiteId).automations, []);
  t.equal(home.automations.exportRules(home.siteId).automations.length, 11);
  await home.close();
});
