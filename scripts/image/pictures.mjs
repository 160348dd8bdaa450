#!/usr/bin/env node
// @ts-check
/**
 * usage: node scripts/image/pictures.mjs SCRATCH [FOLDER]
 *
 * Makes the pictures of docs/installer-guide.md from what scripts/image-test.mjs saw on the emulated HDMI screen (SCRATCH
 * is its --scratch): the lines that hold text, twice as large, in four greys. FOLDER: docs/pictures.
 */
import { mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import sharp from "sharp";

const [, , scratch, folder = resolve(import.meta.dirname, "../../docs/pictures")] = process.argv;
if (scratch === undefined) {
  console.error("usage: node scripts/image/pictures.mjs SCRATCH [FOLDER]");
  process.exit(2);
}
const [MARGIN, WIDTH, LEAST_HEIGHT, SCALE] = [16, 480, 144, 2];
mkdirSync(folder, { recursive: true });
for (const name of readdirSync(scratch).filter((file) => /^screen-[a-z-]+\.png$/.test(file))) {
  const picture = sharp(join(scratch, name)).removeAlpha().greyscale();
  const { data, info } = await picture.clone().raw().toBuffer({ resolveWithObject: true });
  let [lowest, rightmost] = [0, 0];
  for (let at = 0; at < data.length; at += info.channels) {
    if ((data[at] ?? 0) < 64) continue;
    const pixel = at / info.channels;
    lowest = Math.max(lowest, Math.floor(pixel / info.width));
    rightmost = Math.max(rightmost, pixel % info.width);
  }
  const height = Math.min(info.height, Math.max(LEAST_HEIGHT, lowest + MARGIN));
  const width = Math.min(info.width, Math.max(WIDTH, rightmost + MARGIN));
  const { size } = await picture
    .extract({ left: 0, top: 0, width, height })
    .resize(width * SCALE, height * SCALE, { kernel: "nearest" })
    .png({ palette: true, colours: 4, compressionLevel: 9 })
    .toFile(join(folder, name));
  console.log(`${name}: ${width} × ${height}, ${size} bytes`);
}
