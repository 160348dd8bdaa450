/**
 * Timers fire early. Code that waits for a moment therefore leaves that to the Clock (`at`, `atWall`), which checks the
 * time when it is woken and waits on; a callback that compares clocks itself would do nothing and sleep forever.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PROJECT_ROOT } from "./support/database.ts";
import { isNode, type Node, syntaxTree, within } from "./support/syntax-tree.ts";

/** The only file that may compare clocks when a timer of Node has fired. */
const CLOCK = "src/core/kernel/clock.ts";
const READS_A_CLOCK = new Set(["now", "mono", "certain", "hrtime"]);
/** Timers of Node, and those of the Clock that take a delay. */
const NODE_TIMERS = new Set(["setTimeout", "setInterval"]);

/** The last name of a call: `#look` of `this.#look()`, `now` of `clock.now()`. */
function calledName(node: Node): string | null {
  const callee = node.callee;
  if (node.type !== "CallExpression" || !isNode(callee)) return null;
  const named = callee.type === "MemberExpression" ? callee.property : callee;
  return isNode(named) && typeof named.name === "string" ? named.name : null;
}

/** Names of the functions and methods of a file, and of constants, with their values. */
function functionsOf(program: Node): ReadonlyMap<string, Node> {
  const found = new Map<string, Node>();
  for (const node of within(program)) {
    const named = node.type === "MethodDefinition" ? node.key : node.type === "FunctionDeclaration" ? node.id : null;
    if (isNode(named) && typeof named.name === "string") found.set(named.name, node);
    const { id, init } = node;
    if (node.type === "VariableDeclarator" && isNode(id) && isNode(init) && isComputed(init))
      found.set(String(id.name), init);
  }
  return found;
}

/** Whether the value is a function or a difference, which may compare clocks where its name is used. */
function isComputed(node: Node): boolean {
  return /Function/.test(node.type) || (node.type === "BinaryExpression" && node.operator === "-");
}

/** Whether a node reads a clock, itself or in a function of the same file that it names. */
function readsClock(node: Node, functions: ReadonlyMap<string, Node>, seen = new Set<string>()): boolean {
  for (const each of within(node)) {
    const called = calledName(each);
    if (called !== null && READS_A_CLOCK.has(called)) return true;
    const name = called ?? (each.type === "Identifier" ? String(each.name) : null);
    const body = name === null || seen.has(name) ? undefined : functions.get(name);
    if (name === null || body === undefined) continue;
    seen.add(name);
    if (readsClock(body, functions, seen)) return true;
  }
  return false;
}

/** Violations of the rules in a source, one line each. */
function broken(path: string, text: string): string[] {
  const program = syntaxTree(text);
  const functions = functionsOf(program);
  const found: string[] = [];
  for (const node of within(program)) {
    const name = calledName(node);
    const [first, second] = Array.isArray(node.arguments) ? node.arguments : [];
    if (name === null || !isNode(first)) continue;
    const where = `${path}:${text.slice(0, node.start).split("\n").length}`;
    if (NODE_TIMERS.has(name) && readsClock(first, functions)) found.push(`${where}: the callback reads a clock`);
    const delay = NODE_TIMERS.has(name) ? second : name === "after" ? first : undefined;
    if (isNode(delay) && readsClock(delay, functions)) found.push(`${where}: a moment is turned into a delay`);
  }
  return found;
}

t.test("nothing but the Clock compares clocks when a timer fires, or turns a moment into a delay", async (t) => {
  const found: string[] = [];
  let files = 0;
  for (const folder of ["src", "firmware-bridge"])
    for (const file of readdirSync(join(PROJECT_ROOT, folder), { recursive: true, encoding: "utf8" })) {
      const path = `${folder}/${file}`;
      if (!file.endsWith(".ts") || file.endsWith(".d.ts") || path === CLOCK) continue;
      if (/\/console\//.test(path) || path.startsWith("src/client/")) continue; // browsers have other clocks
      files += 1;
      found.push(...broken(path, readFileSync(join(PROJECT_ROOT, path), "utf8")));
    }
  t.ok(files > 400, `${files} files checked`);
  t.same(found, []);
});

t.test("the rules detect their targets", async (t) => {
  const cases: readonly [string, string | null][] = [
    ["clock.after(dueAt - clock.now(), task)", "a moment is turned into a delay"],
    ["setTimeout(() => { if (performance.now() >= due) go(); }, 5)", "the callback reads a clock"],
    [
      "class A { #look() { return this.clock.mono() > 3; } arm() { setTimeout(() => this.#look(), 5); } }",
      "the callback reads",
    ],
    ["function look() { if (Date.now() > due) go(); } setInterval(look, 5)", "the callback reads a clock"],
    ["const left = () => due - clock.mono(); setTimeout(go, left())", "a moment is turned into a delay"],
    ["const wait = due - clock.mono(); clock.after(wait, go)", "a moment is turned into a delay"],
    ["clock.at(dueMono, task); clock.atWall(dueAt, () => { note(clock.now()); })", null],
    ["setTimeout(() => socket.destroy(), 5); clock.after(5, () => { note(clock.now()); })", null],
  ];
  for (const [text, expected] of cases) {
    const found = broken("a.ts", text);
    if (expected === null) t.same(found, [], text);
    else t.match(found.join("\n"), expected, text);
  }
});
