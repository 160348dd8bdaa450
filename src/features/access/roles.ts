import { ALL_SCOPES, type Scope } from "../../core/api/scopes.ts";

/** A person's role in a household: an owner may do everything, a member uses the house. */
export type Role = "owner" | "member";

/** A member session's rights on /v1. Each session route declares whether it is open to members (`members`). */
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
