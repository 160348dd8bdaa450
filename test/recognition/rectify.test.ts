import t from "tap";
import { candidatesOf, overlap, rowsOf, suppressed } from "../../src/features/recognition/candidates.ts";
import {
  expanded,
  greyOf,
  homography,
  PLATE_HEIGHT,
  PLATE_WIDTH,
  type Quad,
  rectify,
  regionOf,
} from "../../src/features/recognition/rectify.ts";

t.test("the corners of the plate go to the corners of the reader's rectangle, whatever the view", async (t) => {
  const quads: Quad[] = [
    [
      [10, 20],
      [210, 20],
      [210, 70],
      [10, 70],
    ],
    [
      [30, 40],
      [180, 10],
      [200, 90],
      [20, 100],
    ],
    [
      [100, 10],
      [20, 200],
      [5, 190],
      [90, 5],
    ],
  ];
  for (const quad of quads) {
    const [a, b, c, d, e, f, g, h] = homography(quad);
    const to = (u: number, v: number) => [
      (a * u + b * v + c) / (g * u + h * v + 1),
      (d * u + e * v + f) / (g * u + h * v + 1),
    ];
    for (const [index, [u, v]] of (
      [
        [0, 0],
        [PLATE_WIDTH, 0],
        [PLATE_WIDTH, PLATE_HEIGHT],
        [0, PLATE_HEIGHT],
      ] as const
    ).entries()) {
      const [x, y] = to(u, v);
      t.ok(Math.abs((x ?? 0) - (quad[index]?.[0] ?? 0)) < 1e-6 && Math.abs((y ?? 0) - (quad[index]?.[1] ?? 0)) < 1e-6);
    }
  }
});

t.test("a plate on its side is turned upright, and grey is weighted as in training", async (t) => {
  const [width, height] = [64, 192];
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) data.set(y < height / 2 ? [255, 0, 0] : [0, 0, 255], (y * width + x) * 3);
  const out = new Float32Array(PLATE_WIDTH * PLATE_HEIGHT);
  rectify(
    greyOf({ data, width, height }, { left: 0, top: 0, width, height }),
    [
      [0, 192],
      [0, 0],
      [64, 0],
      [64, 192],
    ],
    out,
  );
  t.ok(Math.abs((out[32 * PLATE_WIDTH + 20] ?? 0) - 0.114) < 0.01, "left of the plate: blue");
  t.ok(Math.abs((out[32 * PLATE_WIDTH + 170] ?? 0) - 0.299) < 0.01, "right of the plate: red");
});

t.test("a large plate is averaged before it is sampled", async (t) => {
  const [width, height] = [1600, 400];
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) data.fill((i + Math.floor(i / width)) % 2 === 0 ? 255 : 0, i * 3, i * 3 + 3);
  const out = new Float32Array(PLATE_WIDTH * PLATE_HEIGHT);
  rectify(
    greyOf({ data, width, height }, { left: 0, top: 0, width, height }),
    [
      [0, 0],
      [1600, 0],
      [1600, 400],
      [0, 400],
    ],
    out,
  );
  t.ok(
    out.every((value) => Math.abs(value - 0.5) < 0.01),
    "a fine chequerboard becomes grey, no pattern",
  );
});

t.test("the brightness of a part is that of its own pixels", async (t) => {
  // each pixel as bright as its number
  const data = Uint8Array.from({ length: 5 * 4 * 3 }, (_, i) => Math.floor(i / 3));
  const { width, height, data: grey } = greyOf({ data, width: 5, height: 4 }, { left: 2, top: 1, width: 2, height: 3 });
  t.same([width, height, [...grey].map(Math.round)], [2, 3, [7, 8, 12, 13, 17, 18]]);
});

t.test("regions stay inside the picture", async (t) => {
  const outside: Quad = expanded(cornersOf([-50, -10, 700, 500]), { along: 1.06, across: 1.06 });
  t.same(regionOf(outside, { width: 640, height: 480 }, 1), { left: 0, top: 0, width: 640, height: 480 });
  t.same(regionOf(outside, { width: 640, height: 480 }, 2), { left: 0, top: 0, width: 320, height: 240 });
  const far: Quad = [
    [900, 900],
    [910, 900],
    [910, 905],
    [900, 905],
  ];
  const { left, top, width, height } = regionOf(far, { width: 640, height: 480 }, 1);
  t.ok(left + width <= 640 && top + height <= 480 && width > 0 && height > 0);
});

t.test("rows become candidates in picture pixels; overlapping ones are one plate", async (t) => {
  const row = (score: number, cx: number) => [
    score,
    cx,
    50,
    40,
    10,
    cx - 20,
    45,
    cx + 20,
    45,
    cx + 20,
    55,
    cx - 20,
    55,
    0.9,
  ];
  const output = Float32Array.from([
    ...row(0.9, 100),
    ...row(0.8, 104),
    ...row(0.7, 200),
    ...row(0.2, 300),
    ...row(Number.NaN, 400),
  ]);
  const found = candidatesOf(output, 0.3, { scale: 0.5, left: 10, top: 20 });
  t.same(
    found.map(({ score }) => Math.round(score * 10)),
    [9, 8, 7],
  );
  t.same(found[0]?.box, [170, 110, 250, 130]);
  t.same(found[0]?.corners[2], [250, 130]);
  t.equal(found[0]?.twoLine, true);
  t.equal(suppressed(found, 6).length, 2);
  t.equal(suppressed(found, 1).length, 1);
  t.equal(overlap([0, 0, 10, 10], [0, 0, 10, 10]), 1);
  t.equal(overlap([0, 0, 10, 10], [10, 10, 20, 20]), 0);
});

t.test("of the detector's maps, cells above the threshold become rows", async (t) => {
  const [columns, cells] = [4, 12];
  const data = new Float32Array(14 * cells).fill(-9);
  const cell = 6; // third column of the second row
  const off = Math.log(2);
  const own = [0, 0.25, -0.5, off, -20, 0, 0.125, 0, 0, 0, 0, 0.5, 0, 40];
  for (const [plane, value] of own.entries()) data[plane * cells + cell] = value;
  data[cell + 1] = -1;
  const rows = rowsOf([{ stride: 8, columns, data }], 0.4);
  const [wide, high] = [64, 16 * Math.exp(-4)];
  const [x, y] = [20 + 2, 12 - 4];
  const row = [0.5, x, y, wide, high];
  for (const [right, down] of [
    [-0.5, -0.5],
    [0.625, -0.5],
    [0.5, 1],
    [-0.5, 0.5],
  ] as const)
    row.push(x + wide * right, y + high * down);
  t.equal(rows.length, 14, "one of them");
  t.ok([...row, 1].every((value, column) => Math.abs(value - (rows[column] ?? 0)) < 1e-5));
});

function cornersOf([x1, y1, x2, y2]: readonly [number, number, number, number]): Quad {
  return [
    [x1, y1],
    [x2, y1],
    [x2, y2],
    [x1, y2],
  ];
}

t.test("a margin follows the plate's own directions", async (t) => {
  t.same(expanded(cornersOf([100, 100, 200, 120]), { along: 1.2, across: 1.1 }), [
    [90, 99],
    [210, 99],
    [210, 121],
    [90, 121],
  ]);
  const turned: Quad = [
    [0, 0],
    [0, 100],
    [-20, 100],
    [-20, 0],
  ];
  t.same(
    expanded(turned, { along: 1.2, across: 1 }).map(([x, y]) => [Math.round(x) + 0, Math.round(y) + 0]),
    [
      [0, -10],
      [0, 110],
      [-20, 110],
      [-20, -10],
    ],
    "a plate that stands on its side grows up and down",
  );
});
