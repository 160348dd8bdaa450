import type { Analysis } from "./analyse.ts";
import type { SlotProbabilities } from "./readings.ts";

/** Which way a car went, in the contract's words. */
export type Direction = "in" | "out";

/** What triggered a camera (docs/spec/device-control-api.md §2). */
export type Trigger = "motion" | "loop" | "manual" | "periodic";

/** All triggers. */
export const TRIGGERS: readonly Trigger[] = ["motion", "loop", "manual", "periodic"];

/** Why a read has no plate (docs/spec/domain.md §7.4). */
export type UnrecognisedReason = "no_recogniser" | "no_plate" | "invalid_format" | "timeout" | "provider_error";

/** Frames of one trigger of one camera. */
export interface Burst {
  readonly deviceId: string;
  readonly captureId: number;
  readonly trigger: Trigger;
  /** When the capture was made, epoch ms. */
  readonly at: number;
  /** The sender's own knowledge (loop order); null when it has none. */
  readonly direction: Direction | null;
  /** JPEG files, in order. */
  readonly frames: readonly Uint8Array[];
  /** Monotonic time at which the last frame arrived; the start of the headline latency. */
  readonly completeMono: number;
}

/** A part of a picture: left, top, right and bottom as shares of its width and height. */
export type PicturePart = readonly [x1: number, y1: number, x2: number, y2: number];

/** A point in pixels of the whole frame. */
export type Point = readonly [x: number, y: number];

/** Pixels that are kept with a sighting where a gate may open by it: brightnesses, 0–255, row by row. */
export interface SightingPixels {
  /** What is around the plate (`SURROUNDINGS` of presented.ts). */
  readonly around: Uint8Array;
  /** The whole frame, small (`GLANCE` of repeats.ts). */
  readonly glance: Uint8Array;
}

/** One plate in one frame, as detector and reader saw it. */
export interface Sighting {
  /** Position of the frame in the burst. */
  readonly frame: number;
  /** The detector's certainty, 0–1. */
  readonly score: number;
  /** Top left, top right, bottom right, bottom left of the plate as it is read. */
  readonly corners: readonly [Point, Point, Point, Point];
  readonly box: readonly [x1: number, y1: number, x2: number, y2: number];
  /** Width and height of the frame. */
  readonly frameSize: readonly [width: number, height: number];
  readonly twoLine: boolean;
  /** The reader's result for each view of it, the plainest view first. */
  readonly views: readonly SlotProbabilities[];
  /** What a second reader of another build sees in the plainest view; null where it was not asked. */
  readonly second: SlotProbabilities | null;
  /** What the views say together. */
  readonly analysis: Analysis;
  /** Absent where nothing depends on them, or where the plate was read elsewhere. */
  readonly pixels?: SightingPixels;
}

/** One vehicle of a burst. */
export interface VehicleReading {
  readonly analysis: Analysis;
  /** Frames whose own reading is the winner; at least 1 for a recognised one. */
  readonly votes: number;
  /** In order of frames, at most one per frame. */
  readonly sightings: readonly Sighting[];
  /** The sighting to show: the largest sharp one. */
  readonly best: Sighting;
  /** The plate is not what the pictures say by themselves, but one that the site knows: it opens no gate. */
  readonly isAssumed?: true;
}

/** The result of recognition for a burst. */
export interface BurstReading {
  /** Frames that the recogniser was run on. */
  readonly samples: number;
  /** Recognised vehicles, best first; empty when there is none. */
  readonly vehicles: readonly VehicleReading[];
  /** Set when `vehicles` is empty. */
  readonly reason: UnrecognisedReason | null;
  /** Plates that were seen but are illegible, the clearest first. */
  readonly unread: readonly VehicleReading[];
  /** Time that reading its frames took. */
  readonly tookMs: number;
  /**
   * Monotonic time at which the last inference had ended and no more frames were to come; absent if nothing was read.
   */
  readonly readyMono?: number;
}
