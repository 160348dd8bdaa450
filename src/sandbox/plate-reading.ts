import { type Analysis, analyse } from "../domain/plates/analyse.js";
import { Countries } from "../domain/plates/countries.js";
import type { Burst, BurstReading, Sighting } from "../domain/plates/reading.js";

/**
 * Readings of simulated bursts: there is no photograph to recognise, so the simulation says what is to be read. Keyed by
 * the burst itself, so that nothing else can claim to be simulated and nothing is left behind.
 */
export class SimulatedReadings {
  readonly #byBurst = new WeakMap<Burst, BurstReading>();

  /** Notes what the recogniser is to say of a burst: one vehicle with this plate, or no plate at all. */
  put(burst: Burst, plate: string | null, confidence: number): void {
    const frames = burst.frames.length;
    this.#byBurst.set(burst, plate === null ? nothing(frames) : readingOf(analyse(plate, Countries.all), confidence, frames));
  }

  /** The reading of a simulated burst; null for a real one, which goes to the recogniser. */
  of(burst: Burst): BurstReading | null {
    return this.#byBurst.get(burst) ?? null;
  }
}

function readingOf(analysis: Analysis, confidence: number, frames: number): BurstReading {
  const best: Sighting = {
    frame: Math.max(0, frames - 1),
    score: 0.97,
    corners: [
      [504, 486],
      [776, 486],
      [776, 554],
      [504, 554],
    ],
    box: [504, 486, 776, 554],
    frameSize: [1280, 720],
    twoLine: false,
    views: [],
    analysis: { ...analysis, confidence },
  };
  return {
    samples: Math.max(1, frames),
    vehicles: [{ analysis: best.analysis, votes: Math.max(1, frames), sightings: [best], best }],
    reason: null,
    unread: [],
    tookMs: 24,
  };
}

function nothing(frames: number): BurstReading {
  return { samples: Math.max(1, frames), vehicles: [], reason: "no_plate", unread: [], tookMs: 24 };
}
