/**
 * The OpenAPI 3.1 description, made from the same route definitions as the router and the validators, so it cannot
 * differ from the running code. Pure: definitions in, a plain document out.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TSchema } from "typebox";
import { ErrorBody } from "../api/error.ts";
import { PROBLEMS, type ProblemCode } from "../api/problems.ts";
import type { WebhookSpec } from "../api/resources/webhook-delivery.ts";
import type { ResponseSpec, RouteExample, RouteSpec } from "../api/route.ts";
import { TAGS } from "../api/tags.ts";
import {
  ANSWER_HEADERS,
  isFile,
  isStream,
  REQUEST_HEADERS,
  requestHeadersOf,
  webhookPlace,
} from "./openapi-headers.ts";
import { type Json, SchemaComponents } from "./openapi-schemas.ts";
import { problemsByStatus } from "./operation-problems.ts";

/** What a description states about an interface as a whole. */
export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly summary: string;
  readonly description: string;
  /** Schemas that others refer to by name. */
  readonly definitions: Readonly<Record<string, TSchema>>;
  /** The interface's posts to receivers. */
  readonly webhooks?: readonly WebhookSpec[];
}

const SECURITY_SCHEMES: Readonly<Record<string, Json>> = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description: "An API key from the console's developer settings: `Authorization: Bearer gth_live_…`.",
  },
  apiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "The same key in another header. Authorization wins; two different keys are refused.",
  },
  device: {
    type: "http",
    scheme: "basic",
    description: "A device's MQTT user name and password, for what the device itself sends.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "gatehouse_session",
    description: "A console session (`__Host-gatehouse_session` over TLS). Same origin only.",
  },
};

/** After this many routes, other work gets a turn: all at once take a tenth of a second on a small board. */
const ROUTES_PER_TURN = 8;

/** Builds the document for a list of routes. @throws Error when two different schemas carry one title. */
export async function buildOpenApi(routes: readonly RouteSpec[], info: ApiInfo): Promise<Json> {
  const components = new SchemaComponents(info.definitions);
  const paths: Record<string, Json> = {};
  for (const [n, route] of routes.entries()) {
    if (n % ROUTES_PER_TURN === 0) await nextTurn();
    const place = paths[route.path] ?? {};
    paths[route.path] = { ...place, [route.method.toLowerCase()]: operation(route, components) };
  }
  components.reference(ErrorBody);
  const kinds = new Set(routes.map(({ access }) => access.kind));
  const webhooks = (info.webhooks ?? []).map(
    (spec) => [spec.event, webhookPlace(spec, components.reference(spec.schema))] as const,
  );
  const tags = new Set([...routes.map(({ tag }) => tag), ...(webhooks.length > 0 ? ["Webhooks"] : [])]);
  const used = JSON.stringify(paths);
  const schemes = [
    ...(kinds.has("scope") ? ["bearer", "apiKey"] : []),
    ...(kinds.has("session") ? ["session"] : []),
    ...(used.includes('"device":[]') ? ["device"] : []),
  ];
  return {
    openapi: "3.1.0",
    info: {
      title: info.title,
      version: info.version,
      summary: info.summary,
      description: info.description,
      contact: { name: "The owner of this hub" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/", description: "This hub" }],
    tags: [...tags].map((name) => ({ name, ...(name in TAGS ? { description: TAGS[name] } : {}) })),
    paths,
    ...(webhooks.length > 0 ? { webhooks: Object.fromEntries(webhooks) } : {}),
    components: {
      schemas: components.all(),
      headers: usedOnes("headers", ANSWER_HEADERS, used),
      parameters: usedOnes("parameters", REQUEST_HEADERS, used),
      securitySchemes: Object.fromEntries(schemes.map((name) => [name, SECURITY_SCHEMES[name]])),
    },
  };
}

/** The parts of the document that its operations refer to. */
function usedOnes(kind: string, all: Readonly<Record<string, Json>>, text: string): Json {
  return Object.fromEntries(Object.entries(all).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)));
}

function operation(route: RouteSpec, components: SchemaComponents): Json {
  const examples = route.examples ?? [];
  const parameters = [
    ...parametersIn("path", route.params, examples, components),
    ...parametersIn("query", route.query, examples, components),
    ...requestHeadersOf(route),
  ];
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    security: security(route),
    ...freshProof(route),
    ...(route.access.kind === "scope" && route.access.scope !== undefined
      ? { "x-required-scope": route.access.scope }
      : {}),
    ...(route.addition === true ? { "x-addition": true } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(route, examples, components),
    responses: responses(route, examples, components),
  };
}

function security(route: RouteSpec): Json[] {
  if (route.access.kind === "scope") return [{ bearer: [] }, { apiKey: [] }];
  if (route.access.kind !== "session") return [];
  return [{ session: [] }, ...(route.access.device === true ? [{ device: [] }] : [])];
}

const SET_UP = "not within an hour of the claim of a new hub, in the session that claimed it";

/** `x-fresh-proof`: true, or in words when the operation needs a proof not older than five minutes. */
function freshProof({ proof }: RouteSpec): Json {
  if (proof === undefined || proof === "none") return {};
  if (proof === "set-up") return { "x-fresh-proof": SET_UP };
  return { "x-fresh-proof": proof === "fresh" ? true : proof.when };
}

function parametersIn(
  place: "path" | "query",
  schema: TSchema | undefined,
  examples: readonly RouteExample[],
  components: SchemaComponents,
): Json[] {
  if (!schema) return [];
  // TypeBox objects are plain JSON Schema
  const { properties = {}, required = [] } = schema as { properties?: Record<string, TSchema>; required?: string[] };
  return Object.entries(properties).map(([name, property]) => {
    // a parameter is a scalar, so never a boolean schema
    const { description, ...rest } = components.convert(property) as Json;
    const named = examples.flatMap((example) => {
      const value = (place === "path" ? example.params : example.query)?.[name];
      return value === undefined ? [] : [[example.name, { value }] as const];
    });
    return {
      name,
      in: place,
      required: place === "path" || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
      ...(named.length > 0 ? { examples: Object.fromEntries(named) } : {}),
    };
  });
}

function requestBody(route: RouteSpec, examples: readonly RouteExample[], components: SchemaComponents): Json {
  if (!route.body && !route.bodyType) return {};
  const named = examples.flatMap((example) =>
    example.body === undefined ? [] : [[example.name, { value: example.body }] as const],
  );
  const schema = route.body ? { schema: components.convert(route.body) } : {};
  return {
    requestBody: {
      required: true,
      content: Object.fromEntries(
        (route.bodyType ?? "application/json")
          .split(",")
          .map((type) => [
            type.trim(),
            { ...schema, ...(named.length > 0 ? { examples: Object.fromEntries(named) } : {}) },
          ]),
      ),
    },
  };
}

function responses(route: RouteSpec, examples: readonly RouteExample[], components: SchemaComponents): Json {
  const result: Json = {};
  for (const [status, response] of Object.entries(route.responses)) {
    result[status] = success({ route, status: Number(status), response }, examples, components);
  }
  if (route.method === "GET" && !isStream(route))
    result["304"] = {
      description: "Not changed since the ETag in If-None-Match.",
      headers: headerRefs(["X-Request-Id", "ETag"]),
    };
  for (const [status, codes] of problemsByStatus(route)) result[String(status)] = problemResponse(status, codes);
  return result;
}

function success(
  { route, status, response }: { readonly route: RouteSpec; readonly status: number; readonly response: ResponseSpec },
  examples: readonly RouteExample[],
  components: SchemaComponents,
): Json {
  const headers = ["X-Request-Id", "RateLimit-Policy", "RateLimit", "X-Ignored-Query"];
  const { properties = {} } = (route.query ?? {}) as { properties?: object }; // TypeBox objects are plain JSON Schema
  if (status === 200 && (route.method === "GET" || route.method === "PATCH") && !isStream(route)) headers.push("ETag");
  if (status === 201 && route.access.kind === "scope") headers.push("Location");
  if (status === 201 && route.operationId === "createAutomation") headers.push("ETag");
  if ("cursor" in properties) headers.push("Link");
  if (route.method !== "GET") headers.push("Idempotency-Replayed");
  if (isFile(response)) headers.push("Content-Disposition");
  const named = examples.flatMap((example) =>
    example.status === status && example.answer !== undefined
      ? [[example.name, { value: example.answer }] as const]
      : [],
  );
  const content = {
    ...(response.schema ? { schema: components.convert(response.schema) } : {}),
    ...(named.length > 0 ? { examples: Object.fromEntries(named) } : {}),
  };
  const mediaType = response.contentType ?? (response.schema ? "application/json" : null);
  return {
    description: response.description,
    headers: headerRefs(headers),
    ...(mediaType === null
      ? {}
      : {
          content: {
            [mediaType]: response.contentType ? { ...content, schema: plainSchema(response, components) } : content,
          },
        }),
  };
}

/**
 * Content other than JSON: text, or bytes, which client generators recognise by `format: binary`. For a stream also the
 * schema of its `data` lines.
 */
function plainSchema({ contentType = "", events }: ResponseSpec, components: SchemaComponents): Json {
  if (events !== undefined) {
    const each = Object.values(events).map((schema) => components.reference(schema));
    return {
      type: "string",
      description: "Each `data` line holds one of these as JSON.",
      contentMediaType: "application/json",
      contentSchema: { anyOf: each },
    };
  }
  return contentType.startsWith("text/")
    ? { type: "string" }
    : { type: "string", format: "binary", contentMediaType: contentType };
}

function problemResponse(status: number, codes: readonly ProblemCode[]): Json {
  const headers = ["X-Request-Id", "RateLimit-Policy", "RateLimit", "X-Ignored-Query"];
  if (status === 401) headers.push("WWW-Authenticate");
  if (status === 429 || status === 503 || status === 409) headers.push("Retry-After");
  if (status === 404 || status === 409 || status === 400) headers.push("Idempotency-Replayed");
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].meaning}`).join("\n\n"),
    "x-problem-codes": codes,
    headers: headerRefs(headers),
    content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
  };
}

function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
