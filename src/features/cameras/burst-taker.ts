import type { Burst, BurstReading } from "../../core/plates/reading.ts";

/** One camera as it is set up; `source` as `parseCameraSource` takes it. */
export interface CameraSetup {
  readonly deviceId: string;
  readonly enabled: boolean;
  readonly source: object;
}

/** A burst on its way to the part that stores it. */
export interface Delivery {
  /** Its frames are there until it is taken; after that their memory is reused. */
  readonly burst: Burst;
  /** Name of the capture; null where nobody can repeat it. */
  readonly captureKey: string | null;
  /** Monotonic time until which it may open a gate; see `core/plates/freshness.ts`. */
  readonly opensUntilMono: number;
  /** All its frames were shown before, which is why it opens nothing. */
  readonly isRepeated: boolean;
  /** What its frames show, if they were read as they came; null: nobody has looked yet. */
  readonly reading: Promise<BurstReading> | null;
}

/** What takes the bursts of cameras, and knows which devices are cameras: the gate's classes, which come later. */
export interface BurstTaker {
  readonly gate: {
    /** Resolves with the ids of the reads once the burst is stored; rejects when it cannot be stored now. */
    take(delivery: Delivery): Promise<readonly number[]>;
    /** Whether pictures of this device are looked at. */
    takes(deviceId: string): boolean;
    /** Whether a capture of this name was stored in the last `sinceMs`. */
    knows(deviceId: string, captureKey: string, sinceMs: number): boolean;
    /** A capture id where the sender's own is no positive integer. */
    nextCaptureId(): number;
  };
  readonly settings: {
    /** All devices that somebody has made cameras. */
    all(): readonly CameraSetup[];
    find(deviceId: string): (CameraSetup & { readonly gate: object | null }) | null;
    /** Whether frames of this camera are compared with others: some camera of its household asks or refuses. */
    comparesFrames(deviceId: string): boolean;
  };
  readonly shownFrames: {
    /**
     * Says for each frame whether it is shown for the first time, by any camera, and notes all of them: a frame that
     * comes again opens no gate.
     */
    claim(deviceId: string, frames: readonly Uint8Array[]): readonly boolean[];
  };
}
