/** Roles of a person in a household, the least first: each has all rights of those before it. */
export const ROLES = ["member", "gatekeeper", "owner"] as const;

/**
 * A person's role: a member uses the house, a gatekeeper keeps the gate as well (plate rules, reads, guests' passes), an
 * owner may do everything.
 */
export type Role = (typeof ROLES)[number];

/** Whether a role is the least one that something takes, or a higher one. */
export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}
