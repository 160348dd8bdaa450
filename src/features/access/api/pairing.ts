/**
 * Pairing an app: RFC 8628's device authorization grant, with its names. The app asks, shows a code, and fetches its
 * key once a person has approved it in the console. Errors have the hub's one shape; RFC 8628's error codes are their
 * `code`.
 */
import { Type } from "typebox";
import { answer, Done, IdParams, person } from "../../../core/api/console-common.ts";
import { closed, dateTime, integerId, nullable, oneOf, text } from "../../../core/api/fields.ts";
import { defineRoute } from "../../../core/api/route.ts";
import { ALL_SCOPES, type Scope } from "../../../core/api/scopes.ts";
import { needsProof, STRONG } from "./console-keys.ts";

const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const SCOPES_WITH_BLANKS = `^ *(${ALL_SCOPES.join("|")})( +(${ALL_SCOPES.join("|")}))* *$`;
const DEVICE_CODE = "5xg0Wm2vQ8nT1kZr4bYc7dLh9fJs3aPe6uRiOoNzXyE";

/** `POST /v1/pairing`. */
export const requestPairing = defineRoute({
  method: "POST",
  path: "/v1/pairing",
  operationId: "requestPairing",
  tag: "Pairing",
  summary: "Ask for a key, as an app",
  description: [
    "RFC 8628's device authorization request. Show `user_code` and `verification_uri`, or a QR code of `verification_uri_complete`; a person opens it, signs in, and approves name and scopes. Then fetch the key from `POST /v1/pairing/token`, asking every `interval` seconds.",
    "Five pairings of one address may wait at a time. Pages of browsers on other origins cannot pair: their key is made by hand, with their origin.",
  ].join("\n\n"),
  access: { kind: "public" },
  addition: true,
  body: Type.Object(
    {
      client_name: text(80, { description: "What the person is shown as the app's name.", examples: ["Wall panel"] }),
      scope: Type.String({
        maxLength: 300,
        pattern: SCOPES_WITH_BLANKS,
        description: "Scopes with blanks between them.",
        examples: ["devices:read devices:control"],
      }),
    },
    { ...closed, title: "PairingRequest" },
  ),
  responses: {
    200: {
      description: "The codes.",
      schema: Type.Object(
        {
          device_code: Type.String({ description: "The app's secret: it fetches the key." }),
          user_code: Type.String({ description: "What the person types." }),
          verification_uri: Type.String({ format: "uri" }),
          verification_uri_complete: Type.String({ format: "uri", description: "With the code, for a QR code." }),
          expires_in: Type.Integer({ description: "Seconds." }),
          interval: Type.Integer({ description: "Seconds between two questions." }),
        },
        { title: "PairingCodes" },
      ),
    },
  },
  problems: ["invalid_body"],
  examples: [
    {
      name: "panel",
      body: { client_name: "Wall panel", scope: "devices:read devices:control" },
      status: 200,
      answer: {
        device_code: DEVICE_CODE,
        user_code: "WDJB-MJHT",
        verification_uri: "https://gatehouse.local:8443/pair",
        verification_uri_complete: "https://gatehouse.local:8443/pair#WDJB-MJHT",
        expires_in: 600,
        interval: 2,
      },
    },
  ],
});

/** `POST /v1/pairing/token`. */
export const fetchPairedKey = defineRoute({
  method: "POST",
  path: "/v1/pairing/token",
  operationId: "fetchPairedKey",
  tag: "Pairing",
  summary: "Fetch the key that a person has approved",
  description:
    "RFC 8628's device access token request. 400 `authorization_pending`: not yet. `slow_down`: asked before the interval was over; it is five seconds longer now. `access_denied`: the person said no. `expired_token`: over. The key is told once.",
  access: { kind: "public" },
  addition: true,
  body: Type.Object(
    { grant_type: Type.Literal(GRANT), device_code: Type.String({ minLength: 1, maxLength: 100 }) },
    { ...closed, title: "PairingTokenRequest" },
  ),
  responses: {
    200: {
      description: "The key.",
      schema: Type.Object(
        {
          access_token: Type.String({ description: "The API key." }),
          token_type: Type.Literal("Bearer"),
          scope: Type.String({ description: "What was approved: it may be less than was asked for." }),
        },
        { title: "PairedKey" },
      ),
    },
  },
  problems: ["authorization_pending", "slow_down", "access_denied", "expired_token", "limit_reached"],
  examples: [
    {
      name: "panel",
      body: { grant_type: GRANT, device_code: DEVICE_CODE },
      status: 200,
      answer: { access_token: "gth_live_…", token_type: "Bearer", scope: "devices:read devices:control" },
    },
  ],
});

const userCode = Type.String({
  minLength: 1,
  maxLength: 40,
  description: "As the app shows it; case and dashes do not matter.",
  examples: ["WDJB-MJHT"],
});

/** `POST /api/pairing/look`. */
export const lookAtPairing = defineRoute({
  method: "POST",
  path: "/api/pairing/look",
  operationId: "lookAtPairing",
  tag: "Pairing",
  summary: "See which app shows a code",
  description:
    "`scopes` are those that the app asks for and the person has. Ten wrong codes in ten minutes, then the person waits.",
  access: person,
  proof: "none",
  body: Type.Object({ userCode }, { ...closed, title: "PairingCode" }),
  responses: {
    200: {
      description: "The app that waits.",
      schema: answer(
        "pairing",
        Type.Object(
          {
            name: Type.String(),
            scopes: Type.Array(oneOf(ALL_SCOPES)),
            withheld: Type.Array(oneOf(ALL_SCOPES), { description: "What it asks for and the person has not." }),
            address: Type.String({ description: "Where it asked from." }),
            startedAt: dateTime(),
            expiresAt: dateTime(),
          },
          { title: "Pairing" },
        ),
        "PairingAnswer",
      ),
    },
  },
  problems: ["invalid_code"],
});

/** `POST /api/pairing/approve`. */
export const approvePairing = defineRoute({
  method: "POST",
  path: "/api/pairing/approve",
  operationId: "approvePairing",
  tag: "Pairing",
  summary: "Approve an app",
  description:
    "The app gets a key of the real household with these scopes: no more than it asked for, and no more than the person has. A member's app has the member's key, which ends when the member goes.",
  access: person,
  proof: { when: STRONG, needed: ({ scopes }) => needsProof(scopes) },
  body: Type.Object(
    { userCode, name: text(80), scopes: Type.Array(oneOf(ALL_SCOPES), { minItems: 1, uniqueItems: true }) },
    { ...closed, title: "PairingApproval" },
  ),
  responses: { 200: { description: "Approved: the app fetches its key.", schema: Done } },
  problems: ["invalid_code", "insufficient_scope"],
});

/** `POST /api/pairing/deny`. */
export const denyPairing = defineRoute({
  method: "POST",
  path: "/api/pairing/deny",
  operationId: "denyPairing",
  tag: "Pairing",
  summary: "Refuse an app",
  access: person,
  proof: "none",
  body: Type.Object({ userCode }, { ...closed, title: "PairingRefusal" }),
  responses: { 200: { description: "Refused.", schema: Done } },
  problems: ["invalid_code"],
});

/** An app that has a key of the live household. */
const App = Type.Object(
  {
    id: integerId(),
    name: Type.String(),
    scopes: Type.Array(oneOf(ALL_SCOPES)),
    person: nullable(Type.String(), {
      description: "Who paired it; null: the household's own, paired or made by hand.",
    }),
    mine: Type.Boolean({ description: "The caller has paired it." }),
    createdAt: dateTime(),
    lastUsedAt: nullable(dateTime(), { description: "To the minute." }),
  },
  { title: "App" },
);

/** `GET /api/apps`. */
export const listApps = defineRoute({
  method: "GET",
  path: "/api/apps",
  operationId: "listApps",
  tag: "Pairing",
  summary: "List the apps that may use the household",
  description:
    "A member sees the apps that they have paired, an owner everybody's and the household's own. Those whose key has ended are not in it.",
  access: person,
  proof: "none",
  responses: { 200: { description: "Oldest first.", schema: answer("apps", Type.Array(App), "AppList") } },
});

/** `DELETE /api/apps/{id}`. */
export const endApp = defineRoute({
  method: "DELETE",
  path: "/api/apps/{id}",
  operationId: "endApp",
  tag: "Pairing",
  summary: "End an app's access",
  description:
    "Its key ends at once, for good, and what it listens to is broken off. A member ends apps that they have paired, an owner any.",
  access: person,
  proof: "none",
  params: IdParams,
  responses: { 200: { description: "Ended.", schema: Done } },
  problems: ["not_found"],
});

/** The scopes that an app requests; null if one does not exist. */
export function scopesIn(given: string): Scope[] | null {
  const names = given.split(" ").filter((name) => name !== "");
  const known = ALL_SCOPES.filter((scope) => names.includes(scope));
  return known.length === new Set(names).size && known.length > 0 ? known : null;
}
