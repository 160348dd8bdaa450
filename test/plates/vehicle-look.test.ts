import t from "tap";
import { isOtherVehicle, LEAST_LOOKS, type Look, lookOf } from "../../src/core/plates/vehicle-look.ts";

/** A look at an angle, in radians, from the first axis, in the plane of that axis and another. */
function at(angle: number, axis = 1): Look {
  const vector = new Array<number>(64).fill(0);
  vector[0] = Math.cos(angle);
  vector[axis] = Math.sin(angle);
  const look = lookOf([vector]);
  if (look === null) throw new Error("it has no length");
  return look;
}

const USUAL = Array.from({ length: LEAST_LOOKS }, (_, i) => at(0.2, i + 1));
/** 1 less the cosine is 0.7 here. */
const LIMIT = Math.acos(0.3 / Math.cos(0.2));

t.test("the mean of looks has length 1, whatever theirs is; opposite ones have none", async (t) => {
  t.equal(lookOf([]), null);
  t.equal(
    lookOf([
      [3, 4],
      [-3, -4],
    ]),
    null,
  );
  t.same(lookOf([[3, 4]]), Int8Array.from([76, 102]));
  t.same(
    lookOf([
      [30, 40],
      [0, 0],
    ]),
    Int8Array.from([76, 102]),
  );
  t.same(
    lookOf([
      [1, 0],
      [0, 1],
    ]),
    Int8Array.from([90, 90]),
  );
});

t.test("a vehicle is another one where it is far from all earlier passes but one", async (t) => {
  t.equal(isOtherVehicle(at(0.1), USUAL), false);
  t.equal(isOtherVehicle(at(LIMIT - 0.05, 40), USUAL), false);
  t.equal(isOtherVehicle(at(LIMIT + 0.05, 40), USUAL), true);
  const stranger = at(1.5, 40);
  t.equal(isOtherVehicle(stranger, [...USUAL, stranger]), true, "let in once");
  t.equal(isOtherVehicle(stranger, [...USUAL, stranger, stranger]), false, "let in twice: it is known");
  t.equal(isOtherVehicle(stranger, USUAL.slice(1)), false, "too few to say");
});
