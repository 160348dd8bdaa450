/** Syntax trees of sources, for tests that hold rules of style. */
import { parseAst } from "rolldown/parseAst";

/** A node of the syntax tree, of any kind. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** The tree of a source. @throws Error if it cannot be parsed */
export function syntaxTree(text: string): Node {
  const program: unknown = parseAst(text, { lang: "ts" });
  if (!isNode(program)) throw new Error("the source cannot be parsed");
  return program;
}

/** Whether a field of a node is a node. */
export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string";
}

/** The nodes among the fields of a node. */
export function childrenOf(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode);
}

/** A node and all below it. */
export function* within(node: Node): Generator<Node> {
  yield node;
  for (const child of childrenOf(node)) yield* within(child);
}
