/** What is kept of a frame's pixels with a plate, for judging whether it is presented (core/plates/presented.ts). */
import { SURROUNDINGS } from "../../core/plates/presented.ts";
import { GLANCE } from "../../core/plates/repeats.ts";
import { measuresOf } from "../../core/plates/track.ts";
import type { Pixels } from "./pixels.ts";
import type { Quad } from "./rectify.ts";

/**
 * What is around a plate: {@link SURROUNDINGS} brightnesses, each the mean of the pixels that it covers, upright; the
 * edges of the pixels are repeated.
 * @param quad its corners in these pixels
 */
export function surroundingsOf({ data, width, height }: Pixels, quad: Quad): Uint8Array {
  const { columns, rows, across, up } = SURROUNDINGS;
  const plate = measuresOf(quad);
  const [stepX, stepY] = [(across * plate.width) / columns, (up * plate.width) / rows];
  const [left, top] = [plate.x - (across * plate.width) / 2, plate.y - (up * plate.width) / 2];
  const [xs, ys] = [samplesAlong(left, stepX, columns, width), samplesAlong(top, stepY, rows, height)];
  const times = xs.length / columns;
  const out = new Uint8Array(columns * rows);
  const upright = ys.length / rows;
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      let sum = 0;
      for (let j = 0; j < upright; j++) {
        const line = (ys[row * upright + j] ?? 0) * width;
        for (let i = 0; i < times; i++) {
          const at = (line + (xs[column * times + i] ?? 0)) * 3;
          sum += 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
        }
      }
      out[row * columns + column] = Math.round(sum / (times * upright));
    }
  return out;
}

/** The pixels, each the nearest, that `count` cells of a side are the mean of: at most four a cell. */
function samplesAlong(from: number, step: number, count: number, size: number): Int32Array {
  const times = Math.max(1, Math.min(4, Math.ceil(step)));
  return Int32Array.from({ length: count * times }, (_, i) =>
    Math.max(0, Math.min(size - 1, Math.floor(from + ((i + 0.5) / times) * step))),
  );
}

/** A glance at the whole frame: {@link GLANCE} brightnesses, each the mean of what it covers. */
export function glanceOf({ data, width, height }: Pixels): Uint8Array {
  const sums = new Float32Array(GLANCE.width * height);
  const columns = sharesOf(width, GLANCE.width);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3;
      const value = 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
      const to = y * GLANCE.width + (columns.cell[x] ?? 0);
      const share = columns.share[x] ?? 1;
      sums[to] = (sums[to] ?? 0) + value * share;
      if (share < 1) sums[to + 1] = (sums[to + 1] ?? 0) + value * (1 - share);
    }
  const rows = sharesOf(height, GLANCE.height);
  const out = new Float32Array(GLANCE.width * GLANCE.height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < GLANCE.width; x++) {
      const value = sums[y * GLANCE.width + x] ?? 0;
      const to = (rows.cell[y] ?? 0) * GLANCE.width + x;
      const share = rows.share[y] ?? 1;
      out[to] = (out[to] ?? 0) + value * share;
      if (share < 1) out[to + GLANCE.width] = (out[to + GLANCE.width] ?? 0) + value * (1 - share);
    }
  const each = (width / GLANCE.width) * (height / GLANCE.height);
  return Uint8Array.from(out, (value) => Math.min(255, Math.round(value / each)));
}

/** For every pixel of a side the cell that it begins in, and its share of the pixel; the rest is the next cell's. */
function sharesOf(size: number, cells: number): { readonly cell: Uint8Array; readonly share: Float32Array } {
  const [cell, share] = [new Uint8Array(size), new Float32Array(size).fill(1)];
  const step = cells / size;
  for (let i = 0; i < size; i++) {
    const [from, to] = [i * step, (i + 1) * step];
    cell[i] = Math.min(cells - 1, Math.floor(from));
    const border = Math.floor(from) + 1;
    if (to > border && border < cells) share[i] = (border - from) / step;
  }
  return { cell, share };
}
