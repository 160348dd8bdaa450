import t from "tap";
import { commandTo, Household, whenOn } from "../support/automations.ts";
import { testFolder } from "../support/test-folder.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function delayed(seconds: number, deviceId = "lamp"): object {
  return { type: "sequence", actions: [{ type: "delay", seconds }, commandTo(deviceId)] };
}

t.test("a hold time interrupted by a restart fires once, when it would have", async (t) => {
  const home = await Household.open(testFolder(t));
  await home.rule({ trigger: { ...whenOn("plug"), forSeconds: 600 } });
  home.state("plug", { power: true });
  home.clock.advance(4 * MINUTE);
  await home.powerCut(1 * MINUTE);
  home.state("plug", { power: true }, { initial: true });
  home.clock.advance(5 * MINUTE - 1);
  t.equal(home.commands.length, 0);
  home.clock.advance(1);
  t.equal(home.commands.length, 1, "ten minutes after the edge");
  home.clock.advance(DAY);
  await home.powerCut(0);
  home.clock.advance(DAY);
  t.equal(home.commands.length, 1);
  await home.close();
});

t.test("a hold time is dropped if after the restart the device reports that the value has changed back", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: { ...whenOn("plug"), forSeconds: 600 } });
  home.state("plug", { power: true });
  home.clock.advance(4 * MINUTE);
  await home.powerCut(10 * MINUTE);
  home.clock.advance(2_000);
  home.state("plug", { power: false }, { initial: true });
  home.clock.advance(DAY);
  t.equal(home.commands.length, 0);
  t.same(await home.story(id), ["hold_ended"]);
  await home.close();
});

t.test(
  "a hold time that ended within 15 minutes without power fires once after the start, one that ended earlier is traced",
  async (t) => {
    const home = await Household.open(testFolder(t));
    const short = await home.rule({ trigger: { ...whenOn("plug"), forSeconds: 60 } });
    const long = await home.rule({ trigger: { ...whenOn("plug"), forSeconds: 600 }, action: commandTo("fan") });
    home.state("plug", { power: true });
    await home.powerCut(20 * MINUTE);
    home.clock.advance(MINUTE);
    t.same(
      home.commands.map((command) => command.deviceId),
      ["fan"],
      "ten minutes late it runs, nineteen it does not",
    );
    t.same(await home.story(short), ["missed"]);
    t.same(await home.story(long), ["ran"]);
    await home.close();
  },
);

t.test("a power cut over a 07:00 schedule: two hours later it is missed, ten minutes later it runs once", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-03-02T06:30:00Z" });
  const id = await home.rule({ trigger: { type: "time", at: "07:00" } });
  await home.powerCut(2 * HOUR);
  home.clock.advance(MINUTE);
  t.equal(home.commands.length, 0);
  t.same(await home.story(id), ["missed"]);
  home.clock.advance(Date.parse("2026-03-03T06:55:00Z") - home.clock.now());
  await home.powerCut(15 * MINUTE);
  t.equal(home.commands.length, 0, "devices reconnect first");
  home.clock.advance(10_000);
  t.equal(home.commands.length, 1, "07:10 the next day");
  home.clock.advance(23 * HOUR);
  t.equal(home.commands.length, 1);
  home.clock.advance(HOUR);
  t.equal(home.commands.length, 2, "and on the day after as usual");
  await home.close();
});

t.test("after days without power only the latest occurrence counts", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-03-02T06:30:00Z" });
  await home.rule({ trigger: { type: "time", at: "07:00" } });
  await home.powerCut(3 * DAY + 35 * MINUTE);
  home.clock.advance(10_000);
  t.equal(home.commands.length, 1, "07:05 on the fourth day");
  await home.close();
});

t.test("a gate or lock command never comes late, the rule's other actions still happen", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-03-02T06:55:00Z" });
  const both = {
    type: "sequence",
    actions: [
      commandTo("gate", { open: true }),
      commandTo("lamp"),
      commandTo("lock", { locked: false }),
      { type: "scene", sceneId: 1 },
    ],
  };
  const id = await home.rule({ trigger: { type: "time", at: "07:00" }, action: both });
  await home.powerCut(10 * MINUTE);
  home.clock.advance(10_000);
  await home.settle();
  t.same(
    home.commands.map((command) => command.deviceId),
    ["lamp"],
  );
  t.same(home.scenes, [], "nor does a scene that moves the gate");
  const [trace] = await home.automations.traces(home.siteId, id);
  t.same(
    trace?.steps?.map((step) => step.result),
    ["skipped_late", "sent", "skipped_late", "skipped_late"],
  );
  t.equal(home.automations.get(home.siteId, id).lastResult, "failed");
  t.ok(home.feed.some((item) => item.kind === "automation.failed" && item.body.includes("too late")));
  home.clock.advance(DAY);
  await home.settle();
  t.ok(
    home.commands.some((command) => command.deviceId === "gate"),
    "on time it opens",
  );
  await home.close();
});

t.test("a delay resumes after a restart, and one that expired meanwhile ends at once, however late", async (t) => {
  const home = await Household.open(testFolder(t));
  await home.rule({ trigger: whenOn("plug"), action: delayed(3600, "lamp") });
  await home.rule({ trigger: whenOn("plug"), action: delayed(600, "fan") });
  await home.rule({ trigger: whenOn("plug"), action: delayed(600, "gate") });
  home.state("plug", { power: true });
  home.clock.advance(5 * MINUTE);
  await home.powerCut(30 * MINUTE);
  home.clock.advance(10_000);
  t.same(
    home.commands.map((command) => command.deviceId),
    ["fan"],
    "the heater must not stay on; the gate stays shut",
  );
  home.clock.advance(25 * MINUTE - 10_000 - 1);
  t.equal(home.commands.length, 1);
  home.clock.advance(1);
  t.equal(home.commands[1]?.deviceId, "lamp", "one hour after the trigger");
  home.clock.advance(DAY);
  await home.powerCut(0);
  home.clock.advance(DAY);
  t.equal(home.commands.length, 2, "none of them comes twice");
  await home.close();
});

t.test("a 60-day delay ends after 60 days, with restarts between", async (t) => {
  const home = await Household.open(testFolder(t));
  await home.rule({ trigger: whenOn("plug"), action: delayed((60 * DAY) / 1000) });
  home.state("plug", { power: true });
  home.clock.advance(25 * DAY);
  await home.powerCut(HOUR);
  home.clock.advance(34 * DAY);
  t.equal(home.commands.length, 0);
  home.clock.advance(23 * HOUR - 1);
  t.equal(home.commands.length, 0);
  home.clock.advance(1);
  t.equal(home.commands.length, 1);
  await home.close();
});

t.test("queued triggers survive a restart", async (t) => {
  const home = await Household.open(testFolder(t));
  await home.rule({ trigger: { ...whenOn("plug"), op: "changed" }, mode: "queued", action: delayed(60) });
  for (let i = 0; i < 3; i++) home.state("plug", { power: i });
  await home.powerCut(0);
  home.clock.advance(3 * MINUTE);
  t.equal(home.commands.length, 3);
  await home.close();
});

t.test("an interval keeps its rhythm over a restart and skips missed turns", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-03-02T06:00:00Z" });
  await home.rule({ trigger: { type: "interval", everySeconds: 3600 } });
  home.clock.advance(90 * MINUTE);
  t.equal(home.commands.length, 1, "07:00");
  await home.powerCut(3 * HOUR);
  t.equal(home.commands.length, 1, "10:30: the missed turns are gone");
  home.clock.advance(30 * MINUTE - 1);
  t.equal(home.commands.length, 1);
  home.clock.advance(1);
  t.equal(home.commands.length, 2, "11:00");
  await home.close();
});

t.test("messages replayed after a start trigger no run", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: whenOn("plug") });
  const changed = await home.rule({ trigger: { ...whenOn("plug"), op: "changed" } });
  await home.powerCut(MINUTE);
  for (let i = 0; i < 200; i++) {
    home.device(`d${i}`, "light");
    home.state(`d${i}`, { power: true }, { initial: true });
  }
  home.state("plug", { power: true }, { initial: true });
  t.equal(home.commands.length, 0);
  t.same([await home.story(id), await home.story(changed)], [[], []]);
  home.state("plug", { power: false });
  home.state("plug", { power: true });
  t.equal(home.commands.length, 3, "real changes do");
  await home.close();
});

t.test("whenever the power fails for a few minutes, each day's schedule runs exactly once", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-03-26T00:00:00Z" });
  home.place = { timeZone: "Europe/London", latitude: null, longitude: null };
  await home.rule({ trigger: { type: "time", at: "00:00" }, action: commandTo("lamp", { n: 1 }) });
  // does not exist on 29 March
  await home.rule({ trigger: { type: "time", at: "01:30" }, action: commandTo("lamp", { n: 2 }) });
  await home.rule({ trigger: { type: "time", at: "23:59" }, action: commandTo("lamp", { n: 3 }) });
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  const end = Date.parse("2026-04-05T12:00:00Z");
  for (let cut = 0; cut < 24; cut++) {
    // near midnight, the gap, and midnight of summer time
    const from = [23 * HOUR + 50 * MINUTE, 55 * MINUTE, 22 * HOUR + 50 * MINUTE][cut % 3] ?? 0;
    const today = Math.floor(home.clock.now() / DAY) * DAY;
    const next =
      [today, today + DAY]
        .map((day) => day + from + random(8 * MINUTE))
        .find((instant) => instant > home.clock.now()) ?? 0;
    if (next >= end - HOUR) break;
    home.clock.advance(next - home.clock.now());
    await home.powerCut(random(14 * MINUTE));
    home.clock.advance(10_000);
  }
  home.clock.advance(end - home.clock.now());
  const count = (n: number): number => home.commands.filter((command) => command.command === `{"n":${n}}`).length;
  t.same([count(1), count(2), count(3)], [10, 11, 10], "11 nights: the first midnight was before the rules");
  await home.close();
});
