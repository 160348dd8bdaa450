import type { Sighting } from "./reading.ts";

/** Left, top, right and bottom in pixels. */
type Box = Sighting["box"];

/** Pixels of a box. */
export function area([x1, y1, x2, y2]: Box): number {
  return (x2 - x1) * (y2 - y1);
}

/** Pixels that two boxes share. */
export function shared(a: Box, b: Box): number {
  const width = Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0]));
  const height = Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
  return width * height;
}
