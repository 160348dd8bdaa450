import type { JsonObject } from "../contract/facts.js";
import type { JournalSample } from "./journal-format.js";
import { type DeviceConnection, payloadCheck } from "./redelivery.js";
import { sampleText } from "./sample.js";

/** One sample as a device sent it: `at` (epoch ms) is null when the device named no time. */
export interface NewSample {
  readonly at: number | null;
  readonly data: JsonObject;
  /** The data as JSON text without whitespace between its parts, where it came as such: it need not be made again. */
  readonly text?: string | undefined;
}

/** How a message came in. */
export interface Receipt {
  /** MQTT message id of a QoS 1 message; null for QoS 0 and for messages that did not come by MQTT. */
  readonly messageId: number | null;
  /** The packet's DUP flag. */
  readonly duplicate: boolean;
  /** When the hub received it, epoch ms. */
  readonly at: number;
  /**
   * The connection it came on, one object per connection: after a broken one, some clients repeat without the DUP flag.
   */
  readonly connection?: DeviceConnection;
  /** Resolve only after the commit although there is no message id. */
  readonly durable?: boolean;
  /**
   * Its source says again how it stands, so that a power cut may take back some minutes of it: told to everybody at
   * once, on disk with the next commit of samples or the next quiet write.
   */
  readonly patient?: boolean;
}

/** A sample on its way in. */
export interface ArrivingSample extends JournalSample {
  readonly data: JsonObject;
}

/** A message on its way in. */
export interface Arrival {
  readonly deviceId: string;
  readonly messageId: number | null;
  readonly duplicate: boolean;
  readonly connection: DeviceConnection | null;
  readonly check: number;
  readonly samples: readonly ArrivingSample[];
  /** Everybody was told of it when it came. */
  readonly isTold: boolean;
}

/** A device's clock may be this far ahead of the hub's. */
const MOST_AHEAD_MS = 300_000;
/** Samples may be sent this long after they were taken. */
const MOST_BEHIND_MS = 90 * 86_400_000;

/** What came in, with the time of each sample settled (domain §4.1). */
export function arrive(message: {
  readonly deviceId: string;
  readonly samples: readonly NewSample[];
  readonly receipt: Receipt;
  readonly clockTrusted: boolean;
  readonly isTold?: boolean;
}): Arrival {
  const { receipt, clockTrusted } = message;
  let check = 0;
  const samples = new Array<ArrivingSample>(message.samples.length);
  let count = 0;
  for (const sample of message.samples) {
    const { at: sentAt, data } = sample;
    const text = sample.text ?? sampleText(data);
    const own = clockTrusted && sentAt !== null && isPlausible(sentAt, receipt.at);
    check = payloadCheck(sentAt, text, check);
    samples[count++] = { own, at: own ? Math.trunc(sentAt) : receipt.at, text, data };
  }
  return {
    deviceId: message.deviceId,
    messageId: receipt.messageId,
    duplicate: receipt.duplicate,
    connection: receipt.connection ?? null,
    check,
    samples,
    isTold: message.isTold ?? false,
  };
}

function isPlausible(at: number, now: number): boolean {
  return Number.isFinite(at) && at <= now + MOST_AHEAD_MS && at >= now - MOST_BEHIND_MS;
}
