import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import t from "tap";
import { PROJECT_ROOT } from "../support/database.ts";

const MODEL = join(PROJECT_ROOT, "models/plate-detector.onnx");
/** Loads a model again and again. */
const THREAD = `
  const { readFileSync } = require("node:fs");
  const { InferenceSession } = require("node:module").createRequire(${JSON.stringify(join(PROJECT_ROOT, "package.json"))})("onnxruntime-node");
  const bytes = readFileSync(${JSON.stringify(MODEL)});
  require("node:worker_threads").parentPort.postMessage("begins");
  (async () => {
    for (;;) await (await InferenceSession.create(bytes)).release();
  })();
`;
const PROGRAM = `
  import { once } from "node:events";
  import { Worker } from "node:worker_threads";
  import { endProcess } from ${JSON.stringify(pathToFileURL(join(PROJECT_ROOT, "src/core/platform/end-process.ts")).href)};
  await once(new Worker(${JSON.stringify(THREAD)}, { eval: true, execArgv: [] }), "message");
  setTimeout(() => endProcess(process, 75, process.argv[1] === "left"), 100);
`;

const run = (words: string) =>
  spawnSync(process.execPath, ["--input-type=module", "-e", PROGRAM, words], { encoding: "utf8" });

t.test("a thread that loads a model neither aborts the end of the process nor changes its code", async (t) => {
  const { status, signal, stderr } = run("left");
  t.same({ status, signal, stderr }, { status: 75, signal: null, stderr: "" });
});

t.test("without a thread it is an ordinary exit", async (t) => {
  const codes: unknown[] = [];
  const { endProcess } = await import("../../src/core/platform/end-process.ts");
  const exit = (code: unknown) => {
    codes.push(code);
    return undefined as never;
  };
  endProcess({ platform: process.platform, exit, execve: () => t.fail("not replaced") as never }, 3, false);
  t.same(codes, [3]);
});
