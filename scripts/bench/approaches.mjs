// @ts-check
/**
 * npm run bench -- approaches FOLDER [--wanted 0.92]
 *
 * The gain of a burst over a single frame. FOLDER is the output of models/training/approaches.py: rendered approaches
 * of a vehicle, 5 to 8 frames each, moving, blurred, half covered, dazzled by headlights or leaving the picture. Every
 * approach is read as one burst with the hub's own recogniser, and each of its frames by itself (the baseline). Fails
 * if fewer are exact than wanted, or if a burst is wrong with a confidence that a gate would accept.
 */
import { join } from "node:path";
import { option } from "../lib/bench-hub.mjs";
import { fold, readTable } from "../lib/plate-labels.mjs";
import { root } from "../lib/prepare.mjs";

const { Recogniser } = await import("../../src/features/recognition/recogniser.ts");
const { recogniseFiles } = await import("../../src/features/recognition/recognise-files.ts");
const { systemClock } = await import("../../src/core/kernel/clock.ts");
const { silentLogger } = await import("../../src/core/kernel/logger.ts");

/**
 * @typedef {{ plates: readonly { plate: string | null, confidence: number }[] }} Result
 * @typedef {{ name: string, text: string, kind: string, isTwoLine: boolean, together: Result | undefined, singles:
 *   Result[] }} Row
 */

/** A gate would accept a wrong read of this confidence. */
const CERTAIN = 90;

/** @param {string[]} options */
export async function run(options) {
  const folder = options[0];
  if (folder === undefined || folder.startsWith("--"))
    throw new Error("usage: npm run bench -- approaches FOLDER [--wanted 0.92]");
  const wanted = Number(option(options, "--wanted", "0.92"));
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
  /** @type {Row[]} */
  const rows = [];
  for (const { folder: name, text, kind, two_line } of labelsOf(folder)) {
    const [together] = await readAll(recogniser, join(folder, name), true);
    const singles = await readAll(recogniser, join(folder, name), false);
    rows.push({ name, text, kind, isTwoLine: two_line === "1", together, singles });
  }
  await recogniser.stop();
  const kinds = [...new Set(rows.map(({ kind }) => kind))].sort();
  /** @type {[name: string, some: Row[]][]} */
  const groups = [
    ...kinds.map((kind) => /** @type {[string, Row[]]} */ ([kind, rows.filter((row) => row.kind === kind)])),
    ["two lines", rows.filter((row) => row.isTwoLine)],
    ["all", rows],
  ];
  console.table(
    Object.fromEntries(groups.filter(([, some]) => some.length > 0).map(([name, some]) => [name, figuresOf(some)])),
  );
  const wrong = rows.filter(({ together, text }) => isWrong(together, text) && best(together).confidence >= CERTAIN);
  for (const { name, text, together } of wrong)
    console.log(
      `wrong for certain: ${name}: ${best(together).plate} instead of ${text} (${best(together).confidence} %)`,
    );
  const exact = share(rows, ({ together, text }) => isExact(together, text));
  const verdict = `${exact.toFixed(3)} of ${rows.length} approaches exact, ${wanted} wanted; ${wrong.length} wrong for certain, none wanted`;
  if (exact < wanted || wrong.length > 0) throw new Error(verdict);
  console.log(verdict);
}

/** @param {string} folder @returns {{ folder: string, text: string, kind: string, two_line: string }[]} */
function labelsOf(folder) {
  return readTable(join(folder, "labels.csv")).map(({ folder: name = "", text = "", kind = "", two_line = "" }) => ({
    folder: name,
    text,
    kind,
    two_line,
  }));
}

/**
 * @param {InstanceType<typeof Recogniser>} recogniser
 * @param {string} path
 * @param {boolean} burst
 * @returns {Promise<Result[]>}
 */
async function readAll(recogniser, path, burst) {
  /** @type {Result[]} */
  const results = [];
  for await (const result of recogniseFiles(recogniser, [path], { burst, candidates: false })) results.push(result);
  return results;
}

const best = (/** @type {Result | undefined} */ result) => result?.plates[0] ?? { plate: null, confidence: 0 };
const isExact = (/** @type {Result | undefined} */ result, /** @type {string} */ text) =>
  fold(best(result).plate) === fold(text);
const isWrong = (/** @type {Result | undefined} */ result, /** @type {string} */ text) =>
  best(result).plate !== null && !isExact(result, text);
/** @template One @param {One[]} some @param {(one: One) => boolean} test */
const share = (some, test) => (some.length === 0 ? 0 : some.filter(test).length / some.length);
/** @template One @param {One[]} some @param {(one: One) => number} of */
const mean = (some, of) => some.reduce((sum, one) => sum + of(one), 0) / Math.max(1, some.length);

/** @param {Row[]} some */
function figuresOf(some) {
  return {
    approaches: some.length,
    frames: mean(some, ({ singles }) => singles.length).toFixed(1),
    "exact, burst": share(some, ({ together, text }) => isExact(together, text)).toFixed(3),
    "exact, one frame": mean(some, ({ singles, text }) => share(singles, (one) => isExact(one, text))).toFixed(3),
    "wrong, burst": share(some, ({ together, text }) => isWrong(together, text)).toFixed(3),
    "wrong, one frame": mean(some, ({ singles, text }) => share(singles, (one) => isWrong(one, text))).toFixed(3),
  };
}
