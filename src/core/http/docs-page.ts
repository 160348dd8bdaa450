import { createHash } from "node:crypto";
import type { TSchema } from "typebox";
import { PROBLEMS } from "../api/problems.ts";
import type { RouteExample, RouteSpec } from "../api/route.ts";
import { SCOPES } from "../api/scopes.ts";
import { docsGuide } from "./docs-guide.ts";
import { DOCS_STYLE } from "./docs-style.ts";
import { escapeHtml, prose, table } from "./html.ts";
import type { ApiInfo } from "./openapi.ts";
import type { Json } from "./openapi-schemas.ts";
import { problemsByStatus } from "./operation-problems.ts";
import { exampleOf, typeText } from "./schema-text.ts";

/** A page with the policy that lets a browser show it and nothing more. */
export interface DocsPage {
  readonly html: Buffer;
  readonly contentSecurityPolicy: string;
}

/**
 * The reference page: one self-contained document, made from the route definitions, with no script and nothing to load,
 * so that it works on a hub without internet. `document`: the OpenAPI description of the same routes.
 */
export function docsPage(routes: readonly RouteSpec[], info: ApiInfo, document: Json): DocsPage {
  const { schemas } = document.components as { schemas: Record<string, Json> }; // made by buildOpenApi
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  const sections = tags.map(
    (tag) =>
      `<h2 id="${anchor(tag)}">${escapeHtml(tag)}</h2>${routes
        .filter((route) => route.tag === tag)
        .map((route) => operation(route, schemas))
        .join("")}`,
  );
  const html = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(info.title)} ${escapeHtml(info.version)}</title><style>${DOCS_STYLE}</style></head>
<body><div class="frame">${navigation(routes, tags)}<main>
<h1>${escapeHtml(info.title)}</h1><p class="lead">Version ${escapeHtml(info.version)} · ${escapeHtml(info.summary)}</p>
${prose(info.description)}
<p>The machine-readable description is at <a href="/v1/openapi.json">/v1/openapi.json</a> (OpenAPI 3.1).</p>
${docsGuide()}${scopeTable()}
${sections.join("")}
<h2 id="objects">Objects</h2>${Object.entries(schemas)
    .map(([name, schema]) => object(name, schema))
    .join("")}
<h2 id="errors">Error codes</h2><article><div class="scroll">${table(
    ["Code", "Status", "Meaning"],
    Object.entries(PROBLEMS).map(([code, { status, meaning }]) => [
      `<code>${code}</code>`,
      String(status),
      escapeHtml(meaning),
    ]),
  )}</div></article>
</main></div></body></html>`;
  const hash = createHash("sha256").update(DOCS_STYLE).digest("base64");
  return {
    html: Buffer.from(html),
    contentSecurityPolicy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  };
}

function navigation(routes: readonly RouteSpec[], tags: readonly string[]): string {
  const links = (pairs: readonly (readonly [string, string])[]): string =>
    `<ul>${pairs.map(([id, text]) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`).join("")}</ul>`;
  const guide = links([
    ["authentication", "Authentication"],
    ["retries", "Retries and limits"],
    ["webhooks", "Webhooks"],
    ["scopes", "Scopes"],
    ["objects", "Objects"],
    ["errors", "Error codes"],
  ]);
  const groups = tags.map(
    (tag) =>
      `<section><h2>${escapeHtml(tag)}</h2>${links(routes.filter((route) => route.tag === tag).map((route) => [route.operationId, route.summary]))}</section>`,
  );
  return `<nav aria-label="Contents"><div class="groups"><section><h2>Guide</h2>${guide}</section>${groups.join("")}</div></nav>`;
}

function operation(route: RouteSpec, schemas: Readonly<Record<string, Json>>): string {
  const access =
    route.access.kind === "scope"
      ? route.access.scope === undefined
        ? "needs a key; its scopes decide what it is given"
        : `needs <code>${route.access.scope}</code>`
      : route.access.kind === "public"
        ? "needs no credential"
        : "needs a console session";
  const example = route.examples?.[0];
  return `<article id="${route.operationId}"><h3>${escapeHtml(route.summary)}</h3>
<div class="line"><span class="verb ${route.method}">${route.method}</span><code class="path">${escapeHtml(route.path)}</code><span class="scope">${access}${route.addition === true ? " · an addition beyond the contract" : ""}</span></div>
${prose(route.description ?? "")}
${parameters(route)}
${route.body ? `<h4>Body</h4>${shape(route.body)}` : ""}
<h4>Request</h4><pre><code>${escapeHtml(curl(route, example))}</code></pre>
${Object.entries(route.responses)
  .map(([status, response]) => answer(status, { response, example }, schemas))
  .join("")}
<details><summary>Errors</summary><div class="scroll">${table(
    ["Status", "Codes"],
    [...problemsByStatus(route)].map(([status, codes]) => [
      String(status),
      codes.map((code) => `<code>${code}</code>`).join(" "),
    ]),
  )}</div></details></article>`;
}

function parameters(route: RouteSpec): string {
  const rows = [
    ...fieldsOf(route.params).map(([name, schema]) => [name, "path", schema] as const),
    ...fieldsOf(route.query).map(([name, schema]) => [name, "query", schema] as const),
  ];
  if (rows.length === 0) return "";
  return `<h4>Parameters</h4><div class="scroll">${table(
    ["Name", "In", "Type", ""],
    rows.map(([name, place, schema]) => [
      `<code>${escapeHtml(name)}</code>`,
      place,
      typeText(schema),
      describe(schema),
    ]),
  )}</div>`;
}

function answer(
  status: string,
  shown: { readonly response: RouteSpec["responses"][number]; readonly example: RouteExample | undefined },
  schemas: Readonly<Record<string, Json>>,
): string {
  const { response, example } = shown;
  // TypeBox objects are plain JSON Schema
  const value = example?.answer ?? (response.schema ? exampleOf(response.schema as Json, schemas) : undefined);
  const body = response.schema
    ? `<pre><code>${escapeHtml(JSON.stringify(value, null, 2))}</code></pre>`
    : `<p class="dim">${escapeHtml(response.contentType ?? "no body")}</p>`;
  return `<h4>${status} · ${escapeHtml(response.description)}</h4>${body}`;
}

function object(name: string, schema: Json): string {
  // components are JSON Schema
  return `<article id="object-${anchor(name)}"><h3>${escapeHtml(name)}</h3>${prose(String(schema.description ?? ""))}${shape(schema as TSchema)}</article>`;
}

/** The members of an object schema as a table, or its variants as links. */
function shape(schema: TSchema): string {
  const {
    oneOf = [],
    required = [],
    additionalProperties,
  } = schema as { oneOf?: Json[]; required?: string[]; additionalProperties?: unknown }; // plain JSON Schema
  const rows = fieldsOf(schema);
  if (rows.length > 0) {
    return `<div class="scroll">${table(
      ["Field", "Type", ""],
      rows.map(([field, property]) => [
        `<code>${escapeHtml(field)}</code>`,
        `${typeText(property)}${required.includes(field) ? "" : ' <span class="dim">optional</span>'}`,
        describe(property),
      ]),
    )}</div>`;
  }
  // variants are JSON Schema
  if (oneOf.length > 0) return `<p>One of ${oneOf.map((variant) => typeText(variant as TSchema)).join(", ")}.</p>`;
  return `<p class="dim">${additionalProperties === true ? "Any JSON object." : typeText(schema)}</p>`;
}

function fieldsOf(schema: TSchema | undefined): [string, TSchema][] {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, TSchema> }; // plain JSON Schema
  return Object.entries(properties);
}

function describe(schema: TSchema): string {
  const { description, default: byDefault, minimum, maximum, maxLength } = schema as Json; // plain JSON Schema
  const bounds = [
    minimum !== undefined && maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER
      ? `${String(minimum)} to ${String(maximum)}.`
      : "",
    maxLength === undefined ? "" : `At most ${String(maxLength)} characters.`,
    byDefault === undefined ? "" : `Default <code>${escapeHtml(String(byDefault))}</code>.`,
  ];
  return [prose(String(description ?? ""), false), ...bounds].filter((part) => part !== "").join(" ");
}

function scopeTable(): string {
  const rows = Object.entries(SCOPES).map(([scope, grants]) => [`<code>${scope}</code>`, escapeHtml(grants)]);
  return `<h2 id="scopes">Scopes</h2><article><p>A scope implies no other.</p><div class="scroll">${table(["Scope", "Grants"], rows)}</div></article>`;
}

function curl(route: RouteSpec, example: RouteExample | undefined): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(example?.params?.[name] ?? (name === "id" ? 1 : name)),
  );
  const lines = [`curl ${route.method === "GET" ? "" : `-X ${route.method} `}http://gatehouse.local:8080${path}`];
  if (route.access.kind === "scope") lines.push('-H "Authorization: Bearer $KEY"');
  if (route.body) lines.push(`-H "Content-Type: application/json"`, `-d '${JSON.stringify(example?.body ?? {})}'`);
  if (route.responses[200]?.contentType === "image/jpeg") lines.push("-o plate.jpg");
  return lines.join(" \\\n  ");
}

function anchor(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-");
}
