/**
 * Everything that lets somebody do or learn something: one record for each kind. The model is in docs/threat-model.md,
 * "Authority". A test compares this list with the tables of the database: a new table is either a grant or listed with
 * the reason why it is not.
 */

import type { Role } from "../../core/api/roles.ts";

/** What a kind of grant allows. `other`: neither opens nor reveals who comes and goes. */
type Allows = "opens" | "reads_plates" | "grants" | "other";

/** A kind of grant. */
export interface GrantKind {
  /** Where its rows are; null: it has none. */
  readonly table: string | null;
  /**
   * `person`: it is a person's own and always ends with the person. `issued`: the table `issued` names its issuer;
   * without a row there it is the household's.
   */
  readonly issuer: "person" | "issued";
  readonly allows: Allows;
  /** How it ends, beside its own expiry. */
  readonly ends: string;
  /** The least role that may issue it; an owner unless given. */
  readonly least?: Role;
}

/** The list. */
export const GRANT_KINDS = {
  session: { table: "session", issuer: "person", allows: "grants", ends: "sign-out, a new password, a restore" },
  passkey: {
    table: "passkey",
    issuer: "person",
    allows: "grants",
    ends: "removed; a password set without the old one, or with the end of everything handed out",
  },
  recovery_code: { table: "recovery_code", issuer: "person", allows: "grants", ends: "used, renewed; as a passkey" },
  push_subscription: { table: "push_subscription", issuer: "person", allows: "reads_plates", ends: "with its session" },
  notifications: { table: "notification_person", issuer: "person", allows: "reads_plates", ends: "switched off" },
  known_browser: { table: null, issuer: "person", allows: "other", ends: "a new password" },
  invitation: {
    table: "invitation",
    issuer: "issued",
    allows: "grants",
    ends: "used, withdrawn, a new password of its issuer",
  },
  owner: { table: "account", issuer: "issued", allows: "grants", ends: "made a member" },
  gatekeeper: { table: "account", issuer: "issued", allows: "grants", ends: "made a member" },
  member: { table: "account", issuer: "issued", allows: "other", ends: "removed" },
  api_key: { table: "api_key", issuer: "issued", allows: "opens", ends: "revoked", least: "member" },
  key_scope: { table: "api_key", issuer: "issued", allows: "opens", ends: "taken out of the key" },
  guest_pass: {
    table: "guest_pass",
    issuer: "issued",
    allows: "opens",
    ends: "taken back; its link also when renewed",
    least: "gatekeeper",
  },
  plate_rule: {
    table: "plate_rule",
    issuer: "issued",
    allows: "opens",
    ends: "switched off, removed",
    least: "gatekeeper",
  },
  automation: { table: "automation", issuer: "issued", allows: "opens", ends: "switched off, removed" },
  scene: { table: "scene", issuer: "issued", allows: "opens", ends: "nobody answers for it until it is saved again" },
  bridge_client: {
    table: "bridge_client",
    issuer: "issued",
    allows: "opens",
    ends: "refused, removed, a new password",
  },
  camera: { table: "device", issuer: "issued", allows: "opens", ends: "removed, a new password" },
  camera_source: {
    table: "camera",
    issuer: "issued",
    allows: "opens",
    ends: "the camera switched off, a native source",
  },
  device: { table: "device", issuer: "issued", allows: "other", ends: "removed, a new password" },
  matter_home: { table: "matter_fabric", issuer: "issued", allows: "opens", ends: "removed" },
  webhook: { table: "webhook", issuer: "issued", allows: "reads_plates", ends: "disabled, removed" },
  webhook_event: { table: "webhook", issuer: "issued", allows: "reads_plates", ends: "taken out of the webhook" },
  notification_channel: {
    table: "notification_channel",
    issuer: "issued",
    allows: "reads_plates",
    ends: "switched off",
  },
} as const satisfies Readonly<Record<string, GrantKind>>;

/** The name of a kind. */
export type GrantName = keyof typeof GRANT_KINDS;

/** A kind that somebody issues, and that can outlive its issuer. */
export type IssuedKind = {
  [Name in GrantName]: (typeof GRANT_KINDS)[Name]["issuer"] extends "issued" ? Name : never;
}[GrantName];

/** All kinds that somebody issues, in the order in which they are listed. */
export const ISSUED_KINDS = (Object.keys(GRANT_KINDS) as GrantName[]).filter(
  // the keys of a constant
  (name): name is IssuedKind => GRANT_KINDS[name].issuer === "issued",
);

/** The default fate of a person's grants of a kind. */
export function proposedFate(kind: IssuedKind): "end" | "keep" {
  return GRANT_KINDS[kind].allows === "other" ? "keep" : "end";
}

/** The least role that may issue a kind. */
export function leastRoleFor(kind: string): Role {
  const kinds: Readonly<Record<string, GrantKind>> = GRANT_KINDS;
  return kinds[kind]?.least ?? "owner";
}

/** An act that issues a grant. */
export interface IssuingAction {
  readonly kind: IssuedKind | "matter_window";
  /** Where the audit line names the row: in `detail.id` or in its target. */
  readonly id: "detail" | "target";
  /** It issues only where the line's detail has this member set to `true`. */
  readonly where?: string;
}

/**
 * The actor of one of these becomes the grant's issuer: it makes the grant, hands out a new secret, redirects it or
 * reactivates it.
 */
export const ISSUING_ACTIONS: Readonly<Record<string, IssuingAction>> = {
  "person.role_changed": { kind: "owner", id: "detail", where: "promoted" },
  "person.made_gatekeeper": { kind: "gatekeeper", id: "detail" },
  "person.invited": { kind: "invitation", id: "detail" },
  "key.created": { kind: "api_key", id: "detail" },
  "guest_pass.created": { kind: "guest_pass", id: "detail" },
  "guest_pass.link_renewed": { kind: "guest_pass", id: "detail", where: "widened" },
  "plate_rule.created": { kind: "plate_rule", id: "detail" },
  "plate_rule.edited": { kind: "plate_rule", id: "detail", where: "widened" },
  "automation.created": { kind: "automation", id: "detail" },
  "automation.rewritten": { kind: "automation", id: "detail" },
  "automation.enabled": { kind: "automation", id: "detail" },
  "scene.created": { kind: "scene", id: "detail" },
  "scene.edited": { kind: "scene", id: "detail", where: "rewritten" },
  "bridge.client_made": { kind: "bridge_client", id: "detail" },
  "bridge.client_accepted": { kind: "bridge_client", id: "detail" },
  "bridge.client_password_renewed": { kind: "bridge_client", id: "detail" },
  "device.created": { kind: "device", id: "target" },
  "device.password_renewed": { kind: "device", id: "target" },
  "camera.source_set": { kind: "camera_source", id: "target" },
  "camera.enabled": { kind: "camera_source", id: "target" },
  "webhook.created": { kind: "webhook", id: "detail" },
  "webhook.edited": { kind: "webhook", id: "detail", where: "moved" },
  "webhook.enabled": { kind: "webhook", id: "detail" },
  "webhook.secret_rotated": { kind: "webhook", id: "detail" },
  "notifications.channel_set": { kind: "notification_channel", id: "target" },
  "matter.window_opened": { kind: "matter_window", id: "target" },
};

/**
 * Edits that let a grant do more. The audit line's `detail.widened` lists what was added to the row that `detail.id` names;
 * each of these is a grant of its own (`part`), with its own issuer, so that it ends without the rest.
 */
export const WIDENING_ACTIONS: Readonly<Record<string, { readonly whole: IssuedKind; readonly part: IssuedKind }>> = {
  "key.edited": { whole: "api_key", part: "key_scope" },
  "webhook.edited": { whole: "webhook", part: "webhook_event" },
};
