/**
 * Variables in a set-up document: `${NAME}` in any of its texts, `$$` for a dollar sign. One document then fits forty
 * hubs. A text that is only a variable may become a number, a boolean or null where the document has no text; from a
 * file of variables it may be anything.
 */
import type { TSchema } from "typebox";
import { Problem, type ProblemDetail } from "../../core/kernel/problem.ts";

/** Values by name: from a file any JSON value, from elsewhere texts. */
export type Variables = Readonly<Record<string, unknown>>;

const VARIABLE = /\$(?:\$|\{([^}]*)\}?)/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** A variable as a document writes it. */
export function variable(name: string): string {
  return `\${${name}}`;
}

/** A text escaped so that it comes out of a document unchanged. */
export function escaped(text: string): string {
  return text.replaceAll(/\$(?=[${])/g, "$$$$");
}

/**
 * The document with every variable filled in. `schema` shows where it takes no text.
 * @throws Problem `invalid_body` with each variable that has no value, and its place
 */
export function filledIn(document: unknown, variables: Variables, schema: TSchema): unknown {
  const mistakes: ProblemDetail[] = [];
  const fill = (value: unknown, place: string, shape: Shape | null): unknown => {
    if (typeof value === "string") return text(value, place, shape);
    if (Array.isArray(value))
      return value.map((entry, index) => fill(entry, `${place}/${index}`, shape?.items ?? null));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        fill(inner, `${place}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, memberOf(shape, name)),
      ]),
    );
  };
  const text = (value: string, place: string, shape: Shape | null): unknown => {
    const whole = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value)?.[1];
    if (whole !== undefined && whole in variables) return asWanted(variables[whole], shape);
    return value.replaceAll(VARIABLE, (found, name: string | undefined) => {
      if (name === undefined) return "$";
      if (!NAME.test(name) || !found.endsWith("}"))
        mistakes.push({
          field: place,
          code: "invalid",
          message: `${found} is no variable; a dollar sign before a brace is written $$`,
        });
      else if (!(name in variables))
        mistakes.push({ field: place, code: "unset", message: `the variable ${name} has no value` });
      else if (typeof variables[name] === "object")
        mistakes.push({
          field: place,
          code: "invalid",
          message: `the variable ${name} is no text and has to stand alone`,
        });
      return String(variables[name]);
    });
  };
  const filled = fill(document, "", schema as Shape); // plain JSON Schema
  const [first] = mistakes;
  if (first !== undefined)
    throw new Problem("invalid_body", `${first.field}: ${first.message}.`, { details: mistakes });
  return filled;
}

/** The parts of a JSON Schema that are used. */
interface Shape {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

function memberOf(shape: Shape | null, name: string): Shape | null {
  return (
    shape?.properties?.[name] ?? shape?.anyOf?.map((one) => memberOf(one, name)).find((one) => one !== null) ?? null
  );
}

/** A text as the number, boolean or null it denotes, where a text is not wanted. */
function asWanted(value: unknown, shape: Shape | null): unknown {
  const types = typesOf(shape);
  if (typeof value !== "string" || types.length === 0 || types.includes("string")) return value;
  return /^(?:-?\d+(?:\.\d+)?|true|false|null)$/.test(value) ? JSON.parse(value) : value;
}

function typesOf(shape: Shape | null): readonly string[] {
  return [...[shape?.type ?? []].flat(), ...(shape?.anyOf ?? []).flatMap(typesOf)];
}
