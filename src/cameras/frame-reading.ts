import type { BurstReading } from "../domain/plates/reading.js";

/** Frames of one burst that are read while the next ones arrive; the recogniser's. */
export interface FrameReading {
  /** Takes the frame at place `n`; one that stood there before is replaced. */
  add(n: number, jpeg: Uint8Array): void;
  /** No more frames come; never rejects. */
  finish(): Promise<BurstReading>;
  /** The frames are not wanted any more. */
  drop(): void;
}
