// @ts-check
/**
 * node scripts/mutate.mjs [--sample 45] [--seed 1] [--only TEXT] [--jobs 1] [--limit 120]
 *
 * Would the tests notice? Small changes are made to the sources of the folders below, one at a time (a comparison, a
 * condition turned round, a statement left out, a limit off by one, a code misspelt), and the tests of the same folder
 * run against each: a change that they let pass "survived". The sample is drawn by the seed; --only takes the mutants
 * whose place contains TEXT (src/gate/visit-matcher.ts:40). --limit: seconds for one mutant's tests; where they are
 * over it is undecided whether the change made a loop without end or the machine is slow, and the change counts on
 * neither side.
 *
 * Nothing in the working tree is touched: the compiled tree is copied to memory, and only the changed file is compiled
 * into it. Ends with 0 when at least 85 % were noticed.
 */
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { parseAst } from "rolldown/parseAst";
import { seeded } from "./lib/faults/random.mjs";
import { prepare, root } from "./lib/prepare.mjs";

const FOLDERS = ["domain", "gate", "access", "mqtt", "bridge", "webhooks", "automations", "telemetry"];
const WANTED_SHARE = 0.85;
const OTHER = new Map(
  Object.entries({
    "===": "!==",
    "!==": "===",
    "<": "<=",
    "<=": "<",
    ">": ">=",
    ">=": ">",
    "&&": "||",
    "||": "&&",
    "??": "&&",
    "+": "-",
    "-": "+",
  }),
);
const OF_TYPES = /^TS(?!AsExpression|NonNullExpression|SatisfiesExpression)/;

/**
 * What is read of a node of the syntax tree, whatever kind it is.
 * @typedef {object} Node
 * @property {string} type
 * @property {number} start
 * @property {number} end
 * @property {string} operator
 * @property {unknown} value
 * @property {string} raw
 * @property {boolean} computed
 * @property {Node} left
 * @property {Node} right
 * @property {Node} test
 * @property {Node | null} argument
 * @property {Node} expression
 * @property {Node} [callee]
 */

/**
 * @typedef {{ file: string, line: number, start: number, end: number, text: string, was: string, source: string }}
 *   Mutant
 * @typedef {{ mutant: Mutant, end: "noticed" | "survived" | "too late", seconds: number }} Outcome
 */

const { values } = parseArgs({
  options: {
    sample: { type: "string", default: "45" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" },
    jobs: { type: "string", default: "1" },
    limit: { type: "string", default: "120" },
  },
});
await prepare({ tests: true });
const { stripTypeScriptTypes } = await import("node:module"); // the pinned Node has it, which prepare() changes to

const mutants = drawn(
  FOLDERS.flatMap(sourcesOf)
    .flatMap(mutantsOf)
    .filter((mutant) => placeOf(mutant).includes(values.only)),
  Number(values.sample),
  Number(values.seed),
);
const place = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "gatehouse-mutate-"));
process.on("exit", () => rmSync(place, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));

/** @type {Outcome[]} */
const outcomes = [];
const waiting = [...mutants];
await Promise.all(Array.from({ length: Number(values.jobs) }, (_, at) => work(makeTree(String(at)))));
process.exitCode = report() >= WANTED_SHARE ? 0 : 1;

/** @param {string} folder */
function sourcesOf(folder) {
  return readdirSync(join(root, "src", folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => join("src", folder, file));
}

/**
 * Every change that this script knows, of one source file.
 * @param {string} file
 * @returns {Mutant[]}
 */
function mutantsOf(file) {
  const source = readFileSync(join(root, file), "utf8");
  /** @type {Mutant[]} */
  const found = [];
  const add = (/** @type {{ start: number, end: number }} */ { start, end }, /** @type {string} */ text) =>
    void found.push({
      file,
      start,
      end,
      text,
      source,
      was: source.slice(start, end),
      line: source.slice(0, start).split("\n").length,
    });
  const operator = (/** @type {Node} */ node) => {
    const at = source.indexOf(node.operator, node.left.end); // only blanks and brackets lie before it
    return { start: at, end: at + node.operator.length };
  };
  const visit = (/** @type {unknown} */ part, /** @type {Node | null} */ parent) => {
    if (part === null || typeof part !== "object") return;
    if (Array.isArray(part)) {
      for (const child of part) visit(child, parent);
      return;
    }
    const node = /** @type {Node} */ (part);
    if (typeof node.type !== "string" || OF_TYPES.test(node.type) || node.type === "ImportDeclaration") return;
    if (isLog(node, source)) return; // what is logged is for people
    const other = OTHER.get(node.operator);
    if ((node.type === "BinaryExpression" || node.type === "LogicalExpression") && other !== undefined) {
      const isText =
        node.operator === "+" &&
        [node.left, node.right].some(({ type, value }) => type === "TemplateLiteral" || typeof value === "string");
      if (!isText) add(operator(node), other);
    } else if (node.type === "UnaryExpression" && node.operator === "!")
      add({ start: node.start, end: node.argument?.start ?? node.end }, "");
    else if (
      (node.type === "IfStatement" || node.type === "ConditionalExpression") &&
      node.test.type !== "UnaryExpression"
    )
      add(node.test, `!(${source.slice(node.test.start, node.test.end)})`);
    else if (node.type === "ExpressionStatement" && !isSuper(node) && parent?.type !== "Program") add(node, ";");
    else if (node.type === "ReturnStatement" && node.argument === null) add(node, ";");
    else if (node.type === "Literal" && typeof node.value === "boolean") add(node, String(!node.value));
    else if (node.type === "Literal" && typeof node.value === "number") add(node, `(${node.raw} + 1)`);
    else if (node.type === "Literal" && typeof node.value === "string" && isCode(node, parent))
      add(node, JSON.stringify(`${node.value}x`));
    for (const [key, child] of Object.entries(node)) {
      const isName =
        key === "key" || (key === "property" && !node.computed) || key === "typeAnnotation" || key === "typeParameters";
      if (!isName) visit(child, node);
    }
  };
  visit(parseAst(source, { lang: "ts" }), null);
  return found;
}

/** A text that programs compare: one short word, not a sentence. */
function isCode(/** @type {Node} */ node, /** @type {Node | null} */ parent) {
  return (
    /^[a-z][a-z0-9_.-]{1,30}$/i.test(String(node.value)) &&
    parent?.type !== "ExpressionStatement" &&
    parent?.type !== "ImportExpression"
  );
}

function isLog(/** @type {Node} */ node, /** @type {string} */ source) {
  return (
    node.type === "ExpressionStatement" &&
    /\blogger\b[^(]*\.(trace|debug|info|warn|error)\($|\blogger(\.\w+)*$/.test(
      source.slice(node.start, node.expression.callee?.end ?? node.start),
    )
  );
}

function isSuper(/** @type {Node} */ node) {
  return node.expression.type === "CallExpression" && node.expression.callee?.type === "Super";
}

/**
 * `count` of them, the same for the same seed, each file as likely as its share.
 * @param {Mutant[]} all @param {number} count @param {number} seed
 */
function drawn(all, count, seed) {
  const random = seeded(seed).next;
  const rest = [...all];
  /** @type {Mutant[]} */
  const taken = [];
  while (taken.length < count && rest.length > 0) taken.push(...rest.splice(Math.floor(random() * rest.length), 1));
  console.log(
    `${all.length} possible changes in ${new Set(all.map(({ file }) => file)).size} files; ${taken.length} are tried (seed ${seed})`,
  );
  return taken;
}

/** A project folder in memory whose compiled tree is its own; everything else is this one's. @param {string} name */
function makeTree(name) {
  const tree = join(place, name);
  cpSync(join(root, "build"), join(tree, "build"), { recursive: true });
  for (const entry of readdirSync(root))
    if (!["build", "build-hub", ".tap", ".cache", ".git"].includes(entry))
      symlinkSync(join(root, entry), join(tree, entry));
  return tree; // without build-hub: processes of tests run the compiled tree too, with the change in it
}

/** @param {string} tree */
async function work(tree) {
  for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
    const outcome = await tryOne(tree, mutant);
    outcomes.push(outcome);
    console.log(
      `${String(outcomes.length).padStart(4)}  ${outcome.end.padEnd(8)}  ${outcome.seconds.toFixed(1).padStart(6)} s  ${described(mutant)}`,
    );
  }
}

/** @param {string} tree @param {Mutant} mutant @returns {Promise<Outcome>} */
async function tryOne(tree, mutant) {
  const { source } = mutant;
  const compiled = join(tree, "build", mutant.file.replace(/\.ts$/, ".js"));
  const before = readFileSync(compiled);
  writeFileSync(compiled, withoutTypes(source.slice(0, mutant.start) + mutant.text + source.slice(mutant.end)));
  const begun = performance.now();
  const deadline = begun + Number(values.limit) * 1000;
  /** @type {Outcome["end"]} */
  let end = "survived";
  for (const test of testsOf(mutant.file)) {
    const passed = await runTest(tree, test, deadline - performance.now());
    if (passed === "passed") continue;
    end = passed === "late" ? "too late" : "noticed";
    break;
  }
  writeFileSync(compiled, before);
  return { mutant, end, seconds: (performance.now() - begun) / 1000 };
}

/** @param {string} code */
function withoutTypes(code) {
  const warn = process.emitWarning;
  process.emitWarning = () => {}; // Node calls it experimental
  try {
    return stripTypeScriptTypes(code);
  } finally {
    process.emitWarning = warn;
  }
}

/** The compiled tests of a source's folder; those that bear its name or its subfolder's begin. @param {string} file */
function testsOf(file) {
  const [, folder = ""] = file.split("/");
  const near = [basename(file, ".ts"), basename(dirname(file))];
  const rank = (/** @type {string} */ test) => near.findIndex((name) => test.includes(name));
  return readdirSync(join(root, "build", "test", folder), { recursive: true, encoding: "utf8" })
    .filter((test) => test.endsWith(".test.js") && existsSync(join(root, "test", folder, test.replace(/\.js$/, ".ts"))))
    .sort((a, b) => (rank(a) === -1 ? 9 : rank(a)) - (rank(b) === -1 ? 9 : rank(b)) || a.localeCompare(b))
    .map((test) => join("build", "test", folder, test));
}

/**
 * @param {string} tree @param {string} test @param {number} limitMs @returns {Promise<"passed" | "failed" | "late">}
 */
async function runTest(tree, test, limitMs) {
  const env = { ...process.env, TAP_TIMEOUT: values.limit, TAP_BAIL: "1", TMPDIR: place };
  const child = spawn(process.execPath, [test], { cwd: tree, env, stdio: "ignore", detached: true });
  const late = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), Math.max(0, limitMs));
  const [code, signal] = await new Promise((ended) => child.on("close", (...how) => ended(how)));
  clearTimeout(late);
  try {
    process.kill(-(child.pid ?? 0), "SIGKILL"); // what a failed test has left
  } catch {
    // nothing is left
  }
  rmSync(join(tree, ".tap"), { recursive: true, force: true });
  if (signal === "SIGKILL") return "late";
  return code === 0 ? "passed" : "failed";
}

/** @param {Mutant} mutant */
function placeOf({ file, line }) {
  return `${file}:${line}`;
}

/** @param {Mutant} mutant */
function described(mutant) {
  const short = (/** @type {string} */ text) => text.replace(/\s+/g, " ").slice(0, 90);
  return `${placeOf(mutant)}  ${short(mutant.was)}  →  ${short(mutant.text) || "(left out)"}`;
}

/** The table by folder and the survivors; the share that was noticed. */
function report() {
  console.log("\n| folder | tried | noticed | survived | too late |\n| --- | ---: | ---: | ---: | ---: |");
  const line = (/** @type {string} */ name, /** @type {Outcome[]} */ some) => {
    const count = (/** @type {Outcome["end"]} */ wanted) => some.filter(({ end }) => end === wanted).length;
    const [noticed, survived, late] = [count("noticed"), count("survived"), count("too late")];
    console.log(`| ${name} | ${some.length} | ${noticed} | ${survived} | ${late} |`);
    return noticed + survived === 0 ? 0 : noticed / (noticed + survived);
  };
  for (const folder of FOLDERS)
    line(
      folder,
      outcomes.filter(({ mutant }) => mutant.file.startsWith(`src/${folder}/`)),
    );
  const share = line("all", outcomes);
  for (const [end, title] of /** @type {const} */ ([
    ["survived", "Survived"],
    ["too late", "Too late"],
  ])) {
    const some = outcomes.filter((outcome) => outcome.end === end);
    if (some.length > 0) console.log(`\n${title}:\n${some.map(({ mutant }) => described(mutant)).join("\n")}`);
  }
  console.log(`\n${(share * 100).toFixed(0)} % were noticed; ${WANTED_SHARE * 100} % are wanted`);
  return share;
}
