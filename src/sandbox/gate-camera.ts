import type { Direction, Trigger } from "../domain/plates/reading.js";
import type { Clock } from "../kernel/clock.js";
import { drawCarInThread } from "./plate-picture.js";
import { simulatedReading } from "./plate-reading.js";
import type { HouseholdPorts } from "./ports.js";

/** One passage to be reported as if a camera had seen it; `at` is epoch milliseconds. */
export interface SeenPassage {
  readonly plate: string | null;
  readonly direction: Direction | null;
  readonly trigger: Trigger;
  readonly at: number;
  /** False for the past: nothing is opened for it. */
  readonly isFresh: boolean;
  /** Whether a picture is drawn; none is kept otherwise. */
  readonly withPicture: boolean;
}

/** What {@link GateCamera} works with. */
export interface GateCameraOptions {
  readonly ports: Pick<HouseholdPorts, "takeBurst" | "nextCaptureId">;
  readonly clock: Clock;
  readonly random: () => number;
  /** Local time of day in hours at an instant: pictures are dark at night. */
  readonly hourAt: (epochMs: number) => number;
}

/** Makes bursts of a simulated camera: a drawn car, and the reading that goes with it. */
export class GateCamera {
  readonly #options: GateCameraOptions;

  constructor(options: GateCameraOptions) {
    this.#options = options;
  }

  /** Hands one passage to the gate; resolves when it is stored. */
  async report(deviceId: string, passage: SeenPassage): Promise<void> {
    const { ports, clock, random, hourAt } = this.#options;
    const { plate, direction, trigger, at, isFresh } = passage;
    const hour = hourAt(at);
    const frames = passage.withPicture ? [await drawCarInThread(plate ?? "", hour < 6 || hour >= 19)] : [];
    const burst = { deviceId, captureId: ports.nextCaptureId(), trigger, at, direction, frames, completeMono: clock.mono() };
    await ports.takeBurst(burst, simulatedReading(frames.length, plate, 88 + Math.floor(random() * 12)), isFresh);
  }
}
