/**
 * Whether a frame is one that was shown before, sent again: recompressed, scaled, cropped a little, brighter or darker.
 * Frames are compared as glances, small pictures of the whole: what stands around fixes where the camera looks, and the
 * vehicle has to stand in the same place, to a pixel or two, on the same ground in the same light. A vehicle that comes
 * again does not.
 */

/** Width and height of a glance, whatever the frame's shape. */
export const GLANCE = { width: 80, height: 45 } as const;

/** Where a plate stands in its frame: shares of its width and height. */
export interface GlancePlate {
  readonly x: number;
  readonly y: number;
  /** Of the plate, as a share of the frame's width. */
  readonly width: number;
}

/** A frame with a plate, as it is remembered. */
export interface Glance extends GlancePlate {
  /** Brightnesses, 0–255, {@link GLANCE} in size. */
  readonly pixels: Uint8Array;
}

/** How far a plate may stand from where it stood in the frame that is repeated: cropping by a few pixels moves it. */
const NEAR = { x: 0.035, y: 0.06, size: 0.14 };
/** Share of the contrast that may be left of a difference, over the whole glance and around the plate. */
const SAME = { whole: 0.003, plate: 0.025 };
/** The same at half the size, before the fine fit. */
const MAYBE = 0.2;
/** What is brighter may have been cut off when the frame was brightened, and says nothing. */
const BRIGHTEST = 235;
/** Contrast below which nothing can be told apart, grey levels. */
const LEAST_CONTRAST = 3;

/** Where a plate stands. @param measures its middle and width in pixels @param frameSize width and height of the frame */
export function placeOf(
  { x, y, width }: GlancePlate,
  [across, down]: readonly [width: number, height: number],
): GlancePlate {
  return { x: x / across, y: y / down, width: width / across };
}

/** How far a plate stands from where it stood; above 1, the pictures are not worth comparing. */
export function nearness(now: GlancePlate, before: GlancePlate): number {
  return Math.max(
    Math.abs(now.x - before.x) / NEAR.x,
    Math.abs(now.y - before.y) / NEAR.y,
    Math.abs(Math.log(now.width / before.width)) / NEAR.size,
  );
}

/** Whether a burst repeats earlier ones: all of its compared frames do, or all but one. */
export function isRepeatedBy(repeated: number, compared: number): boolean {
  return repeated > 0 && repeated >= compared - 1;
}

/** Whether one frame repeats the other. */
export function isRepeat(now: Glance, before: Glance): boolean {
  const left = differenceOf(now, before);
  return left !== null && left.whole <= SAME.whole && left.plate <= SAME.plate;
}

/**
 * What is left of the difference of two frames when one is moved and stretched over the other and its brightness is
 * fitted, as a share of the contrast, over the whole and around the plate; null if they are plainly different.
 */
export function differenceOf(now: Glance, before: Glance): { readonly whole: number; readonly plate: number } | null {
  const [a, b] = [planeOf(now.pixels), planeOf(before.pixels)];
  const rough = laid(halved(a), halved(b), UNMOVED, { rounds: 6, every: 1 });
  if (rough === null || rough.left > MAYBE) return null;
  const fine = laid(a, b, doubled(rough.fit), { rounds: 3, every: 2 });
  if (fine === null) return null;
  return { whole: fine.left, plate: leftAround(a, b, fine.fit, now) };
}

interface Plane {
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** Where a pixel of the new frame is in the old one: (x · sx + tx, y · sy + ty); and its brightness: gain · old + offset. */
interface Fit {
  readonly sx: number;
  readonly tx: number;
  readonly sy: number;
  readonly ty: number;
  readonly gain: number;
  readonly offset: number;
}

const UNMOVED: Fit = { sx: 1, tx: 0, sy: 1, ty: 0, gain: 1, offset: 0 };
/** Farther than this, in shares of the size and in the logarithm of the stretch, is another picture. */
const FARTHEST = { place: 0.06, stretch: 0.08 };

/** Softened: a picture that is moved by half a pixel has lost its finest detail, and must not differ for that. */
function planeOf(pixels: Uint8Array): Plane {
  const { width, height } = GLANCE;
  const [across, data] = [new Float32Array(width * height), new Float32Array(width * height)];
  for (let i = 0; i < data.length; i++) {
    const x = i % width;
    const [left, right] = [x > 0 ? i - 1 : i, x < width - 1 ? i + 1 : i];
    across[i] = ((pixels[left] ?? 0) + 2 * (pixels[i] ?? 0) + (pixels[right] ?? 0)) / 4;
  }
  for (let i = 0; i < data.length; i++) {
    const [above, below] = [i >= width ? i - width : i, i < data.length - width ? i + width : i];
    data[i] = ((across[above] ?? 0) + 2 * (across[i] ?? 0) + (across[below] ?? 0)) / 4;
  }
  return { data, width, height };
}

function halved({ data, width, height }: Plane): Plane {
  const [w, h] = [width >> 1, height >> 1];
  const half = new Float32Array(w * h);
  for (let y = 0; y < h; y++)
    for (let x = 0; x < w; x++) {
      const i = 2 * y * width + 2 * x;
      half[y * w + x] = ((data[i] ?? 0) + (data[i + 1] ?? 0) + (data[i + width] ?? 0) + (data[i + width + 1] ?? 0)) / 4;
    }
  return { data: half, width: w, height: h };
}

/** The same fit in pixels half the size. */
function doubled({ sx, tx, sy, ty, ...light }: Fit): Fit {
  return { sx, tx: 2 * tx + (sx - 1) / 2, sy, ty: 2 * ty + (sy - 1) / 2, ...light };
}

/**
 * Lays the old frame over the new one, by Gauss and Newton on every pixel or every other one; `left`: of the contrast.
 * Null if it does not fit at all.
 */
function laid(
  now: Plane,
  before: Plane,
  from: Fit,
  { rounds, every }: { readonly rounds: number; readonly every: 1 | 2 },
): { fit: Fit; left: number } | null {
  const { width, height } = now;
  let fit = from;
  const contrast = contrastOf(now.data);
  if (contrast < LEAST_CONTRAST) return null;
  for (let round = 0; round < rounds; round++) {
    const sums = new Float64Array(SIZE * SIZE);
    const right = new Float64Array(SIZE);
    const slopes = new Float64Array(SIZE);
    for (let y = 1; y < height - 1; y += every)
      for (let x = 1; x < width - 1; x += every) {
        const u = x * fit.sx + fit.tx; // plain variables: this runs for every pixel of every round
        const v = y * fit.sy + fit.ty;
        if (u < 1 || v < 1 || u > width - 2.01 || v > height - 2.01) continue;
        const value = sampled(before, u, v);
        const shown = now.data[y * width + x] ?? 0;
        if (shown > BRIGHTEST || value > BRIGHTEST) continue;
        const nearest = Math.round(v) * width + Math.round(u);
        const across = (((before.data[nearest + 1] ?? 0) - (before.data[nearest - 1] ?? 0)) / 2) * fit.gain;
        const down = (((before.data[nearest + width] ?? 0) - (before.data[nearest - width] ?? 0)) / 2) * fit.gain;
        const error = shown - fit.gain * value - fit.offset;
        slopes[0] = across * x;
        slopes[1] = across;
        slopes[2] = down * y;
        slopes[3] = down;
        slopes[4] = value;
        slopes[5] = 1;
        for (let i = 0; i < SIZE; i++) {
          const slope = slopes[i] ?? 0;
          right[i] = (right[i] ?? 0) + slope * error;
          for (let j = 0; j <= i; j++) sums[i * SIZE + j] = (sums[i * SIZE + j] ?? 0) + slope * (slopes[j] ?? 0);
        }
      }
    const step = solved(sums, right);
    if (step === null) return null;
    fit = {
      sx: fit.sx + (step[0] ?? 0),
      tx: fit.tx + (step[1] ?? 0),
      sy: fit.sy + (step[2] ?? 0),
      ty: fit.ty + (step[3] ?? 0),
      gain: fit.gain + (step[4] ?? 0),
      offset: fit.offset + (step[5] ?? 0),
    };
    const isFar =
      Math.abs(fit.sx - 1) > FARTHEST.stretch ||
      Math.abs(fit.sy - 1) > FARTHEST.stretch ||
      Math.abs(fit.tx) > FARTHEST.place * width ||
      Math.abs(fit.ty) > FARTHEST.place * height;
    if (isFar || !(fit.gain > 0.4 && fit.gain < 2.5)) return null;
  }
  return { fit, left: leftOf(now, before, fit, { x1: 1, y1: 1, x2: width - 2, y2: height - 2 }) };
}

const SIZE = 6;

/** What the fit leaves in a part of the new frame, of the contrast there: 1 minus the squared correlation. */
function leftOf(
  now: Plane,
  before: Plane,
  fit: Fit,
  part: { readonly x1: number; readonly y1: number; readonly x2: number; readonly y2: number },
): number {
  let [n, sum, squares, errors] = [0, 0, 0, 0];
  for (let y = part.y1; y <= part.y2; y++)
    for (let x = part.x1; x <= part.x2; x++) {
      const u = x * fit.sx + fit.tx;
      const v = y * fit.sy + fit.ty;
      if (u < 0 || v < 0 || u > now.width - 1.01 || v > now.height - 1.01) continue;
      const value = now.data[y * now.width + x] ?? 0;
      const known = sampled(before, u, v);
      if (value > BRIGHTEST || known > BRIGHTEST) continue;
      const error = value - fit.gain * known - fit.offset;
      n += 1;
      sum += value;
      squares += value * value;
      errors += error * error;
    }
  const spread = squares - (sum * sum) / Math.max(1, n);
  return n < 20 ? 1 : errors / Math.max(spread, n * LEAST_CONTRAST ** 2);
}

/** The part around a plate: what belongs to the vehicle, or to whatever carries the plate. */
function leftAround(now: Plane, before: Plane, fit: Fit, { x, y, width }: GlancePlate): number {
  const [cx, cy] = [x * now.width, y * now.height];
  const [rx, ry] = [2 * width * now.width, 1.5 * width * now.width];
  const bound = (value: number, most: number): number => Math.round(Math.min(most, Math.max(1, value)));
  return leftOf(now, before, fit, {
    x1: bound(cx - rx, now.width - 2),
    y1: bound(cy - ry, now.height - 2),
    x2: bound(cx + rx, now.width - 2),
    y2: bound(cy + ry, now.height - 2),
  });
}

function contrastOf(data: Float32Array): number {
  let [sum, squares] = [0, 0];
  for (const value of data) {
    sum += value;
    squares += value * value;
  }
  const mean = sum / data.length;
  return Math.sqrt(Math.max(0, squares / data.length - mean * mean));
}

/** Between pixels; the place is inside. */
function sampled({ data, width }: Plane, x: number, y: number): number {
  const left = Math.floor(x);
  const top = Math.floor(y);
  const s = x - left;
  const t = y - top;
  const i = top * width + left;
  const above = (data[i] ?? 0) * (1 - s) + (data[i + 1] ?? 0) * s;
  const below = (data[i + width] ?? 0) * (1 - s) + (data[i + width + 1] ?? 0) * s;
  return above * (1 - t) + below * t;
}

/** Solves a symmetric system of which the lower half is given; null if it has no single answer. */
function solved(lower: Float64Array, right: Float64Array): number[] | null {
  const a = Array.from({ length: SIZE }, (_, i) =>
    Array.from({ length: SIZE }, (_, j) => lower[Math.max(i, j) * SIZE + Math.min(i, j)] ?? 0),
  );
  const b = [...right];
  for (let i = 0; i < SIZE; i++) {
    const row = a[i] ?? [];
    row[i] = (row[i] ?? 0) * (1 + 1e-6) + 1e-6;
    const pivot = row[i] ?? 0;
    if (!(pivot > 1e-9)) return null;
    for (let k = i + 1; k < SIZE; k++) {
      const other = a[k] ?? [];
      const share = (other[i] ?? 0) / pivot;
      for (let j = i; j < SIZE; j++) other[j] = (other[j] ?? 0) - share * (row[j] ?? 0);
      b[k] = (b[k] ?? 0) - share * (b[i] ?? 0);
    }
  }
  for (let i = SIZE - 1; i >= 0; i--) {
    let value = b[i] ?? 0;
    for (let j = i + 1; j < SIZE; j++) value -= (a[i]?.[j] ?? 0) * (b[j] ?? 0);
    b[i] = value / (a[i]?.[i] ?? 1);
  }
  return b;
}
