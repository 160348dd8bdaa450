/** What the demo tells of its house is a true story: told in order, nothing in it contradicts what came before. */
import t, { type Test } from "tap";
import {
  type PastPass,
  pastNews,
  pastPasses,
  unreadViews,
  withLastArrival,
  withStranger,
} from "../../src/features/sandbox/history.ts";
import { VEHICLES } from "../../src/features/sandbox/household.ts";
import { gate } from "../../src/features/sandbox/models/moving.ts";
import { pastStates } from "../../src/features/sandbox/past-states.ts";
import { type Passage, Traffic } from "../../src/features/sandbox/traffic.ts";
import type { StateChange } from "../../src/features/states/state-history.ts";

const HOUR = 3_600_000;
const ruleOf = (plate: string) => VEHICLES.find((vehicle) => vehicle.plate === plate)?.rule;

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Checks who comes and goes; returns who is inside at the end. */
function tellPasses(t: Test, passes: readonly PastPass[], about: string): Set<string> {
  const inside = new Set<string>();
  let before = 0;
  for (const { plate, direction, at } of passes) {
    const what = `${plate} ${direction} at ${new Date(at).toISOString()} (${about})`;
    if (at - before < 2.5 * 60_000) t.fail(`${what}: the gate is not closed yet after the car before`);
    before = at;
    const kind = ruleOf(plate)?.kind;
    if (kind !== "allow") {
      if (direction === "out") t.fail(`${what}: nobody let it in`);
    } else if (direction === "in") {
      if (inside.has(plate)) t.fail(`${what}: it is inside already`);
      inside.add(plate);
    } else if (!inside.delete(plate)) t.fail(`${what}: it is not inside`);
  }
  return inside;
}

/** Checks that states follow one another in this circle, from the first on, and end where they began. */
function tellStates(t: Test, changes: readonly StateChange[], circle: readonly unknown[], about: string): void {
  for (const [index, { value, at }] of changes.entries()) {
    if (value !== circle[index % circle.length]) t.fail(`${about}: ${value} at ${new Date(at).toISOString()}`);
    if (at <= (changes[index - 1]?.at ?? 0)) t.fail(`${about}: two at once, ${new Date(at).toISOString()}`);
  }
  t.equal(changes.at(-1)?.value, circle[0], `${about} at the end`);
}

t.test("two weeks are a true story, at whatever hour they end", async (t) => {
  for (let seed = 1; seed <= 48; seed++) {
    const random = randomOf(seed);
    const to = Date.parse("2026-03-14T00:00:00Z") + seed * 24 * HOUR + Math.round((seed / 2 + random() / 2) * HOUR);
    const past = { from: to - 14 * 24 * HOUR, to, timeZone: "Asia/Kolkata", random };
    const passes = withStranger(withLastArrival(pastPasses(past), to), to);
    const about = `seed ${seed}`;
    const inside = tellPasses(t, passes, about);
    t.ok(inside.has(passes.at(-1)?.plate ?? ""), "the last one to come is at home");
    const states = pastStates(past, passes, (key) => key, String);
    const of = (device: string, key: string) =>
      states.find((state) => state.deviceId === device && state.key === key)?.changes ?? [];
    const position = of("gate", "position");
    tellStates(t, position, ["closed", "opening", "open", "closing"], `the gate, ${about}`);
    tellStates(t, of("lock", "locked"), [true, false], `the door, ${about}`);
    const opened = position.flatMap(({ at, value }) => (value === "opening" ? [at] : []));
    const letIn = passes.filter(({ plate }) => ruleOf(plate)?.kind === "allow");
    t.same(
      opened,
      letIn.map(({ at }) => at + 400),
      "the gate opens for each car that a rule lets in, and for nothing else",
    );
    const stuck = pastNews(past, passes, String, String).find(({ kind }) => kind === "gate.not_closed");
    const moved = position.filter(({ at }) => at <= (stuck?.at ?? 0));
    t.equal(moved.at(-1)?.value, "open", "a gate that did not close is open then");
    const taken = new Set(passes.map(({ at }) => at));
    t.ok(unreadViews(passes).every((at) => at < to && !taken.has(at)));
  }
});

t.test("the story goes on: the next car is one that can come or leave", async (t) => {
  const random = randomOf(7);
  const inside = new Set(["MH12AB1234"]); // from the past
  const traffic = new Traffic(random, (plate) => inside.has(plate));
  const waiting: { passage: Passage; seen: () => void }[] = [];
  const passes: PastPass[] = [{ plate: "MH12AB1234", direction: "in", at: 0 }];
  for (let turn = 1; turn <= 600; turn++) {
    void traffic.pass(
      (passage) => new Promise((resolve) => waiting.push({ passage, seen: () => resolve() })), // drawn a moment later
    );
    if (turn % 3 !== 0) continue; // up to three are at the gate at once
    for (const { passage, seen } of waiting.splice(0)) {
      const { plate, direction } = passage;
      if (plate !== null) {
        passes.push({ plate, direction, at: (turn * 10 + passes.length) * 600_000 });
        if (ruleOf(plate)?.kind === "allow") inside[direction === "in" ? "add" : "delete"](plate);
      }
      seen();
    }
    await new Promise((resolve) => setImmediate(resolve));
    if (turn === 300) inside.clear(); // a person said of all cars that they had left
    if (turn === 300) passes.length = 0;
  }
  t.ok(passes.length > 150, `${passes.length} passes`);
  tellPasses(t, passes, "live");
});

t.test("a gate that stood open when the hub was stopped closes by itself", async (t) => {
  const world = { at: 0, hour: 12, tick: 1, random: () => 0.5, load: () => 0 };
  const left = gate({ percent: 100 });
  t.equal(left.state.open, true);
  let reaction = left.tick(world);
  t.hasStrict(reaction.patch, { position: "closing" });
  for (let step = 0; step < 10 && reaction.later !== undefined; step++) reaction = reaction.later.react(world);
  t.hasStrict(reaction.patch, { position: "closed", open: false, percent: 0 });
  t.same(left.tick(world), {}, "once");
  t.same(gate({ percent: 0 }).tick(world), {});
});
