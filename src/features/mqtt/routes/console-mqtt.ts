import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { withoutSecrets } from "../../../core/http/hidden-secrets.ts";
import { type Clock, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import type { Broker } from "../../../core/mqtt/broker.ts";
import type { TappedMessage } from "../../../core/mqtt/message-tap.ts";
import type { AuditNote } from "../../access/routes/console-audit.ts";
import { publishMessage, type SeenMessage, watchMessages } from "../api/console-mqtt.ts";

const TELL_EVERY_MS = 500;
/** Messages sent at a time; a tick of the busiest broker stays below what a slow reader may have waiting. */
const TOLD_AT_ONCE = 60;
/** Characters of a payload that are sent. */
const TOLD_CHARACTERS = 512;
/** A forgotten page stops watching. */
const LONGEST_LOOK_MS = 600_000;

/** What passes the broker, for owners, and publishing to it. */
export function explorerRoutes(broker: Broker, clock: Clock, note: AuditNote): BoundRoute[] {
  const { tap } = broker;
  return [
    bind(watchMessages, () => {
      if (tap.isFull) throw new Problem("unavailable", { code: "too_many_look" });
      return {
        status: 200,
        stream: (sink) => {
          const reading = tap.open();
          if (reading === null) {
            sink.close();
            return () => {};
          }
          const tell = (): void => {
            const changed = reading.take(TOLD_AT_ONCE);
            if (changed.length > 0) sink.send("messages", changed.map(shownMessage));
          };
          tell();
          const ticks = clock.every(TELL_EVERY_MS, tell);
          const end = clock.after(LONGEST_LOOK_MS, () => {
            sink.send("ended", {});
            sink.close();
          });
          return () => {
            ticks.stop();
            end.stop();
            reading.close();
          };
        },
      };
    }),
    bind(publishMessage, async ({ caller, body }) => {
      const { topic, payload, qos = 0 } = body;
      if (!broker.publishByHand({ topic, payload, qos: qos === 1 ? 1 : 0 })) {
        const message = "is a topic of the hub or of a native device; use the device's controls";
        throw new Problem("invalid_body", `topic ${message}.`, {
          details: [{ field: "/topic", code: "native_topic", message }],
        });
      }
      await note(caller, "mqtt.published", topic, { bytes: Buffer.byteLength(payload) });
      return { status: 202, body: { done: true } };
    }),
  ];
}

function shownMessage({ topic, payload, bytes, qos, isRetained, at, count, from }: TappedMessage): SeenMessage {
  const text = asText(payload, payload.length < bytes);
  return {
    topic,
    payload: text === null ? null : withoutSecrets(topic, text).slice(0, TOLD_CHARACTERS),
    bytes,
    qos,
    retained: isRetained,
    at: isoTimeOrNull(at),
    count,
    from,
  };
}

/** The bytes as text, or null for binary data: a picture, or numbers of a radio. */
function asText(bytes: Buffer, isCut: boolean): string | null {
  const text = bytes.toString("utf8");
  // A character may be cut in two where only the beginning is kept.
  const whole = isCut ? text.replace(/\ufffd{1,3}$/, "") : text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a payload with these is not text
  return /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(whole) ? null : whole;
}
