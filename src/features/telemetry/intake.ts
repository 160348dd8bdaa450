import { checkOfLast, type RecentMessages } from "../../core/mqtt/redelivery.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import type { Arrival, ArrivingSample } from "./arrival.ts";
import type { FreshSamples, Reports } from "./reports.ts";
import { SampleList } from "./sample.ts";
import type { StoredSamples } from "./stored-samples.ts";

/** What is known of devices outside the group. */
interface Lookups {
  readonly refOf: (deviceId: string) => number;
  readonly recentOf: (ref: number) => RecentMessages | null;
  /** A device's stored samples. */
  readonly stored: (ref: number) => Pick<StoredSamples, "has">;
  readonly registry: Pick<DeviceRegistry, "siteOf">;
  readonly reports: Pick<Reports, "wanted">;
}

/** The group's samples of one device so far, and what is known about it. */
interface DeviceIntake {
  readonly ref: number;
  readonly siteId: number;
  readonly pending: boolean;
  readonly recent: RecentMessages | null;
  readonly stored: Pick<StoredSamples, "has">;
  readonly list: SampleList;
  readonly messages: Arrival[];
  /** Data → the time after the last one to which such a sample was moved; null if none was. */
  nextFree: Map<string, number> | null;
}

/**
 * Sorts out, within one write job, the new samples among the arrivals of one group commit. Has no side effects: the job
 * may still fail.
 */
export class Intake {
  /** Messages that are new, each with its new samples. */
  readonly messages: Arrival[] = [];
  readonly refs = new Map<string, number>();
  readonly fresh = new Map<number, FreshSamples & { readonly samples: ArrivingSample[] }>();
  /** Messages that had come before, and samples already stored under the same time. */
  duplicates = 0;
  readonly #lookups: Lookups;
  /** Null: an unknown device. */
  readonly #devices = new Map<string, DeviceIntake | null>();

  constructor(lookups: Lookups) {
    this.#lookups = lookups;
  }

  take(arrival: Arrival): void {
    const device = this.#device(arrival.deviceId);
    if (device === null) return; // it was removed while the message waited
    if (isRedelivery(arrival, device)) {
      this.duplicates += 1;
      return;
    }
    const samples = this.#newOf(arrival.samples, device);
    let newest = samples[0];
    if (newest === undefined) return;
    if (samples.length > 1) for (const sample of samples) if (sample.at >= newest.at) newest = sample;
    const { ref, pending, siteId } = device;
    arrival.samples = samples;
    arrival.ref = ref;
    arrival.siteId = siteId;
    arrival.pending = pending;
    arrival.newest = newest;
    this.messages.push(arrival);
    if (pending) this.#addFresh(ref, arrival.deviceId, samples);
    if (arrival.messageId !== null) device.messages.push(arrival);
  }

  /** The samples that are not stored yet, with their final times. */
  #newOf(arriving: readonly ArrivingSample[], device: DeviceIntake): readonly ArrivingSample[] {
    let samples: ArrivingSample[] | null = null; // a separate list only if it differs from the arrived one
    for (let n = 0; n < arriving.length; n++) {
      const sample = arriving[n] as ArrivingSample; // there is one
      const placed = this.#placed(sample, device);
      if (placed !== sample) samples ??= arriving.slice(0, n);
      if (placed === null) this.duplicates += 1;
      else {
        device.list.insert(placed.at, placed.text);
        samples?.push(placed);
      }
    }
    return samples ?? arriving;
  }

  /** The sample with its final time; null when it is stored already. */
  #placed(sample: ArrivingSample, device: DeviceIntake): ArrivingSample | null {
    if (!this.#isTaken(sample.at, sample.text, device)) return sample;
    if (sample.own) return null;
    // Equal readings in one millisecond are several readings: the hub's time is moved on by just enough to tell them
    // apart.
    device.nextFree ??= new Map();
    let at = Math.max(sample.at + 1, device.nextFree.get(sample.text) ?? 0);
    while (this.#isTaken(at, sample.text, device)) at += 1;
    device.nextFree.set(sample.text, at + 1);
    return { ...sample, at };
  }

  #isTaken(at: number, text: string, device: DeviceIntake): boolean {
    return device.list.has(at, text) || device.stored.has(at, text);
  }

  #device(deviceId: string): DeviceIntake | null {
    const known = this.#devices.get(deviceId);
    if (known !== undefined) return known;
    const { registry, reports, refOf, recentOf, stored } = this.#lookups;
    const siteId = registry.siteOf(deviceId);
    let device: DeviceIntake | null = null;
    if (siteId !== null) {
      const ref = refOf(deviceId);
      this.refs.set(deviceId, ref);
      device = {
        ref,
        siteId,
        pending: reports.wanted(deviceId),
        recent: recentOf(ref),
        stored: stored(ref),
        list: new SampleList(),
        messages: [],
        nextFree: null,
      };
    }
    this.#devices.set(deviceId, device);
    return device;
  }

  #addFresh(ref: number, deviceId: string, samples: readonly ArrivingSample[]): void {
    const known = this.fresh.get(ref);
    if (known === undefined) this.fresh.set(ref, { deviceId, samples: [...samples] });
    else known.samples.push(...samples);
  }
}

function isRedelivery(arrival: Arrival, { recent, messages }: DeviceIntake): boolean {
  const { messageId, check, duplicate } = arrival;
  if (messageId === null) return false;
  if (recent !== null) return recent.isRedelivery(arrival, messageId, messages);
  return duplicate && checkOfLast(messages, messageId) === check;
}
