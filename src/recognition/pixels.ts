import type { PictureSize, Pixels, Region } from "./picture.js";

/** A part of the pixels; `region` lies inside them. */
export function cut({ data, width }: Pixels, region: Region): Pixels {
  const part = new Uint8Array(region.width * region.height * 3);
  for (let y = 0; y < region.height; y++) {
    const from = ((region.top + y) * width + region.left) * 3;
    part.set(data.subarray(from, from + region.width * 3), y * region.width * 3);
  }
  return { data: part, width: region.width, height: region.height };
}

/** Averages of two by two pixels. */
export function halved({ data, width, height }: Pixels): Pixels {
  const [w, h] = [Math.max(1, width >> 1), Math.max(1, height >> 1)];
  const half = new Uint8Array(w * h * 3);
  for (let y = 0; y < h; y++) {
    for (let i = 0; i < w * 3; i++) {
      const from = 2 * y * width * 3 + 2 * (i - (i % 3)) + (i % 3);
      half[y * w * 3 + i] = ((data[from] ?? 0) + (data[from + 3] ?? 0) + (data[from + width * 3] ?? 0) + (data[from + width * 3 + 3] ?? 0)) >> 2;
    }
  }
  return { data: half, width: w, height: h };
}

/** Another size: halved by averaging while it is at least twice too large, then bilinear. */
export function resized(pixels: Pixels, width: number, height: number): Pixels {
  let from = pixels;
  while (from.width >= 2 * width && from.height >= 2 * height) from = halved(from);
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    const sy = Math.min(from.height - 1, Math.max(0, ((y + 0.5) * from.height) / height - 0.5));
    const y0 = Math.floor(sy);
    const y1 = Math.min(y0 + 1, from.height - 1);
    for (let x = 0; x < width; x++) {
      const sx = Math.min(from.width - 1, Math.max(0, ((x + 0.5) * from.width) / width - 0.5));
      const x0 = Math.floor(sx);
      const x1 = Math.min(x0 + 1, from.width - 1);
      for (let c = 0; c < 3; c++) {
        const upper = (from.data[(y0 * from.width + x0) * 3 + c] ?? 0) * (1 - sx + x0) + (from.data[(y0 * from.width + x1) * 3 + c] ?? 0) * (sx - x0);
        const lower = (from.data[(y1 * from.width + x0) * 3 + c] ?? 0) * (1 - sx + x0) + (from.data[(y1 * from.width + x1) * 3 + c] ?? 0) * (sx - x0);
        data[(y * width + x) * 3 + c] = Math.round(upper * (1 - sy + y0) + lower * (sy - y0));
      }
    }
  }
  return { data, width, height };
}

/** The smallest rectangle around all of them. */
export function union(regions: readonly Region[]): Region {
  const left = Math.min(...regions.map((region) => region.left));
  const top = Math.min(...regions.map((region) => region.top));
  const right = Math.max(...regions.map((region) => region.left + region.width));
  const bottom = Math.max(...regions.map((region) => region.top + region.height));
  return { left, top, width: right - left, height: bottom - top };
}

/** The wanted rectangle in whole pixels, cut to the picture; at least 2 by 2 pixels. */
export function inside(size: PictureSize, wanted: Region): Region {
  const left = Math.min(size.width - 2, Math.max(0, Math.round(wanted.left)));
  const top = Math.min(size.height - 2, Math.max(0, Math.round(wanted.top)));
  const right = Math.min(size.width, Math.max(left + 2, Math.round(wanted.left + wanted.width)));
  const bottom = Math.min(size.height, Math.max(top + 2, Math.round(wanted.top + wanted.height)));
  return { left, top, width: right - left, height: bottom - top };
}

/** A side at another scale, at least one pixel. */
export function fit(side: number, scale: number): number {
  return Math.max(1, Math.round(side * scale));
}
