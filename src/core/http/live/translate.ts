import type { Facts } from "../../api/facts.ts";
import type { StreamData, StreamEventName } from "../../api/stream-event.ts";
import { isoTime } from "../../kernel/clock.ts";
import type { JsonObject } from "../../kernel/json-object.ts";

/** An event of the stream before it has its place in it. */
export type StreamedEvent = {
  readonly [Name in StreamEventName]: {
    readonly event: Name;
    readonly deviceId: string | null;
    readonly data: StreamData<Name>;
    readonly at: number;
  };
}[StreamEventName];

type Translations = { readonly [Kind in keyof Facts]: ((fact: Facts[Kind], now: number) => StreamedEvent) | null };

/** What each fact is in the stream; null: nothing. */
const TRANSLATIONS: Translations = {
  "device.changed": ({ deviceId, state, previous, changed, source, at }) => ({
    event: "device.state",
    deviceId,
    data: { state, changed: [...changed], previous, source },
    at,
  }),
  "device.presence": ({ deviceId, online, at }) =>
    online
      ? { event: "device.online", deviceId, data: { online: true }, at }
      : { event: "device.offline", deviceId, data: { online: false }, at },
  "device.telemetry": ({ deviceId, at, data }) => ({
    event: "device.telemetry",
    deviceId,
    data: { at: isoTime(at), data },
    at,
  }),
  "device.event": ({ deviceId, kind, title, body, at }) => ({
    event: "device.event",
    deviceId,
    data: { kind, title, body },
    at,
  }),
  "device.edited": ({ deviceId, what }, now) => ({ event: "device.edited", deviceId, data: { what }, at: now }),
  "command.sent": null,
  "command.changed": ({ deviceId, commandId, status, reason, at }) => ({
    event: "command.changed",
    deviceId,
    data: { commandId, status, reason },
    at,
  }),
  "read.decided": ({ deviceId, readId, plate, decision, direction, status, firstOfPass, at }) => ({
    event: "plate.read",
    deviceId,
    data: { readId, plate, decision, direction, status, firstOfPass },
    at,
  }),
  "gate.opening": ({ openingId, deviceId, readId, by, name, result, reason, at }) => ({
    event: "gate.opening",
    deviceId,
    data: { openingId, readId, by, name, result, reason },
    at,
  }),
  "gate.question": ({ questionId, readId, deviceId, state, at }) => ({
    event: "gate.question",
    deviceId,
    data: { questionId, readId, state },
    at,
  }),
  "visit.changed": ({ visitId, plate, status, at }) => ({
    event: "visit.changed",
    deviceId: null,
    data: { visitId, plate, status },
    at,
  }),
  "occupancy.changed": ({ inside, previous, at }) => ({
    event: "occupancy.changed",
    deviceId: null,
    data: { inside, previous },
    at,
  }),
  "feed.added": ({ itemId, deviceId, kind, title, body, at }) => ({
    event: "feed.added",
    deviceId,
    data: { itemId, kind, title, body },
    at,
  }),
  "scene.activated": ({ sceneId, name, at }) => ({
    event: "scene.activated",
    deviceId: null,
    data: { sceneId, name },
    at,
  }),
  "plate_rules.changed": null,
  "house.mode": null,
  "house.presence": null,
  "persons.changed": null,
  "device.battery": null,
  "webhook.changed": null,
};

/**
 * A fact as the stream sends it; null for a fact that is not streamed. `now`: for facts that carry no time of their
 * own.
 */
export function streamedEvent<Kind extends keyof Facts>(
  kind: Kind,
  fact: Facts[Kind],
  now: number,
): StreamedEvent | null {
  return TRANSLATIONS[kind]?.(fact, now) ?? null;
}

/** The kinds of facts that are streamed. */
export const STREAMED_KINDS = (Object.keys(TRANSLATIONS) as (keyof Facts)[]).filter(
  (kind) => TRANSLATIONS[kind] !== null,
); // keys of a literal object

/** The lines of one event in the stream. */
export function linesOf(
  id: string,
  { event, deviceId, data, at }: { event: string; deviceId: string | null; data: JsonObject; at: number },
): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify({ id, event, deviceId, data, at: isoTime(at) })}\n\n`;
}
