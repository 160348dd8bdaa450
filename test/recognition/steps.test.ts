import t from "tap";
import { CLASS_COUNT, classOf } from "../../src/core/plates/alphabet.ts";
import { freeText } from "../../src/core/plates/readings.ts";
import { isOnTwoLines, STEPS_LENGTH, STEPS_PER_LINE, slotsOf } from "../../src/features/recognition/steps.ts";

type Ink = readonly [from: number, shares: Readonly<Record<string, number>>, steps?: number];

/** A reader's answer: blank but for runs of steps that say some characters. */
function answer(upper: readonly Ink[], lower: readonly Ink[] = []): Float32Array {
  const steps = new Float32Array(STEPS_LENGTH);
  for (let step = 0; step < 2 * STEPS_PER_LINE; step++) steps[step * CLASS_COUNT] = 1;
  for (const [line, inks] of [upper, lower].entries()) {
    for (const [from, shares, count = 2] of inks) {
      for (let step = from; step < from + count; step++) {
        const row = (line * STEPS_PER_LINE + step) * CLASS_COUNT;
        for (const [character, share] of Object.entries(shares)) steps[row + classOf(character)] = share;
        steps[row] = 1 - Object.values(shares).reduce((sum, share) => sum + share, 0);
      }
    }
  }
  return steps;
}

t.test("a run of steps is one character, the upper line comes first", async (t) => {
  const slots = slotsOf(
    answer(
      [
        [3, { M: 0.98 }],
        [8, { H: 0.98 }],
      ],
      [
        [3, { 1: 0.98 }],
        [6, { 1: 0.98 }],
        [10, { 2: 0.98 }, 5],
      ],
    ),
  );
  t.equal(freeText(slots), "MH112");
  t.equal(slots.length, 5 * CLASS_COUNT);
});

t.test("steps of one character that disagree are weighed together", async (t) => {
  const slots = slotsOf(
    answer([
      [5, { M: 0.5, H: 0.45 }, 1],
      [6, { H: 0.9, M: 0.08 }, 2],
      [8, { M: 0.55, H: 0.4 }, 1],
    ]),
  );
  t.equal(slots.length, CLASS_COUNT, "no blank between them: one character");
  t.equal(freeText(slots), "H");
  t.ok(Math.abs(slots.reduce((sum, share) => sum + share, 0) - 1) < 1e-5, "a distribution");
});

t.test("a dip between two peaks parts two characters", async (t) => {
  t.equal(
    freeText(
      slotsOf(
        answer([
          [5, { 3: 0.97 }],
          [7, { 3: 0.55 }, 1],
          [8, { 3: 0.97 }],
        ]),
      ),
    ),
    "33",
  );
});

t.test("what may be a character is a slot that is probably blank; the slope of a character is none", async (t) => {
  const slots = slotsOf(
    answer([
      [5, { K: 0.98 }],
      [7, { K: 0.3 }, 1],
      [20, { 1: 0.3 }],
    ]),
  );
  t.equal(slots.length, 2 * CLASS_COUNT);
  t.equal(freeText(slots), "K");
  t.ok(Math.abs((slots[CLASS_COUNT] ?? 0) - 0.7) < 1e-5, "its blank says how likely there is none");
});

t.test("a plate has two lines where characters stand on both, not where a mark does", async (t) => {
  const upper: Ink[] = [
    [3, { M: 0.98 }],
    [8, { H: 0.98 }],
  ];
  t.equal(isOnTwoLines(answer(upper)), false);
  t.equal(isOnTwoLines(answer([], upper)), false, "on the lower one alone");
  t.equal(isOnTwoLines(answer(upper, [[20, { 1: 0.98 }]])), false, "one character is a mark");
  t.equal(
    isOnTwoLines(
      answer(upper, [
        [20, { 1: 0.98 }],
        [30, { 2: 0.3 }],
      ]),
    ),
    false,
    "a second one that is hardly there",
  );
  t.equal(
    isOnTwoLines(
      answer(upper, [
        [20, { 1: 0.98 }],
        [30, { 2: 0.7 }],
      ]),
    ),
    true,
  );
});

t.test("nothing gives nothing, and noise everywhere stays within bounds", async (t) => {
  t.equal(slotsOf(answer([])).length, 0);
  const noise = answer(
    Array.from({ length: 24 }, (_, index) => [index * 2, { A: 0.9 - (index % 5) * 0.01 }, 1] as const),
  );
  t.ok(slotsOf(noise).length <= 20 * CLASS_COUNT);
});
