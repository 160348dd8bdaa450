// @ts-check
/** Grey pixels of a frame, and pieces of it around a plate. Pure functions. */

/**
 * @typedef {readonly [x: number, y: number]} Point
 * @typedef {readonly Point[]} Corners Top left, top right, bottom right, bottom left.
 * @typedef {{ data: Uint8Array, width: number, height: number }} Grey
 */

/** Middle, width and height of a plate in pixels, and its slope in radians. @param {Corners} corners */
export function measuresOf(corners) {
  const [a, b, c, d] = /** @type {[Point, Point, Point, Point]} */ (corners);
  const along = [(b[0] + c[0] - a[0] - d[0]) / 2, (b[1] + c[1] - a[1] - d[1]) / 2];
  const across = [(c[0] + d[0] - a[0] - b[0]) / 2, (c[1] + d[1] - a[1] - b[1]) / 2];
  return {
    x: (a[0] + b[0] + c[0] + d[0]) / 4,
    y: (a[1] + b[1] + c[1] + d[1]) / 4,
    width: Math.hypot(along[0] ?? 0, along[1] ?? 0),
    height: Math.hypot(across[0] ?? 0, across[1] ?? 0),
    slope: Math.atan2(along[1] ?? 0, along[0] ?? 0),
  };
}

/** Brightness at a place between pixels, the edges repeated. @param {Grey} grey @param {number} x @param {number} y */
function at({ data, width, height }, x, y) {
  const u = Math.min(width - 1.001, Math.max(0, x));
  const v = Math.min(height - 1.001, Math.max(0, y));
  const left = Math.floor(u);
  const top = Math.floor(v);
  const i = top * width + left;
  const s = u - left;
  const t = v - top;
  const above = (data[i] ?? 0) * (1 - s) + (data[i + 1] ?? 0) * s;
  const below = (data[i + width] ?? 0) * (1 - s) + (data[i + width + 1] ?? 0) * s;
  return above * (1 - t) + below * t;
}

/**
 * An upright rectangle of a frame as `columns` x `rows` mean brightnesses, 0 to 255.
 * @param {Grey} grey @param {{ x: number, y: number, width: number, height: number }} where its middle and size, pixels
 * @param {number} columns @param {number} rows
 */
export function piece(grey, where, columns, rows) {
  const out = new Uint8Array(columns * rows);
  const stepX = where.width / columns;
  const stepY = where.height / rows;
  const times = Math.max(1, Math.min(8, Math.ceil(Math.max(stepX, stepY))));
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      for (let j = 0; j < times; j++)
        for (let i = 0; i < times; i++)
          sum += at(
            grey,
            where.x - where.width / 2 + (column + (i + 0.5) / times) * stepX,
            where.y - where.height / 2 + (row + (j + 0.5) / times) * stepY,
          );
      out[row * columns + column] = Math.round(sum / times / times);
    }
  return out;
}

/**
 * Whether each brightness is above its left neighbour's, as bits in hexadecimal. @param {Uint8Array} pixels @param
 * {number} columns
 */
export function differenceHash(pixels, columns) {
  let [bits, digits] = ["", ""];
  for (let i = 0; i < pixels.length; i++)
    if (i % columns > 0) {
      bits += (pixels[i] ?? 0) > (pixels[i - 1] ?? 0) ? "1" : "0";
      if (bits.length === 4) {
        digits += Number.parseInt(bits, 2).toString(16);
        bits = "";
      }
    }
  return digits;
}

/** How many bits of two hashes of one length differ. @param {string} a @param {string} b */
export function bitsApart(a, b) {
  let apart = 0;
  for (let i = 0; i < a.length; i++) {
    let differing = Number.parseInt(a[i] ?? "0", 16) ^ Number.parseInt(b[i] ?? "0", 16);
    for (; differing > 0; differing &= differing - 1) apart += 1;
  }
  return apart;
}

const GRID = { columns: 48, rows: 34, across: 3, up: 1.1, inner: 0.66 };

/**
 * How well the surroundings of a plate in one frame match a later one: `along`, at the plate's new place, and `stayed`,
 * at its old one. Correlations, -1 to 1, of a ring from 0.66 to 1.5 plate widths about its middle.
 * @param {Grey} before @param {Corners} plateBefore @param {Grey} after @param {Corners} plateAfter
 */
export function surroundings(before, plateBefore, after, plateAfter) {
  const from = measuresOf(plateBefore);
  const to = measuresOf(plateAfter);
  /** @type {[number[], number[], number[]]} */
  const [first, along, stayed] = [[], [], []];
  const step = Math.max(1, Math.min(3, Math.round(from.width / 24)));
  for (let row = 0; row < GRID.rows; row++)
    for (let column = 0; column < GRID.columns; column++) {
      const u = ((column + 0.5) / GRID.columns - 0.5) * GRID.across;
      const v = ((row + 0.5) / GRID.rows - 0.5) * 2 * GRID.up;
      if (Math.abs(u) < GRID.inner && Math.abs(v) < Math.max(0.25, (from.height / from.width) * 0.75)) continue;
      const place = [from.x + u * from.width, from.y + v * from.width];
      const moved = [to.x + u * to.width, to.y + v * to.width];
      if (outside(before, place) || outside(after, moved)) continue;
      first.push(mean(before, place, step));
      along.push(mean(after, moved, step));
      stayed.push(mean(after, place, step));
    }
  const moved = Math.hypot(to.x - from.x, to.y - from.y) / from.width + Math.abs(Math.log(to.width / from.width));
  return {
    along: correlation(first, along),
    stayed: correlation(first, stayed),
    moved,
    share: first.length / (GRID.columns * GRID.rows),
  };
}

/** @param {Grey} grey @param {number[]} place */
function outside({ width, height }, [x = 0, y = 0]) {
  return x < 2 || y < 2 || x > width - 3 || y > height - 3;
}

/** @param {Grey} grey @param {number[]} place @param {number} step */
function mean(grey, [x = 0, y = 0], step) {
  return (at(grey, x - step, y) + at(grey, x + step, y) + at(grey, x, y - step) + at(grey, x, y + step)) / 4;
}

/** @param {readonly number[]} a @param {readonly number[]} b */
function correlation(a, b) {
  const n = a.length;
  if (n < 3) return 0;
  const [ma, mb] = [a, b].map((some) => some.reduce((sum, value) => sum + value, 0) / n);
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < n; i++) {
    const [x, y] = [(a[i] ?? 0) - (ma ?? 0), (b[i] ?? 0) - (mb ?? 0)];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa * bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
}
