import { setImmediate } from "node:timers/promises";
import type { Ajv2020, ValidateFunction } from "ajv/dist/2020.js";
import type { TSchema } from "typebox";

/**
 * A schema that is compiled on first use, all at once for a caller that does not wait, or piece by piece for one that
 * does.
 */
export interface GradualSchema {
  /** Compiles it with other work served in between; null once it is compiled. */
  readonly ready: () => Promise<void> | null;
  /** The check; compiles what is not compiled yet. */
  readonly validate: () => ValidateFunction;
}

/**
 * Splits a schema's alternatives, so that each can be compiled by itself: a schema with twenty of them takes as long as
 * twenty, and blocks everything else. `definitions` are schemas that this one references by name. The `ajv` must have
 * `inlineRefs: false`.
 */
export function gradually(
  ajv: Ajv2020,
  schema: TSchema,
  definitions: Readonly<Record<string, TSchema>> = {},
): GradualSchema {
  let compiled: ValidateFunction | null = null;
  let compiling: Promise<void> | null = null;
  let added: { readonly whole: object; readonly names: readonly string[] } | null = null;
  const add = (): { readonly whole: object; readonly names: readonly string[] } => {
    if (added !== null) return added;
    const names: string[] = [];
    const pieces = new Map<string, object>();
    // the definitions belong to a few schemas: none of the others waits for them
    const named = JSON.stringify(schema).includes('"$ref"') ? Object.entries(definitions) : [];
    for (const [name, definition] of named) {
      if (ajv.schemas[name] !== undefined) continue; // another schema has brought it
      ajv.addSchema(inPieces(definition, ajv, pieces), name);
    }
    const whole = inPieces(schema, ajv, pieces);
    for (const [name, piece] of pieces) {
      ajv.addSchema(piece, name);
      names.push(name);
    }
    added = { whole, names };
    return added;
  };
  const compileInTurns = async (): Promise<void> => {
    const { whole, names } = add();
    for (const name of names) {
      ajv.getSchema(name);
      await setImmediate();
    }
    compiled ??= ajv.compile(whole);
  };
  return {
    ready: () => {
      if (compiled !== null) return null;
      compiling ??= compileInTurns();
      return compiling;
    },
    validate: () => {
      compiled ??= ajv.compile(add().whole);
      return compiled;
    },
  };
}

/** The schema with a reference in place of each alternative; the alternatives go into `pieces`, the innermost first. */
function inPieces(schema: object, ajv: Ajv2020, pieces: Map<string, object>): object {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== "object" || value === null) return value;
    const walked: Record<string, unknown> = Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, walk(member)]),
    );
    if (!Array.isArray(walked.oneOf)) return walked;
    const oneOf = walked.oneOf.map((alternative: object) => {
      if ("$ref" in alternative) return alternative;
      const name = `piece-${Object.keys(ajv.schemas).length}-${pieces.size}`;
      pieces.set(name, alternative);
      return { $ref: name };
    });
    return { ...walked, oneOf };
  };
  return walk(schema) as object; // an object stays one
}
