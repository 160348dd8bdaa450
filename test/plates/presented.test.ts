/** Evidence that a plate is presented: the track, the lane, repeated frames, and what follows from them together. */
import t from "tap";
import {
  type LanePass,
  laneOddness,
  MOST_LANE_PASSES,
  offLane,
  spotsOf,
  usuallyStands,
  wayOddness,
} from "../../src/core/plates/lane.ts";
import { evidenceOf, odditiesOf, type PresentedEvidence, shownOf } from "../../src/core/plates/presented.ts";
import type { Point, Sighting } from "../../src/core/plates/reading.ts";
import { differenceOf, GLANCE, isRepeat, nearness } from "../../src/core/plates/repeats.ts";
import { standsStill, trackOf, withoutStrays } from "../../src/core/plates/track.ts";
import { approach, HELD, STANDING } from "../support/approach.ts";

t.test(
  "a plate that comes moves straight and grows; one that is held wanders and shakes; one that stands does neither",
  async (t) => {
    const [comes, held, stands] = [approach(0), HELD, STANDING].map((some) => trackOf(some));
    t.ok((comes?.moved ?? 0) > 0.5 && (held?.moved ?? 0) > 0.15 && (stands?.moved ?? 1) < 0.15);
    t.ok((comes?.straight ?? 0) > 0.95 && (held?.straight ?? 1) < 0.7);
    t.ok((comes?.growth ?? 0) > 0.05 && Math.abs(held?.growth ?? 1) < 0.03);
    t.ok((held?.slope ?? 0) > 3 * (comes?.slope ?? 1));
    t.same(
      [comes, held, stands].map((track) => standsStill(track ?? null)),
      [false, false, true],
    );
  },
);

t.test("corners around something twice as large are not the plate's", async (t) => {
  const comes = approach(0);
  const wider = (...at: number[]): Sighting[] =>
    comes.map((sighting, i) => {
      if (!at.includes(i)) return sighting;
      const [a, b, c, d] = sighting.corners;
      const wide = ([x, y]: Point): Point => [a[0] + 2.2 * (x - a[0]), a[1] + 2.2 * (y - a[1])];
      return { ...sighting, corners: [a, wide(b), wide(c), wide(d)] };
    });
  t.same(withoutStrays(comes), comes, "a vehicle that comes has none");
  t.same(withoutStrays(HELD), HELD);
  for (const at of [0, 2, comes.length - 1]) {
    const rest = comes.filter((_, i) => i !== at);
    t.same(withoutStrays(wider(at)), rest, `sighting ${at} goes`);
    t.same(trackOf(wider(at)), trackOf(rest));
    t.same(spotsOf(wider(at)), spotsOf(rest));
    t.notOk(shownOf(wider(at)).includes(wider(at)[at] as Sighting), "the network does not see it");
  }
  t.same(withoutStrays(wider(1, 3, 5)), wider(1, 3, 5), "a sheet that is waved to and fro hides no frame");
  t.equal(withoutStrays(wider(0).slice(0, 2)).length, 2, "of two nobody knows which is right");
});

t.test("one frame says nothing of how a plate moves", async (t) => {
  t.equal(trackOf(approach(0).slice(0, 1)), null);
  t.equal(standsStill(null), true);
});

t.test("a lane is where the plates of accepted passes stand, and how large", async (t) => {
  const lane = laneOf(60);
  const [usual, aside, large] = [approach(0.2), approach(0.2, { x: 600 }), approach(0.2, { width: 2 })].map(
    (some) => laneOddness(spotsOf(some), lane) ?? 0,
  );
  t.ok((usual ?? 9) < 1, `${usual}`);
  t.ok((aside ?? 0) > (usual ?? 9) + 1);
  t.ok((large ?? 0) > (usual ?? 9) + 0.7);
  t.ok(spotsOf(approach(0)).length <= 4, "a few spots of each are kept");
  t.ok(MOST_LANE_PASSES >= lane.length);
});

t.test("two passes elsewhere make no lane, three do", async (t) => {
  const elsewhere = { spots: spotsOf(approach(0, { x: 600 })), stood: false, off: 5 };
  const off = (times: number): number =>
    offLane(spotsOf(approach(0, { x: 600 })), [...laneOf(60), ...Array(times).fill(elsewhere)]) ?? 0;
  t.ok(off(2) > 2);
  t.ok(off(3) < 0.01);
});

t.test("a film grows where it is, a vehicle out of the end of the lane", async (t) => {
  const lane = laneOf(60);
  const [vehicle, film] = [approach(0.4, { x: 30 }), inPlace(approach(0))];
  t.ok((wayOddness(spotsOf(vehicle), lane) ?? 9) < 1.5);
  t.ok((wayOddness(spotsOf(film), lane) ?? 0) > 2.5);
  t.ok((wayOddness(spotsOf([...film].reverse()), lane) ?? 0) > 2.5, "backwards too");
  const seen = { isRepeated: false, network: null };
  t.same(odditiesOf(evidenceOf(film, lane, seen), lane), ["track"]);
  t.ok((wayOddness(spotsOf(STANDING), lane) ?? 9) < 1, "what does not grow says nothing of its way");
  const stood = Array.from({ length: 60 }, (): LanePass => ({ spots: spotsOf(STANDING), stood: true, off: 0.2 }));
  t.equal(wayOddness(spotsOf(film), stood), null, "where vehicles are seen standing, no way is known");
  const bends = laneOf(60).map((pass, i) => ({
    ...pass,
    spots: pass.spots.map((spot, k) => ({ ...spot, x: spot.x + (i % 5 === 0 ? 0 : 0.04 * (k % 2)) })),
  }));
  t.ok((wayOddness(spotsOf(film), bends) ?? 9) < 2.5, "where vehicles do not come straight, less is odd");
});

t.test("standing at first sight is odd where vehicles come, and not where they are seen standing", async (t) => {
  const standing: LanePass = { spots: spotsOf(STANDING), stood: true, off: 0.2 };
  t.equal(usuallyStands(laneOf(60)), false);
  t.equal(usuallyStands([...laneOf(60), standing]), false, "one may have been a sheet of paper");
  t.equal(usuallyStands([...laneOf(60), ...Array(10).fill(standing)]), false, "a few of many");
  t.equal(usuallyStands([...laneOf(60), ...Array(20).fill(standing)]), true);
  const stands: PresentedEvidence = { isRepeated: false, track: trackOf(STANDING), lane: 0, way: null, network: null };
  t.same(odditiesOf(stands, laneOf(60)), ["stands"]);
  t.same(odditiesOf({ ...stands, track: null }, laneOf(60)), ["one_picture"]);
  t.same(odditiesOf(stands, laneOf(60), true), [], "it was seen to come before");
  t.same(odditiesOf(stands, [...laneOf(60), ...Array(20).fill(standing)]), []);
});

t.test("what is odd is said by what speaks most for it", async (t) => {
  const model = {
    names: ["lane", "straight", "network"],
    centre: [0, 0, 0],
    scale: [1, 1, 1],
    bias: -3,
    most: 0,
    mostWithout: 1,
  };
  const models = {
    moving: { ...model, weights: [2, -1, 2, 0, 0, 0] },
    standing: { ...model, weights: [2, 0, 2, 0, 0, 0] },
  };
  const odd = (lane: number | null, network: number | null) =>
    odditiesOf({ isRepeated: false, track: trackOf(approach(0)), lane, way: null, network }, laneOf(60), false, models);
  t.same(odd(0, 0), []);
  t.same(odd(3, 0), ["off_lane"]);
  t.same(odd(0, 3), ["surroundings"]);
  t.same(odd(1.5, 2.5), ["surroundings"], "each alone would not be enough");
  t.same(odd(3, 3), ["off_lane", "surroundings"]);
  t.same(odd(null, 3), ["surroundings"], "what is not known says nothing");
  t.same(odd(2.4, null), [], "without the network, the limit is another");
  t.same(odd(2.6, null), ["off_lane"]);
  t.same(
    odditiesOf({ isRepeated: true, track: null, lane: null, way: null, network: null }, [], false, models),
    ["seen_before"],
    "whatever else is known",
  );
});

t.test("a frame is known again when it is recompressed, cropped a little, brighter or noisier", async (t) => {
  const now = scene();
  for (const [what, changed] of [
    ["the same", scene()],
    ["brighter", scene({ gain: 1.12, offset: 6 })],
    ["darker", scene({ gain: 0.85 })],
    ["noisy", scene({ noise: 1.5 })],
    ["cropped at the left and above", scene({ left: 20 / 1280, top: 14 / 720 })],
    ["cropped on all sides", scene({ left: 10 / 1280, top: 10 / 720, right: 12 / 1280, bottom: 8 / 720 })],
  ] as const)
    t.equal(isRepeat(changed, now), true, `${what}: ${JSON.stringify(differenceOf(changed, now))}`);
});

t.test("a vehicle that comes again is none: it stands a little elsewhere, or in another light", async (t) => {
  const before = scene();
  for (const [what, now] of [
    ["16 pixels aside", scene({ x: 0.5 + 16 / 1280 })],
    ["12 pixels nearer", scene({ y: 0.6 + 12 / 720 })],
    ["a little larger", scene({ width: 0.104 })],
    ["in another light", scene({ shadow: 25 })],
  ] as const)
    t.equal(isRepeat(now, before), false, `${what}: ${JSON.stringify(differenceOf(now, before))}`);
  t.ok(nearness(before, scene({ x: 0.56 })) > 1, "what stands elsewhere is not compared");
  t.equal(differenceOf(flat(), flat()), null, "nothing can be said of a frame without contrast");
});

/** The same sizes at the place of the first. */
function inPlace(sightings: readonly Sighting[]): Sighting[] {
  const middle = ({ corners }: Sighting) =>
    [0, 1].map((axis) => corners.reduce((sum, at) => sum + (at[axis] ?? 0), 0) / 4);
  const [first] = sightings;
  const [x = 0, y = 0] = first === undefined ? [] : middle(first);
  return sightings.map((one) => {
    const [ownX = 0, ownY = 0] = middle(one);
    const [a, b, c, d] = one.corners;
    const moved = ([px, py]: Point): Point => [px + x - ownX, py + y - ownY];
    return { ...one, corners: [moved(a), moved(b), moved(c), moved(d)] };
  });
}

function laneOf(count: number): LanePass[] {
  return Array.from({ length: count }, (_, i) => ({
    spots: spotsOf(approach(((i * 7) % 10) / 10)),
    stood: false,
    off: 0.2,
  }));
}

/** A road with a vehicle, as a glance of 80 × 45 means of what a camera sees. */
function scene({
  x = 0.5,
  y = 0.6,
  width = 0.1,
  left = 0,
  top = 0,
  right = 0,
  bottom = 0,
  gain = 1,
  offset = 0,
  noise = 0,
  shadow = 0,
} = {}) {
  const light = (u: number, v: number): number => {
    const [dx, dy] = [(u - x) / width, ((v - y) * 9) / 16 / width];
    const road = 110 + 40 * Math.sin(23 * u + 9 * v) + 25 * Math.sin(41 * v - 13 * u) + (u > v ? shadow : 0);
    if (Math.abs(dx) < 0.5 && Math.abs(dy) < 0.12) return 215 + 25 * Math.sin(40 * dx);
    if (Math.abs(dx) < 1.8 && dy > -1.4 && dy < 0.8) return 60 + 30 * Math.cos(3 * dx) + 25 * Math.sin(5 * dy);
    return road;
  };
  const pixels = new Uint8Array(GLANCE.width * GLANCE.height);
  let seed = 1;
  for (let row = 0; row < GLANCE.height; row++)
    for (let column = 0; column < GLANCE.width; column++) {
      let sum = 0;
      for (let j = 0; j < 6; j++)
        for (let i = 0; i < 6; i++)
          sum += light(
            left + ((column + (i + 0.5) / 6) / GLANCE.width) * (1 - left - right),
            top + ((row + (j + 0.5) / 6) / GLANCE.height) * (1 - top - bottom),
          );
      seed = (seed * 48_271) % 2_147_483_647;
      const value = (sum / 36) * gain + offset + noise * (seed / 1_073_741_823 - 1);
      pixels[row * GLANCE.width + column] = Math.max(0, Math.min(255, Math.round(value)));
    }
  const [across, down] = [1 - left - right, 1 - top - bottom];
  return { pixels, x: (x - left) / across, y: (y - top) / down, width: width / across };
}

function flat() {
  return { pixels: new Uint8Array(GLANCE.width * GLANCE.height).fill(90), x: 0.5, y: 0.5, width: 0.1 };
}
