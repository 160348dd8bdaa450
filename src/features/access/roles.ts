import { ROLES, type Role } from "../../core/api/roles.ts";
import { ALL_SCOPES, type Scope } from "../../core/api/scopes.ts";

/** A member session's rights on /v1. Each session route declares the least role that it is open to (`least`). */
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

const SCOPES_OF: Readonly<Record<Role, readonly Scope[]>> = {
  member: MEMBER_SCOPES,
  gatekeeper: [...MEMBER_SCOPES, "plates:write"],
  owner: ALL_SCOPES,
};

/** The scopes of a session. */
export function scopesOf(role: Role): readonly Scope[] {
  return SCOPES_OF[role];
}

/** Those of `scopes` that a role has. */
export function scopesWithin(role: Role, scopes: readonly Scope[]): Scope[] {
  return scopes.filter((scope) => SCOPES_OF[role].includes(scope));
}

/** The least role that has all of these scopes. */
export function leastRoleWith(scopes: readonly Scope[]): Role {
  return ROLES.find((role) => scopes.every((scope) => scopesOf(role).includes(scope))) ?? "owner";
}
