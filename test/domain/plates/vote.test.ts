import t from "tap";
import { CLASS_COUNT, classOf } from "../../../src/domain/plates/alphabet.js";
import { directionOf, growthOf } from "../../../src/domain/plates/direction.js";
import type { Sighting } from "../../../src/domain/plates/reading.js";
import { editDistance, vote } from "../../../src/domain/plates/vote.js";

/** A plate at (x, y), `width` wide, that the reader sees as `text`; single characters can be made doubtful as `place: {character: share}`. */
function sighting(
  frame: number,
  text: string,
  options: { x?: number; width?: number; certainty?: number; doubt?: Record<number, Record<string, number>>; score?: number } = {},
): Sighting {
  const { x = 100, width = 120, certainty = 0.97, doubt = {}, score = 0.9 } = options;
  const slots = new Float32Array(13 * CLASS_COUNT).fill((1 - certainty) / (CLASS_COUNT - 1));
  for (let slot = 0; slot < 13; slot++) {
    const shares = doubt[slot];
    if (shares === undefined) slots[slot * CLASS_COUNT + classOf(text[slot] ?? "")] = certainty;
    else for (const [character, probability] of Object.entries(shares)) slots[slot * CLASS_COUNT + classOf(character)] = probability;
  }
  const box = [x, 200, x + width, 200 + width / 4] as const;
  const corners = [
    [box[0], box[1]],
    [box[2], box[1]],
    [box[2], box[3]],
    [box[0], box[3]],
  ] as const;
  return { frame, score, corners, box, frameSize: [1280, 720], twoLine: false, slots };
}

t.test("frames that disagree in one character are settled by their probabilities, not by their strings", async (t) => {
  const { vehicles } = vote([
    sighting(0, "MH12AB1234", { doubt: { 4: { R: 0.52, A: 0.46 } } }),
    sighting(1, "MH12AB1234", { doubt: { 4: { R: 0.51, A: 0.47 } } }),
    sighting(2, "MH12AB1234", { doubt: { 4: { A: 0.98 } } }),
  ]);
  t.equal(vehicles.length, 1);
  t.equal(vehicles[0]?.analysis.plate, "MH12AB1234");
  t.equal(vehicles[0]?.votes, 1, "one frame produced it by itself");
});

t.test("agreement raises the confidence over that of one frame", async (t) => {
  const one = vote([sighting(0, "MH12AB1234", { certainty: 0.93 })]).vehicles[0];
  const three = vote([0, 1, 2].map((frame) => sighting(frame, "MH12AB1234", { certainty: 0.93 }))).vehicles[0];
  t.ok((three?.analysis.confidence ?? 0) > (one?.analysis.confidence ?? 100));
  t.equal(three?.votes, 3);
});

t.test("a plate cut off by the edge does not vote the whole one down", async (t) => {
  const { vehicles } = vote([
    sighting(0, "MH12AB123", { certainty: 0.9 }),
    sighting(1, "MH12AB1234", { certainty: 0.96 }),
    sighting(2, "MH12AB1234", { certainty: 0.96 }),
  ]);
  t.match(vehicles, [{ analysis: { plate: "MH12AB1234" }, votes: 2 }]);
  t.equal(vehicles[0]?.sightings.length, 3);
});

t.test("several vehicles stay apart, though they drive", async (t) => {
  const { vehicles } = vote(
    [0, 1, 2].flatMap((frame) => [
      sighting(frame, "MH12AB1234", { x: 100 + frame * 150 }),
      sighting(frame, "KA05MN9876", { x: 700 - frame * 150, certainty: 0.95 }),
    ]),
  );
  t.same(
    vehicles.map(({ analysis, votes }) => [analysis.plate, votes]),
    [
      ["MH12AB1234", 3],
      ["KA05MN9876", 3],
    ],
  );
});

t.test("one plate seen twice in a frame or lost for a while is one vehicle", async (t) => {
  const { vehicles } = vote([sighting(0, "MH12AB1234"), sighting(0, "MH12AB1234", { x: 900 }), sighting(1, "MH12AB1234", { x: 900 })]);
  t.equal(vehicles.length, 1);
  t.equal(vehicles[0]?.votes, 2, "at most one vote per frame");
});

t.test("what cannot be made out is told apart from what was read", async (t) => {
  const { vehicles, unread } = vote([sighting(0, "SALE50OFF"), sighting(0, "MH12AB1234", { x: 600 })]);
  t.match(vehicles, [{ analysis: { plate: "MH12AB1234" } }]);
  t.match(unread, [{ analysis: { text: "SALE50OFF", reason: "invalid_format" }, votes: 0 }]);
  t.same(vote([]), { vehicles: [], unread: [] });
});

t.test("the picture to keep is the large legible one that is not cut off", async (t) => {
  const { vehicles } = vote([
    sighting(0, "MH12AB1234", { width: 60 }),
    sighting(1, "MH12AB1234", { width: 110 }),
    sighting(2, "MH12AB1234", { x: 1180, width: 120 }),
  ]);
  t.equal(vehicles[0]?.best.frame, 1);
});

t.test("direction: the lane, else the sender, else the plate's growth, else nothing", async (t) => {
  const growing = [0, 1, 2, 3].map((frame) => sighting(frame, "MH12AB1234", { width: 60 + frame * 20 }));
  const still = [0, 1, 2, 3].map((frame) => sighting(frame, "MH12AB1234", { width: 100 + (frame % 2) }));
  t.equal(directionOf({ direction: "out", approach: "in" }, "in", growing), "out");
  t.equal(directionOf({ direction: null, approach: "in" }, "out", growing), "out");
  t.equal(directionOf({ direction: null, approach: "in" }, null, growing), "in");
  t.equal(directionOf({ direction: null, approach: "out" }, null, growing), "out");
  t.equal(
    directionOf(
      { direction: null, approach: "in" },
      null,
      growing.toReversed().map((one, frame) => ({ ...one, frame })),
    ),
    "out",
  );
  t.equal(directionOf({ direction: null, approach: "in" }, null, still), null, "never guessed");
  t.equal(directionOf({ direction: null, approach: null }, null, growing), null);
  t.equal(growthOf(growing.slice(0, 2)), null, "two frames may be chance");
});

t.test("edit distance", async (t) => {
  t.equal(editDistance("", "ABC"), 3);
  t.equal(editDistance("MH12AB1234", "MH12A1234"), 1);
  t.equal(editDistance("KITTEN", "SITTING"), 3);
});
