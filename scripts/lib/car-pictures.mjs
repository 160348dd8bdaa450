// @ts-check
/** Cars before a gate's camera, for benches. Plain Node. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./prepare.mjs";

const PICTURES = join(root, "test/fixtures/plates");

/** @typedef {{ plate: string, jpeg: Buffer }} Car */

/** The two-wheelers of the test fixtures as 1080p frames, named after their plates. */
export async function carPictures() {
  const { default: sharp } = await import("sharp");
  const files = readdirSync(PICTURES).filter((file) => file.startsWith("two-wheeler-"));
  return Promise.all(
    files.map(async (file) => {
      const car = await sharp(readFileSync(join(PICTURES, file)))
        .resize(640, 640)
        .toBuffer(); // prettier-ignore
      const jpeg = await sharp({
        create: { width: 1920, height: 1080, channels: 3, background: { r: 96, g: 104, b: 100 } },
      })
        .composite([{ input: car, left: 640, top: 300 }])
        .jpeg({ quality: 85 })
        .toBuffer();
      return { plate: /-([A-Z0-9]+)\.jpg$/.exec(file)?.[1] ?? "", jpeg };
    }),
  );
}

/** Side of the noise tile that makes each picture unique, in pixels. */
const NOISE = 16;

/**
 * The same picture as a camera's next frame: a little lighter or darker, and with different noise. Brightness alone
 * repeats itself, byte for byte, every twenty pictures, and the hub ignores a repeated frame.
 * @param {Buffer} jpeg
 */
export async function encodedAnew(jpeg) {
  const { default: sharp } = await import("sharp");
  const raw = { width: NOISE, height: NOISE, channels: /** @type {const} */ (3) };
  return sharp(jpeg)
    .linear(0.97 + Math.random() * 0.06, Math.random() * 4 - 2)
    .composite([{ input: randomBytes(NOISE * NOISE * 3), raw, left: 0, top: 0 }])
    .jpeg({ quality: 85 })
    .toBuffer(); // prettier-ignore
}
