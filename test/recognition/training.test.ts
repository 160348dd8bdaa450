import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import t from "tap";
import { readModels } from "../../src/features/recognition/models.ts";
import { PROJECT_ROOT } from "../support/database.ts";
import { testFolder } from "../support/test-folder.ts";

const TRAINING = join(PROJECT_ROOT, "models/training");
/** Debian's Python has Debian's torch; another one may be named. */
const PYTHON = process.env.PYTHON ?? "/usr/bin/python3";
/** Looked for and not loaded, as far as that takes seconds. */
const WHAT_IT_NEEDS =
  "import importlib.util; assert importlib.util.find_spec('torch'); import glyphs; assert glyphs.Faces().found['sans'][1]";
const environment = { ...process.env, PYTHONDONTWRITEBYTECODE: "1" };

t.test("both networks train a few steps and export what the hub's runtime loads", { skip: lacking() }, async (t) => {
  const folder = testFolder(t);
  await promisify(execFile)(PYTHON, [join(TRAINING, "smoke.py"), folder], { env: environment, maxBuffer: 1 << 24 });
  const files = await readModels(folder);
  t.equal(files.scoreThreshold, 0.45, "the manifest describes the files");
  const { models } = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
  t.match(models, [{ samplesSeen: 8 }, { samplesSeen: 16 }], "both were trained, the reader once more after it grew");
  const { InferenceSession, Tensor } = await import("onnxruntime-node");
  const [detector, reader] = [
    await InferenceSession.create(files.detector),
    await InferenceSession.create(files.reader),
  ];
  const maps = await detector.run({
    image: new Tensor("float32", new Float32Array(3 * 96 * 160), [1, 3, 96, 160]),
  });
  t.same(
    [8, 16, 32].map((stride) => maps[`stride${stride}`]?.dims),
    [8, 16, 32].map((stride) => [1, 14, 96 / stride, 160 / stride]),
    "of any size that is a multiple of 32",
  );
  const { steps, two_line: twoLine } = await reader.run({
    plate: new Tensor("float32", new Float32Array(3 * 64 * 192), [3, 1, 64, 192]),
  });
  t.same(steps?.dims, [3, 2, 48, 37], "of several plates at once");
  t.same(twoLine?.dims, [3, 1]);
  await Promise.all([detector.release(), reader.release()]);
});

/** Why nothing can be trained here; false where it can. */
function lacking(): string | false {
  try {
    execFileSync(PYTHON, ["-c", WHAT_IT_NEEDS], {
      cwd: TRAINING,
      env: environment,
      stdio: ["ignore", "ignore", "pipe"],
    });
    return false;
  } catch {
    return `${PYTHON} lacks torch, OpenCV, numpy, Pillow or fonts (models/training/requirements.txt)`;
  }
}
