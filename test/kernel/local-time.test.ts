import t from "tap";
import { dayAt, daysInclude, instantOf, minuteOfDayAt, offsetAt, weekdayOf } from "../../src/core/kernel/local-time.ts";

const day = (iso: string): number => Date.parse(`${iso}T00:00:00Z`) / 86_400_000;
const at = (zone: string, date: string, clock: string): string =>
  new Date(instantOf(zone, day(date), Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3)))).toISOString();

t.test("ordinary local times are instants of their zone", async (t) => {
  t.equal(at("Asia/Kolkata", "2026-03-29", "07:00"), "2026-03-29T01:30:00.000Z");
  t.equal(at("Europe/London", "2026-01-05", "07:00"), "2026-01-05T07:00:00.000Z");
  t.equal(at("Pacific/Kiritimati", "2026-01-05", "00:00"), "2026-01-04T10:00:00.000Z");
  t.equal(at("Not/AZone", "2026-01-05", "07:00"), "2026-01-05T07:00:00.000Z", "an unknown zone counts as UTC");
});

t.test("a non-existent time is the first instant after the gap", async (t) => {
  t.equal(at("Europe/London", "2026-03-29", "01:30"), "2026-03-29T01:00:00.000Z");
  t.equal(at("Europe/London", "2026-03-29", "01:00"), "2026-03-29T01:00:00.000Z");
  t.equal(at("Europe/London", "2026-03-29", "02:00"), "2026-03-29T01:00:00.000Z");
  t.equal(at("America/New_York", "2026-03-08", "02:30"), "2026-03-08T07:00:00.000Z");
  t.equal(at("Australia/Lord_Howe", "2026-10-04", "02:15"), "2026-10-03T15:30:00.000Z", "a gap of half an hour");
  t.equal(at("Africa/Cairo", "2026-04-24", "00:00"), "2026-04-23T22:00:00.000Z", "a gap at midnight: 01:00 local");
});

t.test("an ambiguous time is the first of the two", async (t) => {
  t.equal(at("Europe/London", "2026-10-25", "01:30"), "2026-10-25T00:30:00.000Z");
  t.equal(at("America/New_York", "2026-11-01", "01:30"), "2026-11-01T05:30:00.000Z");
  t.equal(at("Australia/Lord_Howe", "2026-04-05", "01:45"), "2026-04-04T14:45:00.000Z");
});

t.test("days, minutes and weekdays are local", async (t) => {
  const instant = Date.parse("2026-03-01T20:15:59Z");
  t.equal(dayAt("Asia/Kolkata", instant), day("2026-03-02"));
  t.equal(minuteOfDayAt("Asia/Kolkata", instant), 105);
  t.equal(weekdayOf(day("2026-03-02")), 1);
  t.equal(weekdayOf(day("2026-03-01")), 7);
  t.equal(weekdayOf(day("1969-12-31")), 3);
  t.equal(offsetAt("Asia/Kolkata", instant), 19_800_000);
  t.ok(
    daysInclude([0], day("2026-03-01")) &&
      daysInclude([7], day("2026-03-01")) &&
      daysInclude([], day("2026-03-01")) &&
      daysInclude(undefined, 0),
  );
  t.notOk(daysInclude([1, 2], day("2026-03-01")));
});
