import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import t from "tap";
import { Type } from "typebox";
import { defineRoute } from "../../src/core/api/route.ts";
import { buildOpenApi } from "../../src/core/http/openapi.ts";
import { wrongSchemas } from "../support/api-client.ts";
import { ApiHub } from "../support/api-hub.ts";
import { testFolder } from "../support/test-folder.ts";

const hub = await ApiHub.open(testFolder(t));
t.teardown(() => hub.close());
const { status, headers, body: document } = await hub.api.get("/v1/openapi.json");

t.test("the description is valid OpenAPI 3.1 of version 1.0.0, public and cacheable by its ETag", async (t) => {
  t.equal(status, 200);
  t.match(document, { openapi: "3.1.0", info: { version: "1.0.0" } });
  const verdict = await new Validator().validate(document);
  t.ok(verdict.valid, JSON.stringify(verdict.errors));
  t.same(wrongSchemas(document), []);
  const { schemas } = document.components;
  t.same(wrongSchemas({ ...document, components: { schemas: { ...schemas, Wrong: { type: "objekt" } } } }), [
    { type: "objekt" },
  ]);
  t.equal((await hub.api.get("/v1/openapi.json", { headers: { "If-None-Match": String(headers.etag) } })).status, 304);
});

/** The findings of Redocly's strict recommendations in a document. */
async function lint(source: object): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const problems = await lintFromString({ source: JSON.stringify(source), absoluteRef: "/openapi.json", config });
  return problems.map(
    ({ severity, ruleId, message, location }) => `${severity} ${ruleId} at ${location[0]?.pointer}: ${message}`,
  );
}

t.test("a linter's strict recommendations find neither errors nor warnings", async (t) => {
  t.same(await lint(document), []);
  const { license: _, ...info } = document.info;
  t.match(await lint({ ...document, info }), [/info-license/], "the linter works");
});

interface Described {
  readonly operationId: string;
  readonly description?: string;
  readonly parameters?: readonly { readonly name?: string; readonly $ref?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly examples?: object }>> };
  readonly responses: Readonly<
    Record<
      string,
      { readonly headers?: object; readonly content?: Readonly<Record<string, { readonly examples?: object }>> }
    >
  >;
  readonly "x-required-scope"?: string;
}
const described = Object.entries(document.paths as Record<string, Record<string, Described>>).flatMap(([path, place]) =>
  Object.entries(place).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, method, operation })),
);

t.test("every operation is described with examples of request and response; every tag has a description", async (t) => {
  for (const { name, operation } of described) {
    t.ok(operation.description, `${name}: description`);
    for (const [type, { examples }] of Object.entries(operation.requestBody?.content ?? {}))
      t.ok(examples, `${name}: example of the ${type} body`);
    for (const [status, { content = {} }] of Object.entries(operation.responses).filter(
      ([status]) => Number(status) < 300,
    ))
      for (const [type, { examples }] of Object.entries(content))
        if (type !== "image/jpeg") t.ok(examples, `${name}: example of ${status}`);
  }
  for (const { name, description } of document.tags) t.ok(description, `tag ${name}`);
});

t.test("headers and cursors that operations take are parameters", async (t) => {
  const takes = (parameter: string): string[] =>
    described
      .filter(({ operation }) =>
        operation.parameters?.some(
          ({ name, $ref }) => name === parameter || $ref === `#/components/parameters/${parameter}`,
        ),
      )
      .map(({ name }) => name)
      .sort();
  t.same(
    takes("IdempotencyKey"),
    described
      .filter(({ method, operation }) => method !== "get" && operation["x-required-scope"])
      .map(({ name }) => name)
      .sort(),
  );
  t.same(
    takes("IfNoneMatch"),
    described
      .filter(({ method, name }) => method === "get" && name !== "GET /v1/stream")
      .map(({ name }) => name)
      .sort(),
  );
  t.same(takes("LastEventId"), ["GET /v1/stream"]);
  t.same(takes("IfMatch"), ["PATCH /v1/automations/{id}", "PATCH /v1/devices/{id}"]);
  t.same(takes("cursor"), [
    "GET /v1/devices/{id}/telemetry",
    "GET /v1/estate/plates",
    "GET /v1/events",
    "GET /v1/plates",
    "GET /v1/vehicles",
  ]);
});

t.test(
  "webhook deliveries are described: the contract's four events, then the additions, their members, their signature",
  async (t) => {
    const additions = ["device.event", "plate.read", "gate.followed", "command.failed", "automation.notify"];
    t.same(Object.keys(document.webhooks), [
      "device.state",
      "device.telemetry",
      "device.online",
      "device.offline",
      ...additions,
    ]);
    t.same(
      Object.keys(document.webhooks).filter((event) => document.webhooks[event].post["x-addition"] === true),
      additions,
    );
    const { webhookEvents, additionalWebhookEvents } = (await hub.api.get("/v1")).body;
    t.same(
      [...webhookEvents, ...additionalWebhookEvents],
      Object.keys(document.webhooks),
      "GET /v1 lists them in that order",
    );
    t.same(additionalWebhookEvents, additions);
    for (const [event, { post }] of Object.entries(
      document.webhooks as Record<
        string,
        {
          post: {
            parameters: { name: string }[];
            requestBody: { content: Record<string, { schema: { $ref: string } }> };
          };
        }
      >,
    )) {
      const schema =
        document.components.schemas[post.requestBody.content["application/json"]?.schema.$ref.split("/").at(-1) ?? ""];
      t.same(schema.required, ["id", "event", "deviceId", "data", "at"], event);
      t.equal(schema.properties.event.const, event);
      t.match(post.parameters[0], { name: /^X-Service-Signature$/, in: "header", required: true });
    }
  },
);

t.test(
  "request types: members with defaults are optional, an operator has its value, a picture is bytes",
  async (t) => {
    const { schemas } = document.components;
    t.same(schemas.AutomationInput.required, ["name", "trigger", "action"]);
    for (const [name, member] of Object.entries<object>(schemas.AutomationInput.properties))
      t.notOk("default" in member, `${name}: generators make members with defaults mandatory`);
    const { mapping } = schemas.StateTrigger.discriminator;
    const takenBy = (op: string) => schemas[String(mapping[op]).split("/").at(-1) ?? ""].properties.value;
    t.same(
      [takenBy("truthy"), takenBy("changed"), takenBy("gt").type, takenBy("in").type],
      [undefined, undefined, "number", "array"],
    );
    const image = document.paths["/v1/plates/{id}/image"].get.responses["200"].content["image/jpeg"].schema;
    t.match(image, { type: /^string$/, format: "binary", contentMediaType: "image/jpeg" });
  },
);

t.test("every reference resolves, and no internal marker of the source is left", async (t) => {
  const text = JSON.stringify(document);
  for (const [, pointer = ""] of text.matchAll(/"\$ref":"#([^"]+)"/g)) {
    const target = pointer
      .split("/")
      .slice(1)
      .reduce(
        (value: Record<string, unknown> | undefined, part) => value?.[part] as Record<string, unknown> | undefined,
        document,
      ); // JSON pointers without escapes
    if (target === undefined) t.fail(`dangling ${pointer}`);
  }
  t.notMatch(text, /x-text|~kind/);
});

t.test("every operation names its scope, its errors, and a distinct id", async (t) => {
  const operations = Object.values(
    document.paths as Record<string, Record<string, { operationId: string; responses: object; security: object[] }>>,
  ).flatMap((place) => Object.values(place));
  t.equal(
    operations.length,
    39,
    "24 of the contract, the stream, a command's outcome, the history, a file of samples, values for a scraper, three of an estate, three of questions at a gate, two of pairing, the description, the page",
  );
  t.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length);
  for (const operation of operations) {
    t.match(operation.responses, { "429": { "x-problem-codes": ["rate_limited"] }, "500": {} }, operation.operationId);
    if (operation.security.length > 0) t.match(operation.responses, { "401": {}, "403": {} }, operation.operationId);
  }
});

t.test("two schemas with one title are detected", async (t) => {
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
  const routes = [
    route("a", Type.Object({ x: Type.String() }, { title: "Same" })),
    route("b", Type.Object({ y: Type.String() }, { title: "Same" })),
  ];
  await t.rejects(buildOpenApi(routes, { title: "", version: "1", summary: "", description: "", definitions: {} }), {
    message: /titled Same/,
  });
});
