/** Finds functions that only hand their arguments on to another, where the other's class could have been given. */
import { childrenOf, isNode, type Node, syntaxTree } from "./syntax-tree.ts";

/** What may stand between a property and the call that the object is given to. */
const TRANSPARENT = new Set([
  "ObjectExpression",
  "Property",
  "SpreadElement",
  "ConditionalExpression",
  "LogicalExpression",
  "TSAsExpression",
  "TSSatisfiesExpression",
]);

/**
 * Functions in a source that do nothing but forward, one line each: those in an object given to a function or
 * constructor, and arguments of constructors.
 */
export function forwardingFunctions(path: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: Node, above: readonly Node[]): void => {
    if (isGiven(node, above) && forwards(node, text)) {
      const line = text.slice(0, node.start).split("\n").length;
      found.push(`${path}:${line} ${text.slice(node.start, node.end).replace(/\s+/g, " ")}`);
    }
    for (const child of childrenOf(node)) visit(child, [...above, node]);
  };
  visit(syntaxTree(text), []);
  return found;
}

/** Whether a node is an argument of a constructor, or a property of an object given to a function or constructor. */
function isGiven(node: Node, above: readonly Node[]): boolean {
  const parent = above.at(-1);
  if (parent?.type === "NewExpression") return parent.callee !== node && nameOf(parent.callee) !== "Promise";
  if (parent?.type !== "Property" || parent.value !== node) return false;
  const given = above.findLast(({ type }) => !TRANSPARENT.has(type));
  return given?.type === "CallExpression" || given?.type === "NewExpression";
}

function forwards(node: Node, text: string): boolean {
  if (node.type === "CallExpression") return bindsItsOwner(node, text);
  if (node.type !== "ArrowFunctionExpression" && node.type !== "FunctionExpression") return false;
  const call = onlyCall(node);
  if (call === null) return false;
  const taken = nodesOf(node.params).map(nameOf);
  const passed = nodesOf(call.arguments).map(nameOf);
  if (taken.length !== passed.length || taken.some((name, at) => name === null || name !== passed[at])) return false;
  const { callee } = call;
  // Without parameters only another object's method counts: `() => #next()` is a choice of its own.
  return taken.length > 0 || (isNode(callee) && isNode(callee.object) && callee.object.type !== "ThisExpression");
}

/** `x.y.bind(x)`. */
function bindsItsOwner({ callee, arguments: given }: Node, text: string): boolean {
  if (!isNode(callee) || nameOf(callee.property) !== "bind" || !isNode(callee.object)) return false;
  const [first] = nodesOf(given);
  const owner = callee.object.object;
  const of = (node: Node): string => text.slice(node.start, node.end);
  return first !== undefined && isNode(owner) && of(first) === of(owner);
}

/** The call that is all a function does, or null. */
function onlyCall({ body }: Node): Node | null {
  let node = body;
  if (isNode(node) && node.type === "BlockStatement") {
    const [first, ...others] = nodesOf(node.body);
    if (others.length > 0) return null;
    node = first?.type === "ReturnStatement" ? first.argument : first?.expression;
  }
  while (
    isNode(node) &&
    (node.type === "AwaitExpression" || (node.type === "UnaryExpression" && node.operator === "void"))
  )
    node = node.argument;
  return isNode(node) && node.type === "CallExpression" ? node : null;
}

function nodesOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The name of an identifier, with dots before that of a rest or spread; null for anything else. */
function nameOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === "Identifier") return String(node.name);
  const isSpread = node.type === "RestElement" || node.type === "SpreadElement";
  return isSpread && isNode(node.argument) && node.argument.type === "Identifier" ? `...${node.argument.name}` : null;
}
