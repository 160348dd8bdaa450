import type { FeedText } from "../text/keys.ts";
import { type Caller, type Holder, holds, type Right } from "./caller.ts";

/**
 * Every kind of feed item with the right that it needs. The only list of kinds: one that is missing here is never
 * shown.
 */
const RIGHTS = {
  "device.added": "events:read",
  "device.removed": "events:read",
  "device.online": "events:read",
  "device.offline": "events:read",
  "device.firmware": "events:read",
  "device.event": "events:read",
  "device.danger": "events:read",
  "device.danger_over": "events:read",
  "device.battery_low": "events:read",
  "command.failed": "events:read",
  "gate.opened": "events:read",
  "gate.not_opened": "events:read",
  "gate.not_closed": "events:read",
  "gate.asked": "plates:read",
  "gate.kept_shut": "plates:read",
  "gate.followed": "plates:read",
  "guest.plate": "plates:read",
  "scene.activated": "events:read",
  "house.mode": "events:read",
  "automation.fired": "events:read",
  "automation.failed": "events:read",
  "automation.paused": "events:read",
  "automation.notify": "events:read",
  "automation.private": "owner",
  "plate.allowed": "plates:read",
  "plate.denied": "plates:read",
  "plate.watch": "plates:read",
  "plate.unknown": "plates:read",
  "plate.unrecognised": "plates:read",
  "occupancy.full": "plates:read",
  "estate.late_ban": "plates:read",
  "estate.rule_dropped": "plates:read",
  "estate.rule_settled": "plates:read",
  "webhook.disabled": "owner",
  "webhook.enabled": "owner",
  "key.created": "owner",
  "key.revoked": "owner",
  "security.login": "owner",
  "security.login_failed": "owner",
  "security.password_changed": "owner",
  "security.grants_ended": "owner",
  "security.restored": "owner",
  "security.passkey_added": "owner",
  "security.passkey_removed": "owner",
  "system.started": "events:read",
  "system.update": "events:read",
  "system.backup": "events:read",
  "system.storage": "events:read",
  "system.storage_low": "events:read",
  "system.clock": "events:read",
} as const satisfies Readonly<Record<string, Right>>;

/** A kind of feed item. */
export type FeedKind = keyof typeof RIGHTS;

/** Kinds of feed items (an open list: clients show unknown kinds by their title). */
export const FEED_KINDS = Object.keys(RIGHTS) as readonly FeedKind[]; // keys of a literal object

interface NewItem {
  readonly siteId: number;
  readonly kind: FeedKind;
  readonly deviceId: string | null;
  /**
   * The vehicles it is about, by their plates in the form of reads: they are forgotten with it. Plates in a title or
   * body that a person or device wrote are found anyway.
   */
  readonly plates?: readonly string[] | undefined;
  /** It is about vehicles although its kind is not: shown only to those who may read plates. */
  readonly aboutVehicles?: boolean | undefined;
  /** Who it is for, and what they are shown with it; without it, everybody who may see its kind. */
  readonly audience?: FeedAudience | undefined;
  /** The plate read that it is about; its picture goes along. */
  readonly readId?: number | undefined;
  /** The account of the person who did it, to whom it is no news. */
  readonly by?: number | null | undefined;
  /** The device that set off the rule whose message it is: the person who has just opened it knows. */
  readonly becauseOf?: string | null | undefined;
  /** The device's own name for the event that it reports. It is not stored. */
  readonly says?: string | undefined;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** The picture that goes with an item: of a plate read, or what a camera shows at the time of the item. */
export type ItemPicture = { readonly readId: number } | { readonly deviceId: string };

/** Who an item is for: only they are notified, and only they and the owners find it in the feed. */
interface FeedAudience {
  /** Accounts; null: everybody who may see its kind. */
  readonly to: readonly number[] | null;
  readonly picture: ItemPicture | null;
}

/** An item for the activity feed: the hub's text as a code, or text that a person or a device wrote. */
export type NewFeedItem = NewItem & ({ readonly text: FeedText } | { readonly title: string; readonly body: string });

/** Writes a feed item. Called inside a job of the database. */
export type RecordFeedItem = (item: NewFeedItem) => void;

/** The part of the feed that one reader sees. */
export interface FeedSight {
  readonly kinds: readonly FeedKind[];
  /** Whether items about vehicles are shown, regardless of kind. */
  readonly vehicles: boolean;
  /** The reader's account: only what is for it or for everybody. Undefined: whomever it is for. */
  readonly recipient?: number | undefined;
}

/** A reader of the feed: rights, and who it is, where it is a person. */
export type FeedReader = Holder & Partial<Pick<Caller, "accountId">>;

/** No account has this id: a reader with it gets nothing that is for chosen persons. */
const NOBODY = 0;

/** The account that a reader reads for; null: an owner, who is shown everything. Keys are no persons. */
function readsFor(reader: FeedReader): number | null {
  if (holds(reader, "owner")) return null;
  return reader.method === "session" ? (reader.accountId ?? NOBODY) : NOBODY;
}

/** The part of the feed that a caller sees; the route checks the right to read the feed at all. */
export function feedSight(reader: FeedReader): FeedSight {
  return {
    kinds: FEED_KINDS.filter((kind) => holds(reader, RIGHTS[kind])),
    vehicles: holds(reader, "plates:read"),
    recipient: readsFor(reader) ?? undefined,
  };
}

/** The part of a feed item that decides who is shown it. */
export interface FeedItemSight {
  readonly kind: string;
  readonly aboutVehicles: boolean;
  /** The accounts that it is for; null: everybody. */
  readonly recipients: readonly number[] | null;
}

/** Whether a caller is shown an item. */
export function isShown(reader: FeedReader, item: FeedItemSight): boolean {
  // its presence has just been checked
  const right = Object.hasOwn(RIGHTS, item.kind) ? RIGHTS[item.kind as FeedKind] : null;
  if (right === null || !holds(reader, right) || (item.aboutVehicles && !holds(reader, "plates:read"))) return false;
  const account = readsFor(reader);
  return item.recipients === null || account === null || item.recipients.includes(account);
}
