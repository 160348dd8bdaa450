import { type Meter, type MeterStep, readMeter } from "../src/features/energy/rules/energy-counter.ts";

/** One counter of one device of the hub. */
export interface MeterOf {
  readonly deviceId: string;
  readonly metric: string;
  readonly meter: Meter;
}

const MOST_PER_DEVICE = 32;

/** The energy counters of all bridged devices, and which of them have changed since they were written. */
export class Meters {
  readonly #meters = new Map<string, Map<string, Meter>>();
  #changed = new Map<string, MeterOf>();
  #forgotten = new Set<string>();

  /** Loads what the last run knew. */
  load(meters: ReadonlyMap<string, ReadonlyMap<string, Meter>>): void {
    for (const [deviceId, own] of meters) this.#meters.set(deviceId, new Map(own));
  }

  /**
   * Takes a counter's reading; null if it adds nothing: a retained reading of a known counter is older than the known
   * value.
   */
  read(
    deviceId: string,
    counter: {
      readonly metric: string;
      readonly wattHours: number;
      readonly epoch: string | null;
      readonly at: number;
    },
    live: boolean,
  ): MeterStep | null {
    const own = this.#meters.get(deviceId) ?? new Map<string, Meter>();
    const known = own.get(counter.metric) ?? null;
    if (known === null ? own.size >= MOST_PER_DEVICE : !live) return null;
    if (!Number.isFinite(counter.wattHours) || counter.wattHours < 0) return null;
    const step = readMeter(known, counter);
    this.#meters.set(deviceId, own.set(counter.metric, step.meter));
    this.#changed.set(`${deviceId} ${counter.metric}`, { deviceId, metric: counter.metric, meter: step.meter });
    return step;
  }

  /** Whether some of a device's energy is an estimate. */
  isEstimated(deviceId: string): boolean {
    return [...(this.#meters.get(deviceId)?.values() ?? [])].some(({ estimated }) => estimated);
  }

  /** Forgets the counters of a device. */
  forget(deviceId: string): void {
    this.#meters.delete(deviceId);
    for (const [key, { deviceId: of }] of this.#changed) if (of === deviceId) this.#changed.delete(key);
    this.#forgotten.add(deviceId);
  }

  /** Counters to be written; `again` puts them back if that failed. */
  takeChanged(): {
    readonly meters: readonly MeterOf[];
    readonly forgotten: readonly string[];
    readonly again: () => void;
  } {
    const changed = this.#changed;
    const forgotten = this.#forgotten;
    this.#changed = new Map();
    this.#forgotten = new Set();
    const again = (): void => {
      this.#changed = new Map([...changed, ...this.#changed]);
      for (const deviceId of forgotten) this.#forgotten.add(deviceId);
    };
    return { meters: [...changed.values()], forgotten: [...forgotten], again };
  }
}
