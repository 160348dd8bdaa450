/**
 * How the automation resource's unions are written: variants distinguished by `type`, comparisons within them by `op`.
 */
import { type TSchema, Type } from "typebox";

/** One of some words. */
export function oneWord<const Word extends string>(words: readonly Word[], description: string): TSchema {
  return Type.Unsafe<Word>({ type: "string", enum: [...words], description });
}

/** One member of a union: an object with its `type`. */
export function variant(title: string, type: string, members: Record<string, TSchema>, description: string): TSchema {
  return Type.Object({ type: Type.Literal(type), ...members }, { title, description, additionalProperties: false });
}

/** A union whose members are distinguished by `type`. */
export function unionByType<Value>(
  title: string,
  variants: readonly TSchema[],
  description: string,
): ReturnType<typeof Type.Unsafe<Value>> {
  return Type.Unsafe<Value>({
    type: "object",
    title,
    description,
    required: ["type"],
    discriminator: { propertyName: "type" },
    oneOf: [...variants],
  });
}

/** An object whose `op` determines whether it has a `value`, and of what kind. */
export function comparison(
  title: string,
  type: string,
  by: { members: Record<string, TSchema>; kinds: readonly OperatorKind[]; description: string },
): TSchema {
  const whole = { type: Type.Literal(type), ...by.members };
  const variants = by.kinds.map(({ name, words, value, description }) =>
    Type.Object(
      { ...whole, op: oneWord(words, description), ...(value === null ? {} : { value }) },
      { title: `${title}${name}`, additionalProperties: false },
    ),
  );
  return Type.Unsafe({
    type: "object",
    title,
    description: by.description,
    properties: { type: Type.Literal(type) },
    required: ["type", "op"],
    discriminator: { propertyName: "op" },
    oneOf: variants,
  });
}

/** Operators that take the same kind of value; null: none. */
interface OperatorKind {
  readonly name: string;
  readonly words: readonly string[];
  readonly value: TSchema | null;
  readonly description: string;
}

/** Comparisons of a value with another. */
export const LEVEL_KINDS: readonly OperatorKind[] = [
  {
    name: "Equality",
    words: ["eq", "ne", "contains"],
    value: Type.Unknown({ description: "Any JSON value." }),
    description: "Equal, not equal, or contained.",
  },
  {
    name: "Order",
    words: ["gt", "gte", "lt", "lte"],
    value: Type.Number(),
    description: "Greater or less than a number.",
  },
  { name: "Choice", words: ["in"], value: Type.Array(Type.Unknown()), description: "One of a list." },
];
/** Comparisons of a value with nothing: their words are the place's own. */
export const TRUTH = {
  name: "Truth",
  value: null,
  description: "Whether the value counts as true; takes no `value`.",
} as const;
