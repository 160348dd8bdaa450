/** Kinds that are about keys, receivers and sign-ins: an owner's business; members of the household do not see them. */
export const OWNER_FEED_KINDS = [
  "webhook.disabled",
  "webhook.enabled",
  "key.created",
  "key.revoked",
  "security.login",
  "security.login_failed",
  "security.password_changed",
  "security.passkey_added",
  "security.passkey_removed",
] as const;

/** Kinds of feed items (an open list: clients show unknown kinds by their title). */
export const FEED_KINDS = [
  "device.added",
  "device.removed",
  "device.online",
  "device.offline",
  "device.firmware",
  "device.event",
  "command.failed",
  "scene.activated",
  "automation.fired",
  "automation.failed",
  "automation.paused",
  "automation.notify",
  "plate.allowed",
  "plate.denied",
  "plate.watch",
  "plate.unknown",
  "plate.unrecognised",
  "occupancy.full",
  ...OWNER_FEED_KINDS,
  "system.started",
  "system.update",
  "system.backup",
  "system.storage_low",
  "system.clock",
] as const;

/** What a text says, for pages in other languages: a code of the console's catalogue, and what stands in it. Beside the English text. */
export interface FeedWords {
  readonly code: string;
  readonly [name: string]: string | number;
}

/** A kind of feed item. */
export type FeedKind = (typeof FEED_KINDS)[number];
