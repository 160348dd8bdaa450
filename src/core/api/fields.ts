/**
 * The building blocks of the API's resources: how ids, times, nullable values and lists of words are described. Values
 * in, JSON Schema 2020-12 out. Must never know a resource.
 */
import { type Static, type TSchema, Type } from "typebox";

/** A schema as plain data: what TypeBox leaves after its type-level work. */
type SchemaData = TSchema & { readonly type?: string; readonly enum?: readonly unknown[]; readonly title?: string };

/**
 * Text that a person typed: trimmed, no control characters, counted in code points. The body reader trims what carries
 * `x-text`.
 */
export function text(
  maxLength: number,
  options: { description?: string; minLength?: number; examples?: string[] } = {},
) {
  return Type.String({ minLength: 1, ...options, maxLength, pattern: NO_CONTROL_CHARACTERS, "x-text": true });
}

/** Refuses C0, DEL and C1 in one place: they break logs, labels and terminals. */
const NO_CONTROL_CHARACTERS = "^[^\\u0000-\\u001f\\u007f-\\u009f]*$";

/** ISO 8601 with an offset; answers are always UTC with milliseconds and `Z`. */
export function dateTime(options: { description?: string; examples?: string[] } = {}) {
  return Type.String({ format: "date-time", examples: ["2026-03-01T12:00:00.000Z"], ...options });
}

/** A time of the day on a wall clock, `HH:MM`. */
export function clockTime(description: string) {
  return Type.String({ pattern: "^([01]\\d|2[0-3]):[0-5]\\d$", description, examples: ["07:00"] });
}

/** The same value, or null. Keeps a titled schema whole (it becomes a component of its own). */
export function nullable<Schema extends TSchema>(schema: Schema, options: { description?: string } = {}) {
  const data: SchemaData = schema;
  if (data.type === undefined || data.title !== undefined)
    return Type.Unsafe<Static<Schema> | null>({ anyOf: [schema, { type: "null" }], ...options });
  const words = data.enum ? { enum: [...data.enum, null] } : {};
  return Type.Unsafe<Static<Schema> | null>({ ...schema, ...words, type: [data.type, "null"], ...options });
}

/** One of a closed list of words. */
export function oneOf<const Words extends readonly string[]>(
  words: Words,
  options: { description?: string; default?: Words[number]; examples?: Words[number][] } = {},
) {
  return Type.Unsafe<Words[number]>({ type: "string", enum: [...words], ...options });
}

/** A JSON object whose keys the product defines; `Shape` is what is known about it where it is used. */
export function freeObject<Shape extends object = { [key: string]: unknown }>(
  options: { description?: string; examples?: object[] } = {},
) {
  return Type.Unsafe<Shape>({ type: "object", additionalProperties: true, ...options });
}

/** The English text beside it, as a code with values. */
export function words() {
  return Type.Optional(
    freeObject({
      description:
        "What the text says, as a code with values, for pages in other languages. Absent where there is none.",
    }),
  );
}

/**
 * The integer id of an object. In a path, anything but a positive integer is answered like an id that does not exist.
 */
export function integerId(options: { description?: string; examples?: number[] } = {}) {
  return Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, ...options });
}

/** Page size of a list: out of range is 400, never clamped. */
export function limit(maximum: number, byDefault: number) {
  return Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum,
      default: byDefault,
      description: "Most items in one answer. Out of range is 400; nothing is clamped.",
    }),
  );
}

/** Only items at or after this moment. */
export const since = Type.Optional(
  Type.String({
    format: "date-time",
    description:
      "Only items at or after this moment (inclusive). Needs an offset: `2026-03-01T12:00:00Z` or `…+05:30` (percent-encode the plus sign).",
  }),
);

/**
 * Where the previous page ended. Left out of the OpenAPI parameters: clients follow links, they do not build cursors.
 */
export const cursor = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 200,
    "x-from-link": true,
    description:
      'Opaque position from the `Link: <…>; rel="next"` header of the previous answer. Follow the link; do not build it.',
  }),
);

/** The members of a closed object: an unknown field is refused. */
export const closed = { additionalProperties: false } as const;
