// @ts-check
/**
 * Evidence that a plate is presented to the camera and not mounted on an approaching vehicle. Pure functions on reads,
 * so that they can be applied to any set.
 *
 * Evidence a) seen before; b) the lane; c) the track, alone and against what surrounds the plate; d) a network's
 * verdict on the surroundings, where there is one. docs/presented-plates.md explains each.
 */
import { bitsApart, measuresOf } from "./pixels.mjs";

/**
 * @typedef {import("./sets.mjs").Sighting} Sighting
 * @typedef {import("./sets.mjs").Move} Move
 * @typedef {import("./sets.mjs").SeenPlate} SeenPlate
 * @typedef {import("./pixels.mjs").Corners} Corners
 * @typedef {{ x: number, y: number, size: number }} Spot Middle as fractions of the frame, logarithm of the height.
 */

// a) seen before

/** Mean bits of 256 by which the surroundings of a plate may differ between frames and their recompression. */
const SAME_BITS = 64;
/** Distance of a plate between repeats of a frame, in plate widths: the detector's own jitter. */
const SAME_PLACE = 0.045;
/** Consecutive frames that must agree. Two vehicles that stop at the same place may agree in fewer. */
const LEAST_REPEATED = 4;

/**
 * Whether a burst repeats an earlier one: a frame of the same bytes, or at least four frames in which the plate is at
 * the same place, to a fraction of a pixel, with similar surroundings. The same vehicle on another day looks similar,
 * but does not move through the same positions. Shifted (cropped) frames are not recognised.
 * @param {{ digests: readonly string[], plate: SeenPlate | undefined }} now
 * @param {{ digests: readonly string[], plate: SeenPlate | undefined }} before
 */
export function repeats(now, before) {
  if (now.digests.some((digest) => before.digests.includes(digest))) return true;
  if (now.plate === undefined || before.plate === undefined) return false;
  const [mine, theirs] = [now.plate.sightings, before.plate.sightings];
  for (let shift = 1 - now.digests.length; shift < before.digests.length; shift++) {
    const pairs = mine.flatMap((one) => {
      const other = theirs.find(({ frame }) => frame === one.frame + shift);
      return other === undefined ? [] : [/** @type {[Sighting, Sighting]} */ ([one, other])];
    });
    if (
      pairs.length >= LEAST_REPEATED &&
      pairs.every(standsAlike) &&
      mean(pairs.map(([a, b]) => bitsApart(a.hash, b.hash))) <= SAME_BITS
    )
      return true;
  }
  return false;
}

/** Whether two plates stand in one place of frames whose sizes may differ. @param {[Sighting, Sighting]} pair */
function standsAlike(pair) {
  const [a, b] = /** @type {const} */ ([0, 1]).map((i) => {
    const { x, y, width } = measuresOf(pair[i].corners);
    const [across] = pair[i].size;
    return { x: x / across, y: y / across, width: width / across };
  });
  return a !== undefined && b !== undefined && Math.hypot(a.x - b.x, a.y - b.y) < SAME_PLACE * a.width;
}

// b) the lane

const NEIGHBOURS = 3;
/** The scale of the distance: fractions of the frame's width, and of the logarithm of the size. */
const SCALE = { place: 0.05, size: 0.2 };

/** Where a plate stands in its frame. @param {Sighting} sighting @returns {Spot} */
export function spotOf({ corners, size: [width] }) {
  const { x, y, height } = measuresOf(corners);
  return { x: x / width, y: y / width, size: Math.log(Math.max(1, height) / width) };
}

/**
 * How far a pass is from those that a camera has accepted: the mean distance of its sightings from the third nearest
 * sighting of other passes.
 * @param {readonly Spot[]} pass @param {readonly (readonly Spot[])[]} accepted
 */
function offLane(pass, accepted) {
  const known = accepted.flat();
  if (known.length < NEIGHBOURS || pass.length === 0) return 0;
  return mean(
    pass.map((spot) => {
      const nearest = known
        .map((one) =>
          Math.hypot(
            (one.x - spot.x) / SCALE.place,
            (one.y - spot.y) / SCALE.place,
            (one.size - spot.size) / SCALE.size,
          ),
        )
        .sort((a, b) => a - b);
      return nearest[NEIGHBOURS - 1] ?? 0;
    }),
  );
}

/**
 * The usual distance of accepted passes from the others: the median. It depends on their number.
 * @param {readonly (readonly Spot[])[]} accepted
 */
export function usuallyOffLane(accepted) {
  const each = accepted
    .map((pass) =>
      offLane(
        pass,
        accepted.filter((other) => other !== pass),
      ),
    )
    .sort((a, b) => a - b);
  return each[Math.floor(each.length / 2)] ?? 0;
}

// c) the track

/**
 * How a plate moves through a burst. `moved`: how far its places lie apart, in plate widths, and its sizes, in their
 * logarithm. `straight`: the way from its first place to its last as a share of the way it took. `growth`: of the
 * logarithm of its size, per second. The others are what a smooth path does not explain: of the slope (radians), of the
 * shape, of the place (plate widths) and of the size.
 * @param {readonly Sighting[]} sightings @param {readonly number[]} times of the frames, milliseconds
 */
function trackOf(sightings, times) {
  const steps = sightings.map(({ frame, corners }) => ({ t: (times[frame] ?? 0) / 1000, ...measuresOf(corners) }));
  const t = steps.map((step) => step.t);
  const size = steps.map(({ width, height }) => 0.5 * Math.log(width * height));
  const width = Math.exp(mean(steps.map((step) => Math.log(step.width))));
  const places = /** @type {const} */ (["x", "y"]).map((axis) => steps.map((step) => step[axis] / width));
  const spread = places.map((some) => Math.max(...some) - Math.min(...some));
  const moved = Math.hypot(spread[0] ?? 0, spread[1] ?? 0) + Math.max(...size) - Math.min(...size);
  return {
    moved,
    straight: straightness(places[0] ?? [], places[1] ?? []),
    growth: fitted(t, size, 1).slope,
    slope: fitted(
      t,
      steps.map((step) => step.slope),
      1,
    ).left,
    shape: fitted(
      t,
      steps.map((step) => Math.log(step.height / step.width)),
      1,
    ).left,
    place: Math.hypot(...places.map((some) => fitted(t, some, 2).left)),
    size: fitted(t, size, 2).left,
  };
}

/** @param {readonly number[]} x @param {readonly number[]} y */
function straightness(x, y) {
  const step = (/** @type {number} */ i, /** @type {number} */ j) =>
    Math.hypot((x[j] ?? 0) - (x[i] ?? 0), (y[j] ?? 0) - (y[i] ?? 0));
  const way = x.slice(1).reduce((sum, _, i) => sum + step(i, i + 1), 0);
  return way === 0 ? 0 : step(0, x.length - 1) / way;
}

/**
 * Whether the surroundings move with the plate: above 0 as on a vehicle, below 0 if they stay behind; 0 if there is too
 * little movement.
 * @param {readonly Move[]} moves
 */
function goesAlong(moves) {
  const telling = moves.filter(({ moved, share }) => moved > 0.1 && share > 0.3);
  return telling.length === 0 ? 0 : mean(telling.map(({ along, stayed }) => along - stayed));
}

/** How alike the surroundings stay where the plate goes. @param {readonly Move[]} moves */
function staysAlike(moves) {
  return moves.length === 0 ? 0 : mean(moves.map(({ along }) => along));
}

// together

/** The inputs of the joint model, by evidence. */
export const FEATURES = /** @type {const} */ ({
  lane: ["offLane"],
  track: ["moved", "straight", "growth", "slope", "shape", "place", "size"],
  around: ["goesAlong", "staysAlike"],
  network: ["network"],
});

/**
 * @typedef {Record<string, number>} Values
 * @typedef {{ names: string[], centre: number[], scale: number[], weights: number[], bias: number, most: number }}
 *   Model
 */

/**
 * The values of one read. @param {SeenPlate} plate @param {readonly number[]} times
 * @param {readonly (readonly Spot[])[]} accepted passes of the camera
 * @param {number} usual how far from the others they usually are, see {@link usuallyOffLane} @param {number} network
 * @returns {Values}
 */
export function valuesOf(plate, times, accepted, usual, network) {
  const track = trackOf(plate.sightings, times);
  const logarithm = (/** @type {number} */ value) => Math.log(value + 0.004);
  return {
    offLane: usual === 0 ? 0 : Math.log(offLane(plate.sightings.map(spotOf), accepted) / usual + 0.3),
    moved: Math.log(track.moved + 0.02),
    straight: track.straight,
    growth: Math.max(-1, Math.min(1, track.growth)),
    slope: logarithm(track.slope),
    shape: logarithm(track.shape),
    place: logarithm(track.place),
    size: logarithm(track.size),
    goesAlong: goesAlong(plate.moves),
    staysAlike: staysAlike(plate.moves),
    network,
  };
}

const SHRINKAGE = 0.005;

/** Log-odds that a plate is presented. @param {Model} model @param {Values} values */
export function oddness(model, values) {
  return inputsOf(model, values).reduce((sum, value, i) => sum + value * (model.weights[i] ?? 0), model.bias);
}

/**
 * The model's features: every value and its square, because too little and too much can both be odd.
 * @param {Pick<Model, "names" | "centre" | "scale">} model @param {Values} values
 */
function inputsOf({ names, centre, scale }, values) {
  const standard = names.map((name, i) =>
    Math.max(-3, Math.min(3, ((values[name] ?? 0) - (centre[i] ?? 0)) / (scale[i] ?? 1))),
  );
  return [...standard, ...standard.map((value) => value * value - 1)];
}

/**
 * A logistic model of some evidence, and the oddness that genuine passes may have: at most the share `asked` of them
 * lies above. Passes of standing vehicles (`stands`) are genuine, and do not affect the threshold.
 * @param {readonly { values: Values, presented: boolean, stands?: boolean }[]} rows @param {readonly string[]} names
 *   @param {number} asked
 * @returns {Model}
 */
export function fit(rows, names, asked) {
  const columns = names.map((name) => rows.map(({ values }) => values[name] ?? 0));
  const centre = columns.map(mean);
  const scale = columns.map((some, i) => Math.sqrt(mean(some.map((value) => (value - (centre[i] ?? 0)) ** 2))) || 1);
  const inputs = rows.map(({ values }) => inputsOf({ names: [...names], centre, scale }, values));
  const share = mean(rows.map(({ presented }) => (presented ? 1 : 0)));
  const weights = Array.from({ length: 2 * names.length }, () => 0);
  let bias = 0;
  for (let round = 0; round < 3_000; round++) {
    const slopes = weights.map((weight) => SHRINKAGE * weight);
    let slope = 0;
    for (const [k, row] of rows.entries()) {
      const input = inputs[k] ?? [];
      const p = 1 / (1 + Math.exp(-input.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), bias)));
      const error = ((p - (row.presented ? 1 : 0)) * (row.presented ? 0.5 / share : 0.5 / (1 - share))) / rows.length;
      for (const [i, value] of input.entries()) slopes[i] = (slopes[i] ?? 0) + error * value;
      slope += error;
    }
    for (const [i, value] of slopes.entries()) weights[i] = (weights[i] ?? 0) - value;
    bias -= slope;
  }
  /** @type {Model} */
  const model = { names: [...names], centre, scale, weights, bias, most: 0 };
  const genuine = rows
    .filter(({ presented, stands }) => !presented && stands !== true)
    .map(({ values }) => oddness(model, values))
    .sort((a, b) => b - a);
  model.most = genuine[Math.round(asked * genuine.length)] ?? 0;
  return model;
}

/**
 * What a polynomial of degree 1 or 2 leaves of values over time (root mean square, by what is free), and its slope.
 * @param {number[]} t @param {number[]} values @param {1 | 2} degree
 */
function fitted(t, values, degree) {
  const n = t.length;
  const used = Math.min(degree, Math.max(0, n - 2));
  const middle = mean(t);
  const u = t.map((one) => one - middle);
  const basis = [u.map(() => 1), u, u.map((one) => one * one)].slice(0, used + 1);
  /** @type {number[][]} */
  const orthogonal = [];
  for (const one of basis) {
    let left = one;
    for (const other of orthogonal) left = without(left, other);
    orthogonal.push(left);
  }
  let left = values;
  for (const one of orthogonal) left = without(left, one);
  const free = Math.max(1, n - used - 1);
  const [down, across] = [
    u.reduce((sum, one, i) => sum + one * (values[i] ?? 0), 0),
    u.reduce((sum, one) => sum + one * one, 0),
  ];
  return {
    left: Math.sqrt(left.reduce((sum, one) => sum + one * one, 0) / free),
    slope: across === 0 ? 0 : down / across,
  };
}

/** @param {readonly number[]} a @param {readonly number[]} b */
function without(a, b) {
  const length = b.reduce((sum, one) => sum + one * one, 0);
  if (length === 0) return [...a];
  const share = a.reduce((sum, one, i) => sum + one * (b[i] ?? 0), 0) / length;
  return a.map((one, i) => one - share * (b[i] ?? 0));
}

/** @param {readonly number[]} values */
function mean(values) {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
