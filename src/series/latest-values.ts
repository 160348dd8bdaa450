import type { JsonObject } from "../contract/facts.js";
import type { LatestValue } from "./prometheus.js";
import { numbersOf } from "./prometheus.js";

/** Values kept of one device; one that invents names cannot fill the memory. */
const MOST_VALUES = 200;

/** The latest number under each name, of the devices that were asked for. */
export class LatestValues {
  readonly #known = new Map<string, Map<string, LatestValue>>();
  readonly #read: (deviceId: string) => readonly { readonly at: number; readonly data: JsonObject }[];

  /** `read` gives a device's newest samples, newest first. */
  constructor(read: (deviceId: string) => readonly { readonly at: number; readonly data: JsonObject }[]) {
    this.#read = read;
  }

  /** Takes in what a device measured. Costs nothing before anybody has asked for it. */
  note(deviceId: string, at: number, data: JsonObject): void {
    const known = this.#known.get(deviceId);
    if (known !== undefined) take(known, at, data);
  }

  of(deviceId: string): ReadonlyMap<string, LatestValue> {
    let known = this.#known.get(deviceId);
    if (known === undefined) {
      known = new Map();
      for (const { at, data } of this.#read(deviceId).toReversed()) take(known, at, data);
      this.#known.set(deviceId, known);
    }
    return known;
  }

  forget(deviceId: string): void {
    this.#known.delete(deviceId);
  }

  /** Nobody asks any more. */
  clear(): void {
    this.#known.clear();
  }
}

function take(known: Map<string, LatestValue>, at: number, data: JsonObject): void {
  for (const [name, value] of numbersOf(data)) {
    const before = known.get(name);
    if (before === undefined ? known.size < MOST_VALUES : before.at <= at) known.set(name, { value, at });
  }
}
