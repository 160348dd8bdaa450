import type { Direction, Trigger } from "../domain/plates/reading.js";
import type { Clock } from "../kernel/clock.js";
import { drawCarsInThread } from "./plate-picture.js";
import { simulatedReading } from "./plate-reading.js";
import type { HouseholdPorts } from "./ports.js";

/** A passage to be reported as if a camera had seen it; `at` is epoch milliseconds. */
export interface SeenPassage {
  readonly plate: string | null;
  readonly direction: Direction | null;
  readonly trigger: Trigger;
  readonly at: number;
  /** False for the past: no gate opens for it. */
  readonly isFresh: boolean;
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

  /** Draws a picture of one passage, and hands both to the gate; resolves when they are stored. */
  async see(deviceId: string, passage: SeenPassage): Promise<void> {
    await this.report(deviceId, passage, await this.draw([passage]));
  }

  /** A picture of each passage, by day or by night. */
  draw(passages: readonly Pick<SeenPassage, "plate" | "at">[]): Promise<Buffer[]> {
    const cars = passages.map(({ plate, at }) => {
      const hour = this.#options.hourAt(at);
      return { plate: plate ?? "", isNight: hour < 6 || hour >= 19 };
    });
    return drawCarsInThread(cars);
  }

  /** Hands one passage and its pictures to the gate; resolves when it is stored. */
  async report(deviceId: string, passage: SeenPassage, frames: readonly Buffer[]): Promise<void> {
    const { ports, clock, random } = this.#options;
    const { plate, direction, trigger, at, isFresh } = passage;
    const burst = {
      deviceId,
      captureId: ports.nextCaptureId(),
      trigger,
      at,
      direction,
      frames,
      completeMono: clock.mono(),
    };
    await ports.takeBurst(burst, simulatedReading(frames.length, plate, 88 + Math.floor(random() * 12)), isFresh);
  }
}
