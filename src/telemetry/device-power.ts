import { addEnergy, isPower, type PowerSample, type WattHours } from "../domain/power-integral.js";
import { metricValue } from "./generation.js";
import { type Sample, sampleData } from "./sample.js";

/** The newest sample of each power of a device. */
export type LastPowers = ReadonlyMap<string, PowerSample>;

/** What a text with a power in it contains; most others need not be read. */
const MAY_HOLD_POWER = /"(?:watts|power_w)/;

/** The energy of a device's powers, sample by sample in order of time. */
export class DevicePower {
  /** By metric. */
  readonly wattHours = new Map<string, WattHours>();
  readonly #last: Map<string, PowerSample>;
  /** Of samples from before those that were counted already. */
  readonly #late = new Map<string, PowerSample>();

  /** `before`: the newest samples that have been counted already. What is older than they stands for itself. */
  constructor(before: LastPowers) {
    this.#last = new Map(before);
  }

  /** Newest samples of all that were counted. */
  get last(): LastPowers {
    return this.#last;
  }

  /**
   * Counts samples, which are sorted by time from one call to the next. Late ones, from before what was counted, are
   * joined among themselves only.
   */
  add(samples: readonly Sample[]): void {
    for (const sample of samples) if (MAY_HOLD_POWER.test(sample.text)) this.#addOne(sample);
  }

  #addOne(sample: Sample): void {
    const data = sampleData(sample);
    for (const metric in data) {
      if (!isPower(metric)) continue;
      const watts = metricValue(data, metric);
      if (watts === null) continue;
      const point = { at: sample.at, watts };
      const newest = this.#last.get(metric);
      const chain = newest !== undefined && sample.at < newest.at ? this.#late : this.#last;
      const previous = chain.get(metric);
      chain.set(metric, point);
      if (previous === undefined) continue;
      let hours = this.wattHours.get(metric);
      if (hours === undefined) {
        hours = new Map();
        this.wattHours.set(metric, hours);
      }
      addEnergy(hours, previous, point);
    }
  }
}
