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

/** A message that is new, as it goes into the journal and as the others are told of it. */
export interface NewMessage extends Extract<JournalEntry, { kind: "message" }> {
  readonly siteId: number;
  readonly deviceId: string;
  readonly samples: readonly ArrivingSample[];
  /** Its latest sample. */
  readonly newest: ArrivingSample;
}

/** What the group has of one device so far. */
interface DeviceIntake {
  readonly list: SampleList;
  /** Message id → check. */
  readonly messages: Map<number, number>;
  /** Data → the time after the last one that such a sample was moved to. */
  readonly nextFree: Map<string, number>;
}

/**
 * Sorts out, within one write job, what is new of the arrivals of one group commit. Changes nothing outside itself:
 * the job may still fail.
 */
export class Intake {
  readonly messages: NewMessage[] = [];
  readonly refs = new Map<string, number>();
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
    const samples = this.#newOf(arrival.samples, ref, device);
    let newest = samples[0];
    if (newest === undefined) return;
    for (const sample of samples) if (sample.at >= newest.at) newest = sample;
    const { deviceId, messageId, check } = arrival;
    const owed = this.#ports.reported(deviceId);
    this.messages.push({ kind: "message", ref, messageId, check, owed, samples, siteId, deviceId, newest });
    if (owed) this.#addFresh(ref, deviceId, samples);
    if (messageId !== null) device.messages.set(messageId, check);
  }

  /** The samples that are not stored yet, with their final times. */
  #newOf(arriving: readonly ArrivingSample[], ref: number, device: DeviceIntake): readonly ArrivingSample[] {
    let samples: ArrivingSample[] | null = null; // a list of its own only where it differs from what came
    let seen = 0;
    for (const sample of arriving) {
      const placed = this.#placed(sample, ref, device);
      if (placed !== sample) samples ??= arriving.slice(0, seen);
      seen += 1;
      if (placed === null) this.duplicates += 1;
      else {
        device.list.insert(placed);
        samples?.push(placed);
      }
    }
    return samples ?? arriving;
  }

  /** The sample with its final time; null when it is stored already. */
  #placed(sample: ArrivingSample, ref: number, device: DeviceIntake): ArrivingSample | null {
    if (!this.#isTaken(sample.at, sample.text, ref, device)) return sample;
    if (sample.own) return null;
    // Equal readings that come in one millisecond are several readings: the hub's time is moved on by as little as tells them apart.
    let at = Math.max(sample.at + 1, device.nextFree.get(sample.text) ?? 0);
    while (this.#isTaken(at, sample.text, ref, device)) at += 1;
    device.nextFree.set(sample.text, at + 1);
    return { ...sample, at };
  }

  #isTaken(at: number, text: string, ref: number, device: DeviceIntake): boolean {
    return device.list.has(at, text) || this.#ports.stored(ref, at, text);
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
