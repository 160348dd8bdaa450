import t from "tap";
import { lastDue, nextDue, rehearsalDue, rotatedOut } from "../../src/features/backups/schedule.ts";

const at = (text: string): number => Date.parse(text);

t.test("due once a day at local time, also on the days of clock changes", async (t) => {
  const plan = { time: "02:30" };
  const zone = "Europe/Berlin";
  t.equal(lastDue(plan, zone, at("2026-03-10T01:00:00Z")), at("2026-03-09T01:30:00Z"));
  t.equal(lastDue(plan, zone, at("2026-03-10T01:30:00Z")), at("2026-03-10T01:30:00Z"));
  t.equal(nextDue(plan, zone, at("2026-03-10T01:30:00Z")), at("2026-03-11T01:30:00Z"));
  // 29 March: 02:30 does not exist; it is taken an hour later by the wall clock.
  t.equal(nextDue(plan, zone, at("2026-03-28T12:00:00Z")), at("2026-03-29T01:30:00Z"));
});

t.test("kept: the newest of each of the last days and weeks", async (t) => {
  const backups = Array.from({ length: 40 }, (_, day) => ({ at: at("2026-03-01T03:15:00Z") + day * 86_400_000 }));
  const extra = { at: at("2026-04-09T12:00:00Z") };
  const gone = new Set(rotatedOut([...backups, extra], { keepDaily: 3, keepWeekly: 4 }, "UTC"));
  const kept = [...backups, extra]
    .filter((backup) => !gone.has(backup))
    .map(({ at }) => new Date(at).toISOString().slice(0, 13));
  t.same(kept.sort(), [
    "2026-03-22T03",
    "2026-03-29T03",
    "2026-04-05T03",
    "2026-04-07T03",
    "2026-04-08T03",
    "2026-04-09T12",
  ]);
  t.same(rotatedOut([{ at: 5 }], { keepDaily: 1, keepWeekly: 0 }, "UTC"), [], "the only one stays");
});

t.test("the restore is rehearsed a week after the last time, also if the clock was ahead then", async (t) => {
  const last = at("2026-03-01T00:00:00Z");
  t.ok(rehearsalDue(null, last), "never yet");
  t.notOk(rehearsalDue(last, at("2026-03-08T00:00:00Z")));
  t.ok(rehearsalDue(last, at("2026-03-08T00:00:01Z")));
  t.ok(rehearsalDue(last, at("2026-02-28T23:59:59Z")));
});
