import { ALL_SCOPES, type Scope } from "../contract/scopes.js";

/** What a person of a household is: an owner may do everything, a member uses the house. */
export type Role = "owner" | "member";

/** What a member's session may do on /v1. Which session routes are open to members stands at each route (`members`). */
const MEMBER_SCOPES: readonly Scope[] = [
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

/** The scopes of a session. */
export function scopesOf(role: Role): readonly Scope[] {
  return role === "owner" ? ALL_SCOPES : MEMBER_SCOPES;
}
