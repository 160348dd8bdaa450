import t from "tap";
import { commandTo, Household, whenOn } from "../support/automations.ts";
import { testFolder } from "../support/test-folder.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The watch over the clock, within a second of a jump. */
function jump(home: Household, ms: number): void {
  home.clock.jump(ms);
  home.clock.advance(1_000);
  home.trust.jumped(ms);
}

t.test("the clock jumps 67 s ahead over a schedule: it runs once, at once", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-03-02T06:59:30Z" });
  await home.rule({ trigger: { type: "time", at: "07:00" } });
  jump(home, 67_000);
  t.equal(home.commands.length, 1);
  home.clock.advance(HOUR);
  t.equal(home.commands.length, 1);
  home.clock.advance(23 * HOUR);
  t.equal(home.commands.length, 2, "and the next day at 07:00, not 67 s off");
  t.equal(new Date(home.clock.now()).toISOString() > "2026-03-03T07:00:00", true);
  await home.close();
});

t.test("the clock jumps ahead before a schedule: it runs at the new 07:00, not late by the jump", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-03-02T06:00:00Z" });
  await home.rule({ trigger: { type: "time", at: "07:00" } });
  jump(home, 30 * MINUTE);
  home.clock.advance(Date.parse("2026-03-02T06:59:59.999Z") - home.clock.now());
  t.equal(home.commands.length, 0);
  home.clock.advance(1);
  t.equal(home.commands.length, 1);
  await home.close();
});

t.test("the clock jumps back an hour after a schedule has run: it does not run again", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-03-02T06:59:00Z" });
  await home.rule({ trigger: { type: "time", at: "07:00" } });
  home.clock.advance(6 * MINUTE);
  t.equal(home.commands.length, 1);
  jump(home, -HOUR);
  home.clock.advance(2 * HOUR);
  t.equal(home.commands.length, 1);
  home.clock.advance(Date.parse("2026-03-03T07:00:00Z") - home.clock.now());
  t.equal(home.commands.length, 2);
  await home.close();
});

t.test("the clock jumps back an hour before a schedule: it runs at the true time", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-03-02T06:59:00Z" });
  await home.rule({ trigger: { type: "time", at: "07:00" } });
  jump(home, -HOUR);
  home.clock.advance(Date.parse("2026-03-02T06:59:59.999Z") - home.clock.now());
  t.equal(home.commands.length, 0);
  home.clock.advance(1);
  t.equal(home.commands.length, 1);
  await home.close();
});

t.test("a clock that was years ahead and is set right does not silence a schedule", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2036-03-02T06:59:00Z" });
  await home.rule({ trigger: { type: "time", at: "07:00" } });
  home.clock.advance(MINUTE);
  t.equal(home.commands.length, 1);
  jump(home, Date.parse("2026-03-02T06:00:00Z") - home.clock.now());
  home.clock.advance(DAY);
  t.equal(home.commands.length, 2);
  await home.close();
});

t.test("relative waits are unaffected by a jump", async (t) => {
  const home = await Household.open(testFolder(t));
  await home.rule({
    trigger: whenOn("plug"),
    action: { type: "sequence", actions: [{ type: "delay", seconds: 600 }, commandTo("gate", { open: true })] },
  });
  await home.rule({ trigger: { ...whenOn("plug"), forSeconds: 600 } });
  home.state("plug", { power: true });
  home.clock.advance(MINUTE);
  jump(home, 10 * HOUR);
  jump(home, -5 * HOUR);
  t.equal(home.commands.length, 0);
  home.clock.advance(9 * MINUTE - 2_000);
  await home.settle();
  t.same(
    home.commands.map((command) => command.deviceId).sort(),
    ["gate", "lamp"],
    "the gate's command is not late either",
  );
  await home.close();
});

t.test("a hub that boots in 1970 without a network: no schedule runs, manual and device triggers do", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "1970-01-01T06:59:00Z", trust: "unknown" });
  const schedule = await home.rule({ trigger: { type: "time", at: "07:00" } });
  const timed = await home.rule({
    trigger: whenOn("plug"),
    conditions: [{ type: "time", from: "00:00", to: "00:00" }],
    action: commandTo("fan"),
  });
  await home.rule({ trigger: whenOn("plug"), action: commandTo("plug") });
  await home.rule({ trigger: { type: "interval", everySeconds: 86_400 }, action: commandTo("lock") });
  home.clock.advance(12 * HOUR);
  t.equal(home.commands.length, 0);
  home.automations.runNow(home.siteId, schedule, "session:1");
  t.equal(home.commands.length, 1, "by hand it runs");
  home.state("plug", { power: true });
  t.equal(home.commands[1]?.deviceId, "plug", "on a device's change it runs");
  home.clock.advance(12 * HOUR);
  t.equal(home.commands[2]?.deviceId, "lock", "relative time passes");
  const [trace] = await home.automations.traces(home.siteId, timed);
  t.hasStrict(trace, { reason: "condition", saw: "the time is not known" });
  home.clock.jump(Date.parse("2026-03-02T06:58:00Z") - home.clock.now());
  home.trust.become("trusted");
  t.equal(home.commands.length, 3, "the right time causes no storm");
  home.clock.advance(2 * MINUTE);
  t.equal(home.commands.length, 4, "and 07:00 comes");
  await home.close();
});

t.test(
  "a power cut over a schedule on a host without a clock battery: the misfire rule waits for the true time",
  async (t) => {
    const home = await Household.open(testFolder(t), { startAt: "2026-03-02T06:50:00Z" });
    await home.rule({ trigger: { type: "time", at: "07:00" } });
    await home.powerCut(0, () => home.trust.become("unknown")); // the clock starts where it stopped, ten minutes behind
    home.clock.advance(30_000);
    home.clock.jump(14 * MINUTE);
    home.trust.become("trusted");
    t.equal(home.commands.length, 1, "07:04:30");
    await home.close();
  },
);

t.test(
  "a delay over a power cut on a host without a clock battery ends at the right time once the time is known",
  async (t) => {
    const home = await Household.open(testFolder(t));
    await home.rule({
      trigger: whenOn("plug"),
      action: { type: "sequence", actions: [{ type: "delay", seconds: 3600 }, commandTo("lamp")] },
    });
    home.state("plug", { power: true });
    home.clock.advance(20 * MINUTE);
    await home.powerCut(0, () => home.trust.become("unknown")); // dark for 15 minutes, and the clock did not count them
    home.clock.advance(MINUTE);
    home.clock.jump(15 * MINUTE);
    home.trust.become("trusted");
    home.clock.advance(24 * MINUTE - 1);
    t.equal(home.commands.length, 0);
    home.clock.advance(1);
    t.equal(home.commands.length, 1, "one hour after the trigger");
    await home.close();
  },
);

t.test("without any time a delay resumes with its remainder, and a gate is then left alone", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({
    trigger: whenOn("plug"),
    action: { type: "sequence", actions: [{ type: "delay", seconds: 1200 }, commandTo("lamp"), commandTo("gate")] },
  });
  home.state("plug", { power: true });
  home.clock.advance(10 * MINUTE);
  await home.settle();
  await home.powerCut(0, () => {
    home.clock.jump(Date.parse("1970-01-01T00:00:00Z") - home.clock.now());
    home.trust.become("unknown");
  });
  home.clock.advance(10 * MINUTE - 1);
  t.equal(home.commands.length, 0, "the remainder was saved ten minutes in");
  home.clock.advance(1);
  await home.settle();
  t.same(
    home.commands.map((command) => command.deviceId),
    ["lamp"],
  );
  t.equal(home.automations.get(home.siteId, id).lastResult, "failed");
  await home.close();
});

t.test("a site that moves to another zone has its schedules recalculated", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-03-02T00:00:00Z" });
  await home.rule({ trigger: { type: "time", at: "07:00" } });
  home.place = { ...home.place, timeZone: "Asia/Kolkata" };
  home.automations.siteChanged(home.siteId);
  home.clock.advance(90 * MINUTE);
  t.equal(home.commands.length, 1, "07:00 in India is 01:30 UTC");
  home.clock.advance(20 * HOUR);
  t.equal(home.commands.length, 1);
  await home.close();
});

t.test("what goes by a time opens nothing while the clock is in doubt, and is done otherwise", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-03-02T06:59:30Z" });
  home.device("front", "gate");
  const pressed = { type: "state", deviceId: "plug", field: "power", op: "truthy" };
  const open = commandTo("front", { open: true });
  const timed = await home.rule({ trigger: { type: "time", at: "07:00" }, action: open });
  const within = await home.rule({
    trigger: pressed,
    conditions: [{ type: "any", conditions: [{ type: "time", from: "06:00", to: "22:00" }] }],
    action: open,
  });
  const lit = await home.rule({ trigger: { type: "time", at: "07:00" }, action: commandTo("lamp", { power: true }) });
  const always = await home.rule({ trigger: pressed, action: commandTo("front", { open: "always" }) });
  Object.defineProperty(home.clock, "isDoubted", { value: true });
  home.clock.advance(MINUTE);
  home.state("plug", { power: false });
  home.state("plug", { power: true });
  await home.settle();
  t.same(home.commands.map(({ command }) => command).sort(), ['{"open":"always"}', '{"power":true}']);
  for (const id of [timed, within])
    t.hasStrict((await home.automations.traces(home.siteId, id))[0]?.steps, [{ words: { code: "step.opensNothing" } }]);
  for (const id of [lit, always]) t.same(await home.story(id), ["ran"]);
  await home.close();
});

t.test("nor does it move what decides about that, by whatever way", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-03-02T06:59:30Z" });
  home.device("front", "gate");
  home.device("relay", "switch");
  const seven = { type: "time", at: "07:00" };
  const isHome = { type: "house", is: "home" };
  await home.rule({ trigger: whenOn("plug"), conditions: [isHome], action: commandTo("front", { open: true }) });
  await home.rule({ trigger: whenOn("relay"), action: { type: "house", mode: "home" } });
  await home.modes.set(home.siteId, "away", { actor: "cli", name: null });
  const moving = [
    await home.rule({ trigger: seven, action: { type: "house", mode: "home" } }),
    await home.rule({ trigger: seven, action: commandTo("relay") }),
  ];
  const free = await home.rule({ trigger: seven, action: commandTo("lamp") });
  Object.defineProperty(home.clock, "isDoubted", { value: true });
  home.clock.advance(MINUTE);
  await home.settle();
  home.state("plug", { power: false });
  home.state("plug", { power: true });
  await home.settle();
  t.equal(home.modes.now(home.siteId).mode, "away");
  t.same(
    home.commands.map(({ deviceId }) => deviceId),
    ["lamp"],
  );
  for (const id of moving)
    t.hasStrict((await home.automations.traces(home.siteId, id))[0]?.steps, [{ words: { code: "step.timeDoubted" } }]);
  t.same(await home.story(free), ["ran"]);
  await home.close();
});
