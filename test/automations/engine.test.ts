import t from "tap";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { commandTo, Household, whenOn } from "../support/automations.ts";
import { testFolder } from "../support/test-folder.ts";

const MINUTE = 60_000;

function delayed(seconds: number, deviceId = "lamp"): JsonObject {
  return { type: "sequence", actions: [{ type: "delay", seconds }, commandTo(deviceId)] };
}

t.test(
  "a state trigger fires on the edge, not on every message, and not on the first value after a start",
  async (t) => {
    const home = await Household.open(testFolder(t));
    const id = await home.rule({ trigger: { type: "state", deviceId: "plug", field: "watts", op: "gt", value: 100 } });
    home.state("plug", { watts: 150 }, { initial: true });
    t.equal(home.commands.length, 0);
    home.state("plug", { watts: 160 });
    t.equal(home.commands.length, 0, "it was above before");
    home.state("plug", { watts: 90 });
    home.state("plug", { watts: 101 });
    home.state("plug", { watts: 102 });
    t.equal(home.commands.length, 1);
    t.hasStrict(home.commands[0], {
      deviceId: "lamp",
      command: '{"power":true}',
      actor: `automation:${id}`,
      source: "automation",
      siteId: home.siteId,
    });
    await home.close();
  },
);

t.test("changed fires on every change of its field and on no other", async (t) => {
  const home = await Household.open(testFolder(t));
  await home.rule({ trigger: { type: "state", deviceId: "plug", field: "mode", op: "changed" } });
  home.state("plug", { mode: "a" });
  home.state("plug", { mode: "a", other: 1 });
  home.state("plug", { mode: "b" });
  t.equal(home.commands.length, 2);
  await home.close();
});

t.test("a hold time ends when the value changes back, and this is traced", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: { ...whenOn("plug"), forSeconds: 60 } });
  home.state("plug", { power: true });
  home.clock.advance(59_000);
  home.state("plug", { power: false });
  home.clock.advance(MINUTE);
  t.equal(home.commands.length, 0);
  home.state("plug", { power: true });
  home.clock.advance(30_000);
  home.state("plug", { power: true, watts: 3 });
  home.clock.advance(30_000);
  t.equal(home.commands.length, 1, "a further message does not restart it");
  t.same(await home.story(id), ["ran", "hold_ended"]);
  await home.close();
});

t.test("devices, events, plates and occupancy trigger", async (t) => {
  const home = await Household.open(testFolder(t));
  const { siteId } = home;
  await home.rule({
    trigger: { type: "device", deviceId: "plug", event: "offline" },
    action: commandTo("lamp", { n: 1 }),
  });
  await home.rule({
    trigger: { type: "event", deviceId: "plug", kind: "button" },
    action: commandTo("lamp", { n: 2 }),
  });
  await home.rule({
    trigger: { type: "plate", plate: "mh 12 ab 1234", direction: "in" },
    action: commandTo("lamp", { n: 3 }),
  });
  await home.rule({ trigger: { type: "occupancy", op: "gte", value: 2 }, action: commandTo("lamp", { n: 4 }) });
  const at = home.clock.now();
  home.bus.announce("device.presence", { siteId, deviceId: "plug", online: false, at, announced: false });
  t.equal(home.commands.length, 0, "debounced presence changes are not reported");
  home.bus.announce("device.presence", { siteId, deviceId: "plug", online: false, at, announced: true });
  home.bus.announce("device.event", { siteId, deviceId: "plug", kind: "button", title: "", body: "", at });
  home.bus.announce("device.event", { siteId, deviceId: "plug", kind: "other", title: "", body: "", at });
  const read = {
    siteId,
    readId: 1,
    deviceId: "camera",
    plate: "MH12AB1234",
    decision: "allow",
    direction: "in",
    status: "recognised",
    at,
    firstOfPass: true,
    besideDenied: false,
    late: false,
  } as const;
  home.bus.announce("read.decided", { ...read, direction: null });
  home.bus.announce("read.decided", read);
  home.bus.announce("read.decided", { ...read, firstOfPass: false });
  home.bus.announce("occupancy.changed", { siteId, inside: 2, previous: 1, at });
  home.bus.announce("occupancy.changed", { siteId, inside: 3, previous: 2, at });
  home.bus.announce("occupancy.changed", { siteId: home.otherSiteId, inside: 2, previous: 1, at });
  t.same(
    home.commands.map((command) => command.command),
    ['{"n":1}', '{"n":2}', '{"n":3}', '{"n":4}'],
  );
  await home.close();
});

t.test("sunset with an offset triggers, and a polar summer has none", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-06-20T12:00:00Z" });
  home.place = { timeZone: "Europe/London", latitude: 51.5, longitude: -0.12 };
  await home.rule({ trigger: { type: "sun", event: "sunset", offsetMinutes: -30 } });
  home.clock.advance(Date.parse("2026-06-20T19:45:00Z") - home.clock.now());
  t.equal(home.commands.length, 0);
  home.clock.advance(12 * MINUTE);
  t.equal(home.commands.length, 1, "half an hour before 21:21 BST");
  home.place = { timeZone: "Arctic/Longyearbyen", latitude: 78.2, longitude: 15.6 };
  home.automations.siteChanged(home.siteId);
  home.clock.advance(30 * 24 * 60 * MINUTE);
  t.equal(home.commands.length, 1);
  await home.close();
});

t.test("conditions are evaluated at the trigger, and the failing one is traced with its values", async (t) => {
  const home = await Household.open(testFolder(t));
  const below = { type: "state", deviceId: "fan", field: "speed", op: "lt", value: 3 };
  const id = await home.rule({
    trigger: whenOn("plug"),
    conditions: [
      { type: "not", condition: { type: "any", conditions: [below, { type: "occupancy", op: "eq", value: 7 }] } },
    ],
  });
  home.state("fan", { speed: 2 });
  home.state("plug", { power: true });
  t.equal(home.commands.length, 0);
  home.state("fan", { speed: 4 });
  home.state("plug", { power: false });
  home.state("plug", { power: true });
  t.equal(home.commands.length, 1);
  await home.settle();
  const traces = await home.automations.traces(home.siteId, id);
  t.hasStrict(traces[1], {
    outcome: "not_run",
    reason: "condition",
    decidedBy: below,
    saw: 2,
    trigger: { type: "state", from: null, to: true },
  });
  await home.close();
});

t.test("steps are handed over in order; a failing one does not stop the next", async (t) => {
  const home = await Household.open(testFolder(t));
  home.refusals.set("fan", new Problem("unsupported_command", "The fan cannot do that."));
  const actions = [
    commandTo("lamp"),
    commandTo("fan"),
    { type: "notify", title: "Hello", body: "" },
    { type: "scene", sceneId: 1 },
    commandTo("plug"),
  ];
  const id = await home.rule({ trigger: whenOn("plug"), action: { type: "sequence", actions } });
  home.state("plug", { power: true });
  await home.settle();
  t.same(
    home.commands.map((command) => command.deviceId),
    ["lamp", "plug"],
  );
  t.same(home.scenes, [1]);
  t.same(home.lan, [{ title: "Hello", body: "" }]);
  t.ok(home.feed.some((item) => item.kind === "automation.notify" && item.title === "Hello"));
  t.match(
    home.feed.find((item) => item.kind === "automation.failed"),
    { body: "fan: The fan cannot do that." },
  );
  t.match(home.automations.get(home.siteId, id), {
    lastResult: "failed",
    lastTriggeredAt: new Date(home.clock.now()).toISOString(),
  });
  await home.close();
});

t.test("single ignores a trigger while a run waits, restart begins again", async (t) => {
  const home = await Household.open(testFolder(t));
  const single = await home.rule({ trigger: { ...whenOn("plug"), op: "changed" }, action: delayed(60, "lamp") });
  const restart = await home.rule({
    trigger: { ...whenOn("plug"), op: "changed" },
    action: delayed(60, "fan"),
    mode: "restart",
  });
  home.state("plug", { power: 1 });
  await home.settle();
  home.clock.advance(40_000);
  home.state("plug", { power: 2 });
  await home.settle();
  home.clock.advance(20_000);
  t.same(
    home.commands.map((command) => command.deviceId),
    ["lamp"],
  );
  home.clock.advance(40_000);
  t.same(
    home.commands.map((command) => command.deviceId),
    ["lamp", "fan"],
  );
  t.same(await home.story(single), ["ran", "busy", "waiting"]);
  t.same((await home.story(restart)).sort(), ["ran", "restarted", "waiting", "waiting"]);
  await home.close();
});

t.test("queued runs one after the other and holds at most ten", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: { ...whenOn("plug"), op: "changed" }, action: delayed(10), mode: "queued" });
  for (let i = 0; i < 13; i++) home.state("plug", { power: i });
  t.equal((await home.story(id)).filter((entry) => entry === "queue_full").length, 2, "one runs, ten wait");
  for (let i = 1; i <= 11; i++) {
    home.clock.advance(10_000);
    t.equal(home.commands.length, i);
  }
  home.clock.advance(MINUTE);
  t.equal(home.commands.length, 11);
  await home.close();
});

t.test("parallel runs side by side, at most ten", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: { ...whenOn("plug"), op: "changed" }, action: delayed(10), mode: "parallel" });
  for (let i = 0; i < 12; i++) home.state("plug", { power: i });
  home.clock.advance(10_000);
  t.equal(home.commands.length, 10);
  t.equal((await home.story(id)).filter((entry) => entry === "queue_full").length, 2);
  await home.close();
});

t.test("a cooldown keeps runs apart, over a restart too", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: { ...whenOn("plug"), op: "changed" }, cooldownSeconds: 300 });
  home.state("plug", { power: 1 });
  home.clock.advance(2 * MINUTE);
  home.state("plug", { power: 2 });
  await home.settle();
  await home.powerCut(MINUTE);
  home.state("plug", { power: 3 });
  t.equal(home.commands.length, 1);
  home.clock.advance(2 * MINUTE);
  home.state("plug", { power: 4 });
  t.equal(home.commands.length, 2);
  t.ok((await home.story(id)).includes("cooldown"));
  await home.close();
});

t.test("two rules that trigger each other stop, and the trace shows the chain", async (t) => {
  const home = await Household.open(testFolder(t));
  // a device that obeys at once
  home.answer = ({ deviceId, command }) => home.state(deviceId, JSON.parse(command) as JsonObject);
  const a = await home.rule({
    name: "A",
    trigger: { ...whenOn("plug"), op: "changed" },
    action: commandTo("fan", { power: true, n: 1 }),
  });
  const b = await home.rule({
    name: "B",
    trigger: { ...whenOn("fan"), op: "changed" },
    action: commandTo("plug", { power: "again" }),
  });
  home.state("plug", { power: true });
  t.equal(home.commands.length, 2, "A, then B, then no more");
  await home.settle();
  const stopped = (await home.automations.traces(home.siteId, a)).find((trace) => trace.reason === "loop");
  t.same(
    stopped?.causes?.map((cause) => cause.name),
    ["A", "B"],
  );
  t.same(await home.story(b), ["ran"]);
  await home.close();
});

t.test("a chain of rules stops after eight", async (t) => {
  const home = await Household.open(testFolder(t));
  home.answer = ({ deviceId, command }) => home.state(deviceId, JSON.parse(command) as JsonObject);
  const ids: number[] = [];
  for (let i = 0; i < 12; i++) home.device(`d${i}`, "light");
  for (let i = 0; i < 11; i++) ids.push(await home.rule({ trigger: whenOn(`d${i}`), action: commandTo(`d${i + 1}`) }));
  home.state("d0", { power: true });
  t.equal(home.commands.length, 8);
  const [trace] = await home.automations.traces(home.siteId, ids[8] ?? 0);
  t.hasStrict(trace, { reason: "chain_too_deep" });
  t.equal(trace?.causes?.length, 8);
  await home.close();
});

t.test("a change is a command's effect for five seconds, and only in the keys that the command names", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({
    trigger: { type: "state", deviceId: "lamp", field: "brightness", op: "gt", value: 80 },
    action: commandTo("lamp", { brightness: 50 }),
  });
  home.state("lamp", { brightness: 90, colour: "red" });
  t.equal(home.commands.length, 1);
  await home.settle();
  home.state("lamp", { brightness: 50 });
  home.state("lamp", { brightness: 85 });
  t.equal(home.commands.length, 1, "its own effect does not trigger it");
  home.clock.advance(5_001);
  home.state("lamp", { brightness: 50 });
  home.state("lamp", { brightness: 85 });
  t.equal(home.commands.length, 2, "later it had another cause");
  t.same(await home.story(id), ["ran", "loop", "ran"]);
  await home.close();
});

t.test("an edit to a rule while it is being switched off for running too often stays", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ name: "Flood", trigger: { ...whenOn("plug"), op: "changed" } });
  for (let i = 0; i < 60; i++) home.state("plug", { power: i });
  const mended = home.automations.edit(home.siteId, id, { name: "Mended" });
  await Promise.resolve(); // the edit waits for its commit
  home.state("plug", { power: "once more" });
  await mended;
  await home.settle();
  t.hasStrict(home.automations.get(home.siteId, id), { name: "Mended", enabled: false });
  home.automations.load();
  t.hasStrict(home.automations.get(home.siteId, id), { name: "Mended", enabled: false }, "and so it is on disk");
  await home.close();
});

t.test("a rule that runs more than 60 times in a minute is switched off, with a feed item", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ name: "Flood", trigger: { ...whenOn("plug"), op: "changed" } });
  for (let i = 0; i < 60; i++) home.state("plug", { power: i });
  t.equal(home.commands.length, 60);
  t.equal(home.automations.get(home.siteId, id).enabled, true);
  for (let i = 0; i < 10; i++) home.state("plug", { power: `x${i}` });
  t.equal(home.commands.length, 60);
  await home.settle();
  t.match(home.automations.get(home.siteId, id), { enabled: false, lastResult: "paused" });
  t.equal(home.feed.filter((item) => item.kind === "automation.paused").length, 1);
  await home.automations.edit(home.siteId, id, { enabled: true });
  home.state("plug", { power: "again" });
  t.equal(home.commands.length, 61, "switched on again it works again");
  await home.powerCut(0);
  t.equal(home.automations.get(home.siteId, id).enabled, true);
  await home.close();
});

t.test("triggers turned away by the mode do not count as runs", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: { ...whenOn("plug"), op: "changed" }, action: delayed(50) });
  for (let i = 0; i < 100; i++) home.state("plug", { power: i });
  home.clock.advance(50_000);
  t.equal(home.commands.length, 1);
  t.equal(home.automations.get(home.siteId, id).enabled, true);
  await home.close();
});

t.test("a person's command soon after a rule's is not an effect of the rule", async (t) => {
  const home = await Household.open(testFolder(t));
  await home.rule({ trigger: { ...whenOn("lamp"), op: "changed" }, action: commandTo("lamp", { power: false }) });
  home.state("lamp", { power: 1 });
  home.state("lamp", { power: 2 });
  t.equal(home.commands.length, 1, "that of its own command is");
  home.state("lamp", { power: 3 }, { source: "console" });
  t.equal(home.commands.length, 2);
  await home.close();
});

t.test("an edit of one rule affects no wait of another, and renaming a rule not even its own", async (t) => {
  const home = await Household.open(testFolder(t));
  const a = await home.rule({ trigger: { ...whenOn("plug"), forSeconds: 60 }, action: commandTo("lamp") });
  await home.rule({ trigger: { ...whenOn("plug"), forSeconds: 60 }, action: commandTo("fan") });
  const c = await home.rule({ trigger: whenOn("plug"), action: delayed(60, "lock") });
  home.state("plug", { power: true });
  home.clock.advance(30_000);
  await home.automations.edit(home.siteId, a, { trigger: { type: "time", at: "23:00" } });
  await home.automations.edit(home.siteId, c, { name: "Other name", action: commandTo("gate") });
  home.clock.advance(30_000);
  t.same(home.commands.map((command) => command.deviceId).sort(), ["fan", "lock"]);
  await home.close();
});

t.test("switching a rule off or deleting it ends its waits", async (t) => {
  const home = await Household.open(testFolder(t));
  const off = await home.rule({ trigger: whenOn("plug"), action: delayed(60, "lamp") });
  const gone = await home.rule({ trigger: whenOn("plug"), action: delayed(60, "fan") });
  home.state("plug", { power: true });
  await home.settle();
  await home.automations.edit(home.siteId, off, { enabled: false });
  await home.automations.remove(home.siteId, gone);
  home.clock.advance(MINUTE);
  t.equal(home.commands.length, 0);
  t.same(await home.story(off), ["disabled", "waiting"]);
  await home.powerCut(0);
  home.clock.advance(MINUTE);
  t.equal(home.commands.length, 0);
  await home.close();
});

t.test("a rule whose port throws does not keep the next rule from running", async (t) => {
  const home = await Household.open(testFolder(t));
  await home.rule({
    trigger: whenOn("plug"),
    conditions: [{ type: "state", deviceId: "fan", field: "a", op: "truthy" }],
  });
  await home.rule({ trigger: whenOn("plug"), action: commandTo("lock") });
  const real = home.devices.get.bind(home.devices);
  home.devices.get = (id: string) => {
    if (id === "fan") throw new Error("the registry is on fire");
    return real(id);
  };
  home.state("plug", { power: true });
  t.same(
    home.commands.map((command) => command.deviceId),
    ["lock"],
  );
  await home.close();
});

t.test("traces: the last 50 of a rule, each within 4 KiB, written in batches", async (t) => {
  const home = await Household.open(testFolder(t));
  const huge = "x".repeat(9_000);
  const id = await home.rule({
    trigger: { ...whenOn("plug"), op: "changed" },
    conditions: [{ type: "state", deviceId: "plug", field: "power", op: "eq", value: huge }],
  });
  const before = home.database.figures.jobs;
  for (let i = 0; i < 70; i++) home.state("plug", { power: `${huge}${i}` });
  t.equal(home.database.figures.jobs, before, "nothing is written at once");
  home.clock.advance(1_000);
  await home.settle();
  for (let i = 0; i < 20; i++) home.state("plug", { power: `${huge}b${i}` });
  const traces = await home.automations.traces(home.siteId, id);
  t.equal(traces.length, 50);
  t.ok(traces.every((trace) => trace.shortened && Buffer.byteLength(JSON.stringify(trace)) <= 4096));
  t.hasStrict(traces[0], { outcome: "not_run", reason: "condition", decidedBy: { type: "state", field: "power" } });
  await home.close();
});
