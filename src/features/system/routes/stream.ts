import type { Caller } from "../../../core/api/caller.ts";
import { rightOf } from "../../../core/api/fact-rights.ts";
import { STREAM_EVENT_NAMES, STREAM_EVENTS, type StreamEventName } from "../../../core/api/stream-event.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { audibleEvents, type LiveEvents } from "../../../core/http/live/live-events.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import type { DeviceRegistry } from "../../devices/registry.ts";
import { streamEvents } from "../api/stream.ts";

/** `GET /v1/stream`. */
export function streamRoutes(live: LiveEvents, registry: DeviceRegistry): BoundRoute[] {
  return [
    bind(streamEvents, ({ caller, query, facts }) => {
      const types = query.types === undefined ? null : namedEvents(query.types);
      checkRights(caller, types);
      if (query.deviceId !== undefined) registry.get(caller.siteId, query.deviceId); // or there is no such device
      const lastEventId = facts.headers["last-event-id"];
      const wish = {
        types,
        deviceId: query.deviceId ?? null,
        lastEventId: typeof lastEventId === "string" && lastEventId !== "" ? lastEventId : null,
      };
      let position = (): string | null => null;
      return {
        status: 200,
        stream: (sink) => {
          const opened = live.open(caller, wish, sink);
          position = opened.position;
          return opened.end;
        },
        streamPosition: () => position(),
      };
    }),
  ];
}

function namedEvents(text: string): Set<StreamEventName> {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !STREAM_EVENT_NAMES.some((known) => known === name));
  if (unknown !== undefined) {
    const message = `There is no event '${unknown.slice(0, 50)}'; there are ${STREAM_EVENT_NAMES.join(", ")}.`;
    throw new Problem("invalid_query", message, { details: [{ field: "types", code: "unknown", message }] });
  }
  return new Set(STREAM_EVENT_NAMES.filter((name) => names.includes(name)));
}

/**
 * A caller that names events must have the rights to all of them; one that names none, to at least one. @throws Problem
 * `insufficient_scope`
 */
function checkRights(caller: Caller, types: ReadonlySet<StreamEventName> | null): void {
  const audible = audibleEvents(caller, types);
  const silent =
    [...(types ?? [])].find((name) => !audible.includes(name)) ??
    (audible.length === 0 ? STREAM_EVENT_NAMES[0] : undefined);
  if (silent === undefined) return;
  const requiredScope = rightOf(STREAM_EVENTS[silent].fact);
  throw new Problem(
    "insufficient_scope",
    `The credential may not hear ${silent}; it lacks the scope ${requiredScope}.`,
    {
      fields: { requiredScope, keyScopes: caller.scopes },
    },
  );
}
