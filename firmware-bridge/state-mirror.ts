import type { Clock } from "../src/core/kernel/clock.ts";
import type { JsonObject } from "../src/core/kernel/json-object.ts";

/** How often a device's measured values reach its state: each time is a write to the card. */
const MIRROR_GAP_MS = 60_000;

interface Pending {
  values: JsonObject;
  lastMono: number;
}

/**
 * Keeps the latest measurements of each device in its state, at a slow pace. A value that is new to the state is
 * written at once.
 */
export class StateMirror {
  readonly #options: ConstructorParameters<typeof StateMirror>[0];
  readonly #pending = new Map<string, Pending>();

  constructor(options: {
    /** The device's current state; null for an unknown device. */
    readonly stateOf: (deviceId: string) => JsonObject | null;
    /** Merges a patch; the mirror ignores its failure, since the next values correct it. */
    readonly write: (deviceId: string, patch: JsonObject) => void;
    readonly clock: Clock;
  }) {
    this.#options = options;
  }

  /** Takes measured values. */
  note(deviceId: string, values: JsonObject): void {
    const state = this.#options.stateOf(deviceId);
    if (state === null) return;
    const pending = this.#pending.get(deviceId) ?? { values: {}, lastMono: Number.NEGATIVE_INFINITY };
    this.#pending.set(deviceId, pending);
    Object.assign(pending.values, values);
    if (Object.keys(values).some((key) => !Object.hasOwn(state, key))) this.#write(deviceId, pending);
    else this.#writeIfDue(deviceId, pending);
  }

  /** The device reported these keys itself: earlier measurements are outdated. */
  superseded(deviceId: string, keys: readonly string[]): void {
    const pending = this.#pending.get(deviceId);
    if (pending) for (const key of keys) delete pending.values[key];
  }

  /** Writes what is due. */
  passed(): void {
    for (const [deviceId, pending] of this.#pending) this.#writeIfDue(deviceId, pending);
  }

  /** Forgets a device. */
  forget(deviceId: string): void {
    this.#pending.delete(deviceId);
  }

  #writeIfDue(deviceId: string, pending: Pending): void {
    if (Object.keys(pending.values).length > 0 && this.#options.clock.mono() - pending.lastMono >= MIRROR_GAP_MS)
      this.#write(deviceId, pending);
  }

  #write(deviceId: string, pending: Pending): void {
    const patch = pending.values;
    pending.values = {};
    pending.lastMono = this.#options.clock.mono();
    this.#options.write(deviceId, patch);
  }
}
