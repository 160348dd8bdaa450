import type { BurstReading } from "../../core/plates/reading.ts";

/** Frames of one burst that the recogniser reads while the next ones arrive. */
export interface FrameReading {
  /** Takes the frame at position `n`, replacing an earlier one. */
  add(n: number, jpeg: Uint8Array): void;
  /** Says that no more frames will come; never rejects. */
  finish(): Promise<BurstReading>;
  /** Says that the frames are no longer wanted. */
  drop(): void;
}
