import type { TSchema } from "typebox";
import { escapeHtml } from "./html.ts";
import type { Json } from "./openapi-schemas.ts";

const PREFIX = "#/components/schemas/";

/** A schema's type in a few words of HTML; named schemas are links to their place on the page. */
export function typeText(schema: TSchema): string {
  const data = schema as Json; // TypeBox objects are plain JSON Schema
  const name = nameOf(data);
  if (name !== null) return `<a href="#object-${name.toLowerCase()}">${escapeHtml(name)}</a>`;
  const words = data.enum ?? (data.const === undefined ? undefined : [data.const]);
  if (Array.isArray(words)) return words.map((word) => `<code>${escapeHtml(String(word))}</code>`).join(" ");
  const branches = data.anyOf ?? data.oneOf;
  // branches are schemas
  if (Array.isArray(branches)) return branches.map((branch) => typeText(branch as TSchema)).join(" or ");
  if (data.type === "array") return `array of ${typeText((data.items ?? {}) as TSchema)}`; // items is a schema
  const types = (Array.isArray(data.type) ? data.type : [data.type ?? "any value"]).map(String);
  return types
    .map((type) => (type === "string" && data.format !== undefined ? String(data.format) : type))
    .join(" or ");
}

/** A value that fits the schema, for pages; named schemas are looked up in `schemas`. */
export function exampleOf(schema: Json, schemas: Readonly<Record<string, Json>>, depth = 0): unknown {
  const named = typeof schema.$ref === "string" ? schemas[schema.$ref.slice(PREFIX.length)] : undefined;
  if (named) return depth > 6 ? {} : exampleOf(named, schemas, depth + 1);
  const given = schema.examples;
  if (Array.isArray(given)) return given[0];
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const branches = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(branches)) return exampleOf(branches[0] as Json, schemas, depth + 1); // branches are schemas
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === "object") {
    const properties = (schema.properties ?? {}) as Record<string, Json>; // properties are schemas
    return Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, exampleOf(property, schemas, depth + 1)]),
    );
  }
  // items is a schema
  if (type === "array") return depth > 6 ? [] : [exampleOf((schema.items ?? {}) as Json, schemas, depth + 1)];
  return SCALARS[String(type)] ?? null;
}

const SCALARS: Readonly<Record<string, unknown>> = { string: "text", integer: 1, number: 1, boolean: true };

function nameOf(data: Json): string | null {
  if (typeof data.$ref === "string") return data.$ref.slice(data.$ref.lastIndexOf("/") + 1);
  return typeof data.title === "string" ? data.title : null;
}
