import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import t from "tap";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import { detailEnglish } from "../../src/core/text/english.ts";
import { modelsStamp } from "../../src/features/recognition/models.ts";
import { recogniseFiles } from "../../src/features/recognition/recognise-files.ts";
import { Recogniser, threadsFor } from "../../src/features/recognition/recogniser.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

const FIXTURES = join(PROJECT_ROOT, "test/fixtures/plates");
const MODELS = join(PROJECT_ROOT, "models");
const hasModels = (await modelsStamp(MODELS)) !== null;
const needsModels = hasModels ? {} : { skip: "no models: train them first (models/README.md)" };

function recogniser(
  modelsFolder: string,
  more: { enabled?: boolean; budgetMs?: number; queuedBursts?: number } = {},
): Recogniser {
  return new Recogniser({
    enabled: true,
    modelsFolder,
    threads: 1,
    budgetMs: 30_000,
    queuedBursts: 4,
    clock: systemClock,
    logger: silentLogger,
    ...more,
  });
}

t.test("without models every burst is no_recogniser, and pictures are kept all the same", async (t) => {
  const one = recogniser(testFolder(t));
  await one.start();
  const frame = await readFile(join(FIXTURES, "dashcam.jpg"));
  t.hasStrict(await one.read({ frames: [frame, frame] }), { reason: "no_recogniser", samples: 0, vehicles: [] });
  t.match(one.state(), { ready: false });
  const kept = await one.encodeImage(frame);
  const { format, width } = await sharp(kept ?? Buffer.alloc(0)).metadata();
  t.match({ format, width }, { format: "jpeg", width: 1280 });
  await one.stop();
});

t.test("switched off, it says so and starts no thread", async (t) => {
  const one = recogniser(MODELS, { enabled: false });
  await one.start();
  t.hasStrict(await one.read({ frames: [Buffer.from("x")] }), { reason: "no_recogniser" });
  t.match(
    { ...one.state(), text: detailEnglish(one.state().words) },
    { ready: false, text: "Reading plates is switched off." },
  );
  t.equal(one.figures().threadStarts, 0);
  await one.stop();
});

t.test("a file that is not the manifest's model, or not a model, is reported in plain words", async (t) => {
  const folder = testFolder(t);
  await writeFile(join(folder, "plate-detector.onnx"), "not a network");
  await writeFile(join(folder, "plate-reader.onnx"), "not a network");
  const frame = await readFile(join(FIXTURES, "dashcam.jpg"));
  const one = recogniser(folder);
  await one.start();
  t.hasStrict(await one.read({ frames: [frame] }), { reason: "no_recogniser" });
  t.match({ ...one.state(), text: detailEnglish(one.state().words) }, { ready: false, text: /cannot be loaded/ });
  await writeFile(
    join(folder, "manifest.json"),
    JSON.stringify({ models: [{ file: "plate-reader.onnx", sha256: "0".repeat(64) }] }),
  );
  t.hasStrict(await one.read({ frames: [frame] }), { reason: "no_recogniser" });
  t.match(detailEnglish(one.state().words), /plate-reader.onnx is not the file that manifest.json describes/);
  await one.stop();
});

t.test("models that appear are loaded, without a restart", needsModels, async (t) => {
  const folder = join(testFolder(t), "models");
  await mkdir(folder);
  const one = recogniser(folder);
  await one.start();
  const frame = await readFile(join(FIXTURES, "two-wheeler-UP32JE3626.jpg"));
  t.hasStrict(await one.read({ frames: [frame] }), { reason: "no_recogniser" });
  for (const file of ["plate-detector.onnx", "plate-reader.onnx", "manifest.json"])
    await copyFile(join(MODELS, file), join(folder, file));
  const reading = await one.read({ frames: [frame] });
  t.equal(reading.samples, 1);
  t.not(reading.reason, "no_recogniser");
  t.match(one.state(), { ready: true });
  await one.stop();
});

t.test("whatever a camera sends costs one provider_error, and the thread lives on", needsModels, async (t) => {
  const one = recogniser(MODELS);
  await one.start();
  const good = await readFile(join(FIXTURES, "dashcam.jpg"));
  const huge = await sharp({ create: { width: 8_000, height: 6_250, channels: 3, background: "grey" } })
    .jpeg()
    .toBuffer();
  const bomb = await sharp({
    create: { width: 9_000, height: 9_000, channels: 3, background: "black" },
    limitInputPixels: false,
  })
    .png({ compressionLevel: 9 })
    .toBuffer();
  const bad: Record<string, Buffer> = {
    "a 50-megapixel picture": huge,
    "a decompression bomb": bomb,
    "half a file": good.subarray(0, good.length / 2),
    garbage: Buffer.from("\xff\xd8\xff this is no picture at all, only its first bytes", "latin1"),
    "a text": Buffer.from("hello"),
    nothing: Buffer.alloc(0),
    "an SVG": Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100"/>'),
    "a picture of one pixel": await sharp({ create: { width: 1, height: 1, channels: 3, background: "red" } })
      .jpeg()
      .toBuffer(),
  };
  for (const [what, frame] of Object.entries(bad)) {
    t.hasStrict(await one.read({ frames: [frame] }), { reason: "provider_error", samples: 0, vehicles: [] }, what);
    t.equal(await one.encodeImage(frame), null, `${what} gives no picture to keep`);
  }
  t.match(await one.read({ frames: [Buffer.from("x"), good] }), { samples: 1 }, "the good frame of a burst is read");
  t.equal(one.figures().threadStarts, 1);
  t.equal(one.figures().badFrames, Object.keys(bad).length + 1);
  await one.stop();
});

t.test("a burst over its budget is a timeout, and the next one is read", needsModels, async (t) => {
  const one = recogniser(MODELS, { budgetMs: 1 });
  await one.start();
  const frame = await readFile(join(FIXTURES, "dashcam.jpg"));
  const reading = await one.read({ frames: Array.from({ length: 12 }, () => frame) });
  t.ok(reading.samples < 12);
  t.ok(reading.vehicles.length > 0 || reading.reason === "timeout");
  t.ok(one.figures().timeouts >= 1);
  await one.stop();
});

t.test("too many bursts lose their oldest frames, and none is lost whole", async (t) => {
  const one = recogniser(testFolder(t), { queuedBursts: 1 });
  await one.start();
  const readings = Array.from({ length: 9 }, () =>
    one.read({ frames: Array.from({ length: 12 }, (_, index) => Buffer.from(String(index))) }),
  );
  t.ok(one.figures().waitingFrames <= 8, "each waiting burst has one frame left");
  t.ok(one.figures().framesDropped >= 80);
  for (const reading of await Promise.all(readings)) t.equal(reading.reason, "no_recogniser");
  await one.stop();
});

t.test("stopping answers what waits", async (t) => {
  const one = recogniser(testFolder(t));
  await one.start();
  const waiting = Array.from({ length: 5 }, () => one.read({ frames: [Buffer.from("x")] }));
  await one.stop();
  t.ok((await Promise.all(waiting)).every(({ reason }) => reason === "provider_error" || reason === "no_recogniser"));
  t.hasStrict(await one.read({ frames: [Buffer.from("x")] }), { reason: "provider_error" });
});

t.test("files and folders give one line each; with burst, one per folder", needsModels, async (t) => {
  const one = recogniser(MODELS);
  await one.start();
  const lines = [];
  for await (const line of recogniseFiles(one, [FIXTURES], { burst: false, candidates: false })) lines.push(line);
  t.equal(lines.length, 4);
  for (const { file, ms, plates } of lines) {
    t.match(file, /\.jpg$/);
    t.ok(ms > 0);
    for (const plate of plates) {
      t.equal(plate.box.length, 4);
      t.same(
        plate.corners.map((corner) => corner.length),
        [2, 2, 2, 2],
      );
      t.equal(plate.status === "recognised", plate.plate !== null);
    }
  }
  const bursts = [];
  for await (const line of recogniseFiles(one, [FIXTURES], { burst: true, candidates: false })) bursts.push(line);
  t.match(bursts, [{ file: FIXTURES, samples: 4 }]);
  await one.stop();
});

t.test("threads leave a core free", async (t) => {
  t.same([1, 2, 3, 4, 8, 64].map(threadsFor), [1, 1, 2, 3, 4, 4]);
});
