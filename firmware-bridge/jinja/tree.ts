/** The parts of a parsed template, and the one error of parsing and evaluation. */

/** Why a template is unusable, or yielded no value this time. */
export class TemplateError extends Error {
  /**
   * `template`: it can never be evaluated (syntax, or an unsupported feature). `missing`: this message lacks a required
   * member. `limit`: it exceeded its work or memory.
   */
  readonly kind: "template" | "missing" | "limit";

  constructor(kind: "template" | "missing" | "limit", message: string) {
    super(message);
    this.kind = kind;
  }
}

/** An argument of a filter or call; `name` for a keyword argument. */
export interface Argument {
  readonly name: string | null;
  readonly value: Expression;
}

/** An expression; evaluated by walking, never turned into code. */
export type Expression =
  | { readonly type: "literal"; readonly value: string | number | boolean | null }
  | { readonly type: "name"; readonly name: string }
  | { readonly type: "list"; readonly members: readonly Expression[] }
  | { readonly type: "dict"; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly type: "member"; readonly of: Expression; readonly key: Expression }
  | {
      readonly type: "slice";
      readonly of: Expression;
      readonly from: Expression | null;
      readonly to: Expression | null;
    }
  | { readonly type: "filter"; readonly name: string; readonly of: Expression; readonly args: readonly Argument[] }
  | { readonly type: "method"; readonly name: string; readonly of: Expression; readonly args: readonly Argument[] }
  | { readonly type: "call"; readonly name: string; readonly args: readonly Argument[] }
  | {
      readonly type: "test";
      readonly name: string;
      readonly of: Expression;
      readonly args: readonly Argument[];
      readonly negated: boolean;
    }
  | { readonly type: "not"; readonly of: Expression }
  | { readonly type: "negative"; readonly of: Expression }
  | {
      readonly type: "binary";
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly type: "choice";
      readonly when: Expression;
      readonly chosen: Expression;
      readonly otherwise: Expression | null;
    };

/** Operators between two operands. */
export type BinaryOperator =
  | "or"
  | "and"
  | "=="
  | "!="
  | "<"
  | ">"
  | "<="
  | ">="
  | "in"
  | "not in"
  | "+"
  | "-"
  | "~"
  | "*"
  | "/"
  | "//"
  | "%"
  | "**";

/** A piece of a template. */
export type Piece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "output"; readonly value: Expression }
  /** `member`: of a namespace of that name; null: the name itself is set. */
  | { readonly type: "set"; readonly name: string; readonly member: string | null; readonly value: Expression }
  | {
      readonly type: "if";
      readonly branches: readonly { readonly when: Expression | null; readonly body: readonly Piece[] }[];
    }
  | {
      readonly type: "for";
      readonly names: readonly string[];
      readonly over: Expression;
      /** Members for which it is false are left out; null: none is. */
      readonly when: Expression | null;
      readonly body: readonly Piece[];
      /** Instead of the body if no member is left. */
      readonly otherwise: readonly Piece[];
    };
