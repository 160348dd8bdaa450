/** How well a plate can be read in a picture, from its pixels alone: size of letters, blur, glare, light, tilt. */

/** A cut-out plate in grey, row by row, exactly as large as in the camera's picture. */
export interface GreyPlate {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** What was measured of one plate. */
export interface PlateQuality {
  /** Height of its letters in pixels of the picture. */
  readonly letterPx: number;
  /** Width of an upright edge, as a share of the letters' height: what moves sideways smears it. */
  readonly smearX: number;
  /** The same of a level edge. */
  readonly smearY: number;
  /** Share of the plate in which letters are washed out, 0–1. */
  readonly glare: number;
  /** Grey of its brightest parts, 0–255. */
  readonly light: number;
  /** Difference of grey between plate and letters. */
  readonly contrast: number;
  /** How far the line of letters leans, in degrees; positive: it falls to the right. */
  readonly tilt: number;
}

/** Letters take this share of the height of a plate in one line. */
const LETTER_SHARE = 0.6;
/** Angles that are tried. */
const MOST_TILT = 30;
const TILT_STEP = 1;
/** A plate is measured at this width at most: one that is larger is large enough. */
const MOST_WIDTH = 600;
/** A part of a plate without letters is as bright, and as even. */
const WASHED_OUT = { light: 232, spread: 36 };

/** Measures a plate. Some surroundings may be cut out with it, up to a fifth of its height. */
export function plateQuality(plate: GreyPlate): PlateQuality {
  const grey = plate.width > MOST_WIDTH ? halved(plate) : plate;
  const scale = plate.width / grey.width;
  const sorted = Uint8Array.from(grey.data).sort();
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  const [dark, light] = [at(0.06), at(0.9)];
  const contrast = Math.max(1, light - dark);
  const tilt = tiltOf(grey);
  // what leans is cut out higher than it is
  const lean = Math.abs(Math.tan((tilt * Math.PI) / 180)) * grey.width;
  const plateHeight = Math.max(grey.height * 0.25, grey.height - lean);
  const letters = plateHeight * LETTER_SHARE;
  const steepX = steepest(grey, 1, 0);
  const steepY = steepest(grey, 0, 1);
  return {
    letterPx: letters * scale,
    smearX: contrast / Math.max(1, steepX) / letters,
    smearY: contrast / Math.max(1, steepY) / letters,
    glare: glareOf(grey),
    light,
    contrast,
    tilt,
  };
}

/** The steepest differences of grey between neighbours, without the few that are noise. */
function steepest({ data, width, height }: GreyPlate, dx: number, dy: number): number {
  const counts = new Uint32Array(256);
  let total = 0;
  for (let y = 0; y < height - dy; y++)
    for (let x = 0; x < width - dx; x++) {
      const step = Math.abs((data[(y + dy) * width + x + dx] ?? 0) - (data[y * width + x] ?? 0));
      counts[step] = (counts[step] ?? 0) + 1;
      total += 1;
    }
  let left = total * 0.015;
  for (let step = 255; step > 0; step--) {
    left -= counts[step] ?? 0;
    if (left <= 0) return step;
  }
  return 0;
}

/** The share of squares as high as a letter that are bright and hold nothing. */
function glareOf({ data, width, height }: GreyPlate): number {
  const [top, bottom] = [Math.round(height * 0.25), Math.round(height * 0.75)];
  const side = Math.max(3, bottom - top);
  let [washed, all] = [0, 0];
  for (let left = Math.round(width * 0.1); left + side <= width * 0.9; left += Math.max(1, side >> 1)) {
    let [low, sum, count] = [255, 0, 0];
    let high = 0;
    for (let y = top; y < bottom; y++)
      for (let x = left; x < left + side; x++) {
        const grey = data[y * width + x] ?? 0;
        low = Math.min(low, grey);
        high = Math.max(high, grey);
        sum += grey;
        count += 1;
      }
    all += 1;
    if (sum / Math.max(1, count) >= WASHED_OUT.light && high - low <= WASHED_OUT.spread) washed += 1;
  }
  return all === 0 ? 0 : washed / all;
}

/** The angle at which rows of pixels differ most from each other: then they run along the line of letters. */
function tiltOf({ data, width, height }: GreyPlate): number {
  let [best, bestAngle] = [-1, 0];
  const step = Math.max(1, Math.floor(width / 160));
  const middle = width / 2;
  for (let angle = -MOST_TILT; angle <= MOST_TILT; angle += TILT_STEP) {
    const slope = Math.tan((angle * Math.PI) / 180);
    const sums = new Float64Array(height);
    const counts = new Uint32Array(height);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x += step) {
        const row = Math.round(y - (x - middle) * slope);
        if (row < 0 || row >= height) continue;
        sums[row] = (sums[row] ?? 0) + (data[y * width + x] ?? 0);
        counts[row] = (counts[row] ?? 0) + 1;
      }
    let change = 0;
    let before: number | null = null;
    const enough = width / step / 2;
    for (let row = 0; row < height; row++) {
      const count = counts[row] ?? 0;
      if (count < enough) continue;
      const mean = (sums[row] ?? 0) / count;
      if (before !== null) change += (mean - before) ** 2;
      before = mean;
    }
    // of equal ones the smaller angle
    if (change > best * 1.02 || (change > best * 0.98 && Math.abs(angle) < Math.abs(bestAngle))) {
      best = Math.max(best, change);
      bestAngle = angle;
    }
  }
  return bestAngle;
}

function halved({ data, width, height }: GreyPlate): GreyPlate {
  const [w, h] = [width >> 1, height >> 1];
  const half = new Uint8Array(w * h);
  for (let y = 0; y < h; y++)
    for (let x = 0; x < w; x++) {
      const at = 2 * y * width + 2 * x;
      half[y * w + x] =
        ((data[at] ?? 0) + (data[at + 1] ?? 0) + (data[at + width] ?? 0) + (data[at + width + 1] ?? 0)) >> 2;
    }
  return { data: half, width: w, height: h };
}
