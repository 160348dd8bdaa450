/** What a bar says in words: as a person would say it, also of what goes on. */
import t from "tap";
import { niceStep } from "../../src/console/components/round-scale.ts";
import { withWords } from "../support/console-words.ts";

type Value = boolean | string | null;
interface Words {
  sentenceOf(row: object, span?: string): string;
  everyTick(words: readonly string[], slot: number): number;
}
const [{ sentenceOf }, { everyTick }] = await withWords<Words>("en", [
  new URL("../../src/features/states/console/state-sentence.ts", import.meta.url),
  new URL("../../src/console/components/chart-axis.ts", import.meta.url),
]);

const BEGIN = Date.parse("2026-03-01T08:00:00Z");
const MINUTE = 60_000;

/** A row whose values each lasted an hour; the last one goes on unless it `isOver`. */
function row(values: readonly Value[], { isOver = false, key = "open", kind = "doors" } = {}) {
  return {
    ...{ line: { key, deviceId: "d", before: null, changes: [] }, device: { id: "d", type: "gate" }, kind },
    pieces: values.map((value, index) => ({
      ...{ value, by: null, from: BEGIN + index * 60 * MINUTE, to: BEGIN + (index + 1) * 60 * MINUTE },
      ...{ isCutAtStart: index === 0, isOngoing: !isOver && index === values.length - 1, isCutAtEnd: false },
    })),
  };
}

t.test("what goes on is still so now", async (t) => {
  const gate = [false, true, false, true];
  t.equal(sentenceOf(row(gate), "daySoFar"), "open 2 times, 2\u00a0h in all, still open");
  t.match(sentenceOf(row([false, true]), "daySoFar"), /^open since \d/);
  t.equal(
    sentenceOf(row(gate, { key: "motion", kind: "motion" }), "daySoFar"),
    "movement 2 times, 2\u00a0h in all, still going on",
  );
});

t.test("of a time that is over, it says how that ended", async (t) => {
  const gate = row([false, true, false, true], { isOver: true });
  t.equal(sentenceOf(gate, "night"), "open 2 times, 2\u00a0h in all, and still open in the morning");
  t.equal(sentenceOf(gate, "day"), "open 2 times, 2\u00a0h in all, and still open at midnight");
  t.equal(sentenceOf(gate), "open 2 times, 2\u00a0h in all, and still open at the end");
  t.match(sentenceOf(row([false, true], { isOver: true }), "day"), /^open from .* on$/);
  t.equal(sentenceOf(row([false, true, false, true, false], { isOver: true })), "open 2 times, 2\u00a0h in all");
});

t.test("the words under an axis never touch", async (t) => {
  const hours = Array.from({ length: 24 }, (_, hour) => `${hour % 12 || 12} ${hour < 12 ? "am" : "pm"}`);
  for (const slot of [8, 14, 22, 30, 60, 90]) {
    const every = everyTick(hours, slot);
    t.ok(every * slot >= 5 * 6.6, `${slot} px: every ${every}`);
    t.ok(every === 1 || (every - 1) * slot < 5 * 6.6 + 14, `${slot} px: no more room is left than needed`);
  }
});

t.test("a scale has three to five lines of round numbers", async (t) => {
  for (const [range, step] of [
    [0, 0.25],
    [1, 0.25],
    [4, 1],
    [10, 2.5],
    [900, 250],
  ] as const)
    t.equal(niceStep(range), step, String(range));
});
