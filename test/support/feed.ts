import type { NewFeedItem } from "../../src/core/api/feed-kinds.ts";
import { feedEnglish } from "../../src/core/text/english.ts";

/** A feed item as it is written, wherever its words come from. */
export type ShownItem = NewFeedItem & { readonly title: string; readonly body: string };

/** The feed's rendering of an item. */
export function shownItem(item: NewFeedItem): ShownItem {
  return "text" in item ? { ...item, ...feedEnglish(item.text) } : item;
}
