import sharp from "sharp";
import t from "tap";
import { Picture } from "../../src/features/recognition/picture.ts";
import type { Pixels, Region } from "../../src/features/recognition/pixels.ts";
import { cut, enlarged, halved, inside, resized, union } from "../../src/features/recognition/pixels.ts";

const NOISE = { type: "gaussian", mean: 128, sigma: 30 } as const;

/** A picture whose colours rise from left to right, top to bottom, and against both. */
function slope(width: number, height: number): Pixels {
  const data = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      data.set([(255 * x) / (width - 1), (255 * y) / (height - 1), 255 - (255 * x) / (width - 1)], (y * width + x) * 3);
  return { data, width, height };
}

function whole({ width, height }: Pixels): Region {
  return { left: 0, top: 0, width, height };
}

function at({ data, width }: Pixels, x: number, y: number): number[] {
  return [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)];
}

t.test("halving averages four pixels, channel by channel", async (t) => {
  const data = Uint8Array.from([0, 10, 20, 40, 50, 60, 80, 90, 100, 120, 130, 140]);
  t.same([...halved({ data, width: 2, height: 2 }).data], [60, 70, 80]);
  for (const [width, height] of [
    [9, 7],
    [10, 8],
    [14, 5],
  ] as const) {
    const from = slope(width, height);
    const half = halved(from);
    t.match(half, { width: width >> 1, height: height >> 1 });
    for (let y = 0; y < half.height; y++)
      for (let x = 0; x < half.width; x++) {
        const four = [at(from, 2 * x, 2 * y), at(from, 2 * x + 1, 2 * y), at(from, 2 * x, 2 * y + 1)];
        four.push(at(from, 2 * x + 1, 2 * y + 1));
        const mean = [0, 1, 2].map((channel) => four.reduce((sum, one) => sum + (one[channel] ?? 0), 0) >> 2);
        t.same(at(half, x, y), mean, `${x}, ${y} of ${width} x ${height}`);
      }
  }
});

t.test("a part is halved and resized as if it had been cut out", async (t) => {
  const from = slope(64, 48);
  const region = { left: 7, top: 5, width: 41, height: 31 };
  t.same(halved(from, region), halved(cut(from, region)));
  for (const [width, height] of [
    [13, 9],
    [82, 40],
  ] as const)
    t.same(
      resized(from, region, width, height),
      resized(cut(from, region), { ...region, left: 0, top: 0 }, width, height),
    );
});

t.test("a picture is enlarged to the same bytes as the decoder makes of it", async (t) => {
  for (const [width, height, wide, high] of [
    [82, 204, 232, 576],
    [411, 37, 1_159, 104],
    [263, 195, 264, 196],
    [37, 29, 160, 96],
  ] as const) {
    const raw = { width, height, channels: 3 } as const;
    const data = await sharp({ create: { ...raw, background: "grey", noise: NOISE } })
      .raw()
      .toBuffer();
    const theirs = sharp(data, { raw }).resize(wide, high, { fit: "fill", kernel: "linear" });
    const ours = enlarged({ data, width, height }, wide, high);
    t.ok(Buffer.from(ours.data).equals(await theirs.raw().toBuffer()), `${width} x ${height} to ${wide} x ${high}`);
  }
});

t.test("another size keeps the slopes, larger and smaller", async (t) => {
  const from = slope(64, 48);
  for (const [width, height] of [
    [160, 100],
    [40, 30],
    [13, 9],
    [64, 48],
  ] as const) {
    const to = resized(from, whole(from), width, height);
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
  t.same([...resized(from, whole(from), 64, 48).data], [...from.data], "the same size is the same picture");
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

t.test("a small picture is decoded once: its parts are the same before and after, and as it is shown", async (t) => {
  const { data, width, height } = slope(400, 200);
  const jpeg = await sharp(data, { raw: { width, height, channels: 3 } })
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 95 })
    .toBuffer();
  const region = { left: 20, top: 40, width: 60, height: 100 };
  for (const shrink of [1, 2]) {
    const picture = await Picture.open(jpeg);
    t.match(picture.size, { width: 200, height: 400 }, "turned as its note says");
    const before = await picture.part(region, shrink);
    await picture.scaled(150, 300);
    const after = await picture.part(region, shrink);
    t.match(after, { width: 60, height: 100 });
    t.same(after.data, before.data, `shrunk by ${shrink}`);
  }
});

t.test("a picture that is cut off is refused, whether it is small or large", async (t) => {
  for (const width of [200, 4000]) {
    const whole = await sharp({
      create: { width, height: width / 2, channels: 3, background: "#787a70", noise: NOISE },
    })
      .jpeg()
      .toBuffer();
    const picture = await Picture.open(whole.subarray(0, whole.length / 2));
    await t.rejects(picture.scaled(150, 75), { name: /^BadPicture$/ });
  }
});

t.test(
  "what is no picture by its first bytes is never given to the decoder, which draws what it is told to",
  async (t) => {
    const message = "not a JPEG, PNG or WebP picture";
    for (const bytes of ["<svg xmlns='http://www.w3.org/2000/svg'>", "GIF89a", "RIFF\0\0\0\0WAVEfmt ", ""])
      await t.rejects(Picture.open(Buffer.from(bytes)), { name: /^BadPicture$/, message }, bytes.slice(0, 4));
    for (const format of ["jpeg", "png", "webp"] as const) {
      const bytes = await sharp({ create: { width: 40, height: 20, channels: 3, background: "#787a70" } })
        .toFormat(format)
        .toBuffer();
      t.match((await Picture.open(bytes)).size, { width: 40, height: 20 }, format);
    }
  },
);

t.test("a grey picture and one with a transparent ground have three colours", async (t) => {
  const { data, width, height } = slope(40, 20);
  const picture = sharp(data, { raw: { width, height, channels: 3 } });
  for (const bytes of [
    await picture.clone().greyscale().png().toBuffer(),
    await picture.ensureAlpha().png().toBuffer(),
  ]) {
    const opened = await Picture.open(bytes);
    t.equal((await opened.scaled(30, 15)).data.length, 30 * 15 * 3);
    t.equal((await opened.part({ left: 3, top: 2, width: 5, height: 4 }, 1)).data.length, 5 * 4 * 3);
  }
});

t.test("the pixels of a picture that is done with are freed at once", async (t) => {
  const background = { r: 90, g: 100, b: 110 };
  const png = await sharp({ create: { width: 2_000, height: 1_500, channels: 3, background } })
    .png()
    .toBuffer();
  const picture = await Picture.open(png);
  await picture.scaled(640, 480);
  const before = process.memoryUsage().external;
  picture.close();
  t.ok(before - process.memoryUsage().external > 8_900_000, "9 MB of pixels");
  t.match(await picture.scaled(20, 15), { width: 20, height: 15 }, "whoever looks again decodes again");
});
