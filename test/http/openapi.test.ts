import { Validator } from "@seriousme/openapi-schema-validator";
import t from "tap";
import { Type } from "typebox";
import { defineRoute } from "../../src/contract/route.js";
import { buildOpenApi } from "../../src/http/openapi.js";
import { ApiHub } from "../support/api-hub.js";

const hub = await ApiHub.open(t.testdir());
t.teardown(() => hub.close());
const { status, headers, body: document } = await hub.api.get("/v1/openapi.json");

t.test("the description is valid OpenAPI 3.1 of version 1.0.0, public and cacheable by its ETag", async (t) => {
  t.equal(status, 200);
  t.match(document, { openapi: "3.1.0", info: { version: "1.0.0" } });
  const verdict = await new Validator().validate(document);
  t.ok(verdict.valid, JSON.stringify(verdict.errors));
  t.equal((await hub.api.get("/v1/openapi.json", { headers: { "If-None-Match": String(headers.etag) } })).status, 304);
});

t.test("every reference leads somewhere, and no working mark of the source is left in", async (t) => {
  const text = JSON.stringify(document);
  for (const [, pointer = ""] of text.matchAll(/"\$ref":"#([^"]+)"/g)) {
    const target = pointer
      .split("/")
      .slice(1)
      .reduce((value: Record<string, unknown> | undefined, part) => value?.[part] as Record<string, unknown> | undefined, document); // JSON pointers without escapes
    if (target === undefined) t.fail(`dangling ${pointer}`);
  }
  t.notMatch(text, /x-text|~kind/);
});

t.test("every operation names its scope, its errors, and a distinct id", async (t) => {
  const operations = Object.values(document.paths as Record<string, Record<string, { operationId: string; responses: object; security: object[] }>>).flatMap(
    (place) => Object.values(place),
  );
  t.equal(operations.length, 26, "24 of the contract, the description, the page");
  t.equal(new Set(operations.map(({ operationId }) => operationId)).size, 26);
  for (const operation of operations) {
    t.match(operation.responses, { "429": { "x-problem-codes": ["rate_limited"] }, "500": {} }, operation.operationId);
    if (operation.security.length > 0) t.match(operation.responses, { "401": {}, "403": {} }, operation.operationId);
  }
});

t.test("two schemas under one title are noticed", async (t) => {
  const route = (id: string, schema: ReturnType<typeof Type.Object>) =>
    defineRoute({
      method: "GET",
      path: `/${id}`,
      operationId: id,
      tag: "t",
      summary: "",
      access: { kind: "public" },
      responses: { 200: { description: "", schema } },
      problems: [],
    });
  const routes = [route("a", Type.Object({ x: Type.String() }, { title: "Same" })), route("b", Type.Object({ y: Type.String() }, { title: "Same" }))];
  t.throws(() => buildOpenApi(routes, { title: "", version: "1", summary: "", description: "", definitions: {} }), { message: /titled Same/ });
});
