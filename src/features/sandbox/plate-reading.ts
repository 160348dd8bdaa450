import { type Analysis, analyse } from "../../core/plates/analyse.ts";
import { Countries } from "../../core/plates/countries.ts";
import type { BurstReading, Sighting } from "../../core/plates/reading.ts";

/**
 * The recogniser's result for a simulated burst, whose picture is drawn: one vehicle with this plate, or no plate at
 * all.
 */
export function simulatedReading(frames: number, plate: string | null, confidence: number): BurstReading {
  return plate === null ? nothing(frames) : readingOf(analyse(plate, Countries.all), confidence, frames);
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
    second: null,
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
