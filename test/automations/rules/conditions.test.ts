import t from "tap";
import { judge, judgeAll } from "../../../src/features/automations/rules/conditions.ts";
import type { Condition } from "../../../src/features/automations/rules/rule.ts";
import type { World } from "../../../src/features/automations/rules/world.ts";

function world(now: string | null, members: Partial<World> = {}): World {
  return {
    now: now === null ? null : Date.parse(now),
    place: { timeZone: "Asia/Kolkata", latitude: 19.08, longitude: 72.88 },
    state: (id) => (id === "fan" ? { speed: 3, inner: { mode: "eco" } } : null),
    occupancy: () => 4,
    mode: () => "night",
    whereIs: (person) => (person === undefined ? "home" : person === 1 ? "away" : person === 2 ? null : undefined),
    ...members,
  };
}

const holds = (condition: Condition, now: string | null): boolean => judge(condition, world(now)).holds;

t.test("a time window over midnight belongs to the day on which it began", async (t) => {
  const night = { type: "time", from: "22:00", to: "06:00", days: [5] } as const; // Friday night
  t.equal(holds(night, "2026-03-06T22:00:00+05:30"), true);
  t.equal(holds(night, "2026-03-07T05:59:59+05:30"), true, "Saturday morning is still Friday night");
  t.equal(holds(night, "2026-03-07T06:00:00+05:30"), false);
  t.equal(holds(night, "2026-03-06T05:00:00+05:30"), false, "Friday morning is Thursday night");
  t.equal(holds(night, "2026-03-07T23:00:00+05:30"), false);
  const day = { type: "time", from: "08:00", to: "17:00" } as const;
  t.equal(holds(day, "2026-03-06T08:00:00+05:30"), true);
  t.equal(holds(day, "2026-03-06T17:00:00+05:30"), false);
  t.equal(
    holds({ type: "time", from: "00:00", to: "00:00" }, "2026-03-06T17:00:00+05:30"),
    true,
    "equal ends are the whole day",
  );
});

t.test("days, sun, state and occupancy", async (t) => {
  t.equal(holds({ type: "days", days: [0] }, "2026-03-07T20:00:00Z"), true, "Sunday has begun in India");
  t.equal(holds({ type: "sun", is: "up" }, "2026-03-07T12:00:00+05:30"), true);
  t.equal(holds({ type: "sun", is: "up" }, "2026-03-07T23:30:00+05:30"), false);
  t.equal(holds({ type: "state", deviceId: "fan", field: "inner.mode", op: "eq", value: "eco" }, null), true);
  t.match(judge({ type: "state", deviceId: "gone", field: "a", op: "falsy" }, world(null)), {
    holds: false,
    saw: "the device is gone",
  });
  t.equal(holds({ type: "occupancy", op: "lte", value: 4 }, null), true);
});

t.test("the sun stays up or down on polar days", async (t) => {
  const arctic = { place: { timeZone: "Europe/Oslo", latitude: 69.65, longitude: 18.96 } };
  t.equal(judge({ type: "sun", is: "up" }, world("2026-06-21T00:30:00+02:00", arctic)).holds, true);
  t.equal(judge({ type: "sun", is: "down" }, world("2026-12-21T12:00:00+01:00", arctic)).holds, true);
  t.match(
    judge(
      { type: "sun", is: "up" },
      world("2026-06-21T00:00:00Z", { place: { timeZone: "UTC", latitude: null, longitude: null } }),
    ),
    {
      holds: false,
      saw: "the site has no coordinates",
    },
  );
});

t.test("while the time is not known no condition that needs it holds", async (t) => {
  for (const condition of [
    { type: "time", from: "00:00", to: "00:00" },
    { type: "days", days: [] },
    { type: "sun", is: "up" },
    { type: "sun", is: "down" },
  ] as const)
    t.match(judge(condition, world(null)), { holds: false, saw: "the time is not known" });
});

t.test("groups nest, and the verdict names the deciding part", async (t) => {
  const slow = { type: "state", deviceId: "fan", field: "speed", op: "lt", value: 3 } as const;
  const full = { type: "occupancy", op: "eq", value: 4 } as const;
  t.match(judge({ type: "any", conditions: [slow, full] }, world(null)), { holds: true, decidedBy: full, saw: 4 });
  t.match(judge({ type: "not", condition: { type: "all", conditions: [full, slow] } }, world(null)), {
    holds: true,
    decidedBy: slow,
    saw: 3,
  });
  t.match(judgeAll([full, { type: "not", condition: full }], world(null)), { holds: false, decidedBy: full });
  t.equal(judgeAll([], world(null)).holds, true);
  t.equal(judge({ type: "all", conditions: [] }, world(null)).holds, true);
  t.equal(judge({ type: "any", conditions: [] }, world(null)).holds, false);
});
