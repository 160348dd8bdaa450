import { WEBHOOKS } from "../../core/api/resources/webhook-delivery.ts";
import type { ApiInfo } from "../../core/http/openapi.ts";
import { AUTOMATION_DEFINITIONS } from "../automations/resources/automation.ts";

/** The general description of /v1 in the OpenAPI file and on the reference page. */
export const V1_INFO: ApiInfo = {
  title: "Gatehouse API",
  version: "1.0.0",
  summary: "Devices, telemetry, rooms, scenes, automations, feed and number plates of one household.",
  description: [
    "Bodies and answers are JSON in UTF-8. Times are ISO 8601 in UTC. An object of another account is answered like one that does not exist.",
    "A credential is an API key, as a bearer token or in `X-API-Key`. A console session works too, from the console's own pages: an owner's holds every scope, a member's those of using the house (`GET /v1/me` lists them).",
    "Parameters are taken strictly: out of range is 400, never clamped; a query parameter that the operation does not know is ignored and named in `X-Ignored-Query`.",
    "Every answer carries `X-Request-Id`, `RateLimit-Policy` and `RateLimit`; a 429 carries `Retry-After`.",
    "Every 200 to a GET carries an `ETag`; `If-None-Match` saves the body. `If-Match` on PATCH asks whether what can be edited has changed since: state, `lastSeen` and runs of a rule do not count. HEAD works wherever GET does.",
    "POST, PATCH and DELETE take an `Idempotency-Key`: for 24 hours the same request with the same key is answered with the first answer and does nothing again.",
    "Operations and events that are ours beyond the contract carry `x-addition`; `GET /v1/stream` tells what happens as it happens.",
    'Lists with a limit go on through `Link: <…>; rel="next"`.',
    "The interface only grows: clients ignore what they do not know. Breaking changes come under /v2, with twelve months' notice; /v1 stays for at least 24 months after that.",
  ].join("\n\n"),
  definitions: AUTOMATION_DEFINITIONS,
  webhooks: WEBHOOKS,
};
