import sharp from "sharp";
import t from "tap";
import { checkPicture } from "../../src/core/kernel/picture-cost.ts";
import { hostilePictures } from "../support/hostile-pictures.ts";

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: { r: 90, g: 100, b: 110 } } });

t.test("pictures from cameras pass, at their size", async (t) => {
  const files = {
    "a JPEG of 4K": await plain(3_840, 2_160).jpeg().toBuffer(),
    "a JPEG of 12 megapixels, turned": await plain(4_000, 3_000).withMetadata({ orientation: 6 }).jpeg().toBuffer(),
    "a JPEG of 40 megapixels": await plain(7_200, 5_400).jpeg().toBuffer(),
    "a progressive JPEG of 4K": await plain(3_840, 2_160).jpeg({ progressive: true }).toBuffer(),
    "a grey JPEG": await plain(640, 360).greyscale().jpeg().toBuffer(),
    "a picture of two lenses": await plain(7_680, 2_160).jpeg().toBuffer(),
    "a PNG of 4K": await plain(3_840, 2_160).png().toBuffer(),
    "a WebP": await plain(1_920, 1_080).webp().toBuffer(),
    "a WebP without loss, with transparency": await plain(1_920, 1_080)
      .ensureAlpha(0.5)
      .webp({ lossless: true })
      .toBuffer(),
  };
  for (const [name, file] of Object.entries(files)) {
    const { width, height } = await sharp(file).metadata();
    t.match(checkPicture(file), { width, height }, name);
    t.match(checkPicture(Buffer.concat([file, Buffer.from("\xff\xda\xff\xc2", "latin1")])), { width }, "with a tail");
  }
});

t.test("expensive pictures are refused by their header alone", async (t) => {
  for (const [name, file] of Object.entries(await hostilePictures())) {
    t.ok(file.length < 1_048_576, `${name}: ${file.length} bytes`);
    t.throws(() => checkPicture(file), { name: /^UnfitPicture$/ }, name);
  }
  t.throws(() => checkPicture(Buffer.from("hello")), { message: "not a JPEG, PNG or WebP picture" });
});

t.test("truncated and corrupted files are refused, never worse", async (t) => {
  const exif = await plain(32, 24).withMetadata({ orientation: 6 }).jpeg({ progressive: true }).toBuffer();
  for (const file of [exif, await plain(32, 24).png().toBuffer(), await plain(32, 24).webp().toBuffer()]) {
    for (let length = 0; length <= file.length; length++) {
      for (const changed of [file.subarray(0, length), withByte(file, length, 0xff), withByte(file, length, 0)]) {
        try {
          checkPicture(changed);
        } catch (error) {
          if (!(error instanceof Error) || error.name !== "UnfitPicture") throw error;
        }
      }
    }
  }
  t.pass("only UnfitPicture is thrown");
});

function withByte(file: Buffer, at: number, value: number): Buffer {
  const changed = Buffer.from(file);
  if (at < changed.length) changed[at] = value;
  return changed;
}
