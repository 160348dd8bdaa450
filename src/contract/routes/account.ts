import { Index, Me } from "../resources/account.js";
import { freeObject } from "../resources/fields.js";
import { defineRoute } from "../route.js";

/** `GET /v1`. */
export const getIndex = defineRoute({
  method: "GET",
  path: "/v1",
  operationId: "getIndex",
  tag: "Account",
  summary: "Check that the service is reachable",
  description: "Needs no credential. The addresses in the answer are built from the Host header of the request.",
  access: { kind: "public" },
  responses: { 200: { description: "What this service is.", schema: Index } },
  problems: [],
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
  problems: [],
});

/** `GET /v1/openapi.json`: the description made from these definitions. */
export const getOpenApi = defineRoute({
  method: "GET",
  path: "/v1/openapi.json",
  operationId: "getOpenApi",
  tag: "Account",
  summary: "The OpenAPI 3.1 description of this interface",
  access: { kind: "public" },
  responses: { 200: { description: "An OpenAPI 3.1 document.", schema: freeObject() } },
  problems: [],
});

/** `GET /v1/docs`: the reference page for people. */
export const getDocs = defineRoute({
  method: "GET",
  path: "/v1/docs",
  operationId: "getDocs",
  tag: "Account",
  summary: "This reference as a page",
  access: { kind: "public" },
  responses: { 200: { description: "A self-contained HTML page.", contentType: "text/html" } },
  problems: [],
});
