// @ts-check
/**
 * The types of `@gatehouse/client`, generated from the description of /v1, which is generated from the hub's own
 * definitions. scripts/generate-docs.mjs writes them to src/client/types.d.ts; a test compares.
 */

/**
 * The parts of OpenAPI's JSON Schema that this reads.
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {unknown} [const]
 * @property {unknown[]} [enum]
 * @property {Schema[]} [anyOf]
 * @property {Schema[]} [oneOf]
 * @property {string | string[]} [type]
 * @property {string} [format]
 * @property {string} [description]
 * @property {Schema} [items]
 * @property {Record<string, Schema>} [properties]
 * @property {string[]} [required]
 * @property {boolean | Schema} [additionalProperties]
 * @property {Schema} [contentSchema]
 * @property {unknown[]} [examples]
 * @property {number} [minimum]
 * @property {number} [maximum]
 */

/**
 * @typedef {{ schema?: Schema }} Content
 * @typedef {{ content?: Record<string, Content>, "x-problem-codes"?: string[] }} Answer
 * @typedef {object} Operation
 * @property {string} operationId
 * @property {{ name: string, in: string, schema: Schema }[]} [parameters]
 * @property {{ content: Record<string, Content> }} [requestBody]
 * @property {Record<string, Answer>} responses
 */

/**
 * @typedef {object} Description
 * @property {Record<string, Record<string, Operation>>} paths
 * @property {Record<string, { post: Operation }>} webhooks
 * @property {{ schemas: Record<string, Schema> }} components
 */

/** TypeScript for an OpenAPI document. @param {Description} document */
export function clientTypes(document) {
  const { schemas } = document.components;
  const declared = Object.entries(schemas).map(([name, schema]) => declaration(nameOf(name), schema));
  const stream =
    document.paths["/v1/stream"]?.get?.responses["200"]?.content?.["text/event-stream"]?.schema?.contentSchema?.anyOf ??
    [];
  const posted = Object.values(document.webhooks).map(
    ({ post }) => post.requestBody?.content["application/json"]?.schema ?? {},
  );
  const codes = Object.values(document.paths).flatMap((place) =>
    Object.values(place).flatMap(({ responses }) =>
      Object.values(responses).flatMap((response) => response["x-problem-codes"] ?? []),
    ),
  );
  return [
    "// Made from the description of /v1 by scripts/generate-docs.mjs: do not edit.",
    ...declared,
    `/** An event of \`GET /v1/stream\`. */\nexport type HubEvent = ${union(stream.map((schema) => typeOf(schema)))};`,
    `/** What is posted to a receiver. */\nexport type WebhookDelivery = ${union(posted.map((schema) => typeOf(schema)))};`,
    `/** Every code that the hub refuses with. */\nexport type ProblemCode = ${union([...new Set(codes)].sort().map((code) => JSON.stringify(code)))};`,
    "",
  ].join("\n\n");
}

/** `Error` is taken in every language. @param {string} component */
function nameOf(component) {
  return component === "Error" ? "ErrorBody" : component;
}

/** @param {string} name @param {Schema} schema */
function declaration(name, schema) {
  const about = comment(schema.description, "");
  return isObject(schema)
    ? `${about}export interface ${name} ${members(schema, "")}`
    : `${about}export type ${name} = ${typeOf(schema)};`;
}

/** @param {Schema} schema */
function isObject({ type, properties }) {
  return type === "object" && properties !== undefined;
}

/** @param {Schema} schema @returns {string} */
function typeOf(schema, indent = "") {
  if (schema.$ref) return nameOf(schema.$ref.split("/").at(-1) ?? "");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((word) => JSON.stringify(word)));
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return union(variants.map((variant) => typeOf(variant, indent)));
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, indent)));
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "integer":
    case "number":
      return "number";
    case "array": {
      const item = typeOf(schema.items ?? {}, indent);
      return /[|& ]/.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
    }
    case "object":
      return isObject(schema) ? members(schema, indent) : "{ [key: string]: unknown }";
    default:
      return "unknown";
  }
}

/** @param {Schema} schema @param {string} indent */
function members({ properties = {}, required = [], additionalProperties }, indent) {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description, inner)}${inner}${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? "" : "?"}: ${typeOf(schema, inner)};`,
  );
  if (additionalProperties === true) lines.push(`${inner}[key: string]: unknown;`);
  return `{\n${lines.join("\n")}\n${indent}}`;
}

/** @param {string[]} types */
function union(types) {
  return [...new Set(types)].join(" | ");
}

/** @param {string | undefined} text @param {string} indent */
function comment(text, indent) {
  return text === undefined || text === ""
    ? ""
    : `${indent}/** ${text.replaceAll("*/", "* /").replaceAll("\n", " ")} */\n`;
}
