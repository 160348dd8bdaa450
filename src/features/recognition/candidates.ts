import { area, shared } from "../../core/plates/boxes.ts";
import type { Quad } from "./rectify.ts";

/** A plate that the detector proposes, in pixels of the picture. */
export interface Candidate {
  readonly score: number;
  readonly box: readonly [x1: number, y1: number, x2: number, y2: number];
  readonly corners: Quad;
  readonly twoLine: boolean;
}

/** Where a detector input is in the picture: picture pixel = origin + input pixel ÷ scale. */
export interface Placement {
  readonly scale: number;
  readonly left: number;
  readonly top: number;
}

const COLUMNS = 14;
/** Boxes that overlap more are one plate (models/README.md). */
const SAME_PLATE_IOU = 0.45;
/** Most rows looked at; a wall of false candidates must not cost time. */
const MAX_ROWS = 200;

/** What the detector says of the cells of one stride: 14 planes, each with a number per cell. */
export interface DetectorMap {
  /** Pixels of the input per cell. */
  readonly stride: number;
  readonly columns: number;
  readonly data: Float32Array;
}

/** Of a corner, in widths and heights of the box from its middle. */
const CORNERS = [
  [-0.5, -0.5],
  [0.5, -0.5],
  [0.5, 0.5],
  [-0.5, 0.5],
] as const;
/** Size of a box in strides, where the network says 0, and how far it may be off, as a logarithm. */
const [WIDE, HIGH, MOST_OFF] = [4, 2, 4];

/**
 * The rows of {@link candidatesOf} of the cells above the threshold: of 4,000 cells a handful, and working all of them
 * out in the network takes a sixth of a close-up's time. Rounded to 32 bits wherever the network would.
 */
export function rowsOf(maps: readonly DetectorMap[], threshold: number): Float32Array {
  const rows: number[] = [];
  const least = Math.log(threshold / (1 - threshold)) - 0.01;
  for (const { stride, columns, data } of maps) {
    const cells = data.length / COLUMNS;
    for (let cell = 0; cell < cells; cell++) {
      const score = data[cell] ?? 0;
      if (!(score > least)) continue;
      // plain variables and one growing list: a close-up of a large plate has hundreds of such cells
      const x = ((cell % columns) + 0.5) * stride;
      const y = (Math.floor(cell / columns) + 0.5) * stride;
      const cx = round(x + round((data[cells + cell] ?? 0) * stride));
      const cy = round(y + round((data[2 * cells + cell] ?? 0) * stride));
      const width = sideOf(data[3 * cells + cell] ?? 0, WIDE * stride);
      const height = sideOf(data[4 * cells + cell] ?? 0, HIGH * stride);
      rows.push(shareOf(score), cx, cy, width, height);
      for (let corner = 0; corner < CORNERS.length; corner++) {
        const right = (CORNERS[corner]?.[0] ?? 0) + (data[(5 + corner) * cells + cell] ?? 0);
        const down = (CORNERS[corner]?.[1] ?? 0) + (data[(9 + corner) * cells + cell] ?? 0);
        rows.push(round(cx + round(width * round(right))), round(cy + round(height * round(down))));
      }
      rows.push(shareOf(data[13 * cells + cell] ?? 0));
    }
  }
  return Float32Array.from(rows);
}

const round = Math.fround;

function sideOf(off: number, usual: number): number {
  return round(round(Math.exp(Math.min(MOST_OFF, Math.max(-MOST_OFF, off)))) * usual);
}

function shareOf(logit: number): number {
  return round(1 / (1 + Math.exp(-logit)));
}

/** Rows of the detector's output above the threshold as candidates, best first, before suppression. */
export function candidatesOf(output: Float32Array, threshold: number, place: Placement): Candidate[] {
  const found: Candidate[] = [];
  const [x, y] = [
    (value: number) => place.left + value / place.scale,
    (value: number) => place.top + value / place.scale,
  ];
  for (let row = 0; row + COLUMNS <= output.length; row += COLUMNS) {
    const score = output[row] ?? 0;
    if (!(score > threshold)) continue;
    const at = (column: number): number => output[row + column] ?? 0;
    const [cx, cy, halfWidth, halfHeight] = [at(1), at(2), at(3) / 2, at(4) / 2];
    const corners: Quad = [
      [x(at(5)), y(at(6))],
      [x(at(7)), y(at(8))],
      [x(at(9)), y(at(10))],
      [x(at(11)), y(at(12))],
    ];
    const box = [x(cx - halfWidth), y(cy - halfHeight), x(cx + halfWidth), y(cy + halfHeight)] as const;
    if ([...box, ...corners.flat()].every(Number.isFinite)) found.push({ score, box, corners, twoLine: at(13) > 0.5 });
  }
  return found.sort((a, b) => b.score - a.score).slice(0, MAX_ROWS);
}

/** Keeps the best of those that overlap; at most `most`. */
export function suppressed<One extends Candidate>(candidates: readonly One[], most: number): One[] {
  const kept: One[] = [];
  for (const candidate of [...candidates].sort((a, b) => b.score - a.score)) {
    if (kept.length >= most) break;
    if (kept.every((other) => overlap(candidate.box, other.box) <= SAME_PLATE_IOU)) kept.push(candidate);
  }
  return kept;
}

/** Intersection over union of two boxes. */
export function overlap(a: Candidate["box"], b: Candidate["box"]): number {
  const both = shared(a, b);
  const union = area(a) + area(b) - both;
  return union <= 0 ? 0 : both / union;
}
