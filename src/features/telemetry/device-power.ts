import { metricValue, type PowerPoints } from "./generation.ts";
import { addEnergy, isPower, type PowerSample, type WattHours } from "./rules/power-integral.ts";
import { type Sample, sampleData } from "./sample.ts";

/** The newest sample of each power of a device. */
export type LastPowers = ReadonlyMap<string, PowerSample>;

/** Marks of a text with a power in it; most others need not be parsed. */
const MAY_HOLD_POWER = /"(?:watts|power_w)/;

/** The energy of a device's powers, sample by sample in order of time. */
export class DevicePower {
  /** By metric. */
  readonly wattHours = new Map<string, WattHours>();
  readonly #last: Map<string, PowerSample>;
  /** Of samples from before those that were counted already. */
  readonly #late = new Map<string, PowerSample>();

  /** `before`: the newest samples that have been counted already. Older ones stand for themselves. */
  constructor(before: LastPowers) {
    this.#last = new Map(before);
  }

  /** The newest samples counted. */
  get last(): LastPowers {
    return this.#last;
  }

  /**
   * Counts samples, which are sorted by time from one call to the next. Late ones, from before what was counted, are
   * joined only among themselves.
   */
  add(samples: readonly Sample[]): void {
    for (const sample of samples) if (MAY_HOLD_POWER.test(sample.text)) this.#addOne(sample);
  }

  /** Like {@link add}, for the values of one power from `from` to before `end`. */
  addPoints(metric: string, { times, watts }: PowerPoints, from: number, end: number): void {
    for (let n = from; n < end; n++) this.#addPoint(metric, { at: times[n] as number, watts: watts[n] as number }); // they are equally many
  }

  #addOne(sample: Sample): void {
    const data = sampleData(sample);
    for (const metric in data) {
      if (!isPower(metric)) continue;
      const watts = metricValue(data, metric);
      if (watts !== null) this.#addPoint(metric, { at: sample.at, watts });
    }
  }

  #addPoint(metric: string, point: PowerSample): void {
    const newest = this.#last.get(metric);
    const chain = newest !== undefined && point.at < newest.at ? this.#late : this.#last;
    const previous = chain.get(metric);
    chain.set(metric, point);
    if (previous === undefined) return;
    let hours = this.wattHours.get(metric);
    if (hours === undefined) {
      hours = new Map();
      this.wattHours.set(metric, hours);
    }
    addEnergy(hours, previous, point);
  }
}

/** The same in order of time; those with the same time in order of arrival. */
export function inOrder(points: PowerPoints): PowerPoints {
  const { times, watts } = points;
  if (times.every((at, n) => n === 0 || at >= (times[n - 1] as number))) return points; // nearly always
  const order = times.map((at, n) => ({ at, watts: watts[n] as number })); // they are equally many
  order.sort((left, right) => left.at - right.at);
  return { times: order.map(({ at }) => at), watts: order.map((point) => point.watts) };
}
