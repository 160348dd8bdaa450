import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import {
  dayAt,
  daysInclude,
  instantOf,
  isInWindow,
  minuteOfDayAt,
  minutesOf,
  offsetAt,
  weekdayOf,
} from "../../src/core/kernel/local-time.ts";
import { judge, judgeAll } from "../../src/features/automations/rules/conditions.ts";
import {
  matchesEvent,
  matchesOccupancy,
  matchesPlate,
  matchesPresence,
  matchesState,
  stillHolds,
} from "../../src/features/automations/rules/matches.ts";
import { fieldOf, isEdge, satisfies } from "../../src/features/automations/rules/operators.ts";
import type { Action, Condition, StateTrigger } from "../../src/features/automations/rules/rule.ts";
import { devicesNamed, leavesOf, stepsOf } from "../../src/features/automations/rules/rule.ts";
import { lastOccurrence, nextOccurrence, type ScheduleTrigger } from "../../src/features/automations/rules/schedule.ts";
import { isSunUp, sunEvent, sunPlace } from "../../src/features/automations/rules/sun.ts";
import type { World } from "../../src/features/automations/rules/world.ts";
import { table } from "../support/recorded.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;
const VALUES = [
  null,
  false,
  true,
  0,
  1,
  2,
  -1,
  "",
  " ",
  "0",
  "1",
  "2",
  "off",
  " No ",
  "False",
  "on",
  "x",
  [],
  [1],
  ["x"],
  {},
  { a: 1 },
];
const OPERATORS = ["truthy", "falsy", "eq", "ne", "gt", "gte", "lt", "lte", "in", "contains"] as const;

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
const bits = (all: readonly boolean[]): string => all.map(Number).join("");

/** Zones whose clocks change, at other hours and by other steps; one skipped a whole day. */
const ZONES: [zone: string, around: string][] = [
  ["Europe/Berlin", "2026-03-29"],
  ["Europe/Berlin", "2026-10-25"],
  ["America/New_York", "2026-03-08"],
  ["America/New_York", "2026-11-01"],
  ["Australia/Lord_Howe", "2026-04-05"],
  ["Australia/Lord_Howe", "2026-10-04"],
  ["Pacific/Apia", "2011-12-30"],
  ["Asia/Kolkata", "2026-03-01"],
  ["America/Sao_Paulo", "2018-11-04"],
  ["Nowhere/Land", "2026-03-01"],
];
const PLACES = {
  mumbai: { timeZone: "Asia/Kolkata", latitude: 19.08, longitude: 72.88 },
  tromsø: { timeZone: "Europe/Oslo", latitude: 69.65, longitude: 18.96 },
  apia: { timeZone: "Pacific/Apia", latitude: -13.83, longitude: -171.77 },
  nowhere: { timeZone: "UTC", latitude: null, longitude: 0 },
  nowhereElse: { timeZone: "UTC", latitude: 0, longitude: null },
  equator: { timeZone: "UTC", latitude: 0, longitude: 0 },
} as const;

const SCHEDULES: ScheduleTrigger[] = [
  { type: "time", at: "06:30" },
  { type: "time", at: "02:30", days: [7] },
  { type: "time", at: "00:00", days: [0, 1] },
  { type: "sun", event: "sunrise" },
  { type: "sun", event: "sunset", offsetMinutes: -30, days: [3] },
  { type: "sun", event: "sunset", offsetMinutes: 720 },
];

/** One minute before, at and after each clock time, over three days around a change. */
function localTimes(): Record<string, unknown> {
  return table(ZONES, ([zone, around]) => {
    const middle = Date.parse(`${around}T00:00:00Z`) / DAY;
    const instants = [-1, 0, 1].flatMap((shift) =>
      ["00:00", "00:30", "01:59", "02:00", "02:15", "02:30", "03:00", "12:00", "23:59"].map((time) =>
        instantOf(zone, middle + shift, minutesOf(time)),
      ),
    );
    return [
      instants.map(iso).join(" "),
      instants
        .map((at) =>
          [
            offsetAt(zone, at) / MINUTE,
            dayAt(zone, at) - middle,
            minuteOfDayAt(zone, at),
            minuteOfDayAt(zone, at - 1),
          ].join(","),
        )
        .join(" "),
    ];
  });
}

function windows(): Record<string, unknown> {
  const start = Date.parse("2026-03-02T00:00:00Z"); // a Monday
  return table(
    [
      { from: "08:00", to: "17:00" },
      { from: "22:00", to: "06:00" },
      { from: "00:00", to: "00:00" },
      { from: "08:00", to: "08:00", days: [1] },
      { from: "22:00", to: "06:00", days: [7] },
      { from: "08:00", to: "17:00", days: [0, 6] },
      { from: "08:00", to: "17:00", days: [] },
    ],
    (window) =>
      [0, 6 * 60 - 1, 6 * 60, 8 * 60 - 1, 8 * 60, 17 * 60 - 1, 17 * 60, 22 * 60 - 1, 22 * 60, 24 * 60 - 1]
        .map((minute) =>
          bits([-1, 0, 1, 5].map((day) => isInWindow(window, "UTC", start + day * DAY + minute * MINUTE))),
        )
        .join(" "),
  );
}

function verdicts(): Record<string, unknown> {
  const state = { type: "state", deviceId: "fan", field: "speed", op: "gt", value: 2 } as const;
  const holds = { type: "occupancy", op: "eq", value: 4 } as const;
  const conditions: Condition[] = [
    state,
    { ...state, value: 3 },
    { ...state, deviceId: "gone" },
    { type: "time", from: "22:00", to: "06:00", days: [7] },
    { type: "time", from: "08:00", to: "17:00" },
    { type: "days", days: [1] },
    { type: "days", days: [2] },
    { type: "sun", is: "up" },
    { type: "sun", is: "down" },
    holds,
    { ...holds, op: "lt" },
    { type: "house", is: "night" },
    { type: "house", is: "away" },
    { type: "presence", is: "home" },
    { type: "presence", is: "away" },
    { type: "presence", is: "away", person: 1 },
    { type: "presence", is: "away", person: 2 },
    { type: "not", condition: { type: "presence", is: "home", person: 3 } },
    { type: "not", condition: state },
    { type: "not", condition: { ...state, deviceId: "gone" } },
    { type: "all", conditions: [] },
    { type: "all", conditions: [holds, state] },
    { type: "all", conditions: [{ ...holds, op: "ne" }, state] },
    { type: "any", conditions: [] },
    { type: "any", conditions: [{ ...holds, op: "ne" }, state] },
    {
      type: "any",
      conditions: [
        { ...holds, op: "ne" },
        { ...state, value: 9 },
      ],
    },
  ];
  const world = (now: string | null, place: keyof typeof PLACES = "mumbai"): World => ({
    now: now === null ? null : Date.parse(now),
    place: PLACES[place],
    state: (id) => (id === "fan" ? { speed: 3 } : null),
    occupancy: () => 4,
    mode: () => "night",
    whereIs: (person) => (person === undefined ? "home" : person === 1 ? "away" : person === 2 ? null : undefined),
  });
  const moments = ["2026-03-02T00:09:59Z", "2026-03-01T20:05:00Z", "2026-03-01T18:29:59Z", null];
  return {
    ...table(conditions, (condition) => [
      ...moments.map((now) => judge(condition, world(now))),
      judge(condition, world(moments[0] ?? null, "nowhere")),
    ]),
    "one after another": [
      judgeAll([], world(null)),
      judgeAll([holds, state], world(null)),
      judgeAll([{ ...state, value: 3 }, holds], world(null)),
    ],
  };
}

function triggers(): Record<string, unknown> {
  const states: JsonObject[] = [{}, { a: 1 }, { a: 2 }, { a: null }, { "a.b": 1 }, { a: { b: 2 } }];
  const stateTriggers: StateTrigger[] = (["changed", "truthy", "gt", "eq"] as const).map((op) => ({
    ...{ type: "state", deviceId: "d", field: "a", op, value: 1 },
  }));
  const pass = { deviceId: "c", plate: "A", decision: "allow", direction: "in" } as const;
  return {
    ...table(stateTriggers, (trigger) =>
      states.map((previous) =>
        states
          .map((state) =>
            bits([
              matchesState(trigger, { deviceId: "d", previous, state, initial: false }),
              matchesState(trigger, { deviceId: "d", previous, state, initial: true }),
              matchesState(trigger, { deviceId: "e", previous, state, initial: false }),
              stillHolds(trigger, { previous, state }),
            ]),
          )
          .join(" "),
      ),
    ),
    ...table(
      [{}, pass, { deviceId: "x" }, { plate: "B" }, { decision: "deny" }, { direction: "out" }] as const,
      (filter) =>
        bits([
          matchesPlate({ type: "plate", ...filter }, pass),
          matchesPlate({ type: "plate", ...filter }, { ...pass, plate: null, direction: null }),
        ]),
    ),
    presence: (["online", "offline"] as const).flatMap((event) =>
      [true, false].flatMap((online) =>
        ["d", "e"].map((deviceId) => matchesPresence({ type: "device", deviceId: "d", event }, { deviceId, online })),
      ),
    ),
    event: ["d", "e"].flatMap((deviceId) =>
      ["k", "l"].map((kind) => matchesEvent({ type: "event", deviceId: "d", kind: "k" }, { deviceId, kind })),
    ),
    occupancy: [
      [3, 4],
      [4, 4],
      [4, 5],
      [5, 4],
    ].map(([previous = 0, inside = 0]) =>
      bits(
        (["eq", "gt", "changed"] as const).map((op) =>
          matchesOccupancy({ type: "occupancy", op, value: 4 }, { inside, previous }),
        ),
      ),
    ),
  };
}

function rules(): Record<string, unknown> {
  const command = (deviceId: string): Action => ({ type: "command", deviceId, command: {} });
  const wait: Action = { type: "delay", seconds: 1 };
  const action: Action = {
    type: "sequence",
    actions: [command("a"), { type: "sequence", actions: [wait, command("b")] }, command("a")],
  };
  const leaf = (deviceId: string): Condition => ({ type: "state", deviceId, field: "x", op: "truthy" });
  const conditions: Condition[] = [
    { type: "all", conditions: [leaf("c"), { type: "any", conditions: [leaf("d"), { type: "days", days: [1] }] }] },
    { type: "not", condition: leaf("e") },
  ];
  return {
    steps: stepsOf(action),
    leaves: conditions.map(leavesOf),
    ...table(
      [{ type: "event", deviceId: "t", kind: "k" }, { type: "plate" }, { type: "time", at: "00:00" }] as const,
      (trigger) => devicesNamed({ trigger, conditions, action }),
    ),
  };
}

/** The tables of automations. */
export async function automationTables(): Promise<Record<string, Record<string, unknown>>> {
  const days = [-8, -4, -3, -1, 0, 1, 3, 4, 20_000];
  const noon = Date.parse("2026-06-21T12:00:00Z");
  const shownAt = (place: keyof typeof PLACES) => sunPlace(PLACES[place]);
  return {
    operators: table(OPERATORS, (op) =>
      VALUES.map((actual) => bits(VALUES.map((expected) => satisfies(op, actual, expected)))).join(" "),
    ),
    edges: table(["changed", "truthy", "eq", "gt"] as const, (op) =>
      VALUES.map((before) => bits(VALUES.map((after) => isEdge({ op, value: 1 }, before, after)))).join(" "),
    ),
    numbers: table(
      ["1e999", "0x10", " 5 ", "5a", Number.NaN, Number.POSITIVE_INFINITY],
      (value) => bits([satisfies("gt", value, 4), satisfies("lt", value, 4), satisfies("lte", 4, value)]),
      String,
    ),
    fields: table(["a", "b", "a.b", "a.b.c", "c", "c.d", "x.y", "a.toString", "toString", ""], (field) =>
      [null, { a: { b: { c: 1 } }, c: null, "x.y": 2 }, { a: 0, "": 3 }].map((state) => fieldOf(state, field) ?? null),
    ),
    weekdays: table(days, (day) => [
      weekdayOf(day),
      daysInclude(undefined, day),
      daysInclude([], day),
      daysInclude([0], day),
      daysInclude([7], day),
      daysInclude([4, 5], day),
    ]),
    minutes: table(["00:00", "00:01", "01:00", "09:59", "23:59"], minutesOf),
    "local times": localTimes(),
    windows: windows(),
    verdicts: verdicts(),
    triggers: triggers(),
    rules: rules(),
    occurrences: table(
      (["mumbai", "tromsø", "apia", "nowhere"] as const).flatMap((place) =>
        SCHEDULES.map((trigger) => [place, trigger] as const),
      ),
      ([place, trigger]) => {
        const at = Date.parse("2026-12-02T01:00:00Z");
        const next = nextOccurrence(trigger, PLACES[place], at);
        const last = lastOccurrence(trigger, PLACES[place], at);
        return [
          next,
          last,
          next && nextOccurrence(trigger, PLACES[place], next),
          next && nextOccurrence(trigger, PLACES[place], next - 1),
          last && lastOccurrence(trigger, PLACES[place], last),
          last && lastOccurrence(trigger, PLACES[place], last - 1),
        ].map(iso);
      },
    ),
    sun: table(["mumbai", "tromsø", "apia", "equator", "nowhere", "nowhereElse"] as const, (name) => {
      const place = shownAt(name);
      if (place === null) return null;
      return [20_430, 20_454, 20_625, 20_788].map((day) => {
        const [rise, set] = [sunEvent("sunrise", place, day), sunEvent("sunset", place, day)];
        const around = [rise, set].flatMap((at) => (at === null ? [] : [at - 1_000, at + 1_000]));
        return [
          iso(rise),
          iso(set),
          bits(
            [...around, ...[0, 6, 12, 18].map((hour) => day * DAY + hour * 60 * MINUTE)].map((at) =>
              isSunUp(place, at),
            ),
          ),
        ];
      });
    }),
    "the sun of midsummer": table(Object.keys(PLACES) as (keyof typeof PLACES)[], (name) => {
      const place = shownAt(name);
      return place && bits(Array.from({ length: 48 }, (_, half) => isSunUp(place, noon + half * 30 * MINUTE)));
    }),
  };
}
