import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import t from "tap";
import { WEBHOOKS } from "../../src/core/api/resources/webhook-delivery.ts";
import type { RouteSpec } from "../../src/core/api/route.ts";
import { TAGS } from "../../src/core/api/tags.ts";
import { WEBHOOK_EVENTS } from "../../src/core/api/webhook-events.ts";
import { SchemaChecks } from "../../src/core/http/middleware/validate.ts";
import { AUTOMATION_DEFINITIONS, AutomationInput } from "../../src/features/automations/resources/automation.ts";

const folder = join(import.meta.dirname, "../../src/features");
const modules = await Promise.all(
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /^[\w-]+\/api\/[\w-]+\.ts$/.test(file))
    .map(async (file) => Object.values((await import(join(folder, file))) as Record<string, unknown>)),
);
const routes = modules
  .flat(2)
  .filter(
    (value): value is RouteSpec =>
      typeof value === "object" && value !== null && "operationId" in value && "method" in value,
  );

t.test("every schema of every route compiles, so that no request is the first to find out", async (t) => {
  t.ok(routes.length >= 24, `${routes.length} routes`);
  const checks = new SchemaChecks(AUTOMATION_DEFINITIONS);
  for (const route of routes) {
    if (route.params) checks.parameters(route.params)({});
    if (route.query) checks.parameters(route.query)({});
    if (route.body) checks.body(route.body)({});
    for (const { schema } of Object.values(route.responses)) if (schema) checks.body(schema)({});
  }
  t.pass("all compiled");
});

t.test("every schema satisfies the meta-schema, which the hub does not check when compiling", async (t) => {
  const meta = new Ajv2020({ strict: false });
  const schemas = routes.flatMap(({ params, query, body, responses }) => [
    params,
    query,
    body,
    ...Object.values(responses).map(({ schema }) => schema),
  ]);
  const wrong = [...schemas, AutomationInput, ...Object.values(AUTOMATION_DEFINITIONS)].filter(
    (schema) => schema && meta.validateSchema(schema) !== true,
  );
  t.same(wrong, []);
  t.notOk(meta.validateSchema({ type: "objekt" }), "a violation would be found");
});

t.test("parameters are scalars, and every placeholder of a path is described", async (t) => {
  for (const { path, params, query, operationId } of routes) {
    const names = (schema: unknown): Record<string, { type?: unknown }> =>
      // plain JSON Schema
      (schema as { properties?: Record<string, { type?: unknown }> } | undefined)?.properties ?? {};
    const placeholders = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    t.same(Object.keys(names(params)), placeholders, operationId);
    for (const [name, { type }] of Object.entries({ ...names(params), ...names(query) }))
      t.match(type, /^(string|integer|number|boolean)$/, `${operationId} ${name}`);
  }
});

t.test("operation ids, and method with path, are distinct", async (t) => {
  t.equal(new Set(routes.map(({ operationId }) => operationId)).size, routes.length);
  t.equal(new Set(routes.map(({ method, path }) => `${method} ${path}`)).size, routes.length);
});

t.test("every example is valid: its body and its response fit their schemas", async (t) => {
  const checks = new SchemaChecks(AUTOMATION_DEFINITIONS);
  for (const { operationId, body, responses, examples = [] } of routes) {
    for (const example of examples) {
      if (body && example.body !== undefined)
        t.equal(checks.body(body)(example.body), null, `${operationId} ${example.name} body`);
      const schema = responses[example.status]?.schema;
      if (schema && example.answer !== undefined)
        t.equal(checks.body(schema)(example.answer), null, `${operationId} ${example.name} answer`);
    }
  }
});

t.test("every example of a delivery is valid", async (t) => {
  const checks = new SchemaChecks(AUTOMATION_DEFINITIONS);
  for (const { event, schema, example } of WEBHOOKS) t.equal(checks.body(schema)(example), null, event);
  t.same(
    WEBHOOKS.map(({ event }) => event),
    WEBHOOK_EVENTS,
  );
});

t.test("every tag of a route is explained", async (t) => {
  for (const { tag, operationId } of routes) t.ok(TAGS[tag], `${operationId}: ${tag}`);
});
