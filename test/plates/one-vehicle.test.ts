import * as fc from "fast-check";
import t from "tap";
import { editDistance } from "../../src/core/kernel/edit-distance.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import { areTwoVehicles, differenceWithinVehicle } from "../../src/core/plates/one-vehicle.ts";
import { vote } from "../../src/core/plates/vote.ts";
import { sighting } from "../support/sighting.ts";

const read = (plate: string, confidence: number) => ({ text: plate, plate, confidence });
const unread = (text: string) => ({ text, plate: null, confidence: 0 });

t.test(
  "two known plates that differ in four characters are of two vehicles; doubtful or closer ones may not be",
  async (t) => {
    t.equal(areTwoVehicles(read("MH12RT1105", 98), read("MH01DB1477", 79)), true);
    t.equal(areTwoVehicles(read("MH12RT1105", 98), read("MH01DB1477", 77)), false, "one is doubtful");
    t.equal(areTwoVehicles(read("MH12AB1234", 98), read("MH12AB1567", 98)), false, "three characters");
    t.equal(areTwoVehicles(read("MH12AB1234", 98), read("MH12AB5678", 98)), true, "four");
    t.equal(areTwoVehicles(read("MH12AB1234", 98), { plate: null, confidence: 0 }), false);
  },
);

t.test("at one place at most half of the characters may differ, and beside a known plate at most three", async (t) => {
  const apart = Number.POSITIVE_INFINITY;
  t.equal(differenceWithinVehicle(unread("MH12AB1234"), unread("XX12ABXX34"), true), 0.4);
  t.equal(differenceWithinVehicle(unread("MH12AB1234"), unread("XX12ABXX34"), false), apart, "elsewhere a third");
  t.equal(differenceWithinVehicle(unread("MH12AB1234"), unread("XX12ABXXXX"), true), apart);
  t.equal(
    differenceWithinVehicle(read("MH12AB1234", 95), unread("XX12ABXX34"), true),
    apart,
    "four beside a known one",
  );
  t.equal(
    differenceWithinVehicle(read("MH12AB1234", 95), unread("12AB34"), true),
    0.4,
    "what is covered is not a difference",
  );
  t.equal(differenceWithinVehicle(unread(""), unread(""), true), 0);
});

t.test("a car that takes the place of the one before it keeps its plate, however often each was seen", async (t) => {
  for (const [first, second] of [
    [1, 1],
    [3, 1],
    [1, 3],
    [2, 2],
  ] as const) {
    const { vehicles } = vote(
      [
        ...Array.from({ length: first }, (_, frame) => sighting(frame, "MH01DB1477")),
        ...Array.from({ length: second }, (_, frame) => sighting(first + frame, "MH12RT1105")),
      ],
      Countries.all,
    );
    t.same(
      vehicles.map(({ analysis, votes }) => [analysis.plate, votes]).sort(),
      [
        ["MH01DB1477", first],
        ["MH12RT1105", second],
      ],
      `${first} and ${second} frames`,
    );
  }
});

t.test("a doubtful frame of the next car does not join the plate before it", async (t) => {
  const doubtful = sighting(2, "MH02DJ8952", { certainty: 0.4 });
  t.equal(doubtful.analysis.plate, null, "by itself it is not believed");
  const { vehicles, unread: rest } = vote(
    [sighting(0, "MH01JA8939"), sighting(1, "MH01JA8939"), doubtful],
    Countries.all,
  );
  t.hasStrict(vehicles, [{ analysis: { plate: "MH01JA8939" }, votes: 2 }]);
  t.equal(vehicles[0]?.sightings.length, 2);
  t.match(rest, [{ analysis: { text: "MH02DJ8952" } }]);
});

const PLATES = ["MH12RT1105", "MH01DB1477", "MH02EP5740", "MH14FM6930", "KA05MN9876", "DL8CAF5030", "MH12RT1150"];
const sightings = fc.array(
  fc.record({
    plate: fc.constantFrom(...PLATES),
    shown: fc.constantFrom("whole", "start", "end"),
    certainty: fc.constantFrom(0.3, 0.5, 0.7, 0.9, 0.97, 0.999),
    x: fc.integer({ min: 0, max: 400 }),
    width: fc.integer({ min: 60, max: 200 }),
    misread: fc.option(fc.tuple(fc.nat(9), fc.constantFrom(..."0123456789ABCDEFGHJKLMNPRSTUVWXYZ")), { nil: null }),
  }),
  { minLength: 1, maxLength: 8 },
);

t.test("no vote replaces a known plate by one of another vehicle, whatever the frames show and wherever", async () => {
  await fc.assert(
    fc.property(sightings, (shown) => {
      const all = shown.map(({ plate, shown: part, misread, ...options }, frame) => {
        const drawn =
          misread === null
            ? plate
            : plate.slice(0, misread[0]) + misread[1] + plate.slice(misread[0] + 1, plate.length);
        return sighting(
          frame,
          part === "whole" ? drawn : part === "start" ? drawn.slice(0, 6) : drawn.slice(3),
          options,
        );
      });
      const { vehicles, unread: rest } = vote(all, Countries.all);
      const held = [...vehicles, ...rest].flatMap((vehicle) => vehicle.sightings.map((one) => ({ one, vehicle })));
      const joined = vehicles.every(({ sightings: own }) =>
        own.every((a) => own.every((b) => !areTwoVehicles(a.analysis, b.analysis))),
      );
      const kept = held.every(
        ({ one, vehicle }) => !areTwoVehicles(one.analysis, { ...vehicle.analysis, confidence: 100 }),
      );
      // every sighting is in one vehicle, except a second one of the same plate in the same frame
      return joined && kept && all.every((one) => held.some((other) => other.one === one));
    }),
    { numRuns: 300 },
  );
});

t.test("the rule is the same both ways round", async () => {
  const plate = fc.constantFrom(...PLATES);
  const confidence = fc.integer({ min: 0, max: 100 });
  await fc.assert(
    fc.property(plate, confidence, plate, confidence, fc.boolean(), (a, x, b, y, near) => {
      const [one, other] = [read(a, x), read(b, y)];
      return (
        areTwoVehicles(one, other) === areTwoVehicles(other, one) &&
        differenceWithinVehicle(one, other, near) === differenceWithinVehicle(other, one, near) &&
        differenceWithinVehicle(one, one, near) === 0
      );
    }),
  );
});

t.test("edit distance", async (t) => {
  t.equal(editDistance("", "ABC"), 3);
  t.equal(editDistance("MH12AB1234", "MH12A1234"), 1);
  t.equal(editDistance("KITTEN", "SITTING"), 3);
});
