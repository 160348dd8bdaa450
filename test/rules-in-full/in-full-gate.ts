import type { DecidingRule, RuleKind } from "../../src/core/plates/decide.ts";
import { decide, isInForce, isListed, listOf } from "../../src/core/plates/decide.ts";
import { directionOf, growthOf } from "../../src/core/plates/direction.ts";
import { occupancyOf } from "../../src/core/plates/occupancy.ts";
import { asksToOpen, onlyCloses, resultOf, standingOf, whyNotTold } from "../../src/core/plates/opening.ts";
import { type OpenPass, passOf } from "../../src/core/plates/passes.ts";
import type { Direction } from "../../src/core/plates/reading.ts";
import { pairVisits, type VisitEvent, visitChanges } from "../../src/core/plates/visits.ts";
import { table } from "../support/recorded.ts";
import { sighting } from "../support/sighting.ts";

const BOTH = [false, true];
const WAYS: readonly (Direction | null)[] = ["in", "out", null];
const AT = Date.parse("2026-03-02T10:00:00Z"); // a Monday

function decisions(): Record<string, unknown> {
  const rule = (id: number, kind: RuleKind, more: Partial<DecidingRule> = {}): DecidingRule => ({
    ...{ id, kind, deviceId: null, validFrom: null, validTo: null, windows: [], enabled: true, earns: null },
    ...more,
  });
  const day = (days: number[], from = "00:00", to = "00:00") => ({ windows: [{ days, from, to }] });
  const lists: Record<string, DecidingRule[]> = {
    none: [],
    allow: [rule(1, "allow")],
    "allow and deny": [rule(1, "allow"), rule(2, "deny")],
    "watch and allow": [rule(1, "watch"), rule(2, "allow"), rule(3, "watch", { deviceId: "c" })],
    "two of a kind": [rule(2, "allow"), rule(1, "allow")],
    "the camera's first": [rule(1, "allow"), rule(2, "allow", { deviceId: "c" })],
    "another camera's": [rule(1, "allow", { deviceId: "d" })],
    off: [rule(1, "allow", { enabled: false })],
    "from now on": [rule(1, "allow", { validFrom: AT })],
    "in a moment": [rule(1, "allow", { validFrom: AT + 1 })],
    "until now": [rule(1, "allow", { validTo: AT })],
    "for a moment": [rule(1, "allow", { validTo: AT + 1 })],
    "on Mondays": [rule(1, "allow", day([1]))],
    "on Tuesdays": [rule(1, "allow", day([2]))],
    "in one of two windows": [
      rule(1, "allow", { windows: [...day([2]).windows, ...day([1], "10:00", "10:01").windows] }),
    ],
  };
  const moment = { at: AT, timeZone: "UTC" };
  return table(
    Object.keys(lists),
    (name) => {
      const rules = lists[name] ?? [];
      const { decision, rule: by, watching } = decide(rules, "c", moment);
      return [
        decision,
        by?.id ?? null,
        watching.map(({ id }) => id),
        rules.map((one) => isInForce(one, moment)),
        isListed(rules, "c"),
        listOf(rules, moment)?.id ?? null,
      ];
    },
    String,
  );
}

function passes(): Record<string, unknown> {
  const pass = (id: number, plate: string, at: number, lastAt = at, direction: Direction | null = null): OpenPass => ({
    id,
    plate,
    confidence: 95,
    at,
    lastAt,
    direction,
  });
  const nearby: Record<string, OpenPass[]> = {
    none: [],
    "just before": [pass(1, "A", 70)],
    "too long before": [pass(1, "A", 69)],
    "long, and just ended": [pass(1, "A", 0, 70)],
    "just after": [pass(1, "A", 130)],
    "too long after": [pass(1, "A", 131)],
    "around it": [pass(1, "A", 90, 110)],
    "two, the nearer": [pass(1, "A", 80), pass(2, "A", 90)],
    "two as near": [pass(1, "A", 90), pass(2, "A", 110)],
    "the same way": [pass(1, "A", 90, 90, "in")],
    "the other way": [pass(1, "A", 90, 90, "out")],
    "another plate between": [pass(1, "A", 80), pass(2, "B", 90)],
    "another plate as late": [pass(1, "A", 80), pass(2, "B", 80)],
    "another plate now": [pass(1, "A", 80), pass(2, "B", 100)],
    "another plate before": [pass(1, "A", 80), pass(2, "B", 79)],
    "another plate between, and one after": [pass(1, "A", 80), pass(2, "B", 90), pass(3, "A", 125)],
    "another plate between after": [pass(1, "A", 120), pass(2, "B", 110)],
  };
  return table(
    Object.keys(nearby),
    (name) => [
      passOf({ plate: "A", confidence: 95, direction: "in", at: 100 }, nearby[name] ?? [], 30)?.id ?? null,
      passOf({ plate: "A", confidence: 95, direction: null, at: 100 }, nearby[name] ?? [], 30)?.id ?? null,
    ],
    String,
  );
}

function visits(): Record<string, unknown> {
  const event = (id: number, way: string, at: number): VisitEvent => ({
    kind: way === "c" ? "closure" : "pass",
    id,
    at,
    direction: way === "i" || way === "d" ? "in" : way === "o" ? "out" : null,
    deviceId: way === "c" ? "" : `camera-${way}`,
    opensVisit: way !== "d",
  });
  const of = (ways: string, step = 1_500) => [...ways].map((way, n) => event(n + 1, way, n * step));
  const orders = ["", "i", "o", "io", "ii", "oo", "iio", "ioo", "ic", "c", "ico", "d", "do", "ido", "n", "ino", "icio"];
  const stored = (ways: string) => pairVisits(of(ways)).map((one, n) => ({ ...one, id: 10 + n }));
  return {
    ...table(orders, (ways) => pairVisits(of(ways).reverse())),
    "at one moment": table(["io", "oi", "ci", "ic", "coi"], (ways) => pairVisits(of(ways, 0))),
    changes: table(
      orders.flatMap((before) => ["", "io", "ii", "oo", "ico"].map((after) => [before, after] as const)),
      ([before, after]) => {
        const { insert, update, remove } = visitChanges(stored(before), pairVisits(of(after)));
        return [insert.length, update.map(({ id, status }) => `${id} ${status}`), remove.map(({ id }) => id)];
      },
    ),
    moved: table(
      ["entryAt", "exitAt", "entryCamera", "exitCamera", "status", "exitReadId"] as const,
      (member) =>
        visitChanges(
          stored("io").map((one) => ({ ...one, [member]: "x" })),
          pairVisits(of("io")),
        ).update.length,
    ),
  };
}

function directions(): Record<string, unknown> {
  const widths = (sizes: readonly number[], frames = sizes.map((_, n) => n)) =>
    sizes.map((width, n) => sighting(frames[n] ?? 0, "MH12AB1234", { width }));
  const bursts: Record<string, ReturnType<typeof widths>> = {
    none: [],
    two: widths([100, 130]),
    grows: widths([100, 110, 121]),
    shrinks: widths([121, 110, 100]),
    "hardly grows": widths([100, 107, 114]),
    "grows clearly": widths([100, 108, 116]),
    "hardly shrinks": widths([114, 107, 100]),
    "shrinks clearly": widths([116, 108, 100]),
    still: widths([100, 100, 100]),
    "to and fro": widths([100, 140, 110, 150]),
    "one frame": widths([100, 120, 140], [1, 1, 1]),
    tiny: widths([0.2, 0.5, 1.5]),
  };
  return {
    ...table(
      Object.keys(bursts),
      (name) => [
        growthOf(bursts[name] ?? []),
        ...WAYS.map((approach) => directionOf({ direction: null, approach }, null, bursts[name] ?? [])),
      ],
      String,
    ),
    ...table(
      WAYS.flatMap((direction) => WAYS.map((sender) => [direction, sender] as const)),
      ([direction, sender]) => directionOf({ direction, approach: "in" }, sender, bursts.shrinks ?? []),
    ),
  };
}

/** The tables of the gate's decisions. */
export async function gateTables(): Promise<Record<string, Record<string, unknown>>> {
  const standings = ["locked", "gate", "door", "cover", "position", "state", "open", "contact", "other"];
  const words = [
    true,
    false,
    0,
    1,
    "open",
    "OPENING",
    "opened",
    "unlocked",
    "closed",
    "locked",
    "closing",
    "stopped",
    "x",
    null,
  ];
  return {
    decisions: decisions(),
    passes: passes(),
    visits: visits(),
    directions: directions(),
    occupancy: table([null, 0, 1, 3], (capacity) => [0, 1, 2, 3, 4].map((inside) => occupancyOf(inside, capacity))),
    "why a gate is not told": table(
      (["allow", "deny", "watch", "unknown"] as const).flatMap((decision) =>
        BOTH.map((isListed) => ({ decision, isListed })),
      ),
      (read) =>
        BOTH.flatMap((isFresh) =>
          BOTH.flatMap((isSure) =>
            BOTH.flatMap((hasGate) =>
              BOTH.map((isBesideDenied) =>
                whyNotTold({ ...read, isRepeated: false, isFresh, isSure, hasGate, isBesideDenied, earns: "open" }),
              ),
            ),
          ),
        ),
    ),
    "what became of an order": table(
      (["sent", "away", "refused"] as const).flatMap((delivery) =>
        BOTH.map((acknowledged) => ({ delivery, acknowledged })),
      ),
      (order) =>
        (["open", "closed", "between", "unknown"] as const).flatMap((standing) =>
          BOTH.map((isOver) => Object.values(resultOf({ ...order, standing, isOver })).join(" ")),
        ),
    ),
    standings: table(standings, (key) => words.map((value) => standingOf({ [key]: value })).join(" ")),
    "which word counts": {
      order: standingOf({ contact: true, open: true }),
      "the first that says something": standingOf({ locked: "x", gate: null, door: "closed" }),
    },
    commands: table(["open", "close", "stop", "locked", "position", "state", "unlock", "light"], (key) =>
      [true, false, 0, 1, "open", "UNLOCK", "opened", "close"]
        .map((value) => `${Number(onlyCloses({ [key]: value }))}${Number(asksToOpen({ [key]: value }))}`)
        .join(" "),
    ),
    "commands of several words": {
      both: [{}, { close: true, stop: true }, { close: true, light: true }, { light: true, open: true }].map(
        (command) => [onlyCloses(command), asksToOpen(command)],
      ),
    },
  };
}
