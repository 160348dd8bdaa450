// @ts-check
/** The possible small changes of a source. */
import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { parseAst } from "rolldown/parseAst";
import { root } from "../prepare.mjs";

/** Folders whose sources are changed. */
export const FOLDERS = [
  "src/core/plates",
  "src/core/mqtt",
  ...["gate", "access", "bridge", "webhooks", "automations", "telemetry", "devices/rules", "energy/rules"].map(
    (name) => `src/features/${name}`,
  ),
  "firmware-bridge",
];

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
 * The members read from a node of the syntax tree, of any kind.
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
 * `reached`: the place that must be executed for the change to matter.
 * @typedef {{ file: string, line: number, start: number, end: number, reached: number, text: string, was: string,
 *   source: string }} Mutant
 */

/** @param {string} folder */
export function sourcesOf(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => join(folder, file));
}

/**
 * Every known change of one source file.
 * @param {string} file
 * @returns {Mutant[]}
 */
export function mutantsOf(file) {
  const source = readFileSync(join(root, file), "utf8");
  /** @type {Mutant[]} */
  const found = [];
  const add = (
    /** @type {{ start: number, end: number }} */ { start, end },
    /** @type {string} */ text,
    reached = start,
  ) =>
    void found.push({
      file,
      start,
      end,
      reached,
      text,
      source,
      was: source.slice(start, end),
      line: source.slice(0, start).split("\n").length,
    });
  const operator = (/** @type {Node} */ node) => {
    const at = source.indexOf(node.operator, node.left.end); // only spaces and brackets are before it
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
    if (isLog(node, source)) return; // logs are for people
    const other = OTHER.get(node.operator);
    if ((node.type === "BinaryExpression" || node.type === "LogicalExpression") && other !== undefined) {
      const isText =
        node.operator === "+" &&
        [node.left, node.right].some(({ type, value }) => type === "TemplateLiteral" || typeof value === "string");
      if (!isText) add(operator(node), other, node.start);
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

/** Throws on a syntax error. @param {string} code */
function stripTypes(code) {
  const warn = process.emitWarning;
  process.emitWarning = () => {}; // Node warns that it is experimental
  try {
    return stripTypeScriptTypes(code);
  } finally {
    process.emitWarning = warn;
  }
}

/** The changed source. @param {Mutant} mutant */
export function changedSource({ source, start, end, text }) {
  return source.slice(0, start) + text + source.slice(end);
}

/** Whether it is a program at all. @param {Mutant} mutant */
export function isSound(mutant) {
  try {
    stripTypes(changedSource(mutant));
    return true;
  } catch {
    return false;
  }
}

/** Where it is. @param {Mutant} mutant */
export function placeOf({ file, line }) {
  return `${file}:${line}`;
}

/** Where and what it is, in a line. @param {Mutant} mutant */
export function described(mutant) {
  const short = (/** @type {string} */ text) => text.replace(/\s+/g, " ").slice(0, 90);
  return `${placeOf(mutant)}  ${short(mutant.was)}  →  ${short(mutant.text) || "(left out)"}`;
}
