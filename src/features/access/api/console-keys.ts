import { type Static, Type } from "typebox";
import { answer, IdParams, session } from "../../../core/api/console-common.ts";
import { closed, dateTime, integerId, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { ALL_SCOPES, type Scope } from "../../../core/api/scopes.ts";

/** Scopes that move something, change what moves by itself, or show other people's plates. */
const STRONG_SCOPES: readonly Scope[] = [
  "devices:control",
  "scenes:run",
  "automations:write",
  "plates:read",
  "plates:write",
  "gate:confirm",
  "estate:read",
];
/** Whether a key with these scopes needs a fresh proof from its creator. */
export const needsProof = (given: readonly Scope[] | undefined): boolean =>
  given?.some((scope) => STRONG_SCOPES.includes(scope)) ?? false;
/** The same in words. */
export const STRONG = `the key gets one of ${STRONG_SCOPES.join(", ")}`;

const scopes = Type.Array(oneOf(ALL_SCOPES), { minItems: 1, uniqueItems: true });
const origins = Type.Array(Type.String({ maxLength: 255, examples: ["https://app.example.org"] }), {
  maxItems: 20,
  uniqueItems: true,
  description: "Browser origins that may use the key, exactly as browsers send them. None: no browser page may.",
});

/** An API key without its text. */
export const ApiKey = Type.Object(
  {
    id: integerId(),
    name: Type.String(),
    env: oneOf(["live", "test"]),
    prefix: Type.String({ description: "Start of the key's text." }),
    lastFour: Type.String(),
    scopes: Type.Array(Type.String()),
    origins: Type.Array(Type.String()),
    status: oneOf(["active", "expired", "revoked"]),
    createdAt: dateTime(),
    lastUsedAt: nullable(dateTime(), { description: "To the minute." }),
    expiresAt: nullable(dateTime()),
    revokedAt: nullable(dateTime()),
    person: nullable(Type.String(), { description: "The member whose app it is; null: the household's." }),
    rotatedTo: nullable(integerId(), { description: "The key that takes this one's place." }),
  },
  { title: "ApiKey" },
);

/** An API key as the API returns it. */
export type ApiKey = Static<typeof ApiKey>;

const OneKey = answer("key", ApiKey, "ApiKeyAnswer");
const KeyWithSecret = Type.Object(
  { key: ApiKey, secret: Type.String({ description: "The key's text. Shown this once." }) },
  { title: "ApiKeyWithSecret" },
);

/** `GET /api/keys`. */
export const listKeys = defineRoute({
  method: "GET",
  path: "/api/keys",
  operationId: "listKeys",
  tag: "API keys",
  summary: "List API keys",
  description: "Ended keys are listed for 90 days.",
  access: session,
  proof: "none",
  responses: { 200: { description: "Oldest first.", schema: answer("keys", Type.Array(ApiKey), "ApiKeyList") } },
});

/** `POST /api/keys`. */
export const createKey = defineRoute({
  method: "POST",
  path: "/api/keys",
  operationId: "createKey",
  tag: "API keys",
  summary: "Make an API key",
  description: "At most 50 active keys. A test key works on the simulated household only.",
  access: session,
  proof: {
    when: `${STRONG} of the real household`,
    needed: ({ env, scopes: given }) => env === "live" && needsProof(given),
  },
  body: Type.Object(
    {
      name: text(80),
      env: oneOf(["live", "test"]),
      scopes,
      origins: Type.Optional(origins),
      expiresAt: Type.Optional(nullable(dateTime())),
    },
    { ...closed, title: "ApiKeyInput" },
  ),
  responses: { 201: { description: "The key and its text.", schema: KeyWithSecret } },
  problems: ["limit_reached"],
});

/** `PATCH /api/keys/{id}`. */
export const editKey = defineRoute({
  method: "PATCH",
  path: "/api/keys/{id}",
  operationId: "editKey",
  tag: "API keys",
  summary: "Change name, scopes or origins of a key",
  access: session,
  proof: {
    when: `${STRONG}, or browser origins`,
    needed: ({ scopes: given, origins: from }) => needsProof(given) || (from?.length ?? 0) > 0,
  },
  params: IdParams,
  body: Type.Object(
    { name: Type.Optional(text(80)), scopes: Type.Optional(scopes), origins: Type.Optional(origins) },
    { ...closed, minProperties: 1, title: "ApiKeyPatch" },
  ),
  responses: { 200: { description: "The changed key.", schema: OneKey } },
  problems: ["not_found", "conflict"],
});

/** `DELETE /api/keys/{id}`. */
export const revokeKey = defineRoute({
  method: "DELETE",
  path: "/api/keys/{id}",
  operationId: "revokeKey",
  tag: "API keys",
  summary: "Revoke a key",
  description: "It ends at once, for good.",
  access: session,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "The revoked key.", schema: OneKey } },
  problems: ["not_found"],
});

/** `POST /api/keys/{id}/rotate`. */
export const rotateKey = defineRoute({
  method: "POST",
  path: "/api/keys/{id}/rotate",
  operationId: "rotateKey",
  tag: "API keys",
  summary: "Make a successor with the same rights",
  description: "The old key works for 24 hours more.",
  access: session,
  proof: "fresh",
  params: IdParams,
  responses: { 201: { description: "The new key and its text.", schema: KeyWithSecret } },
  problems: ["not_found", "conflict"],
});
