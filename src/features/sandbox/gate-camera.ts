import type { Clock } from "../../core/kernel/clock.ts";
import type { Direction, Trigger } from "../../core/plates/reading.ts";
import type { CarPictures } from "./car-pictures.ts";
import type { Car } from "./plate-picture.ts";
import { simulatedReading } from "./plate-reading.ts";
import type { HouseholdPorts } from "./ports.ts";

/** A passage to be reported as if a camera had seen it; `at` is epoch milliseconds. */
export interface SeenPassage {
  readonly plate: string | null;
  readonly direction: Direction | null;
  readonly trigger: Trigger;
  readonly at: number;
}

/** Passages whose pictures wait to be drawn; one that finds as many is missed, as by a camera that is busy. */
const MOST_WAITING = 50;

interface Waiting {
  readonly passage: SeenPassage;
  readonly drawn: (picture: Buffer) => void;
  readonly failed: (error: unknown) => void;
}

/** Makes bursts of a simulated camera: a drawn car, and its reading. */
export class GateCamera {
  readonly #options: ConstructorParameters<typeof GateCamera>[0];
  #waiting: Waiting[] = [];
  #isDrawing = false;

  constructor(options: {
    readonly ports: Pick<HouseholdPorts, "takeBurst" | "nextCaptureId">;
    readonly clock: Clock;
    readonly random: () => number;
    /** Local time of day in hours at an instant: pictures are dark at night. */
    readonly hourAt: (epochMs: number) => number;
    readonly pictures: Pick<CarPictures, "of">;
  }) {
    this.#options = options;
  }

  /**
   * Draws a picture of one passage, and passes both to the gate; resolves when they are stored, or the passage is
   * missed. Passages are drawn one after another in one thread: each takes a tenth of the hub's memory, and many at
   * once would delay the real household.
   */
  async see(deviceId: string, passage: SeenPassage): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) return;
    const picture = await new Promise<Buffer>((drawn, failed) => {
      this.#waiting.push({ passage, drawn, failed });
      void this.#drawWaiting();
    });
    await this.#report(deviceId, passage, [picture]);
  }

  async #drawWaiting(): Promise<void> {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    while (this.#waiting.length > 0) {
      const some = this.#waiting;
      this.#waiting = [];
      try {
        const pictures = await this.draw(some.map(({ passage }) => passage));
        for (const [index, { drawn }] of some.entries()) drawn(pictures[index] ?? Buffer.alloc(0));
      } catch (error) {
        for (const { failed } of some) failed(error);
      }
    }
    this.#isDrawing = false;
  }

  /** A picture of each passage, by day or by night; those that look the same are drawn once. */
  draw(passages: readonly Pick<SeenPassage, "plate" | "at">[]): Promise<Buffer[]> {
    const cars = passages.map(({ plate, at }): Car => {
      const hour = this.#options.hourAt(at);
      return { plate: plate ?? "", isNight: hour < 6 || hour >= 19 };
    });
    return this.#options.pictures.of(cars);
  }

  /** What the gate learns of a passage with these pictures. */
  sighting(deviceId: string, { plate, direction, trigger, at }: SeenPassage, frames: readonly Buffer[]) {
    const { clock, random } = this.#options;
    const burst = { deviceId, trigger, at, direction, frames, completeMono: clock.mono() };
    return { burst, reading: simulatedReading(frames.length, plate, 90 + Math.floor(random() * 10)) };
  }

  /** Hands a passage to the gate; resolves once it is stored. */
  async #report(deviceId: string, passage: SeenPassage, frames: readonly Buffer[]): Promise<void> {
    const { ports } = this.#options;
    const { burst, reading } = this.sighting(deviceId, passage, frames);
    await ports.takeBurst({ ...burst, captureId: ports.nextCaptureId() }, reading);
  }
}
