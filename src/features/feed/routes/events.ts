import { feedSight } from "../../../core/api/feed-kinds.ts";
import { decodePosition, encodeCursor, nextLink, pageOf } from "../../../core/http/cursor.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime } from "../../../core/kernel/clock.ts";
import { listEvents } from "../api/events.ts";
import type { Feed } from "../feed.ts";

/** The feed routes of /v1. */
export function eventRoutes(feed: Feed): BoundRoute[] {
  return [
    bind(listEvents, (request) => {
      const { caller, query } = request;
      const { limit = 50 } = query;
      const before = decodePosition(query.cursor);
      const items = feed.list(caller.siteId, {
        limit: limit + 1,
        sight: feedSight(caller),
        ...(query.since === undefined ? {} : { sinceMs: Date.parse(query.since) }),
        ...(before ? { before } : {}),
      });
      const { page, last } = pageOf(items, limit);
      const events = page.map(({ id, deviceId, kind, title, body, words, read, at }) => ({
        id,
        deviceId,
        kind,
        title,
        body,
        ...(words === null ? {} : { words }),
        read,
        at: isoTime(at),
      }));
      return {
        status: 200,
        body: { events },
        headers: last ? { Link: nextLink(request, encodeCursor([last.at, last.id])) } : {},
      };
    }),
  ];
}
