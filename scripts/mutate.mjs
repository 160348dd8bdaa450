// @ts-check
/**
 * node scripts/mutate.mjs [--sample 45] [--seed 1] [--only TEXT] [--jobs 1] [--limit 120]
 *   [--record FOLDER,FOLDER] [--recorded]
 *
 * Mutation testing: small changes are made to the sources of the folders below, one at a time (a comparison, a negated
 * condition, a removed statement, a limit off by one, a misspelt code), and the tests that execute the changed place
 * run against each, the quickest first and those of the same folder before others. A mutant that they all pass
 * "survived", and so has one that no test executes. The sample is drawn by the seed; --only takes the mutants whose
 * place contains TEXT (src/features/gate/visit-matcher.ts:40). --limit: seconds for one mutant's tests, by their
 * recorded times, so that a busy machine changes nothing; a mutant that none of them has noticed has survived. A test
 * that takes far longer than without the change, twice, has noticed it: the change caused an endless loop.
 *
 * Before the first time, each test file is run once for what it executes (lib/mutate/coverage.mjs); that takes as long
 * as the suite. --record: only tests below these folders of test/ are run for it and used (plates,gate); all unless
 * given. An interrupted recording continues where it stopped; --recorded: records nothing, and uses what is known.
 * Changes that no test could notice are listed with the reason in lib/mutate/equivalent.mjs; those that do not compile
 * are not drawn (lib/mutate/compiler.mjs).
 *
 * Nothing in the working tree is touched: the sources are copied to memory, and only the changed file is written there.
 * Exits 0 if at least 85 % were noticed.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { seeded } from "./lib/faults/random.mjs";
import { prepare } from "./lib/prepare.mjs";

const WANTED_SHARE = 0.85;
/** Factor by which a test may take longer than alone and unchanged. */
const SLOWER = { times: 8, seconds: 20 };
/** Penalty in the order for a test of another folder, which is less likely to notice. */
const FAR = 3;

/**
 * @typedef {import("./lib/mutate/mutants.mjs").Mutant} Mutant
 * @typedef {import("./lib/mutate/coverage.mjs").Run} Run
 * @typedef {{ mutant: Mutant, end: "noticed" | "survived" | "not run", seconds: number, by: string }}
 *   Outcome `by`: the test that noticed, or how many did not
 */

const { values } = parseArgs({
  options: {
    sample: { type: "string", default: "45" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    jobs: { type: "string", default: "1" },
    limit: { type: "string", default: "120" },
    record: { type: "string", default: "" },
    recorded: { type: "boolean", default: false },
  },
});
await prepare({ tests: true });
// these need the pinned Node, which prepare() changes to
const { changedSource, described, FOLDERS, isSound, mutantsOf, placeOf, sourcesOf } = await import(
  "./lib/mutate/mutants.mjs"
);
const { executes, known, record, testFiles } = await import("./lib/mutate/coverage.mjs");
const { makeTree, MEMORY, runTest, tidy } = await import("./lib/mutate/trees.mjs");
const { refusedByCompiler } = await import("./lib/mutate/compiler.mjs");
const { withoutEquivalents } = await import("./lib/mutate/equivalent.mjs");

const place = mkdtempSync(join(MEMORY, "gatehouse-mutate-"));
process.on("exit", () => rmSync(place, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

const limitS = Number(values.limit);
const jobs = Number(values.jobs);
const chosen = values.record === "" ? [""] : values.record.split(",");
const tests = testFiles().filter((test) => chosen.some((folder) => test.startsWith(join("test", folder))));
if (!values.recorded) await record({ tests, folders: FOLDERS, place, limitS: 300, jobs });
const runs = tests.flatMap((test) => known(test) ?? []).filter(({ passed }) => passed);
console.log(`${runs.length} of ${tests.length} test files are used`);

const mutants = drawn(
  withoutEquivalents(FOLDERS.flatMap(sourcesOf).flatMap(mutantsOf)).filter((mutant) =>
    placeOf(mutant).includes(values.only),
  ),
  Number(values.sample),
  Number(values.seed),
);
/** @type {Outcome[]} */
const outcomes = [];
const waiting = [...mutants];
await Promise.all(Array.from({ length: jobs }, (_, at) => work(makeTree(join(place, String(at))))));
process.exitCode = report() >= WANTED_SHARE ? 0 : 1;

/**
 * `count` of them, the same for the same seed, each file as likely as its share.
 * @param {Mutant[]} all @param {number} count @param {number} seed
 */
function drawn(all, count, seed) {
  const random = seeded(seed).next;
  const rest = [...all];
  /** @type {Mutant[]} */
  const taken = [];
  let refused = 0;
  while (taken.length < count && rest.length > 0) {
    /** @type {Mutant[]} */
    const some = [];
    while (taken.length + some.length < count && rest.length > 0)
      some.push(...rest.splice(Math.floor(random() * rest.length), 1).filter(isSound));
    const wrong = refusedByCompiler(some);
    refused += wrong.size;
    taken.push(...some.filter((mutant) => !wrong.has(mutant)));
  }
  console.log(
    `${all.length} possible changes in ${new Set(all.map(({ file }) => file)).size} files; ${taken.length} are tried (seed ${seed}), ${refused} drawn besides do not compile`,
  );
  return taken;
}

/** @param {string} tree */
async function work(tree) {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const outcome = await tryOne(tree, mutant);
    outcomes.push(outcome);
    console.log(
      `${String(outcomes.length).padStart(4)}  ${outcome.end.padEnd(9)}  ${outcome.seconds.toFixed(1).padStart(6)} s  ${described(mutant)}  (${outcome.by})`,
    );
  }
}

/** @param {string} tree @param {Mutant} mutant @returns {Promise<Outcome>} */
async function tryOne(tree, mutant) {
  const begun = performance.now();
  const candidates = testsOf(mutant);
  if (candidates.length === 0) return { mutant, end: "not run", seconds: 0, by: "no test executes it" };
  const file = join(tree, mutant.file);
  const before = readFileSync(file);
  writeFileSync(file, changedSource(mutant));
  let tried = 0;
  let noticedBy = "";
  for (let left = limitS; noticedBy === "" && left > 0; tried++) {
    const run = candidates[tried];
    if (run === undefined) break;
    if (await notices(tree, run)) noticedBy = run.test;
    left -= run.seconds;
  }
  writeFileSync(file, before);
  const seconds = (performance.now() - begun) / 1000;
  if (noticedBy !== "") return { mutant, end: "noticed", seconds, by: noticedBy };
  return { mutant, end: "survived", seconds, by: `${tried} of ${candidates.length} test files` };
}

/**
 * Whether a test fails, or takes far longer than it does without the change: a loop without end. It has to do so twice:
 * some do now and then on a busy machine.
 * @param {string} tree @param {Run} run
 */
async function notices(tree, { test, seconds }) {
  const limitMs = (SLOWER.times * seconds + SLOWER.seconds) * 1000;
  for (let time = 0; time < 2; time++) {
    const { end } = await runTest(tree, test, limitMs, { NODE_COMPILE_CACHE: join(tree, "compiled") });
    tidy(tree);
    if (end === "passed") return false;
  }
  return true;
}

/** The tests that execute the place of a mutant, in the order in which they are run. @param {Mutant} mutant */
function testsOf({ file, source, reached }) {
  const [, name = ""] = /^(?:src\/features\/)?([^/]+)\//.exec(file) ?? [];
  const folder = join("test", name, "/");
  const cost = (/** @type {Run} */ { test, seconds }) => seconds * (test.startsWith(folder) ? 1 : FAR);
  return runs.filter((run) => executes(run, file, source, reached)).sort((a, b) => cost(a) - cost(b));
}

/** The table by folder and the survivors; the share that was noticed. */
function report() {
  console.log("\n| folder | tried | noticed | survived | not run |\n| --- | ---: | ---: | ---: | ---: |");
  const line = (/** @type {string} */ name, /** @type {Outcome[]} */ some) => {
    const count = (/** @type {Outcome["end"]} */ wanted) => some.filter(({ end }) => end === wanted).length;
    const [noticed, survived, notRun] = [count("noticed"), count("survived"), count("not run")];
    console.log(`| ${name} | ${some.length} | ${noticed} | ${survived} | ${notRun} |`);
    const all = noticed + survived + notRun;
    return all === 0 ? 0 : noticed / all;
  };
  for (const folder of FOLDERS)
    line(
      folder,
      outcomes.filter(({ mutant }) => mutant.file.startsWith(`${folder}/`)),
    );
  const share = line("all", outcomes);
  for (const [end, title] of /** @type {const} */ ([
    ["survived", "Survived"],
    ["not run", "Executed by no test"],
  ])) {
    const some = outcomes.filter((outcome) => outcome.end === end);
    if (some.length > 0) console.log(`\n${title}:\n${some.map(({ mutant }) => described(mutant)).join("\n")}`);
  }
  console.log(`\n${(share * 100).toFixed(0)} % were noticed; ${WANTED_SHARE * 100} % are wanted`);
  return share;
}
