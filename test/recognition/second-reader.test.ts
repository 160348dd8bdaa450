import { appendFile, copyFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import t from "tap";
import { CLASS_COUNT, classOf } from "../../src/core/plates/alphabet.ts";
import { Countries } from "../../src/core/plates/countries.ts";
import { judge } from "../../src/core/plates/read.ts";
import { freeText } from "../../src/core/plates/readings.ts";
import { FrameReader } from "../../src/features/recognition/frame-reader.ts";
import { NoModels, readModels } from "../../src/features/recognition/models.ts";
import { limitDecoder } from "../../src/features/recognition/picture.ts";
import { slotsOfLines } from "../../src/features/recognition/steps.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { MODELS, photographs, withoutModels } from "../support/photographs.ts";
import { sighting } from "../support/sighting.ts";
import { testFolder } from "../support/test-folder.ts";

const needsModels = { skip: withoutModels };

/** Steps of one line: a character per step, `-` is blank; a lower-case letter is a doubtful one. */
function line(steps: string): Float32Array {
  const row = new Float32Array(steps.length * CLASS_COUNT);
  for (const [step, character] of [...steps].entries()) {
    const isSure = character === character.toUpperCase();
    row[step * CLASS_COUNT] = character === "-" ? 1 : isSure ? 0.02 : 0.7;
    if (character !== "-") row[step * CLASS_COUNT + classOf(character.toUpperCase())] = isSure ? 0.98 : 0.3;
  }
  return row;
}

t.test("a character is a run of steps that say the same; a blank or another one ends it", async (t) => {
  t.equal(freeText(slotsOfLines([line("--MMH-1122--A-B")])), "MH12AB");
  t.equal(freeText(slotsOfLines([line("1-1-11")])), "111", "the same twice has a blank between");
  t.equal(freeText(slotsOfLines([line("KA01"), line("-AB-12")])), "KA01AB12", "the upper line first");
  t.equal(freeText(slotsOfLines([line("-----")])), "");
  const doubtful = slotsOfLines([line("A--b--C")]);
  t.equal(doubtful.length, 3 * CLASS_COUNT, "a doubtful one stays a slot");
  t.equal(freeText(doubtful), "AC");
  t.ok(slotsOfLines([line("A-".repeat(60))]).length <= 20 * CLASS_COUNT, "bounded");
});

t.test("a second reader that sees the same makes a plate surer, and one that sees another less sure", async (t) => {
  const { views } = sighting(0, "MH12AB1234", { certainty: 0.8, doubt: { 7: { 2: 0.6, 8: 0.38 } } });
  const [agrees] = sighting(0, "MH12AB1234").views;
  const [differs] = sighting(0, "MH12AB1834").views;
  if (agrees === undefined || differs === undefined) throw new Error("a sighting has a view");
  const alone = judge(views, Countries.all);
  const confirmed = judge(views, Countries.all, agrees);
  const disputed = judge(views, Countries.all, differs);
  t.equal(confirmed.analysis.plate, "MH12AB1234");
  t.ok(confirmed.chance > alone.chance, `${confirmed.chance} > ${alone.chance}`);
  t.ok(disputed.chance < confirmed.chance, `${disputed.chance} < ${confirmed.chance}`);
});

t.test(
  "what is in doubt is shown to the second reader, and nothing where it is switched off",
  needsModels,
  async (t) => {
    limitDecoder();
    const [, , { jpeg }] = await photographs();
    const blurred = await sharp(jpeg).blur(1.8).jpeg().toBuffer();
    const ort = await import("onnxruntime-node");
    const look = { tiles: false, again: true };
    const both = await FrameReader.load(ort, await readModels(MODELS), 1, Countries.all);
    const seen = await both.read(blurred, look);
    t.ok(seen.work.seconds >= 1);
    t.ok(seen.sightings.some(({ second }) => second !== null));
    const plain = await readFile(join(PROJECT_ROOT, "test/fixtures/plates/dashcam.jpg"));
    const measured = await both.read(plain, { ...look, always: true });
    const text = measured.sightings.map(({ second }) => (second === null ? "" : freeText(second)));
    t.ok(text.includes("B21GSB"), `it reads by itself: ${text}`);
    await both.release();
    const one = await FrameReader.load(ort, await readModels(MODELS, false), 1, Countries.all);
    const alone = await one.read(blurred, look);
    t.equal(alone.work.seconds, 0);
    t.ok(alone.sightings.every(({ second }) => second === null));
    t.not(one.version, both.version, "another set of models");
    await one.release();
  },
);

t.test("its file may be absent, but not another one than the manifest names", needsModels, async (t) => {
  const folder = join(testFolder(t), "models");
  await mkdir(folder);
  for (const name of ["plate-detector.onnx", "plate-reader.onnx", "manifest.json"])
    await copyFile(join(MODELS, name), join(folder, name));
  t.equal((await readModels(folder)).secondReader, null);
  const file = join(folder, "plate-second-reader.onnx");
  await copyFile(join(MODELS, "plate-second-reader.onnx"), file);
  t.same((await readModels(folder)).secondReader, await readFile(file));
  await appendFile(file, "x");
  await t.rejects(readModels(folder), NoModels);
  t.equal((await readModels(folder, false)).secondReader, null, "switched off it is not looked at");
});
