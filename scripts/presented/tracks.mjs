// @ts-check
/** Tracks that `render.py --tracks` made: where the plate stands in each frame, and as the hub's recogniser would see it. */
import { readFileSync } from "node:fs";

/**
 * One line of a file of tracks; `corners`: true ones, by frame.
 * @typedef {{ folder: string, class: "genuine" | "attack", camera: string, kind: string, light: string, motion: string,
 *   place: string, shows?: string, corners: [number, number][][] }} Drawn
 * @typedef {import("./sets.mjs").Corners} Corners
 */

/** The size of the frames, and the narrowest plate that is read in them. */
const [WIDTH, HEIGHT, NARROWEST] = [1280, 720, 45];
/**
 * How far the detector's corners are off, as shares of the plate's height across and down: the plate as a whole, and
 * each corner; now and then a frame is much farther off. Measured on rendered bursts whose true corners are known.
 */
const SHAKEN = { whole: [0.024, 0.013], each: [0.034, 0.021], often: 0.12, farther: 3.5 };

/** @param {string} files with commas between them @returns {Drawn[]} */
export function tracksOf(files) {
  return files.split(",").flatMap((file) =>
    readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );
}

/**
 * Frames in which the recogniser would have seen the plate, with the corners shaken as its detector shakes them.
 * @param {Pick<Drawn, "corners">} drawn @param {() => number} random
 */
export function seenOf({ corners }, random) {
  return corners.flatMap((points, frame) => {
    const wide = Math.hypot(
      (points[1]?.[0] ?? 0) - (points[0]?.[0] ?? 0),
      (points[1]?.[1] ?? 0) - (points[0]?.[1] ?? 0),
    );
    const tall = Math.hypot(
      (points[3]?.[0] ?? 0) - (points[0]?.[0] ?? 0),
      (points[3]?.[1] ?? 0) - (points[0]?.[1] ?? 0),
    );
    if (wide < NARROWEST || points.some(([x, y]) => x < 0 || y < 0 || x > WIDTH || y > HEIGHT)) return [];
    const far = tall * (random() < SHAKEN.often ? SHAKEN.farther : 1);
    const whole = SHAKEN.whole.map((share) => normal(random) * share * far);
    const shaken = points.map((point) =>
      point.map((value, axis) => value + (whole[axis] ?? 0) + normal(random) * (SHAKEN.each[axis] ?? 0) * far),
    );
    return [
      {
        frame,
        corners: /** @type {Corners} */ (/** @type {unknown} */ (shaken)),
        frameSize: /** @type {[number, number]} */ ([WIDTH, HEIGHT]),
      },
    ];
  });
}

/**
 * What the network says of the surroundings of a track that nobody drew: a score of surroundings of its kind in its light.
 * @param {string | undefined} file what models/training/train_presented.py wrote; undefined: no network is asked
 * @param {() => number} random @returns {(drawn: Pick<Drawn, "class" | "kind" | "light">) => number | null}
 */
export function scoresFrom(file, random) {
  /** @type {{ kind: string, light: string, presented: boolean, score: number }[]} */
  const known = file === undefined ? [] : JSON.parse(readFileSync(file, "utf8"));
  return (drawn) => {
    const side = known.filter(({ presented }) => presented === (drawn.class === "attack"));
    const alike = side.filter(({ kind, light }) => kind === drawn.kind && light === drawn.light);
    const some = alike.length > 5 ? alike : side;
    return some[Math.floor(random() * some.length)]?.score ?? null;
  };
}

/** Mulberry32: random numbers from 0 to 1, the same for the same seed. @param {number} seed */
export function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** @param {() => number} random */
function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
