import type { JsonObject } from "../../core/kernel/json-object.ts";
import type { LatestValue } from "./prometheus.ts";
import { numbersOf } from "./prometheus.ts";

/** What {@link LatestValues} listens to. */
type Note = (deviceId: string, at: number, data: JsonObject) => void;

/** Values kept per device, so that one that invents names cannot fill the memory. */
const MOST_VALUES = 200;

/** The latest number under each name, for the devices that were asked for. */
export class LatestValues {
  readonly #known = new Map<string, Map<string, LatestValue>>();
  readonly #read: (deviceId: string) => readonly { readonly at: number; readonly data: JsonObject }[];
  readonly #listen: (note: Note) => () => void;
  #stopListening: (() => void) | null = null;

  /**
   * `read` returns a device's newest samples, newest first. `listen` calls `note` with devices' measurements until its
   * returned function is called. It is not called before the first request: announcements without listeners are never
   * built.
   */
  constructor(
    read: (deviceId: string) => readonly { readonly at: number; readonly data: JsonObject }[],
    listen: (note: Note) => () => void,
  ) {
    this.#read = read;
    this.#listen = listen;
  }

  of(deviceId: string): ReadonlyMap<string, LatestValue> {
    this.#stopListening ??= this.#listen((id, at, data) => {
      const values = this.#known.get(id);
      if (values !== undefined) take(values, at, data);
    });
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

  /** Called when there are no more requests. */
  clear(): void {
    this.#known.clear();
    this.#stopListening?.();
    this.#stopListening = null;
  }
}

function take(known: Map<string, LatestValue>, at: number, data: JsonObject): void {
  for (const [name, value] of numbersOf(data)) {
    const before = known.get(name);
    if (before === undefined ? known.size < MOST_VALUES : before.at <= at) known.set(name, { value, at });
  }
}
