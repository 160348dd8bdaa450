import fc from "fast-check";
import t from "tap";
import { type DecidingRule, decide, listOf } from "../../../src/domain/plates/decide.js";
import { occupancyOf } from "../../../src/domain/plates/occupancy.js";
import { type OpenPass, passOf } from "../../../src/domain/plates/passes.js";

const rule = (id: number, kind: DecidingRule["kind"], more: Partial<DecidingRule> = {}): DecidingRule => ({
  id,
  kind,
  deviceId: null,
  validFrom: null,
  validTo: null,
  windows: [],
  enabled: true,
  earns: null,
  ...more,
});

const moment = (at: number) => ({ at, timeZone: "Asia/Kolkata" });

t.test("deny wins, then allow, then watch, then unknown", async (t) => {
  const all = [rule(1, "watch"), rule(2, "allow"), rule(3, "deny", { deviceId: "cam" })];
  t.match(decide(all, "cam", moment(0)), { decision: "deny", rule: { id: 3 }, watching: [{ id: 1 }] });
  t.match(decide(all, "other", moment(0)), { decision: "allow", rule: { id: 2 } });
  t.match(decide(all.slice(0, 1), "cam", moment(0)), { decision: "watch", rule: { id: 1 } });
  t.same(decide([], "cam", moment(0)), { decision: "unknown", rule: null, watching: [] });
  t.match(
    decide([rule(1, "allow"), rule(2, "allow", { deviceId: "cam" })], "cam", moment(0)),
    { rule: { id: 2 } },
    "the hit counts on the rule made for this camera",
  );
});

t.test("a rule holds from validFrom to just before validTo, while enabled", async (t) => {
  const visitor = rule(1, "allow", { validFrom: 100, validTo: 200 });
  t.same(
    [99, 100, 199, 200].map((at) => decide([visitor], "cam", moment(at)).decision),
    ["unknown", "allow", "allow", "unknown"],
  );
  t.equal(decide([rule(1, "deny", { enabled: false })], "cam", moment(0)).decision, "unknown");
  t.equal(listOf([rule(1, "allow"), rule(2, "deny", { deviceId: "x" })], moment(0))?.kind, "deny");
  t.equal(listOf([visitor], moment(250)), null);
});

/** Weekday (1 = Monday) and minute of the day by the language's own calendar, which knows nothing of ours. */
function wallClock(at: number, timeZone: string): { day: number; minute: number } {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(at);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? "";
  return {
    day: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].indexOf(part("weekday")) + 1,
    minute: Number(part("hour")) * 60 + Number(part("minute")),
  };
}

const clockTime = fc
  .tuple(fc.nat(23), fc.nat(59))
  .map(([h, m]) => `${String(h).padStart(2, "0")}:${String(m).padStart(2, "0")}`);
const minutes = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
const zones = fc.constantFrom(
  "Asia/Kolkata",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "Pacific/Chatham",
);

t.test(
  "a rule with windows holds exactly while the wall clock shows such a time, over midnight and whatever the clocks do",
  async () => {
    const windows = fc.array(
      fc.record({
        days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        from: clockTime,
        to: clockTime,
      }),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    const at = fc
      .date({ min: new Date("2024-01-01"), max: new Date("2028-12-31"), noInvalidDate: true })
      .map((date) => date.getTime());
    fc.assert(
      fc.property(windows, at, zones, (windows, at, timeZone) => {
        const { day, minute } = wallClock(at, timeZone);
        const yesterday = day === 1 ? 7 : day - 1;
        const expected = windows.some(({ days, from, to }) => {
          const isOver = minutes(to) <= minutes(from);
          if (!isOver) return days.includes(day) && minute >= minutes(from) && minute < minutes(to);
          return (days.includes(day) && minute >= minutes(from)) || (days.includes(yesterday) && minute < minutes(to));
        });
        return (decide([rule(1, "allow", { windows })], "cam", { at, timeZone }).decision === "allow") === expected;
      }),
      { numRuns: 500 },
    );
  },
);

t.test("weekdays from 7 to 9 where the clocks change, and Friday night into Saturday", async (t) => {
  const cook = rule(1, "allow", { windows: [{ days: [1, 2, 3, 4, 5], from: "07:00", to: "09:00" }] });
  const allowed = (one: DecidingRule, iso: string, timeZone = "Europe/Berlin") =>
    decide([one], "cam", { at: Date.parse(iso), timeZone }).decision === "allow";
  t.ok(allowed(cook, "2026-03-27T06:00:00Z"), "Friday 7:00 in winter");
  t.notOk(allowed(cook, "2026-03-30T07:00:00Z"), "Monday 9:00 in summer: over");
  t.ok(allowed(cook, "2026-03-30T05:00:00Z"), "Monday 7:00 in summer");
  t.notOk(allowed(cook, "2026-03-29T05:30:00Z"), "Sunday");
  const night = rule(2, "allow", { windows: [{ days: [5], from: "22:00", to: "02:00" }] });
  t.same(
    [
      "2026-11-20T16:29:59Z",
      "2026-11-20T16:30:00Z",
      "2026-11-20T20:29:59Z",
      "2026-11-20T20:30:00Z",
      "2026-11-19T20:00:00Z",
    ].map((iso) => allowed(night, iso, "Asia/Kolkata")),
    [false, true, true, false, false],
  );
  const repeated = rule(3, "allow", { windows: [{ days: [7], from: "02:15", to: "02:45" }] });
  t.same(
    ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"].map((iso) => allowed(repeated, iso)),
    [true, true],
    "an hour that comes twice counts twice",
  );
  const skipped = rule(4, "allow", { windows: [{ days: [7], from: "02:15", to: "02:45" }] });
  t.same(
    ["2026-03-29T00:59:00Z", "2026-03-29T01:01:00Z"].map((iso) => allowed(skipped, iso)),
    [false, false],
    "one that is skipped never",
  );
  t.notOk(
    allowed(
      rule(5, "allow", { windows: [{ days: [1], from: "07:00", to: "09:00" }], validTo: 0 }),
      "2026-03-30T05:30:00Z",
    ),
    "validTo ends windows too",
  );
});

t.test("a pass takes reads of its plate within the window, to both sides", async (t) => {
  const pass = (
    id: number,
    plate: string,
    at: number,
    lastAt = at,
    direction: OpenPass["direction"] = null,
  ): OpenPass => ({
    id,
    plate,
    confidence: 95,
    at,
    lastAt,
    direction,
  });
  const own = [pass(1, "A", 10_000, 40_000)];
  const find = (at: number, nearby = own, direction: OpenPass["direction"] = null) =>
    passOf({ plate: "A", confidence: 95, direction, at }, nearby, 30_000)?.id ?? null;
  t.same(
    [-20_000, -20_001, 30_000, 70_000, 70_001].map((at) => find(at)),
    [1, null, 1, 1, null],
  );
  t.equal(find(60_000, [...own, pass(2, "B", 50_000)]), null, "another plate was between");
  t.equal(find(60_000, [...own, pass(2, "B", 65_000)]), 1, "another plate came after");
  t.equal(find(50_000, [pass(1, "A", 40_000, 40_000, "in")], "out"), null, "it turned round");
  t.equal(find(50_000, [pass(1, "A", 40_000, 40_000, "in")], "in"), 1);
  t.equal(find(50_000, [pass(1, "A", 30_000), pass(3, "A", 45_000)]), 3, "the nearer one");
});

t.test("occupancy", async (t) => {
  t.same(occupancyOf(3, null), { inside: 3, capacity: null, free: null, full: false, percent: null });
  t.same(occupancyOf(0, 0), { inside: 0, capacity: 0, free: 0, full: true, percent: 100 });
  t.same(occupancyOf(2, 3), { inside: 2, capacity: 3, free: 1, full: false, percent: 67 });
  t.same(occupancyOf(5, 4), { inside: 5, capacity: 4, free: 0, full: true, percent: 125 });
});
