import type { Base } from "../../core/base.ts";
import type { Timer } from "../../core/kernel/clock.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import type { Outbox } from "../webhooks/outbox.ts";
import type { JournalEntry } from "./journal-format.ts";
import { type Sample, sampleData } from "./sample.ts";

/** A sample that webhooks wait for; `row` is the journal row that holds it. */
interface PendingSample extends Sample {
  readonly row: number;
}

interface DeviceReports {
  readonly deviceId: string;
  pending: PendingSample[];
  lastMono: number;
}

/** Most samples in one delivery; the rest follows in the next. */
const SAMPLES_PER_REPORT = 1_000;
/** Most samples a device may be ahead of its deliveries; then the oldest are left out, which is logged. */
const MOST_PENDING = 20_000;

/** New samples of a device that webhooks want, not on disk yet. */
export interface FreshSamples {
  readonly deviceId: string;
  readonly samples: readonly Sample[];
}

/** An addition of {@link Reports.plan} to a journal row, and the call with the row's number once it is on disk. */
export interface ReportPlan {
  readonly entries: readonly JournalEntry[];
  readonly committed: (row: number) => void;
}

/**
 * Telemetry for webhooks: at most one delivery per device and `webhooks.telemetryGapMs`, each with all samples since the last. The
 * journal records which samples were handed over, so that none is forgotten if the hub stops in between.
 */
export class Reports {
  readonly #base: Base;
  readonly #registry: DeviceRegistry;
  readonly #outbox: Outbox;
  readonly #requestWrite: () => void;
  readonly #gapMs: number;
  readonly #devices = new Map<number, DeviceReports>();
  #timer: Timer | null = null;
  /** Reports planned in the current transaction: their samples still count as waiting. */
  #planned = 0;

  /** `requestWrite` requests a write job soon; called when a report becomes due without new samples. */
  constructor(
    base: Base,
    {
      registry,
      outbox,
      requestWrite,
    }: { readonly registry: DeviceRegistry; readonly outbox: Outbox; readonly requestWrite: () => void },
  ) {
    this.#base = base;
    this.#registry = registry;
    this.#outbox = outbox;
    this.#requestWrite = requestWrite;
    this.#gapMs = base.settings().webhooks.telemetryGapMs;
  }

  /**
   * Whether something was handed over in the current transaction, which may not be committed: until then it is unknown
   * what is still waiting.
   */
  get isHandingOver(): boolean {
    return this.#planned > 0;
  }

  /** Whether samples of this device are to be reported now. */
  wanted(deviceId: string): boolean {
    const siteId = this.#registry.siteOf(deviceId);
    return siteId !== null && this.#outbox.wanted(siteId, "device.telemetry");
  }

  /** Notes samples in journal row `row` that have not been handed over; for the start. */
  addPending(ref: number, deviceId: string, samples: readonly Sample[], row: number): void {
    const device = this.#device(ref, deviceId);
    device.pending = this.#bounded(deviceId, [...device.pending, ...withRow(samples, row)]);
  }

  /** Whether some device's report is due. */
  get due(): boolean {
    const now = this.#base.clock.mono();
    for (const device of this.#devices.values())
      if (device.pending.length > 0 && this.#rested(device, now)) return true;
    return false;
  }

  /** Inside a write job: hands what is due to the outbox, including `fresh` samples (by device number). */
  plan(fresh: ReadonlyMap<number, FreshSamples>): ReportPlan {
    const now = this.#base.clock.mono();
    const entries: JournalEntry[] = [];
    const after: ((row: number) => void)[] = [];
    for (const [ref, { deviceId }] of fresh) this.#device(ref, deviceId);
    for (const [ref, device] of this.#devices) {
      const added = fresh.get(ref)?.samples ?? [];
      if (device.pending.length + added.length === 0) continue;
      if (!this.#rested(device, now)) {
        after.push((row) => this.addPending(ref, device.deviceId, added, row));
        continue;
      }
      const waiting: readonly Sample[] = [...device.pending, ...added];
      const rest = waiting.slice(SAMPLES_PER_REPORT);
      this.#enqueue(device.deviceId, waiting.slice(0, SAMPLES_PER_REPORT));
      entries.push({ kind: "reported", ref });
      if (rest.length > 0) entries.push({ kind: "carried", ref, samples: rest });
      after.push((row) => {
        device.pending = this.#bounded(device.deviceId, withRow(rest, row));
        device.lastMono = now;
      });
    }
    if (entries.length > 0) {
      this.#planned += 1;
      queueMicrotask(() => {
        this.#planned -= 1; // a transaction runs from its first job to its end without a break
      });
    }
    return { entries, committed: (row) => after.forEach((task) => void task(row)) };
  }

  /**
   * The samples still waiting from journal rows up to `row`, to be carried over before these rows go; not while
   * {@link isHandingOver}.
   */
  carryOver(row: number): JournalEntry[] {
    const entries: JournalEntry[] = [];
    for (const [ref, device] of this.#devices) {
      const samples = device.pending.filter((sample) => sample.row <= row);
      if (samples.length > 0) entries.push({ kind: "carried", ref, samples });
    }
    return entries;
  }

  /** After a compaction: samples of rows up to `row` are now in `carriedRow`. */
  carried(row: number, carriedRow: number): void {
    for (const device of this.#devices.values()) {
      device.pending = device.pending.map((sample) => (sample.row <= row ? { ...sample, row: carriedRow } : sample));
    }
  }

  /**
   * Drops what is noted for a device: it was handed over (according to the journal read at the start), or the device is
   * gone.
   */
  settle(ref: number): void {
    this.#devices.delete(ref);
  }

  /** Ensures that waiting reports go out when they are due. */
  arm(): void {
    if (this.#timer !== null) return;
    let dueMono = Number.POSITIVE_INFINITY;
    const now = this.#base.clock.mono();
    for (const [ref, device] of this.#devices) {
      if (device.pending.length > 0) dueMono = Math.min(dueMono, device.lastMono + this.#gapMs);
      else if (this.#rested(device, now)) this.#devices.delete(ref);
    }
    if (dueMono === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#base.clock.at(dueMono, () => {
      this.#timer = null;
      this.#requestWrite();
    });
  }

  stop(): void {
    this.#timer?.stop();
    this.#timer = null;
  }

  #device(ref: number, deviceId: string): DeviceReports {
    const known = this.#devices.get(ref);
    if (known !== undefined) return known;
    const device = { deviceId, pending: [], lastMono: Number.NEGATIVE_INFINITY };
    this.#devices.set(ref, device);
    return device;
  }

  #rested(device: DeviceReports, now: number): boolean {
    return now - device.lastMono >= this.#gapMs;
  }

  #bounded(deviceId: string, pending: PendingSample[]): PendingSample[] {
    if (pending.length <= MOST_PENDING) return pending;
    this.#base.logger.warn(
      { deviceId, dropped: pending.length - MOST_PENDING },
      "telemetry outruns its webhook deliveries; the oldest samples are left out of them",
    );
    return pending.slice(-MOST_PENDING);
  }

  #enqueue(deviceId: string, samples: readonly Sample[]): void {
    const siteId = this.#registry.siteOf(deviceId);
    if (siteId === null || !this.#outbox.wanted(siteId, "device.telemetry")) return;
    const listed = samples.map((sample) => ({ at: new Date(sample.at).toISOString(), data: sampleData(sample) }));
    const newest = listed.reduce((best, sample) => (sample.at >= best.at ? sample : best));
    this.#outbox.enqueue({
      siteId,
      event: "device.telemetry",
      deviceId,
      data: { at: newest.at, data: newest.data, samples: listed },
      at: this.#base.clock.now(),
    });
  }
}

function withRow(samples: readonly Sample[], row: number): PendingSample[] {
  return samples.map((sample) => ({ at: sample.at, text: sample.text, row }));
}
