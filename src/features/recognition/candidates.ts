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
