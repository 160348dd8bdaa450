import { readFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import t from "tap";
import { Countries } from "../../src/core/plates/countries.ts";
import { FrameReader } from "../../src/features/recognition/frame-reader.ts";
import { modelsStamp, readModels } from "../../src/features/recognition/models.ts";
import { limitDecoder } from "../../src/features/recognition/picture.ts";
import { PROJECT_ROOT } from "../support/database.ts";

const FIXTURES = join(PROJECT_ROOT, "test/fixtures/plates");
const MODELS = join(PROJECT_ROOT, "models");
const needsModels =
  (await modelsStamp(MODELS)) === null ? { skip: "no models: train them first (models/README.md)" } : {};
/** One run of the detector over a whole frame, in pixels of its input. */
const FRAME = 288 * 512;

t.test(
  "one view is enough of what is certain at once, what is doubtful is looked at again, and work is bounded",
  needsModels,
  async (t) => {
    limitDecoder();
    const reader = await FrameReader.load(await import("onnxruntime-node"), await readModels(MODELS), 1, Countries.all);
    const clear = await readFile(join(FIXTURES, "two-wheeler-UP32JE3626.jpg"));
    const { sightings, work } = await reader.read(clear, { tiles: true, again: true });
    const plate = sightings.find(({ analysis }) => analysis.plate === "UP32JE3626");
    t.ok(plate !== undefined, "it is read");
    t.ok(
      (plate?.views.length ?? 0) >= 2 || (plate?.analysis.confidence ?? 0) >= 95,
      "one set of corners is enough only where it is certain",
    );
    t.equal(plate?.frameSize.length, 2);
    t.ok(work.views >= 1 && work.detectedPixels > FRAME * 0.8);
    const thorough = await reader.read(clear, { tiles: true, again: true, always: true });
    t.ok(
      thorough.sightings.some(({ views }) => views.length >= 3),
      "for measuring, every look is taken",
    );

    const blurred = await sharp(clear).blur(2.4).jpeg().toBuffer();
    const doubtful = await reader.read(blurred, { tiles: false, again: true });
    const hurried = await reader.read(blurred, { tiles: false, again: false });
    t.ok(doubtful.work.views > hurried.work.views, "what is doubtful is looked at from several sides");
    t.ok(hurried.sightings.every(({ views }) => views.length <= 2));
    // a plate that stays in doubt gets a fifth view, from what is around it at one and a half times the scale
    t.ok(doubtful.sightings.every(({ views }) => views.length <= 5));
    const closeUps = FRAME * (1.3 + 2 * 0.32 + 2 * 3 * 0.32);
    t.ok(hurried.work.detectedPixels <= closeUps, "two small plates, and three close-ups of two plates");
    t.ok(doubtful.work.detectedPixels <= closeUps + FRAME * 2 * 0.32, "and once more around each");
    t.ok(
      doubtful.work.seconds <= 2 && hurried.work.seconds <= 2,
      "the second reader is asked about two plates at most",
    );
    await reader.release();
  },
);

t.test("a plate that fills the picture is found at a quarter of the scale", needsModels, async (t) => {
  const reader = await FrameReader.load(await import("onnxruntime-node"), await readModels(MODELS), 1, Countries.all);
  const clear = await readFile(join(FIXTURES, "two-wheeler-UP32JE3626.jpg"));
  const { sightings } = await reader.read(clear, { tiles: false, again: true });
  const [left = 0, top = 0, right = 0, bottom = 0] =
    sightings.find(({ analysis }) => analysis.plate === "UP32JE3626")?.box.map(Math.round) ?? [];
  const filled = await sharp(clear)
    .extract({ left, top, width: right - left, height: bottom - top })
    .resize({ width: 900 })
    .jpeg()
    .toBuffer();
  const isRead = async (tiles: boolean): Promise<boolean> =>
    (await reader.read(filled, { tiles, again: true })).sightings.some(
      ({ analysis }) => analysis.plate === "UP32JE3626",
    );
  t.notOk(await isRead(false), "the whole scale shows pieces of it");
  t.ok(await isRead(true));
  await reader.release();
});

t.test("a far plate of a large picture is found beside a near one", needsModels, async (t) => {
  const reader = await FrameReader.load(await import("onnxruntime-node"), await readModels(MODELS), 1, Countries.all);
  const near = await readFile(join(FIXTURES, "two-wheeler-UP32JE3626.jpg"));
  const far = await sharp(join(FIXTURES, "two-wheeler-MP06MW4025.jpg")).resize(150).toBuffer();
  const street = await sharp({ create: { width: 3200, height: 1800, channels: 3, background: "#787a70" } })
    .composite([
      { input: near, left: 400, top: 900 },
      { input: far, left: 2200, top: 500 },
    ])
    .jpeg()
    .toBuffer();
  const platesOf = async (tiles: boolean): Promise<string[]> =>
    (await reader.read(street, { tiles, again: true })).sightings
      .flatMap(({ analysis }) => analysis.plate ?? [])
      .sort();
  t.same(await platesOf(false), ["UP32JE3626"], "the other is too small in the whole of it");
  t.same(await platesOf(true), ["MP06MW4025", "UP32JE3626"]);
  await reader.release();
});

t.test(
  "tiles are searched only where nothing is recognised, and only where they are asked for",
  needsModels,
  async (t) => {
    const reader = await FrameReader.load(await import("onnxruntime-node"), await readModels(MODELS), 1, Countries.all);
    const empty = await sharp({ create: { width: 1920, height: 1080, channels: 3, background: "#787a70" } })
      .jpeg()
      .toBuffer();
    const [searched, plain] = [
      await reader.read(empty, { tiles: true, again: true }),
      await reader.read(empty, { tiles: false, again: true }),
    ];
    t.same([searched.sightings, plain.sightings], [[], []]);
    t.ok(searched.work.detectedPixels > 3 * plain.work.detectedPixels);
    t.equal(plain.work.views, 0);
    await reader.release();
  },
);
