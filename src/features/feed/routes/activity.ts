import { feedSight } from "../../../core/api/feed-kinds.ts";
import { decodePosition, encodeCursor } from "../../../core/http/cursor.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime } from "../../../core/kernel/clock.ts";
import { listActivity } from "../api/activity.ts";
import type { Feed, FeedItem } from "../feed.ts";

/** The page of what happened. */
export function activityRoutes(feed: Feed): BoundRoute[] {
  return [
    bind(listActivity, ({ caller, query }) => {
      const { events, byItself, next } = feed.activity(caller.siteId, {
        part: query.of ?? null,
        by: query.person,
        limit: query.limit ?? 50,
        before: decodePosition(query.cursor),
        sight: feedSight(caller),
      });
      const activity = {
        events: events.map(listed),
        byItself: byItself.map(listed),
        next: next === null ? null : encodeCursor([next.at, next.id]),
      };
      return { status: 200, body: { activity } };
    }),
  ];
}

/** An item as the console's lists give it. */
export function listed({ by: _by, words, at, ...item }: FeedItem) {
  return { ...item, ...(words === null ? {} : { words }), at: isoTime(at) };
}
