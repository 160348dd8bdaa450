// @ts-check
/**
 * node scripts/presented/read.mjs FOLDER
 *
 * Reads every burst that FOLDER/manifest.csv names with this build's own recogniser, each as one burst, and keeps the
 * results in FOLDER/reads.jsonl: plates with their corners in every frame, digests of the frames, and the movement of
 * the plate's surroundings. FOLDER/crops.bin: the surroundings of every sighting, three plate widths as 96 x 96
 * brightnesses. Bursts that have been read are skipped; remove reads.jsonl to start again.
 */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { prepare, root } from "../lib/prepare.mjs";
import { differenceHash, measuresOf, piece, surroundings } from "./pixels.mjs";
import { burstsOf, readsOf } from "./sets.mjs";

/**
 * @typedef {import("../../src/core/plates/reading.ts").BurstReading} BurstReading
 * @typedef {import("../../src/core/plates/reading.ts").VehicleReading} VehicleReading
 * @typedef {import("./pixels.mjs").Grey} Grey
 */

const CROP = 96;
const AROUND = 3;

const folder = process.argv[2];
if (folder === undefined) {
  console.error("usage: node scripts/presented/read.mjs FOLDER");
  process.exit(2);
}
await prepare();
const { default: sharp } = await import("sharp");
const { Recogniser } = await import("../../src/features/recognition/recogniser.ts");
const { systemClock } = await import("../../src/core/kernel/clock.ts");
const { silentLogger } = await import("../../src/core/kernel/logger.ts");
const { kept } = await import("../../src/core/plates/kept.ts");

const recogniser = new Recogniser({
  enabled: true,
  modelsFolder: process.env.GATEHOUSE_MODELS ?? join(root, "models"),
  threads: 1,
  budgetMs: 600_000,
  queuedBursts: 4,
  clock: systemClock,
  logger: silentLogger,
});
await recogniser.start();
const reads = join(folder, "reads.jsonl");
const crops = join(folder, "crops.bin");
/** @type {ReturnType<typeof readsOf>} */
const known = existsSync(reads) ? readsOf(folder) : new Map();
if (known.size === 0) for (const file of [reads, crops]) rmSync(file, { force: true });
let crop = [...known.values()].flatMap(({ plates }) => plates.flatMap(({ sightings }) => sightings)).length;
const bursts = burstsOf(folder).filter((burst) => !known.has(burst.folder));
for (const [index, burst] of bursts.entries()) {
  const frames = burst.times.map((_, k) => readFileSync(join(folder, burst.folder, `${k}.jpg`)));
  /** @type {BurstReading} */
  const reading = await recogniser.read({ frames });
  const greys = await Promise.all(frames.map(greyOf));
  /** @type {readonly VehicleReading[]} */
  const vehicles = kept(reading);
  /** @type {Uint8Array[]} */
  const pieces = [];
  const seen = vehicles.map((vehicle) => ({
    plate: vehicle.analysis.plate,
    confidence: vehicle.analysis.confidence,
    text: vehicle.analysis.text,
    sightings: vehicle.sightings.map((sighting) => {
      const grey = /** @type {Grey} */ (greys[sighting.frame]);
      const { x, y, width } = measuresOf(sighting.corners);
      const square = { x, y, width: AROUND * width, height: AROUND * width };
      pieces.push(piece(grey, square, CROP, CROP));
      return {
        frame: sighting.frame,
        corners: sighting.corners.map(([u, v]) => [Math.round(u * 100) / 100, Math.round(v * 100) / 100]),
        size: sighting.frameSize,
        twoLine: sighting.twoLine,
        crop: crop++,
        hash: differenceHash(piece(grey, square, 17, 16), 17),
      };
    }),
    moves: vehicle.sightings.slice(1).map((later, i) => {
      const earlier = /** @type {typeof later} */ (vehicle.sightings[i]);
      const [before, after] = [earlier, later].map(({ frame }) => /** @type {Grey} */ (greys[frame]));
      return surroundings(/** @type {Grey} */ (before), earlier.corners, /** @type {Grey} */ (after), later.corners);
    }),
  }));
  const digests = frames.map((frame) => createHash("sha256").update(frame).digest("hex"));
  appendFileSync(crops, Buffer.concat(pieces));
  appendFileSync(reads, `${JSON.stringify({ folder: burst.folder, digests, plates: seen })}\n`);
  if (index % 100 === 99) console.log(`${index + 1} of ${bursts.length}`);
}
await recogniser.stop();
/** @param {Buffer} jpeg @returns {Promise<Grey>} */
async function greyOf(jpeg) {
  const { data, info } = await sharp(jpeg).greyscale().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}
