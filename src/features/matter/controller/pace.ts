import type { AttributeName } from "./clusters.ts";

/** Measurements that change all the time: reported at most this often. A switch by a person is reported at once. */
const MEASURED: ReadonlySet<AttributeName> = new Set([
  "temperature",
  "localTemperature",
  "humidity",
  "pressure",
  "illuminance",
  "co2",
  "co",
  "pm25",
  "pm10",
  "watts",
  "voltage",
  "current",
  "rmsVoltage",
  "rmsCurrent",
  "frequency",
  "powerFactor",
  "imported",
  "exported",
  "battery",
]);
/** Time between two messages with measured values of one node, and between any two. */
export const MEASURED_GAP_MS = 30_000;
const LEAST_GAP_MS = 150;
/** Values that arrive within this time are reported together. */
const GATHER_MS = 10;

/** More reports of a node in {@link WINDOW_MS} than anything in a house needs: it is ignored for a while. */
const MOST_REPORTS = 600;
const WINDOW_MS = 10_000;

/** Limits how often the hub is informed about one node. Times are monotonic milliseconds. */
export class Pace {
  #lastMono = Number.NEGATIVE_INFINITY;
  #lastMeasuredMono = Number.NEGATIVE_INFINITY;
  #window = { since: 0, reports: 0 };

  /** When values of these names may be reported; `isUrgent`: together with something that must not wait. */
  due(nowMono: number, names: readonly AttributeName[], isUrgent: boolean): number {
    const gathered = Math.max(nowMono + GATHER_MS, this.#lastMono + LEAST_GAP_MS);
    const onlyMeasured = !isUrgent && names.every((name) => MEASURED.has(name));
    return onlyMeasured ? Math.max(gathered, this.#lastMeasuredMono + MEASURED_GAP_MS) : gathered;
  }

  /** Notes that values of these names were reported. */
  told(nowMono: number, names: readonly AttributeName[]): void {
    this.#lastMono = nowMono;
    if (names.some((name) => MEASURED.has(name))) this.#lastMeasuredMono = nowMono;
  }

  /** Notes a report of the node; returns whether there are too many. */
  isStorm(nowMono: number): boolean {
    if (nowMono - this.#window.since > WINDOW_MS) this.#window = { since: nowMono, reports: 0 };
    this.#window.reports += 1;
    return this.#window.reports > MOST_REPORTS;
  }
}
