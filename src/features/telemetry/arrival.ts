import type { JsonObject } from "../../core/kernel/json-object.ts";
import { type DeviceConnection, payloadCheck } from "../../core/mqtt/redelivery.ts";
import type { JournalSample } from "./journal-format.ts";
import { sampleText } from "./sample.ts";

/** One sample as a device sent it: `at` (epoch ms) is null when the device named no time. */
export interface NewSample {
  readonly at: number | null;
  readonly data: JsonObject;
  /** The data as JSON text without whitespace between its parts, if it arrived as such: it need not be made again. */
  readonly text?: string | undefined;
}

/** How a message came in. */
export interface Receipt {
  /** MQTT message id of a QoS 1 message; null for QoS 0 and for messages not received by MQTT. */
  readonly messageId: number | null;
  /** The packet's DUP flag. */
  readonly duplicate: boolean;
  /** When the hub received it, epoch ms. */
  readonly at: number;
  /**
   * The connection it came on, one object per connection: after a broken one, some clients repeat without the DUP flag.
   */
  readonly connection?: DeviceConnection | undefined;
  /** Resolve only after the commit, even without a message id. */
  readonly durable?: boolean;
  /**
   * Its source reports it again anyway, so a power cut may lose some minutes of it: visible at once, on disk with the
   * next commit of samples or the next quiet write.
   */
  readonly patient?: boolean;
}

/** A sample on its way in. */
export interface ArrivingSample extends JournalSample {
  readonly data: JsonObject;
}

/**
 * A message on its way in. The members after `samples` are determined in the write job; one object for both, since
 * thousands are under way at once.
 */
export interface Arrival {
  readonly kind: "message";
  readonly deviceId: string;
  readonly messageId: number | null;
  readonly duplicate: boolean;
  readonly connection: DeviceConnection | null;
  readonly check: number;
  /** In the write job: the new ones, with their final times. */
  samples: readonly ArrivingSample[];
  /** Already announced to everybody when it arrived. */
  readonly isTold: boolean;
  /** The device's number in the tables; 0 before the write job, like the following members. */
  ref: number;
  siteId: number;
  /** Whether webhooks want its samples. */
  pending: boolean;
  /** Its latest sample. */
  newest: ArrivingSample | null;
}

/** A device's clock may be this far ahead of the hub's. */
const MOST_AHEAD_MS = 300_000;
/** Samples may be sent this long after they were taken. */
const MOST_BEHIND_MS = 90 * 86_400_000;

/** The arrived message, with the time of each sample decided (docs/spec/domain.md §4.1). */
export function arrive(
  deviceId: string,
  came: readonly NewSample[],
  receipt: Receipt,
  isClockTrusted: boolean,
  isTold = false,
): Arrival {
  const { messageId, duplicate, at: receivedAt } = receipt;
  const [only] = came;
  const samples =
    came.length === 1 && only !== undefined
      ? [settled(only, receivedAt, isClockTrusted)]
      : came.map((sample) => settled(sample, receivedAt, isClockTrusted));
  let check = 0;
  for (let n = 0; n < samples.length; n++) check = payloadCheck(came[n]?.at ?? null, samples[n]?.text ?? "", check);
  return {
    kind: "message",
    deviceId,
    messageId,
    duplicate,
    connection: receipt.connection ?? null,
    check,
    samples,
    isTold,
    ref: 0,
    siteId: 0,
    pending: false,
    newest: null,
  };
}

/** A sample with its time decided. */
function settled(sample: NewSample, receivedAt: number, isClockTrusted: boolean): ArrivingSample {
  const { at, data, text = sampleText(data) } = sample;
  if (isClockTrusted && at !== null && isPlausible(at, receivedAt))
    return { own: true, at: Math.trunc(at), text, data };
  return { own: false, at: receivedAt, text, data };
}

function isPlausible(at: number, now: number): boolean {
  return Number.isFinite(at) && at <= now + MOST_AHEAD_MS && at >= now - MOST_BEHIND_MS;
}
