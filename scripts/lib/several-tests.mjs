// @ts-check
/**
 * Runs test files one after another in this process, each below a test of its own; standard input has their names, one
 * per line, each after the previous file has ended:
 *
 * node scripts/lib/several-tests.mjs
 *
 * This pays for the program's start and the shared modules once. After each file come the closing line of a file run
 * alone, `# { total: N, pass: N }`, and its processor seconds.
 */
import { registerHooks } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import root from "tap";
import { processorSeconds } from "./count-processor.mjs";

const project = fileURLToPath(new URL("../..", import.meta.url));
const STANDS_FOR_ROOT = new URL("./file-test.mjs", import.meta.url).href;
const TESTS = pathToFileURL(join(project, "test/")).href;
// a file's own t.setTimeout, t.teardown and t.plan apply to that file
registerHooks({
  resolve: (name, context, next) =>
    name === "tap" && context.parentURL?.startsWith(TESTS)
      ? { url: STANDS_FOR_ROOT, shortCircuit: true }
      : next(name, context),
});
const { standFor } = await import("./file-test.mjs");
const timeout = Number(process.env.TAP_TIMEOUT ?? 30) * 1000;
const DAY_MS = 86_400_000;

root.setTimeout(DAY_MS); // each file has its own
// ends after the last file; tap's own would end the root while it waits for the next name
root.teardown = (undo) => root.after(undo);
for await (const file of createInterface({ input: process.stdin })) {
  const before = processorSeconds();
  const counts = {};
  await root.test(file, { timeout }, async (t) => {
    t.testdirName = join(project, ".tap/fixtures", file.replace(/[^a-zA-Z0-9._-]+/g, "-")); // as when it runs alone
    t.on("complete", () => Object.assign(counts, t.counts.toJSON()));
    standFor(t);
    await import(pathToFileURL(resolve(file)).href);
  });
  // tap's own comments would stand there only when the next test begins
  console.log("#", counts);
  console.log(`# of the processor: ${(processorSeconds() - before).toFixed(2)}`);
}
root.end();
