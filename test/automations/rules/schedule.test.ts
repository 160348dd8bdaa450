import fc from "fast-check";
import t from "tap";
import { lastOccurrence, nextOccurrence } from "../../../src/features/automations/rules/schedule.ts";
import type { SitePlace } from "../../../src/features/automations/rules/world.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
const place = (timeZone: string, latitude: number | null = null, longitude: number | null = null): SitePlace => ({
  timeZone,
  latitude,
  longitude,
});

/** The occurrences in [from, to), found by going from one to the next. */
function occurrences(
  trigger: Parameters<typeof nextOccurrence>[0],
  where: SitePlace,
  span: { from: number; to: number },
): number[] {
  const found: number[] = [];
  for (
    let next = nextOccurrence(trigger, where, span.from - 1);
    next !== null && next < span.to;
    next = nextOccurrence(trigger, where, next)
  )
    found.push(next);
  return found;
}

const iso = (instants: readonly number[]): string[] =>
  instants.map((instant) => new Date(instant).toISOString().slice(0, 16));
const between = (from: string, to: string): { from: number; to: number } => ({
  from: Date.parse(from),
  to: Date.parse(to),
});

t.test("over a spring night every schedule runs once a day", async (t) => {
  const cases: [string, string, string, string[]][] = [
    ["Europe/London", "01:30", "2026-03-28", ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"]],
    ["America/New_York", "02:30", "2026-03-07", ["2026-03-07T07:30", "2026-03-08T07:00", "2026-03-09T06:30"]],
    ["Australia/Lord_Howe", "02:15", "2026-10-02", ["2026-10-02T15:45", "2026-10-03T15:30", "2026-10-04T15:15"]],
    ["Asia/Kolkata", "02:30", "2026-03-28", ["2026-03-28T21:00", "2026-03-29T21:00", "2026-03-30T21:00"]],
  ];
  for (const [zone, at, from, expected] of cases)
    t.same(
      iso(occurrences({ type: "time", at }, place(zone), { from: Date.parse(from), to: Date.parse(from) + 3 * DAY })),
      expected,
      zone,
    );
});

t.test("over an autumn night every schedule runs once a day, at the first of two", async (t) => {
  const cases: [string, string, string, string[]][] = [
    ["Europe/London", "01:30", "2026-10-24", ["2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"]],
    ["America/New_York", "01:30", "2026-10-31", ["2026-10-31T05:30", "2026-11-01T05:30", "2026-11-02T06:30"]],
    ["Australia/Lord_Howe", "01:45", "2026-04-03", ["2026-04-03T14:45", "2026-04-04T14:45", "2026-04-05T15:15"]],
    ["Asia/Kolkata", "01:30", "2026-10-24", ["2026-10-24T20:00", "2026-10-25T20:00", "2026-10-26T20:00"]],
  ];
  for (const [zone, at, from, expected] of cases)
    t.same(
      iso(occurrences({ type: "time", at }, place(zone), { from: Date.parse(from), to: Date.parse(from) + 3 * DAY })),
      expected,
      zone,
    );
});

t.test("a leap day, months of 31 days, midnight and the last minute", async (t) => {
  const utc = place("UTC");
  t.same(iso(occurrences({ type: "time", at: "00:00" }, utc, between("2028-02-28", "2028-03-02"))), [
    "2028-02-28T00:00",
    "2028-02-29T00:00",
    "2028-03-01T00:00",
  ]);
  t.same(iso(occurrences({ type: "time", at: "23:59" }, utc, between("2026-07-31", "2026-08-02"))), [
    "2026-07-31T23:59",
    "2026-08-01T23:59",
  ]);
  t.equal(
    occurrences(
      { type: "time", at: "00:00" },
      place("Asia/Kolkata"),
      between("2026-06-30T18:30:00Z", "2026-08-31T18:30:00Z"),
    ).length,
    62,
  );
  t.same(iso(occurrences({ type: "time", at: "00:00", days: [2] }, utc, between("2028-02-20", "2028-03-08"))), [
    "2028-02-22T00:00",
    "2028-02-29T00:00",
    "2028-03-07T00:00",
  ]);
});

t.test("the sun: offsets, days, and polar days without it", async (t) => {
  const london = place("Europe/London", 51.5, -0.12);
  const [sunset] = occurrences({ type: "sun", event: "sunset" }, london, between("2026-06-21", "2026-06-22"));
  t.ok(Math.abs((sunset ?? 0) - Date.parse("2026-06-21T20:21:30Z")) < 2 * MINUTE, "21:21 BST by the almanac");
  const [early] = occurrences(
    { type: "sun", event: "sunset", offsetMinutes: -45 },
    london,
    between("2026-06-21", "2026-06-22"),
  );
  t.equal((sunset ?? 0) - (early ?? 0), 45 * MINUTE);
  const mumbai = place("Asia/Kolkata", 19.08, 72.88);
  const [sunrise] = occurrences(
    { type: "sun", event: "sunrise" },
    mumbai,
    between("2026-01-14T18:30:00Z", "2026-01-15T18:30:00Z"),
  );
  t.ok(Math.abs((sunrise ?? 0) - Date.parse("2026-01-15T01:45:00Z")) < 2 * MINUTE, "07:15 IST by the almanac");
  const tromso = place("Europe/Oslo", 69.65, 18.96);
  t.same(
    occurrences({ type: "sun", event: "sunset" }, tromso, between("2026-06-01", "2026-07-10")),
    [],
    "the midnight sun does not set",
  );
  t.same(
    occurrences({ type: "sun", event: "sunrise" }, tromso, between("2026-12-05", "2027-01-05")),
    [],
    "nor does it rise in the polar night",
  );
  t.equal(
    occurrences({ type: "sun", event: "sunrise", days: [6, 7] }, london, between("2026-06-01", "2026-06-15")).length,
    4,
  );
  t.equal(
    occurrences(
      { type: "sun", event: "sunset" },
      place("Pacific/Auckland", -36.85, 174.76),
      between("2026-01-01", "2027-01-01"),
    ).length,
    365,
  );
  t.equal(
    occurrences(
      { type: "sun", event: "sunrise" },
      place("Pacific/Kiritimati", 1.87, -157.4),
      between("2026-01-01", "2027-01-01"),
    ).length,
    365,
    "a zone far from its sun",
  );
  t.equal(nextOccurrence({ type: "sun", event: "sunrise" }, place("UTC"), 0), null, "no coordinates, no sun");
});

const ZONES = [
  "UTC",
  "Asia/Kolkata",
  "Europe/London",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "Africa/Casablanca",
  "Asia/Beirut",
];
const SPAN = between("2027-01-01T00:00:00Z", "2029-01-01T00:00:00Z"); // two years with a leap day
const LEAD = 2 * DAY;

/**
 * Local wall time of every minute of the span and two days before, by the platform's own calendar: the wall clock in
 * minutes since 1970.
 */
function wallClock(timeZone: string): Int32Array {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const from = SPAN.from - LEAD;
  const minutes = new Int32Array((SPAN.to - from) / MINUTE);
  for (let i = 0; i < minutes.length; i += 30) {
    // Every zone of the list changes its clocks on a half hour of UTC.
    const [, d, m, y, h, min] = /^(\d+)\/(\d+)\/(\d+), (\d+):(\d+)$/.exec(format.format(from + i * MINUTE)) ?? [];
    const shown = Date.UTC(Number(y), Number(m) - 1, Number(d), Number(h), Number(min)) / MINUTE;
    for (let j = 0; j < 30 && i + j < minutes.length; j++) minutes[i + j] = shown + j;
  }
  return minutes;
}

/**
 * Minute by minute, like a person watching the wall clock: run when it shows the time, or has just jumped over it, and
 * never twice for one day.
 */
function watched(wall: Int32Array, rule: { minute: number; days: readonly number[] }): number[] {
  const found: number[] = [];
  const done = new Set<number>();
  const wanted = new Set(rule.days.map((day) => day % 7)); // 0 = Sunday, as JavaScript counts
  for (let i = 1; i < wall.length; i++) {
    const shows = wall[i] ?? 0;
    const before = wall[i - 1] ?? 0;
    for (let minute = shows > before ? before + 1 : shows; minute <= shows; minute++) {
      if (minute % 1440 !== rule.minute) continue;
      const day = Math.floor(minute / 1440);
      if (done.has(day)) continue;
      done.add(day);
      if (wanted.size === 0 || wanted.has(new Date(day * DAY).getUTCDay())) found.push(SPAN.from - LEAD + i * MINUTE);
    }
  }
  return found.filter((instant) => instant >= SPAN.from);
}

t.test("the scheduler agrees with a minute-by-minute simulation of two years", async (t) => {
  const walls = new Map(ZONES.map((zone) => [zone, wallClock(zone)]));
  // times of clock changes, and the ends of the day
  const near = [0, 1, 59, 60, 90, 105, 119, 120, 121, 135, 150, 179, 180, 1439];
  const rule = fc.record({
    zone: fc.constantFrom(...ZONES),
    minute: fc.oneof(fc.constantFrom(...near), fc.integer({ min: 0, max: 1439 })),
    days: fc.uniqueArray(fc.integer({ min: 0, max: 7 }), { maxLength: 7 }),
  });
  fc.assert(
    fc.property(rule, ({ zone, minute, days }) => {
      const at = `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
      const trigger = { type: "time", at, days } as const;
      const expected = watched(walls.get(zone) ?? new Int32Array(), { minute, days });
      const found = occurrences(trigger, place(zone), SPAN);
      if (JSON.stringify(found) !== JSON.stringify(expected))
        throw new Error(
          `${iso(found.filter((one) => !expected.includes(one)))} instead of ${iso(expected.filter((one) => !found.includes(one)))}`,
        );
    }),
    { numRuns: 60 },
  );
  t.pass("60 random rules");
});

t.test("looking back finds the occurrence that looking ahead found", async (t) => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 700 * 1440 }),
      (zone, hour, offset) => {
        const trigger = { type: "time", at: `${String(hour).padStart(2, "0")}:30` } as const;
        const next = nextOccurrence(trigger, place(zone), SPAN.from + offset * MINUTE);
        return (
          next !== null &&
          lastOccurrence(trigger, place(zone), next) === next &&
          (lastOccurrence(trigger, place(zone), next - 1) ?? 0) < next
        );
      },
    ),
    { numRuns: 300 },
  );
  t.pass("300 random moments");
});
