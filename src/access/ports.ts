import type { FeedKind } from "../contract/feed-kinds.js";

/** Writes a feed item inside the running write job; the hub joins it to the feed. */
export type RecordFeedItem = (item: {
  readonly siteId: number;
  readonly kind: FeedKind;
  readonly deviceId: string | null;
  readonly title: string;
  readonly body: string;
  readonly at: number;
}) => void;

/** Who does something, for the audit list. */
export interface Actor {
  /** Null: the box itself (command line). */
  readonly accountId: number | null;
  /** `session:3`, `cli`, `hub`. */
  readonly actor: string;
}

/** The command line on the box. */
export const CLI_ACTOR: Actor = { accountId: null, actor: "cli" };
