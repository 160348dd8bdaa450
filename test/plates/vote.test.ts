import t from "tap";
import { Countries } from "../../src/core/plates/countries.ts";
import { directionOf, growthOf } from "../../src/core/plates/direction.ts";
import { vote } from "../../src/core/plates/vote.ts";
import { sighting } from "../support/sighting.ts";

t.test("frames that disagree in one character are settled by their probabilities, not by their strings", async (t) => {
  const { vehicles } = vote(
    [
      sighting(0, "MH12AB1234", { doubt: { 5: { R: 0.52, B: 0.46 } } }),
      sighting(1, "MH12AB1234", { doubt: { 5: { R: 0.51, B: 0.47 } } }),
      sighting(2, "MH12AB1234", { doubt: { 5: { B: 0.98 } } }),
    ],
    Countries.all,
  );
  t.equal(vehicles.length, 1);
  t.equal(vehicles[0]?.analysis.plate, "MH12AB1234");
  t.equal(vehicles[0]?.votes, 1, "one frame produced it by itself");
});

t.test("agreement raises the confidence over that of one frame", async (t) => {
  const doubt = { 4: { A: 0.72, R: 0.26 } };
  const one = vote([sighting(0, "MH12AB1234", { doubt })], Countries.all).vehicles[0];
  const three = vote(
    [0, 1, 2].map((frame) => sighting(frame, "MH12AB1234", { doubt })),
    Countries.all,
  ).vehicles[0];
  t.ok((three?.analysis.confidence ?? 0) > (one?.analysis.confidence ?? 0));
  t.equal(three?.votes, 3);
});

t.test("a plate cut off by the edge does not vote the whole one down", async (t) => {
  const { vehicles } = vote(
    [
      sighting(0, "MH12AB123", { certainty: 0.9 }),
      sighting(1, "MH12AB1234", { certainty: 0.96 }),
      sighting(2, "MH12AB1234", { certainty: 0.96 }),
    ],
    Countries.all,
  );
  t.hasStrict(vehicles, [{ analysis: { plate: "MH12AB1234" }, votes: 2 }]);
  t.equal(vehicles[0]?.sightings.length, 3);
});

t.test("a piece of a usual plate that another frame read is not the plate, however many frames show it", async (t) => {
  const piece = (frame: number) => sighting(frame, "GJ1G0206");
  const whole = sighting(3, "GJ11G0206");
  t.equal(piece(0).analysis.plate, "GJ1G0206", "by itself it reads");
  const { vehicles, unread } = vote([piece(0), piece(1), piece(2), whole], Countries.all);
  t.equal(vehicles.length + unread.length, 1);
  t.not(vehicles[0]?.analysis.plate, "GJ1G0206");
});

t.test(
  "a plate of few digits, or without a series, is never certain: so it may look in every frame of another",
  async (t) => {
    const of = (text: string) =>
      vote(
        [0, 1, 2, 3, 4].map((frame) => sighting(frame, text, { certainty: 0.999 })),
        Countries.all,
      ).vehicles[0]?.analysis;
    t.hasStrict(of("MP35HZ10"), { plate: "MP35HZ10", confidence: 89 });
    t.hasStrict(
      of("HR840484"),
      { plate: "HR840484", confidence: 89 },
      "the series may be what nothing could be read of",
    );
    t.ok((of("MP35HZ1010")?.confidence ?? 0) >= 90);
    t.ok((of("DL1CAB1234")?.confidence ?? 0) >= 90, "a layout of Delhi with all its digits");
  },
);

t.test("a frame with many views has no more say than one with a single view", async (t) => {
  const many = (frame: number) => {
    const one = sighting(frame, "MH12AB8234");
    return { ...one, views: [...one.views, ...one.views, ...one.views] };
  };
  const { vehicles } = vote(
    [many(0), many(1), ...[2, 3, 4].map((frame) => sighting(frame, "MH12AB1234"))],
    Countries.all,
  );
  t.hasStrict(vehicles[0]?.analysis, { plate: "MH12AB1234" });
});

t.test("several vehicles stay apart, though they drive", async (t) => {
  const { vehicles } = vote(
    [0, 1, 2].flatMap((frame) => [
      sighting(frame, "MH12AB1234", { x: 100 + frame * 150 }),
      sighting(frame, "KA05MN9876", { x: 700 - frame * 150, certainty: 0.95 }),
    ]),
    Countries.all,
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
  const { vehicles } = vote(
    [sighting(0, "MH12AB1234"), sighting(0, "MH12AB1234", { x: 900 }), sighting(1, "MH12AB1234", { x: 900 })],
    Countries.all,
  );
  t.equal(vehicles.length, 1);
  t.equal(vehicles[0]?.votes, 2, "at most one vote per frame");
});

t.test("illegible characters are distinguished from those that were read", async (t) => {
  const { vehicles, unread } = vote([sighting(0, "SALE50OFF"), sighting(0, "MH12AB1234", { x: 600 })], Countries.all);
  t.hasStrict(vehicles, [{ analysis: { plate: "MH12AB1234" } }]);
  t.match(unread, [{ analysis: { text: "SALE50OFF", reason: /^invalid_format$/ }, votes: 0 }]);
  t.same(vote([], Countries.all), { vehicles: [], unread: [] });
});

t.test("lettering beside a certain plate is no second vehicle, unless it is as certain or seen again", async (t) => {
  const certain = [0, 1].map((frame) => sighting(frame, "UP32JE3626"));
  const sticker = (frame: number, certainty: number) => sighting(frame, "KLM4471", { x: 600, certainty });
  const alone = vote([sticker(0, 0.9)], Countries.all);
  t.hasStrict(alone.vehicles, [{ analysis: { plate: "KLM4471", kind: "legacy" } }], "an old plate by itself is one");
  t.ok((alone.vehicles[0]?.analysis.confidence ?? 100) < 90, "not for certain");
  const { vehicles, unread } = vote([...certain, sticker(1, 0.9)], Countries.all);
  t.hasStrict(vehicles, [{ analysis: { plate: "UP32JE3626" }, votes: 2 }]);
  t.equal(vehicles.length, 1);
  t.match(unread, [
    { analysis: { plate: null, status: /^unrecognised$/, reason: /^invalid_format$/, text: "KLM4471" }, votes: 0 },
  ]);
  t.equal(
    vote([...certain, sticker(0, 0.9), sticker(1, 0.9)], Countries.all).vehicles.length,
    2,
    "two frames agree on it",
  );
  t.equal(vote([...certain, sticker(1, 0.9999)], Countries.all).vehicles.length, 2, "one frame is sure of it");
  t.equal(
    vote([sighting(0, "UP32JE3626", { doubt: { 4: { J: 0.68, U: 0.3 } } }), sticker(0, 0.9)], Countries.all).vehicles
      .length,
    2,
    "nothing here is certain",
  );
  t.equal(
    vote([sighting(0, "UP32JE3626"), sticker(1, 0.9)], Countries.all).vehicles.length,
    2,
    "another frame may show another vehicle",
  );
  t.equal(
    vote([sighting(0, "UP32JE3626"), sighting(0, "DL8CAF5030", { x: 600, certainty: 0.95 })], Countries.all).vehicles
      .length,
    2,
    "plates of today stand beside each other",
  );
});

t.test("the picture to keep is the large legible one that is not cut off", async (t) => {
  const { vehicles } = vote(
    [
      sighting(0, "MH12AB1234", { width: 60 }),
      sighting(1, "MH12AB1234", { width: 110 }),
      sighting(2, "MH12AB1234", { x: 1180, width: 120 }),
    ],
    Countries.all,
  );
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
