/** What the tests expect of each route of the hub. */
import type { Scope } from "../../src/core/api/scopes.ts";

/**
 * Who may ask: anybody, anyone with the scope, every credential (the answer depends on its scopes), every signed-in
 * person of the household, its gatekeepers and owners, only the host itself.
 */
export type Who = "public" | Scope | "credential" | "person" | "gatekeeper" | "box";

/** Who may ask what. A route not listed here is an owner's alone. */
export const ROUTE_RIGHTS: readonly (readonly [Who, readonly string[]])[] = [
  [
    "public",
    [
      "GET /v1/docs",
      "GET /v1",
      "GET /v1/openapi.json",
      "POST /v1/pairing",
      "POST /v1/pairing/token",
      "POST /api/guest/look",
      "POST /api/guest/plate",
      "GET /ca.crt",
      "GET /ca",
      "GET /api/uploads/{id}",
      "POST /api/claim/uploads",
      "POST /api/claim/restore",
      "PUT /api/uploads/{id}",
      "POST /api/join",
      "POST /api/join/look",
      "POST /api/estate/join",
      "POST /api/claim",
      "GET /api/claim",
      "GET /api/standing",
      "POST /api/session/recover",
      "POST /api/session",
      "POST /api/session/passkey",
      "POST /api/session/passkey/options",
      "GET /api/openapi.json",
      "GET /healthz",
      "GET /metrics",
      "GET /readyz",
    ],
  ],
  ["devices:read", ["GET /v1/me", "GET /v1/devices/{id}", "GET /v1/devices"]],
  ["automations:write", ["POST /v1/automations", "DELETE /v1/automations/{id}", "PATCH /v1/automations/{id}"]],
  ["automations:read", ["GET /v1/automations"]],
  ["credential", ["GET /v1/commands/{id}"]],
  [
    "box",
    [
      "GET /api/box/export",
      "POST /api/box/backup",
      "POST /api/box/provision",
      "POST /api/box/provision/printed",
      "POST /api/box/reset-owner",
    ],
  ],
  [
    "person",
    [
      "GET /api/house",
      "PUT /api/house/mode",
      "PUT /api/house/presence",
      "GET /api/cameras/{id}/frame",
      "GET /api/devices-awaited",
      "GET /api/openings",
      "GET /api/reads",
      "GET /api/reads/count",
      "GET /api/reads/hours",
      "GET /api/reads/{id}/plate",
      "GET /api/reads/{id}/small",
      "GET /api/gate/inside",
      "GET /api/hints",
      "POST /api/hints/hide",
      "GET /api/seen-reads",
      "POST /api/seen-reads",
      "GET /api/plates/{id}",
      "POST /api/me/totp",
      "POST /api/me/password",
      "POST /api/me/totp/confirm",
      "POST /api/me/totp/disable",
      "GET /api/me",
      "POST /api/me/recovery-codes",
      "PATCH /api/me",
      "GET /api/me/grants",
      "POST /api/me/grants/end",
      "GET /api/sessions",
      "DELETE /api/sessions/{id}",
      "DELETE /api/session",
      "GET /api/session/proof",
      "POST /api/session/proof",
      "POST /api/session/proof/passkey",
      "POST /api/session/proof/passkey/options",
      "GET /api/me/passkeys",
      "POST /api/me/passkeys",
      "POST /api/me/passkeys/options",
      "PATCH /api/me/passkeys/{id}",
      "DELETE /api/me/passkeys/{id}",
      "GET /api/device-order",
      "GET /api/energy",
      "GET /api/energy/settings",
      "GET /api/states",
      "GET /api/states.csv",
      "GET /api/overview",
      "GET /api/site",
      "GET /api/activity",
      "GET /api/feed/unread",
      "GET /api/health",
      "POST /api/feed/read",
      "GET /api/stream",
      "GET /api/notifications",
      "GET /api/notifications/unread",
      "POST /api/notifications/read",
      "GET /api/notifications/preferences",
      "PATCH /api/notifications/preferences",
      "PUT /api/notifications/ntfy-topic",
      "POST /api/notifications/subscriptions",
      "DELETE /api/notifications/subscriptions/{id}",
      "POST /api/notifications/test",
      "POST /api/pairing/look",
      "POST /api/pairing/approve",
      "POST /api/pairing/deny",
      "GET /api/apps",
      "DELETE /api/apps/{id}",
    ],
  ],
  [
    "gatekeeper",
    [
      "POST /api/plates/{id}/correct",
      "POST /api/vehicles/{plate}/left",
      "POST /api/visits/{id}/close",
      "PATCH /api/plate-rules/{id}",
      "POST /api/plate-rules/import",
      "GET /api/reads/csv",
      "GET /api/passes",
      "POST /api/passes",
      "POST /api/passes/{id}/link",
      "DELETE /api/passes/{id}",
    ],
  ],
  ["devices:control", ["POST /v1/devices/{id}/commands"]],
  ["devices:write", ["PATCH /v1/devices/{id}"]],
  ["events:read", ["GET /v1/events"]],
  ["plates:write", ["POST /v1/plate-rules", "DELETE /v1/plate-rules/{id}"]],
  [
    "plates:read",
    [
      "GET /v1/plate-rules",
      "GET /v1/plates/{id}/image",
      "GET /v1/plates",
      "GET /v1/occupancy",
      "GET /v1/vehicles/{plate}",
      "GET /v1/vehicles",
    ],
  ],
  [
    "gate:confirm",
    ["GET /v1/gate-questions", "GET /v1/gate-questions/{id}/image", "POST /v1/gate-questions/{id}/answer"],
  ],
  ["telemetry:export", ["GET /v1/telemetry/metrics"]],
  ["estate:read", ["GET /v1/estate/plates", "GET /v1/estate/occupancy", "GET /v1/estate/vehicles/{plate}"]],
  ["rooms:read", ["GET /v1/rooms"]],
  ["scenes:run", ["POST /v1/scenes/{id}/activate"]],
  ["scenes:read", ["GET /v1/scenes"]],
  [
    "telemetry:read",
    [
      "GET /v1/devices/{id}/energy",
      "GET /v1/devices/{id}/telemetry",
      "GET /v1/devices/{id}/telemetry.csv",
      "GET /v1/devices/{id}/history",
    ],
  ],
];
/** What a member's session may do on /v1. */
export const MEMBER_SCOPES: readonly string[] = [
  "devices:read",
  "devices:control",
  "telemetry:read",
  "rooms:read",
  "scenes:read",
  "scenes:run",
  "events:read",
  "plates:read",
  "gate:confirm",
];

/** What a gatekeeper's session may do on /v1. */
export const GATEKEEPER_SCOPES: readonly string[] = [...MEMBER_SCOPES, "plates:write"];

/** Everything that a gatekeeper's session may ask, including public routes. */
export const GATEKEEPER_ROUTES: ReadonlySet<string> = new Set(
  ROUTE_RIGHTS.flatMap(([who, routes]) =>
    ["public", "person", "gatekeeper", "credential", ...GATEKEEPER_SCOPES].includes(who) ? routes : [],
  ),
);

/** Everything that a member's session may ask, including public routes. */
export const MEMBER_ROUTES: ReadonlySet<string> = new Set(
  ROUTE_RIGHTS.flatMap(([who, routes]) =>
    ["public", "person", "credential", ...MEMBER_SCOPES].includes(who) ? routes : [],
  ),
);
