import type { FeedKind, FeedWords } from "../contract/feed-kinds.js";

/** Writes a feed item inside the running write job; the hub joins it to the feed. */
export type RecordFeedItem = (item: {
  readonly siteId: number;
  readonly kind: FeedKind;
  readonly deviceId: string | null;
  readonly title: string;
  readonly body: string;
  /** For pages in other languages; absent: title and body are all there is. */
  readonly words?: FeedWords | undefined;
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
