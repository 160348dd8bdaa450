import type { PicturePart } from "../../core/plates/reading.ts";
import type { FrameSighting, FrameTimings, LookOptions } from "./frame-reader.ts";
import type { PresentedAnswer, PresentedTask } from "./presented-task.ts";

/** Asks the thread to end after its current task; {@link WorkerRequest}s that are waiting are still answered. */
export const CLOSE = "close";

/** What the worker thread is started with. */
export interface WorkerStart {
  readonly modelsFolder: string;
  readonly threads: number;
  /** Whether a second reader looks at doubtful plates. */
  readonly secondReader: boolean;
  /** Codes of the countries whose plates are seen besides India's; none: all known ones. */
  readonly countries: readonly string[];
}

/** Work for the worker thread; it does one at a time, in order. */
export type WorkerRequest =
  | { readonly id: number; readonly kind: "frame"; readonly jpeg: Uint8Array; readonly look: LookOptions }
  | {
      readonly id: number;
      readonly kind: "image";
      readonly jpeg: Uint8Array;
      /** What of it; null: all. */
      readonly part: PicturePart | null;
      readonly maxWidth: number;
      readonly quality: number;
    }
  | { readonly id: number; readonly kind: "presented"; readonly tasks: readonly PresentedTask[] };

/** What the worker thread answers. */
export type WorkerAnswer =
  | {
      readonly id: number;
      readonly kind: "frame";
      readonly sightings: readonly FrameSighting[];
      readonly timings: FrameTimings;
      readonly version: string;
      /**
       * When the frame was read, on the clock that all threads share (`performance.timeOrigin + performance.now()`).
       */
      readonly endedAt: number;
    }
  | { readonly id: number; readonly kind: "image"; readonly jpeg: Uint8Array }
  | { readonly id: number; readonly kind: "presented"; readonly answers: readonly PresentedAnswer[] }
  /**
   * `no_models`: there are no models to read with; `bad_picture`: the frame cannot be decoded; `failed`: anything else.
   */
  | {
      readonly id: number;
      readonly kind: "error";
      readonly code: "no_models" | "bad_picture" | "failed";
      readonly message: string;
    };
