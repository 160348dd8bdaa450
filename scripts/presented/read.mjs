// @ts-check
/**
 * node scripts/presented/read.mjs FOLDER [--part 1/4]
 *
 * Reads every burst that FOLDER/manifest.csv names with this build's own recogniser, each as one burst, and keeps what
 * it saw in FOLDER/reads.jsonl: plates with their corners in every frame, the pixels that the hub keeps of each, and
 * digests of the frames. Bursts that have been read are skipped; remove reads.jsonl to start again. `--part`: every
 * fourth burst, for several processes at once.
 */
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { prepareModules, root } from "../lib/prepare.mjs";
import { burstsOf, readsOf } from "./sets.mjs";

/**
 * @typedef {import("../../src/core/plates/reading.ts").BurstReading} BurstReading
 * @typedef {import("../../src/core/plates/reading.ts").VehicleReading} VehicleReading
 */

const [folder, option, parts = "1/1"] = process.argv.slice(2);
if (folder === undefined || (option !== undefined && option !== "--part")) {
  console.error("usage: node scripts/presented/read.mjs FOLDER [--part 1/4]");
  process.exit(2);
}
const [part = 1, of = 1] = parts.split("/").map(Number);
await prepareModules();
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
const known = existsSync(reads) ? readsOf(folder) : new Map();
const own = burstsOf(folder).filter((_, index) => index % of === part - 1);
for (const burst of own.filter((one) => !known.has(one.folder))) {
  const frames = burst.times.map((_, k) => readFileSync(join(folder, burst.folder, `${k}.jpg`)));
  /** @type {BurstReading} */
  const reading = await recogniser.read({ frames }, { name: burst.camera, opensGate: true, keepsPixels: true });
  if (reading.reason === "no_recogniser") throw new Error("nothing can be read: the models cannot be loaded");
  /** @type {readonly VehicleReading[]} */
  const vehicles = kept(reading);
  const plates = vehicles.map(({ analysis: { plate, confidence, text }, sightings }) => ({
    plate,
    confidence,
    text,
    sightings: sightings.map(({ frame, corners, frameSize, pixels }) => ({
      frame,
      corners: corners.map(([x, y]) => [Math.round(x * 100) / 100, Math.round(y * 100) / 100]),
      frameSize,
      around: Buffer.from(pixels?.around ?? []).toString("base64"),
      glance: Buffer.from(pixels?.glance ?? []).toString("base64"),
    })),
  }));
  const digests = frames.map((frame) => createHash("sha256").update(frame).digest("hex"));
  appendFileSync(reads, `${JSON.stringify({ folder: burst.folder, digests, plates })}\n`);
}
await recogniser.stop();
