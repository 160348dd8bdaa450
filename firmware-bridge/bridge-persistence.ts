import type { Clock } from "../src/core/kernel/clock.ts";
import type { Logger } from "../src/core/kernel/logger.ts";
import type { BoundDevice, DeviceBook } from "./device-book.ts";
import type { Meters } from "./meters.ts";
import type { BridgeMemory, DeviceMemory } from "./ports.ts";

/**
 * Counters change with every sample; their rows follow with the first quiet write after this time. A crash loses
 * nothing: the next reading is compared with the older row.
 */
const METER_GAP_MS = 600_000;

/** Writes learned state, only what changed. One write at a time. */
export class BridgePersistence {
  readonly #options: ConstructorParameters<typeof BridgePersistence>[0];
  #metersMono: number;
  /** Ends with the last write that was asked for. */
  #saving = Promise.resolve();

  constructor(options: {
    readonly book: DeviceBook;
    readonly meters: Meters;
    readonly memory: BridgeMemory;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
    this.#metersMono = options.clock.mono();
  }

  /**
   * Writes what was learned about devices; with `counters` also these, always or if they have waited long enough. Never
   * rejects: unwritten state is kept for the next time.
   */
  save(counters: "never" | "due" | "always" = "never"): Promise<void> {
    this.#saving = this.#saving.then(() => this.#write(counters));
    return this.#saving;
  }

  async #write(counters: "never" | "due" | "always"): Promise<void> {
    const { book, memory, clock, logger } = this.#options;
    const entries = book.takeChanged();
    const forgotten = book.takeForgotten();
    const isDue = clock.mono() - this.#metersMono > METER_GAP_MS;
    const takesMeters = counters === "always" || (counters === "due" && isDue);
    if (takesMeters) this.#metersMono = clock.mono();
    const meters = takesMeters ? this.#options.meters.takeChanged() : { meters: [], forgotten: [], again: () => {} };
    if (entries.length + forgotten.length + meters.meters.length + meters.forgotten.length === 0) return;
    try {
      await memory.save({
        devices: entries.flatMap(memoryOf),
        forgotten,
        meters: meters.meters,
        forgottenMeters: meters.forgotten,
      });
    } catch (error) {
      book.again(entries, forgotten);
      meters.again();
      logger.warn({ err: error }, "bridge state could not be stored");
    }
  }
}

function memoryOf({ family, device, deviceId, bindingState, speaker, changedAt }: BoundDevice): DeviceMemory[] {
  return deviceId === null ? [] : [{ family, device, deviceId, bindingState, speaker, changedAt }];
}
