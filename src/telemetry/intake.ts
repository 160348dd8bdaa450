import type { Facts } from "../contract/facts.js";
import type { Arrival, ArrivingSample } from "./arrival.js";
import type { JournalEntry } from "./journal-format.js";
import type { RecentMessages } from "./redelivery.js";
import type { FreshSamples } from "./reports.js";
import { SampleList } from "./sample.js";

/** What an {@link Intake} asks while it sorts out what is new. */
export interface IntakePorts {
  readonly refOf: (deviceId: string) => number;
  readonly recentOf: (ref: number) => RecentMessages | null;
  /** Whether a sample with this time and equal data is on disk. */
  readonly stored: (ref: number, at: number, text: string) => boolean;
  readonly siteOf: (deviceId: string) => number | null;
  /** Whether webhooks want the device's samples. */
  readonly reported: (deviceId: string) => boolean;
}

/** What the group has of one device so far. */
interface DeviceIntake {
  readonly list: SampleList;
  /** Message id → check. */
  readonly messages: Map<number, number>;
  /** Data → the time after the last one given to such a sample that came without its own. */
  readonly nextFree: Map<string, number>;
}

/**
 * Sorts out, within one write job, what is new of the arrivals of one group commit. Changes nothing outside itself:
 * the job may still fail.
 */
export class Intake {
  readonly entries: JournalEntry[] = [];
  readonly samples: { ref: number; sample: ArrivingSample }[] = [];
  readonly messages: { ref: number; messageId: number; check: number }[] = [];
  readonly refs = new Map<string, number>();
  readonly facts: Facts["device.telemetry"][] = [];
  readonly fresh = new Map<number, FreshSamples & { readonly samples: ArrivingSample[] }>();
  /** Messages that had come before, and samples stored before under the same time. */
  duplicates = 0;
  readonly #ports: IntakePorts;
  readonly #devices = new Map<number, DeviceIntake>();

  constructor(ports: IntakePorts) {
    this.#ports = ports;
  }

  take(arrival: Arrival): void {
    const siteId = this.#ports.siteOf(arrival.deviceId);
    if (siteId === null) return; // the device was removed while the message waited
    const ref = this.#ref(arrival.deviceId);
    const device = this.#device(ref);
    if (this.#isRedelivery(arrival, ref, device)) {
      this.duplicates += 1;
      return;
    }
    const samples: ArrivingSample[] = [];
    for (const arriving of arrival.samples) {
      const sample = this.#placed(arriving, ref, device);
      if (sample === null) {
        this.duplicates += 1;
        continue;
      }
      device.list.insert(sample);
      samples.push(sample);
      this.samples.push({ ref, sample });
    }
    const newest = samples.reduce<ArrivingSample | null>((best, sample) => (best === null || sample.at >= best.at ? sample : best), null);
    if (newest === null) return;
    const owed = this.#ports.reported(arrival.deviceId);
    this.entries.push({ kind: "message", ref, messageId: arrival.messageId, check: arrival.check, owed, samples });
    if (owed) this.#addFresh(ref, arrival.deviceId, samples);
    if (arrival.messageId !== null) {
      device.messages.set(arrival.messageId, arrival.check);
      this.messages.push({ ref, messageId: arrival.messageId, check: arrival.check });
    }
    this.facts.push({ siteId, deviceId: arrival.deviceId, at: newest.at, data: newest.data });
  }

  /** The sample with its final time; null when it is stored already. */
  #placed(sample: ArrivingSample, ref: number, device: DeviceIntake): ArrivingSample | null {
    const taken = (at: number): boolean => device.list.has(at, sample.text) || this.#ports.stored(ref, at, sample.text);
    if (sample.own) return taken(sample.at) ? null : sample;
    // Equal readings that come in one millisecond are several readings: the hub's time is moved on by as little as tells them apart.
    let at = Math.max(sample.at, device.nextFree.get(sample.text) ?? 0);
    while (taken(at)) at += 1;
    device.nextFree.set(sample.text, at + 1);
    return at === sample.at ? sample : { ...sample, at };
  }

  #isRedelivery(arrival: Arrival, ref: number, device: DeviceIntake): boolean {
    const { messageId, check, duplicate, connection } = arrival;
    if (messageId === null) return false;
    const recent = this.#ports.recentOf(ref);
    if (recent === null) return duplicate && device.messages.get(messageId) === check;
    return recent.isRedelivery({ messageId, check, duplicate, connection }, device.messages);
  }

  #ref(deviceId: string): number {
    let ref = this.refs.get(deviceId);
    if (ref === undefined) {
      ref = this.#ports.refOf(deviceId);
      this.refs.set(deviceId, ref);
    }
    return ref;
  }

  #device(ref: number): DeviceIntake {
    let device = this.#devices.get(ref);
    if (device === undefined) {
      device = { list: new SampleList(), messages: new Map(), nextFree: new Map() };
      this.#devices.set(ref, device);
    }
    return device;
  }

  #addFresh(ref: number, deviceId: string, samples: readonly ArrivingSample[]): void {
    const known = this.fresh.get(ref);
    if (known === undefined) this.fresh.set(ref, { deviceId, samples: [...samples] });
    else known.samples.push(...samples);
  }
}
