import { Type } from "typebox";
import { defineRoute } from "../../../core/api/route.ts";
import { listedScopes } from "../../../core/api/scopes.ts";
import { CONTRACT_EVENTS, MORE_EVENTS } from "../../../core/api/webhook-events.ts";
import { Index, Me } from "../resources/account.ts";

/** `GET /v1`. */
export const getIndex = defineRoute({
  method: "GET",
  path: "/v1",
  operationId: "getIndex",
  tag: "Account",
  summary: "Check that the service is reachable",
  description: "Needs no credential. The addresses in the answer are built from the Host header of the request.",
  access: { kind: "public", anyOrigin: true },
  responses: { 200: { description: "What this service is.", schema: Index } },
  examples: [
    {
      name: "home",
      status: 200,
      answer: {
        version: "1.0.0",
        documentation: "http://gatehouse.local:8080/v1/docs",
        openapi: "http://gatehouse.local:8080/v1/openapi.json",
        ...listedScopes(),
        webhookEvents: [...CONTRACT_EVENTS],
        additionalWebhookEvents: [...MORE_EVENTS],
      },
    },
  ],
});

/** `GET /v1/me`. */
export const getMe = defineRoute({
  method: "GET",
  path: "/v1/me",
  operationId: "getMe",
  tag: "Account",
  summary: "Show the account and what the credential may do",
  description: "Lists the scopes that the credential actually holds; use it to diagnose a 403.",
  access: { kind: "scope", scope: "devices:read" },
  responses: { 200: { description: "The account and the credential.", schema: Me } },
  examples: [
    {
      name: "key",
      status: 200,
      answer: {
        account: { id: 1, email: "asha@example.org", name: "Asha" },
        deviceCount: 12,
        auth: { method: "api_key", keyName: "Wall panel", env: "live", scopes: ["devices:read", "devices:control"] },
      },
    },
  ],
});

/** The shape of a description that holds before reading it. */
const OpenApiDocument = Type.Object(
  {
    openapi: Type.String(),
    info: Type.Object({ title: Type.String(), version: Type.String() }, { additionalProperties: true }),
    paths: Type.Object({}, { additionalProperties: true }),
  },
  { additionalProperties: true, title: "OpenApiDocument" },
);

/** `GET /v1/openapi.json`: the description made from these definitions. */
export const getOpenApi = defineRoute({
  method: "GET",
  path: "/v1/openapi.json",
  operationId: "getOpenApi",
  tag: "Account",
  summary: "The OpenAPI 3.1 description of this interface",
  description:
    "Made from the definitions that the hub checks requests with, so it says what runs. Needs no credential.",
  access: { kind: "public", anyOrigin: true },
  responses: { 200: { description: "An OpenAPI 3.1 document.", schema: OpenApiDocument } },
  examples: [
    {
      name: "beginning",
      status: 200,
      answer: { openapi: "3.1.0", info: { title: "Gatehouse API", version: "1.0.0" }, paths: {} },
    },
  ],
});

/** `GET /v1/docs`: the reference page for people. */
export const getDocs = defineRoute({
  method: "GET",
  path: "/v1/docs",
  operationId: "getDocs",
  tag: "Account",
  summary: "This reference as a page",
  description: "For people; loads nothing from elsewhere. Needs no credential.",
  access: { kind: "public", anyOrigin: true },
  responses: { 200: { description: "A self-contained HTML page.", contentType: "text/html" } },
  examples: [{ name: "beginning", status: 200, answer: "<!doctype html>" }],
});
