// @ts-check
/**
 * Runs test files one after another in this process, each as a test of its own that stands for tap's root:
 *
 * node scripts/lib/several-tests.mjs FILE …
 *
 * The program's start, and the modules that the files have in common, are paid once then. After each file stand the
 * line that a file by itself ends with, `# { total: N, pass: N }`, and the seconds of the processor that it had.
 */
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { processorSeconds } from "./count-processor.mjs";

/**
 * What is used of a test of tap.
 * @typedef {object} Test
 * @property {string} testdirName
 * @property {{ toJSON(): object }} counts
 * @property {(event: "complete", listener: () => void) => void} on
 * @property {(limitMs: number) => void} setTimeout
 * @property {(said: unknown) => void} comment
 * @property {(name: string, options: object, body: (t: Test) => Promise<void>) => Promise<unknown>} test
 */

const project = fileURLToPath(new URL("../..", import.meta.url));
/** tap as compiled tests find it (bundle-packages.mjs). */
/** @type {{ default: Test, standFor(test: Test): void }} */
const { default: root, standFor } = await import(pathToFileURL(join(project, "build/node_modules/tap/index.mjs")).href);
const files = process.argv.slice(2);
const timeout = Number(process.env.TAP_TIMEOUT ?? 30) * 1000;

root.setTimeout(files.length * timeout);
for (const file of files) {
  const before = processorSeconds();
  const counts = {};
  await root.test(file, { timeout }, async (t) => {
    t.testdirName = join(project, ".tap/fixtures", file.replace(/[^a-zA-Z0-9._-]+/g, "-")); // as when it runs by itself
    t.on("complete", () => Object.assign(counts, t.counts.toJSON()));
    standFor(t);
    await import(pathToFileURL(resolve(file)).href);
  });
  root.comment(counts);
  root.comment(`of the processor: ${(processorSeconds() - before).toFixed(2)}`);
}
