/** Rules with several triggers, with any device of a kind, and with something to do otherwise. */
import t from "tap";
import { ALL_SCOPES } from "../../src/core/api/scopes.ts";
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { Problem } from "../../src/core/kernel/problem.ts";
import { lacking } from "../../src/features/automations/rights.ts";
import { commandTo, Household, whenOn } from "../support/automations.ts";
import { testFolder } from "../support/test-folder.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

t.test("whichever of several triggers comes first runs the rule, each by its own kind", async (t) => {
  const home = await Household.open(testFolder(t));
  home.device("fan", "fan");
  const id = await home.rule({
    trigger: {
      type: "any",
      triggers: [
        whenOn("plug"),
        { ...whenOn("fan"), forSeconds: 60 },
        { type: "time", at: "14:00" },
        { type: "time", at: "15:00" },
        { type: "interval", everySeconds: 12 * 3_600 },
      ],
    },
  });
  home.state("plug", { power: true });
  t.equal(home.commands.length, 1, "a state");
  home.state("fan", { power: true });
  home.clock.advance(59_000);
  t.equal(home.commands.length, 1);
  home.clock.advance(1_000);
  t.equal(home.commands.length, 2, "a state that has held");
  home.clock.advance(Date.parse("2026-03-02T15:00:01Z") - home.clock.now());
  t.equal(home.commands.length, 4, "both times");
  home.clock.advance(8 * HOUR);
  t.equal(home.commands.length, 5, "an interval, from when the rule was made");
  t.same(await home.story(id), ["ran", "ran", "ran", "ran", "ran"]);
  await home.close();
});

t.test("after a restart each of several waits goes on by itself", async (t) => {
  const home = await Household.open(testFolder(t));
  home.device("fan", "fan");
  const id = await home.rule({
    trigger: {
      type: "any",
      triggers: [
        { ...whenOn("plug"), forSeconds: 120 },
        { ...whenOn("fan"), forSeconds: 240 },
        { type: "time", at: "18:00" },
      ],
    },
  });
  home.state("plug", { power: true });
  home.state("fan", { power: true });
  await home.powerCut(0);
  home.clock.advance(2 * MINUTE);
  t.equal(home.commands.length, 1);
  await home.settle();
  home.state("fan", { power: false });
  home.clock.advance(5 * MINUTE);
  t.equal(home.commands.length, 1, "the other wait ended");
  t.same(await home.story(id), ["hold_ended", "ran"]);
  await home.close();
});

t.test("a value of any device: those of the kind, at the edge, with its name in the message", async (t) => {
  const home = await Household.open(testFolder(t));
  await home.rule({
    trigger: { type: "any_state", field: "battery", op: "lt", value: 20 },
    action: { type: "notify", title: "{device}: {value} %", body: "{plate} {nothing}" },
  });
  home.state("plug", { battery: 21 });
  home.state("plug", { battery: 19 });
  home.state("plug", { battery: 18 });
  home.state("lamp", { power: true });
  home.state("lamp", { battery: 5 }, { initial: true });
  await home.settle();
  t.same(
    home.feed.filter(({ kind }) => kind === "automation.notify").map(({ title, body }) => [title, body]),
    [["plug: 19 %", "{plate} {nothing}"]],
  );
  await home.close();
});

t.test("a value of any device that has held: each device waits by itself, also over a restart", async (t) => {
  const home = await Household.open(testFolder(t));
  home.device("fan", "fan");
  home.device("heater", "fan");
  const id = await home.rule({
    trigger: { type: "any_state", field: "power", op: "truthy", deviceType: "fan", forSeconds: 120 },
    action: { type: "notify", title: "{device} is still on", body: "" },
  });
  const told = async (): Promise<unknown[]> => {
    await home.settle();
    return home.feed.filter(({ kind }) => kind === "automation.notify").map(({ title }) => title);
  };
  home.state("plug", { power: true });
  home.state("fan", { power: true });
  home.clock.advance(MINUTE);
  home.state("heater", { power: true });
  home.state("fan", { power: true, speed: 3 });
  home.clock.advance(MINUTE);
  t.same(await told(), ["fan is still on"], "not a plug, and not the one that came later");
  await home.powerCut(0);
  home.state("heater", { power: false });
  home.clock.advance(5 * MINUTE);
  t.same(await told(), ["fan is still on"], "it was switched off in time");
  home.state("heater", { power: true });
  home.clock.advance(30_000);
  await home.powerCut(0);
  home.clock.advance(2 * MINUTE);
  t.same(await told(), ["fan is still on", "heater is still on"]);
  t.ok((await home.story(id)).includes("hold_ended"), "the wait that ended early can be seen");
  await home.close();
});

t.test("otherwise: what is done while the conditions do not hold", async (t) => {
  const home = await Household.open(testFolder(t));
  await home.rule({
    trigger: whenOn("plug"),
    conditions: [{ type: "state", deviceId: "lamp", field: "power", op: "truthy" }],
    action: { type: "either", do: commandTo("lamp", { power: false }), otherwise: commandTo("lamp", { power: true }) },
  });
  home.state("lamp", { power: false });
  home.state("plug", { power: true });
  home.state("plug", { power: false });
  home.state("lamp", { power: true });
  home.state("plug", { power: true });
  t.same(
    home.commands.map(({ command }) => command),
    ['{"power":true}', '{"power":false}'],
  );
  await home.close();
});

t.test("what is bounded and refused", async (t) => {
  const home = await Household.open(testFolder(t));
  const refusal = (rule: JsonObject) =>
    home.rule(rule).then(
      () => null,
      (error: unknown) =>
        error instanceof Problem ? (error.details ?? []).map(({ field, code }) => `${field} ${code}`) : error,
    );
  const any = (triggers: readonly object[]) => ({ trigger: { type: "any", triggers } });
  t.match(await refusal(any([])), [/^\/trigger\/triggers too_few$/]);
  t.match(await refusal(any(Array.from({ length: 11 }, () => whenOn("plug")))), [/^\/trigger\/triggers too_many$/]);
  t.match(await refusal(any([{ type: "any", triggers: [whenOn("plug")] }])), [/triggers\/0\/type unknown_type$/]);
  t.match(await refusal({ trigger: { type: "any_state", field: "battery", op: "changed" } }), [/op not_allowed$/]);
  const either = { type: "either", do: commandTo("lamp"), otherwise: commandTo("lamp") };
  t.same(await refusal({ trigger: whenOn("plug"), action: { type: "sequence", actions: [either] } }), [
    "/action/actions/0/type not_allowed",
  ]);
  t.same(await refusal({ trigger: whenOn("plug"), action: { ...either, do: either } }), [
    "/action/do/type not_allowed",
  ]);
  const foreign = await home.rule(any([whenOn("plug"), whenOn("of-others")])).catch((error: unknown) => error);
  t.equal(foreign instanceof Problem && foreign.code, "device_not_owned", "every trigger's devices are looked up");
  const hidden = await home
    .rule({ trigger: whenOn("plug"), action: { ...either, otherwise: commandTo("of-others") } })
    .catch((error: unknown) => error);
  t.equal(hidden instanceof Problem && hidden.code, "device_not_owned", "and those of otherwise");
  await home.close();
});

t.test("the rights of every trigger and of both branches are needed", async (t) => {
  const rule = {
    trigger: { type: "any", triggers: [whenOn("plug"), { type: "plate" }] },
    conditions: [],
    action: {
      type: "either",
      do: { type: "notify", title: "a", body: "" },
      otherwise: { type: "scene", sceneId: 1 },
    },
  } as const;
  const needed = lacking(rule as never, []).map(({ scope, field }) => `${scope} ${field}`);
  t.same(needed, [
    "devices:read /trigger/triggers/0",
    "plates:read /trigger/triggers/1",
    "scenes:run /action/otherwise",
  ]);
  t.same(lacking(rule as never, ALL_SCOPES), []);
});

t.test("a battery counts whether the device sends it with its state or with measured values", async (t) => {
  const home = await Household.open(testFolder(t));
  home.device("sensor", "sensor");
  const weak = { field: "battery", op: "lt", value: 20 };
  const any = await home.rule({ trigger: { type: "any_state", ...weak } });
  const one = await home.rule({
    trigger: { type: "state", deviceId: "sensor", ...weak, forSeconds: 60 },
    conditions: [{ type: "state", deviceId: "sensor", field: "battery", op: "gt", value: 5 }],
  });
  home.charge("sensor", 15);
  t.same(await home.story(any), [], "the first value is no change");
  home.charge("sensor", 80);
  home.charge("sensor", 12);
  home.clock.advance(60_000);
  t.same(await home.story(any), ["ran"]);
  t.same(await home.story(one), ["ran"], "also as a condition, and after it has held");
  home.charge("sensor", 11);
  t.same(await home.story(any), ["ran"], "once");
  await home.powerCut(1_000);
  home.charge("sensor", 90);
  home.charge("sensor", 3);
  home.clock.advance(60_000);
  t.same(await home.story(any), ["ran", "ran"]);
  t.same(await home.story(one), ["condition", "ran"]);
  await home.close();
});
