import type { Timer } from "../../core/kernel/clock.ts";
import type { Direction } from "../../core/plates/reading.ts";
import type { Lined } from "./capture-lines.ts";
import type { FrameReading } from "./frame-reading.ts";
import { type FrameMemory, HeldFrames } from "./held-frames.ts";

/** What closes a capture; `at` is the sender's own time, epoch ms. */
export interface Closing {
  readonly trigger: string;
  /** Frames that the sender says it sent; null when it does not say. */
  readonly frames: number | null;
  readonly at: number | null;
  readonly direction: Direction | null;
}

/** One native capture, from its first frame until it is stored. */
export class Capture implements Lined {
  readonly deviceId: string;
  readonly captureId: string;
  /** Of its folder in the spool. */
  readonly name: string;
  readonly isPast: boolean;
  /** Bytes of the frames that have arrived, by their positions. */
  readonly sizes = new Map<number, number>();
  readonly held: HeldFrames;
  /** Writes that are not on disk yet. */
  readonly writing = new Set<Promise<unknown>>();
  reading: FrameReading | null;
  closing: Closing | null = null;
  /** Monotonic time until which it may open a gate. */
  opensUntilMono: number;
  /** When its first frame came, by both readings of the clock. */
  readonly began: { readonly mono: number; readonly wall: number };
  timer: Timer | null = null;
  lastFrameMono: number;

  constructor(
    { deviceId, captureId, name, isPast }: Pick<Capture, "deviceId" | "captureId" | "name" | "isPast">,
    more: Pick<Capture, "began" | "opensUntilMono" | "reading"> & { readonly memory: FrameMemory },
  ) {
    [this.deviceId, this.captureId, this.name, this.isPast] = [deviceId, captureId, name, isPast];
    this.reading = more.reading;
    this.opensUntilMono = more.opensUntilMono;
    this.began = more.began;
    this.lastFrameMono = more.began.mono;
    this.held = new HeldFrames(deviceId, more.memory, () => {
      this.reading?.drop();
      this.reading = null;
    });
  }

  get isHeld(): boolean {
    return this.held.isComplete;
  }

  get frames(): number {
    return this.sizes.size;
  }

  get bytes(): number {
    let sum = 0;
    for (const bytes of this.sizes.values()) sum += bytes;
    return sum;
  }
}
