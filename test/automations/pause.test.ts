/** A rule that is paused is started by nothing until its moment has come, and then goes on by itself. */
import t from "tap";
import { Problem } from "../../src/core/kernel/problem.ts";
import { Household, whenOn } from "../support/automations.ts";
import { testFolder } from "../support/test-folder.ts";

const HOUR = 3_600_000;

t.test("nothing starts a paused rule, also after a power cut, and it goes on when its time has come", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: whenOn("plug") });
  const flip = (): void => {
    home.state("plug", { power: false });
    home.state("plug", { power: true });
  };
  const until = home.clock.now() + 2 * HOUR;
  await home.automations.pauseUntil(home.siteId, id, until);
  t.same(home.automations.pauses(home.siteId), [{ id, until }]);
  t.same(home.automations.pauses(home.otherSiteId), []);
  t.equal(home.automations.get(home.siteId, id).enabled, true, "it is on all the while");
  flip();
  t.same(await home.story(id), ["paused"], "its traces say why");
  t.same(home.commands, []);
  await home.powerCut(HOUR / 2);
  home.clock.advance(20_000);
  flip();
  await home.settle();
  t.same(home.commands, []);
  home.automations.runNow(home.siteId, id, "session:1");
  await home.settle();
  t.equal(home.commands.length, 1, "somebody may still run it");
  home.clock.advance(2 * HOUR);
  t.same(home.automations.pauses(home.siteId), []);
  flip();
  await home.settle();
  t.equal(home.commands.length, 2);
  await home.close();
});

t.test("a pause ends by hand and when the rule is switched on or off, not by other edits", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: whenOn("plug") });
  const pause = (): Promise<void> => home.automations.pauseUntil(home.siteId, id, home.clock.now() + HOUR);
  const isPaused = (): boolean => home.automations.pauses(home.siteId).length === 1;
  await pause();
  await home.automations.edit(home.siteId, id, { name: "Another name", enabled: true });
  t.equal(isPaused(), true);
  await home.automations.pauseUntil(home.siteId, id, null);
  t.equal(isPaused(), false);
  await pause();
  await home.automations.edit(home.siteId, id, { enabled: false });
  t.equal(isPaused(), false);
  await home.automations.edit(home.siteId, id, { enabled: true });
  t.equal(isPaused(), false, "it was ended, not put off");
  await home.powerCut(0);
  t.equal(isPaused(), false, "on disk too");
  await home.close();
});

t.test("a pause empties the queue; what is run by hand meanwhile waits its turn", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({
    trigger: whenOn("plug"),
    mode: "queued",
    action: {
      type: "sequence",
      actions: [
        { type: "command", deviceId: "lamp", command: { power: true } },
        { type: "delay", seconds: 60 },
      ],
    },
  });
  const flip = (): void => {
    home.state("plug", { power: false });
    home.state("plug", { power: true });
  };
  for (let times = 0; times < 3; times++) flip();
  await home.settle();
  t.equal(home.commands.length, 1, "one has begun, two wait");
  await home.automations.pauseUntil(home.siteId, id, home.clock.now() + HOUR);
  t.equal((await home.story(id)).filter((line) => line === "paused").length, 2, "its traces say why");
  home.automations.runNow(home.siteId, id, "session:1");
  home.clock.advance(61_000);
  await home.settle();
  t.equal(home.commands.length, 2, "by hand only");
  home.clock.advance(61_000);
  await home.settle();
  t.equal(home.commands.length, 2);
  await home.close();
});

t.test("a scheduled rule misses its turns during a pause, and keeps its rhythm", async (t) => {
  const home = await Household.open(testFolder(t), { startAt: "2026-03-02T06:00:00Z" });
  const id = await home.rule({ trigger: { type: "time", at: "07:00" } });
  await home.automations.pauseUntil(home.siteId, id, Date.parse("2026-03-03T06:00:00Z"));
  home.clock.advance(2 * HOUR);
  t.same(await home.story(id), ["paused"]);
  t.same(home.automations.nextTurns(home.siteId), [{ id, at: Date.parse("2026-03-03T07:00:00Z") }]);
  home.clock.advance(24 * HOUR);
  await home.settle();
  t.equal(home.commands.length, 1);
  await home.close();
});

t.test("what cannot be a pause is refused", async (t) => {
  const home = await Household.open(testFolder(t));
  const id = await home.rule({ trigger: whenOn("plug") });
  const refusal = (until: number, siteId = home.siteId): Promise<unknown> =>
    home.automations.pauseUntil(siteId, id, until).catch((error) => (error instanceof Problem ? error.code : error));
  const now = home.clock.now();
  t.equal(await refusal(now), "invalid_body", "a moment that has passed");
  t.equal(await refusal(now + 400 * 24 * HOUR), "invalid_body", "more than a year");
  t.equal(await refusal(now + HOUR, home.otherSiteId), "automation_not_found", "of another household");
  await home.automations.edit(home.siteId, id, { enabled: false });
  t.equal(await refusal(now + HOUR), "conflict", "a rule that is off");
  await home.close();
});
