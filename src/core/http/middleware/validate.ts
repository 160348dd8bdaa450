import type { ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { TSchema } from "typebox";
import { type GradualSchema, gradually } from "../../api/compile-in-turns.ts";
import { QUICKLY_COMPILED } from "../../api/quickly-compiled.ts";
import { refusalValues } from "../../api/refusal-values.ts";
import { fieldRefused, type ProblemDetail } from "../../kernel/problem.ts";

/** ajv's keyword → the code of a field error; a test holds the schemas to these. */
export const DETAIL_CODES: Readonly<Record<string, string>> = {
  required: "required",
  additionalProperties: "unknown_field",
  type: "wrong_type",
  enum: "not_allowed",
  const: "not_allowed",
  minLength: "too_short",
  maxLength: "too_long",
  minimum: "out_of_range",
  maximum: "out_of_range",
  exclusiveMinimum: "out_of_range",
  exclusiveMaximum: "out_of_range",
  minItems: "too_few",
  maxItems: "too_many",
  uniqueItems: "duplicate",
  pattern: "bad_format",
  format: "bad_format",
  minProperties: "empty",
  discriminator: "unknown_type",
};
const MOST_DETAILS = 10;
const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Whether `text` is a date-time with an offset on a day that exists (RFC 3339; a leap second is taken as the second
 * before).
 */
export function isDateTime(text: string): boolean {
  const parts = DATE_TIME.exec(text);
  if (!parts) return false;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]; // six groups of digits
  const daysInMonth = month >= 1 && month <= 12 ? new Date(Date.UTC(year, month, 0)).getUTCDate() : 0;
  return day >= 1 && day <= daysInMonth && hour < 24 && minute < 60 && second < 60;
}

/** A schema's check: null when `value` holds, else what is wrong with it, field by field. */
export interface Check {
  (value: unknown): readonly ProblemDetail[] | null;
  /**
   * Makes the first check cheap: compiles the schema in steps, with other requests served in between; null if that has
   * been done.
   */
  readonly ready: () => Promise<void> | null;
}

/**
 * Compiles schemas on first use, each once. Two instances: parameters get their defaults filled in, bodies are never
 * touched.
 */
export class SchemaChecks {
  readonly #parameters = ajv(true);
  readonly #bodies = ajv(false);
  readonly #definitions;
  readonly #ofParameters = new WeakMap<TSchema, Check>();
  readonly #ofBodies = new WeakMap<TSchema, Check>();

  /** `definitions` are schemas that bodies refer to by name (`{ $ref: "AutomationAction" }`). */
  constructor(definitions: Readonly<Record<string, TSchema>> = {}) {
    this.#definitions = definitions;
  }

  parameters(schema: TSchema): Check {
    const known = this.#ofParameters.get(schema);
    if (known !== undefined) return known;
    const field = (error: ErrorObject): string => error.instancePath.slice(1) || nameIn(error);
    const check = checkOf(gradually(this.#parameters, schema), field);
    this.#ofParameters.set(schema, check);
    return check;
  }

  body(schema: TSchema, definitions = this.#definitions): Check {
    const known = this.#ofBodies.get(schema);
    if (known !== undefined) return known;
    const check = checkOf(gradually(this.#bodies, schema, definitions), pointerOf);
    this.#ofBodies.set(schema, check);
    return check;
  }
}

/** The checks of the API's routes, whose schemas are the same for every server of a process. */
export const API_CHECKS = new SchemaChecks();

/** Where in a body an error is, as a JSON pointer. */
function pointerOf(error: ErrorObject): string {
  const name = nameIn(error);
  return name === "" ? error.instancePath : `${error.instancePath}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function ajv(useDefaults: boolean): Ajv2020 {
  const strictly = { strict: true, allowUnionTypes: true, strictRequired: false };
  const instance = new Ajv2020({ allErrors: true, useDefaults, discriminator: true, ...strictly, ...QUICKLY_COMPILED });
  instance.addFormat("date-time", isDateTime);
  instance.addFormat("uri", (text: string) => URL.canParse(text));
  instance.addFormat("password", true); // a hint for forms, no rule
  instance.addKeyword("x-text");
  instance.addKeyword("x-from-link");
  return instance;
}

function checkOf({ ready, validate }: GradualSchema, field: (error: ErrorObject) => string): Check {
  const check = (value: unknown): readonly ProblemDetail[] | null => {
    const holds = validate();
    return holds(value) ? null : distinct(holds.errors ?? [], field);
  };
  return Object.assign(check, { ready });
}

function distinct(errors: readonly ErrorObject[], field: (error: ErrorObject) => string): ProblemDetail[] {
  const details = new Map<string, ProblemDetail>();
  for (const error of errors) {
    // their branches give details
    if (error.keyword === "anyOf" || error.keyword === "oneOf" || error.keyword === "if") continue;
    const detail = {
      field: field(error),
      code: DETAIL_CODES[error.keyword] ?? "invalid",
      message: sentence(error),
      ...refusalValues(error),
    };
    if (details.size < MOST_DETAILS) details.set(`${detail.field} ${detail.code}`, detail);
  }
  return details.size > 0 ? [...details.values()] : [fieldRefused("", "invalid", { code: "refusal.noShape" })];
}

/** Name of the member that an error is about, without a pointer to it. */
function nameIn(error: ErrorObject): string {
  const params: Record<string, unknown> = error.params;
  if (error.keyword === "required") return String(params.missingProperty);
  if (error.keyword === "additionalProperties") return String(params.additionalProperty);
  if (error.keyword === "discriminator") return String(params.tag);
  return "";
}

function sentence(error: ErrorObject): string {
  const params: Record<string, unknown> = error.params;
  if (error.keyword === "required") return "is required";
  if (error.keyword === "additionalProperties") return "is not a field of this request";
  if (error.keyword === "pattern" && error.schemaPath.endsWith("pattern"))
    return "has characters or a form that are not allowed";
  if (error.keyword === "enum" && Array.isArray(params.allowedValues))
    return `must be one of ${params.allowedValues.map(String).join(", ")}`;
  if (error.keyword === "format" && params.format === "date-time")
    return "must be a date-time with an offset, such as 2026-03-01T12:00:00Z";
  if (error.keyword === "discriminator") return "is not a type that exists here";
  if (error.keyword === "minProperties") return "must have at least one field";
  return error.message ?? "is not valid";
}
