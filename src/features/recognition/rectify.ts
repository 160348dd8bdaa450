import type { Point } from "../../core/plates/reading.ts";
import type { Pixels, Region } from "./pixels.ts";

/** Corners in reading order: top left, top right, bottom right, bottom left. */
export type Quad = readonly [Point, Point, Point, Point];

/** Input of the reader (models/README.md). */
export const PLATE_WIDTH = 192;
/** Input of the reader (models/README.md). */
export const PLATE_HEIGHT = 64;
/** Wider plates are halved by averaging before they are sampled, as in training. */
const HALVE_ABOVE = 400;

/** How much larger than the plate the sampled quadrilateral is, along the text and across it. */
export interface Margin {
  readonly along: number;
  readonly across: number;
}

/** The quadrilateral with a margin, in its own directions. */
export function expanded([a, b, c, d]: Quad, { along, across }: Margin): Quad {
  const half = (from: readonly [Point, Point], to: readonly [Point, Point], by: number): Point => [
    ((to[0][0] + to[1][0] - from[0][0] - from[1][0]) / 4) * (by - 1),
    ((to[0][1] + to[1][1] - from[0][1] - from[1][1]) / 4) * (by - 1),
  ];
  const [ax, ay] = half([a, d], [b, c], along);
  const [cx, cy] = half([a, b], [d, c], across);
  return [
    [a[0] - ax - cx, a[1] - ay - cy],
    [b[0] + ax - cx, b[1] + ay - cy],
    [c[0] + ax + cx, c[1] + ay + cy],
    [d[0] - ax + cx, d[1] - ay + cy],
  ];
}

/** The part of the picture that sampling `quad` touches, in pixels of the picture shrunk by `shrink`. */
export function regionOf(
  quad: Quad,
  size: { readonly width: number; readonly height: number },
  shrink: number,
): Region {
  const [width, height] = [Math.ceil(size.width / shrink), Math.ceil(size.height / shrink)];
  const xs = quad.map(([x]) => x / shrink);
  const ys = quad.map(([, y]) => y / shrink);
  const left = clamp(Math.floor(Math.min(...xs)) - 4, 0, width - 1);
  const top = clamp(Math.floor(Math.min(...ys)) - 4, 0, height - 1);
  const right = clamp(Math.ceil(Math.max(...xs)) + 5, left + 1, width);
  const bottom = clamp(Math.ceil(Math.max(...ys)) + 5, top + 1, height);
  return { left, top, width: right - left, height: bottom - top };
}

/** Length of the plate's upper edge. */
export function plateWidth(quad: Quad): number {
  return Math.hypot(quad[1][0] - quad[0][0], quad[1][1] - quad[0][1]);
}

/**
 * Samples the plate into the reader's rectangle: grey 0..1, the quadrilateral's corners in the corners of the output.
 * @param quad expanded corners in pixels of `part`
 * @param out receives PLATE_WIDTH × PLATE_HEIGHT values
 */
export function rectify(part: Grey, quad: Quad, out: Float32Array): void {
  const { grey, corners } = shrunk(part, quad, HALVE_ABOVE);
  const [a, b, c, d, e, f, g, h] = homography(corners);
  for (let v = 0; v < PLATE_HEIGHT; v++) {
    for (let u = 0; u < PLATE_WIDTH; u++) {
      const w = g * u + h * v + 1;
      out[v * PLATE_WIDTH + u] = sample(grey, (a * u + b * v + c) / w, (d * u + e * v + f) / w) / 255;
    }
  }
}

/** A rectangle that a part of the plate's height is sampled into. */
export interface Rows {
  readonly width: number;
  readonly height: number;
  /** Shares of the plate's height. */
  readonly from: number;
  readonly to: number;
}

/**
 * The same into a rectangle of any size, and for a part of the plate's height.
 * @param out receives width × height values
 */
export function sampleRows(part: Grey, quad: Quad, { width, height, from, to }: Rows, out: Float32Array): void {
  const { grey, corners } = shrunk(part, quad, 2 * width);
  const [a, b, c, d, e, f, g, h] = homography(corners);
  for (let y = 0; y < height; y++) {
    const v = (from + ((to - from) * y) / height) * PLATE_HEIGHT;
    for (let x = 0; x < width; x++) {
      const u = (x * PLATE_WIDTH) / width;
      const w = g * u + h * v + 1;
      out[y * width + x] = sample(grey, (a * u + b * v + c) / w, (d * u + e * v + f) / w) / 255;
    }
  }
}

/** Part and corners halved by averaging while the plate is wider than `most`. */
function shrunk(part: Grey, quad: Quad, most: number): { readonly grey: Grey; readonly corners: Quad } {
  let grey = part;
  let corners = quad;
  while (plateWidth(corners) > most && Math.min(grey.width, grey.height) > 3) {
    grey = halved(grey);
    const half = ([x, y]: Point): Point => [x / 2, y / 2];
    corners = [half(corners[0]), half(corners[1]), half(corners[2]), half(corners[3])];
  }
  return { grey, corners };
}

/** Brightness of the pixels of a part of a picture, 0..255. */
export interface Grey {
  readonly data: Float32Array;
  readonly width: number;
  readonly height: number;
}

/** The brightness in `region`, which lies inside `pixels`. */
export function greyOf({ data, width }: Pixels, region: Region): Grey {
  const grey = new Float32Array(region.width * region.height);
  for (let y = 0, i = 0; y < region.height; y++) {
    let at = ((region.top + y) * width + region.left) * 3;
    for (let x = 0; x < region.width; x++, i++, at += 3)
      grey[i] = 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
  }
  return { data: grey, width: region.width, height: region.height };
}

function halved({ data, width, height }: Grey): Grey {
  const [w, h] = [width >> 1, height >> 1];
  const half = new Float32Array(w * h);
  for (let y = 0; y < h; y++) {
    for (let x = 0; x < w; x++) {
      const i = 2 * y * width + 2 * x;
      half[y * w + x] = ((data[i] ?? 0) + (data[i + 1] ?? 0) + (data[i + width] ?? 0) + (data[i + width + 1] ?? 0)) / 4;
    }
  }
  return { data: half, width: w, height: h };
}

/** Bilinear, edges repeated. */
function sample({ data, width, height }: Grey, x: number, y: number): number {
  const px = clamp(x, 0, width - 1);
  const py = clamp(y, 0, height - 1);
  const x0 = Math.floor(px);
  const y0 = Math.floor(py);
  const above = y0 * width;
  const below = y0 < height - 1 ? above + width : above;
  const x1 = x0 < width - 1 ? x0 + 1 : x0;
  const fx = px - x0; // plain variables: this runs for every pixel of every view
  const fy = py - y0;
  const upper = (data[above + x0] ?? 0) * (1 - fx) + (data[above + x1] ?? 0) * fx;
  const lower = (data[below + x0] ?? 0) * (1 - fx) + (data[below + x1] ?? 0) * fx;
  return upper * (1 - fy) + lower * fy;
}

/**
 * Coefficients that map (u, v) of the output to a point of the picture: x = (au + bv + c) / (gu + hv + 1), y = (du + ev
 * + f) / (gu + hv + 1).
 */
export function homography(quad: Quad): readonly [number, number, number, number, number, number, number, number] {
  const [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = quad;
  const [dx1, dx2, sx] = [x1 - x2, x3 - x2, x0 - x1 + x2 - x3];
  const [dy1, dy2, sy] = [y1 - y2, y3 - y2, y0 - y1 + y2 - y3];
  const determinant = dx1 * dy2 - dx2 * dy1;
  const isFlat = Math.abs(determinant) < 1e-9;
  const g = isFlat ? 0 : (sx * dy2 - dx2 * sy) / determinant;
  const h = isFlat ? 0 : (dx1 * sy - sx * dy1) / determinant;
  const [w, v] = [PLATE_WIDTH, PLATE_HEIGHT];
  return [
    (x1 - x0 + g * x1) / w,
    (x3 - x0 + h * x3) / v,
    x0,
    (y1 - y0 + g * y1) / w,
    (y3 - y0 + h * y3) / v,
    y0,
    g / w,
    h / v,
  ];
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
