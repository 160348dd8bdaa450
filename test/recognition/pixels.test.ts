import t from "tap";
import type { Pixels } from "../../src/recognition/picture.js";
import { cut, halved, inside, resized, union } from "../../src/recognition/pixels.js";

/** A picture whose colours rise from left to right, top to bottom, and against both. */
function slope(width: number, height: number): Pixels {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      data.set([(255 * x) / (width - 1), (255 * y) / (height - 1), 255 - (255 * x) / (width - 1)], (y * width + x) * 3);
  return { data, width, height };
}

function at({ data, width }: Pixels, x: number, y: number): number[] {
  return [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)];
}

t.test("halving averages four pixels, channel by channel", async (t) => {
  const data = Uint8Array.from([0, 10, 20, 40, 50, 60, 80, 90, 100, 120, 130, 140]);
  t.same([...halved({ data, width: 2, height: 2 }).data], [60, 70, 80]);
  t.match(halved(slope(9, 7)), { width: 4, height: 3 });
});

t.test("another size keeps the slopes, larger and smaller", async (t) => {
  const from = slope(64, 48);
  for (const [width, height] of [
    [160, 100],
    [40, 30],
    [13, 9],
    [64, 48],
  ] as const) {
    const to = resized(from, width, height);
    t.equal(to.data.length, width * height * 3);
    for (const [x, y] of [
      [0, 0],
      [width - 1, height - 1],
      [width >> 1, height >> 2],
    ] as const) {
      const expected = [((x + 0.5) / width) * 255, ((y + 0.5) / height) * 255, 255 - ((x + 0.5) / width) * 255];
      const off = Math.max(...at(to, x, y).map((value, channel) => Math.abs(value - (expected[channel] ?? 0))));
      t.ok(off <= 10, `${width}x${height} at ${x},${y}: ${off.toFixed(1)} off`);
    }
  }
  t.same([...resized(from, 64, 48).data], [...from.data], "the same size is the same picture");
});

t.test("regions: cut, around all, inside the picture", async (t) => {
  const from = slope(20, 10);
  t.same(at(cut(from, { left: 5, top: 3, width: 4, height: 2 }), 1, 1), at(from, 6, 4));
  t.same(
    union([
      { left: 5, top: 3, width: 4, height: 2 },
      { left: 1, top: 4, width: 2, height: 9 },
    ]),
    { left: 1, top: 3, width: 8, height: 10 },
  );
  t.same(inside({ width: 100, height: 50 }, { left: -20.4, top: 40, width: 50, height: 50 }), {
    left: 0,
    top: 40,
    width: 30,
    height: 10,
  });
  t.match(inside({ width: 100, height: 50 }, { left: 300, top: 300, width: 5, height: 5 }), { width: 2, height: 2 });
});
