// @ts-check
/**
 * Runs test files one after another in this process, each as a test of its own that stands for tap's root; standard
 * input has their names, a line for each, and the next one comes when one has ended:
 *
 * node scripts/lib/several-tests.mjs
 *
 * The program's start, and the modules that the files have in common, are paid once then. After each file stand the
 * line that a file by itself ends with, `# { total: N, pass: N }`, and the seconds of the processor that it had.
 */
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { processorSeconds } from "./count-processor.mjs";

/**
 * What is used of a test of tap.
 * @typedef {object} Test
 * @property {string} testdirName
 * @property {{ toJSON(): object }} counts
 * @property {(event: "complete", listener: () => void) => void} on
 * @property {(limitMs: number) => void} setTimeout
 * @property {(undo: () => unknown) => void} teardown
 * @property {(undo: () => unknown) => void} after
 * @property {() => void} end
 * @property {(name: string, options: object, body: (t: Test) => Promise<void>) => Promise<unknown>} test
 */

const project = fileURLToPath(new URL("../..", import.meta.url));
/** tap as compiled tests find it (bundle-packages.mjs). */
/** @type {{ default: Test, standFor(test: Test): void }} */
const { default: root, standFor } = await import(pathToFileURL(join(project, "build/node_modules/tap/index.mjs")).href);
const timeout = Number(process.env.TAP_TIMEOUT ?? 30) * 1000;
const DAY_MS = 86_400_000;

root.setTimeout(DAY_MS); // each file has its own
// what a file has done when the last one has ended; with tap's own, the root would end while it waits for the next name
root.teardown = (undo) => root.after(undo);
for await (const file of createInterface({ input: process.stdin })) {
  const before = processorSeconds();
  const counts = {};
  await root.test(file, { timeout }, async (t) => {
    t.testdirName = join(project, ".tap/fixtures", file.replace(/[^a-zA-Z0-9._-]+/g, "-")); // as when it runs by itself
    t.on("complete", () => Object.assign(counts, t.counts.toJSON()));
    standFor(t);
    await import(pathToFileURL(resolve(file)).href);
  });
  // tap's own comments would stand there only when the next test begins
  console.log("#", counts);
  console.log(`# of the processor: ${(processorSeconds() - before).toFixed(2)}`);
}
root.end();
