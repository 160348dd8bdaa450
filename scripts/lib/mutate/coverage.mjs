// @ts-check
/**
 * Which tests execute which part of which source. Each test file is run once with the engine's own coverage; Node
 * only blanks the types, so that the places that it names are places of the source. The results are
 * kept in .cache/mutate, one file per test, until the test itself changes; if a source has changed since, the lines
 * before and after the change are still known, and all tests that load the source count for those within.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "../prepare.mjs";
import { sourcesOf } from "./mutants.mjs";
import { makeTree, runTest, tidy } from "./trees.mjs";

const SHELF = join(root, ".cache", "mutate");

/**
 * The coverage of one test: `ranges` by source, the executed places as start, end, start, end …; `source`: the
 * hash of the source as it was then.
 * @typedef {{ test: string, hash: string, passed: boolean, seconds: number,
 *   files: Record<string, { source: string, ranges: number[] }> }} Run
 */

/** Every test file. */
export function testFiles() {
  return readdirSync(join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((test) => test.endsWith(".test.ts"))
    .sort()
    .map((test) => join("test", test));
}

/** @param {string} text */
const hashOf = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** @param {string} test */
const placeOnShelf = (test) => join(SHELF, `${test.replaceAll("/", "__")}.json`);

/**
 * The hash of a test and its imports from test/: if it differs, the test is recorded again. `tree`: where it is run.
 * @param {string} test @param {string} [tree]
 */
function hashOfTest(test, tree = root) {
  /** @type {Set<string>} */
  const seen = new Set();
  const visit = (/** @type {string} */ file) => {
    if (seen.has(file) || !existsSync(join(tree, file))) return;
    seen.add(file);
    for (const [, path = ""] of readFileSync(join(tree, file), "utf8").matchAll(/(?:from|import) "(\.[^"]+\.ts)"/g)) {
      const imported = join(dirname(file), path);
      if (imported.startsWith("test/")) visit(imported);
    }
  };
  visit(test);
  return hashOf([...seen].map((file) => readFileSync(join(tree, file), "utf8")).join("\0"));
}

/** What is known of a test as it is now; null: nothing. @param {string} test @returns {Run | null} */
export function known(test) {
  if (!existsSync(placeOnShelf(test))) return null;
  /** @type {Run} */
  const run = JSON.parse(readFileSync(placeOnShelf(test), "utf8"));
  return run.hash === hashOfTest(test) ? run : null;
}

/**
 * Runs the tests that are unknown, or failed, and keeps their coverage of `folders`.
 * @param {{ tests: string[], folders: string[], place: string, limitS: number, jobs: number }} what
 */
export async function record({ tests, folders, place, limitS, jobs }) {
  const missing = tests.filter((test) => known(test)?.passed !== true);
  if (missing.length === 0) return;
  console.log(`${missing.length} of ${tests.length} test files are run to record their coverage …`);
  const sources = new Map(folders.flatMap(sourcesOf).map((file) => [file, readFileSync(join(root, file), "utf8")]));
  mkdirSync(join(SHELF, "sources"), { recursive: true });
  for (const source of sources.values()) writeFileSync(join(SHELF, "sources", hashOf(source)), source);
  const work = async (/** @type {string} */ tree) => {
    makeTree(tree);
    for (let test = missing.shift(); test !== undefined; test = missing.shift()) {
      let run = await recordOne(tree, test, sources, limitS);
      if (!run.passed) run = await recordOne(tree, test, sources, limitS); // some fail occasionally on a busy machine
      writeFileSync(placeOnShelf(test), JSON.stringify(run));
      const count = Object.keys(run.files).length;
      console.log(`${run.passed ? "  " : "no"}  ${run.seconds.toFixed(1).padStart(6)} s  ${count} sources  ${test}`);
    }
    rmSync(tree, { recursive: true, force: true });
  };
  await Promise.all(Array.from({ length: jobs }, (_, at) => work(join(place, `recorded-${at}`))));
}

/**
 * @param {string} tree @param {string} test @param {Map<string, string>} sources @param {number} limitS
 * @returns {Promise<Run>}
 */
async function recordOne(tree, test, sources, limitS) {
  const folder = join(tree, "tmp", "coverage");
  const { end, seconds } = await runTest(tree, test, limitS * 1000, { NODE_V8_COVERAGE: folder });
  /** @type {Map<string, Uint8Array>} */
  const executed = new Map();
  const reports = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  for (const report of reports) {
    for (const { url, functions } of scriptsOf(join(folder, report))) {
      if (!url.startsWith("file://")) continue;
      const file = fileURLToPath(url).slice(tree.length + 1);
      const source = sources.get(file);
      if (source !== undefined && fileURLToPath(url).startsWith(tree))
        paint(executed.get(file) ?? fresh(executed, file, source.length), functions);
    }
  }
  tidy(tree);
  /** @type {Run["files"]} */
  const files = {};
  for (const [file, places] of executed)
    files[file] = { source: hashOf(sources.get(file) ?? ""), ranges: rangesOf(places) };
  return { test, hash: hashOfTest(test, tree), passed: end === "passed", seconds, files };
}

/** @typedef {{ ranges: { startOffset: number, endOffset: number, count: number }[] }} FunctionCoverage */

/** @param {string} report @returns {{ url: string, functions: FunctionCoverage[] }[]} */
function scriptsOf(report) {
  try {
    return JSON.parse(readFileSync(report, "utf8")).result;
  } catch {
    return []; // incomplete, from a process that was killed
  }
}

/** @param {Map<string, Uint8Array>} executed @param {string} file @param {number} length */
function fresh(executed, file, length) {
  const places = new Uint8Array(length);
  executed.set(file, places);
  return places;
}

/**
 * Marks what one process executed: the innermost range around a place counts. @param {Uint8Array} places @param
 * {FunctionCoverage[]} functions
 */
function paint(places, functions) {
  const here = new Uint8Array(places.length);
  const ranges = functions.flatMap((one) => one.ranges);
  ranges.sort((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset));
  for (const { startOffset, endOffset, count } of ranges) here.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  for (const [at, is] of here.entries()) if (is === 1) places[at] = 1;
}

/** @param {Uint8Array} places */
function rangesOf(places) {
  /** @type {number[]} */
  const ranges = [];
  let before = 0;
  for (const [at, is] of places.entries()) {
    if (is !== before) ranges.push(at);
    before = is;
  }
  if (before === 1) ranges.push(places.length);
  return ranges;
}

/**
 * Whether a test executes a place of a source as it is now.
 * @param {Run} run @param {string} file @param {string} source @param {number} at
 */
export function executes(run, file, source, at) {
  const found = run.files[file];
  if (found === undefined) return false;
  const then = found.source === hashOf(source) ? at : placeThen(found.source, source, at);
  if (then === null) return true;
  const behind = found.ranges.findIndex((edge) => edge > then);
  return behind % 2 === 1; // between a start and an end
}

/**
 * Where a place was in an earlier source; null within what has changed. @param {string} hash @param {string} now @param
 * {number} at
 */
function placeThen(hash, now, at) {
  const place = join(SHELF, "sources", hash);
  if (!existsSync(place)) return null;
  const then = readFileSync(place, "utf8");
  const most = Math.min(then.length, now.length);
  let same = 0;
  while (same < most && then[same] === now[same]) same++;
  if (at < same) return at;
  let end = 0;
  while (end < most - same && then[then.length - 1 - end] === now[now.length - 1 - end]) end++;
  return at >= now.length - end ? at - now.length + then.length : null;
}
