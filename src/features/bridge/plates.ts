import type { Clock } from "../../core/kernel/clock.ts";
import { analyse, refused } from "../../core/plates/analyse.ts";
import type { Countries } from "../../core/plates/countries.ts";
import { opensUntil } from "../../core/plates/freshness.ts";
import type { Burst, BurstReading, Sighting } from "../../core/plates/reading.ts";
import type { Gate } from "../gate/gate.ts";

/** A plate that another box has read. */
export interface ForeignPlate {
  readonly text: string;
  /** 0–1. */
  readonly confidence: number;
  /** Epoch ms. */
  readonly at: number;
  /** That box's event for the same vehicle. */
  readonly eventId: string;
}

/** Older readings are recorded but open no gate. */
const FRESH_MS = 30_000;
/**
 * Nor do better readings of a vehicle that has been read for this long: it is parked there, and its gate was opened.
 */
const FRESH_EVENT_MS = 120_000;
const MOST_EVENTS = 500;

/**
 * Plates read by another host, passed to the gate as bursts without frames whose reading is known: analyser, rules,
 * passes and visits are the same as for the hub's own. Of one vehicle event's readings, only better or different ones
 * pass.
 */
export class ForeignPlates {
  readonly #options: ConstructorParameters<typeof ForeignPlates>[0];
  /** Best confidence by event and plate, and when the first reading came, monotonic. */
  readonly #best = new Map<string, { readonly confidence: number; readonly sinceMono: number }>();

  constructor(options: {
    readonly gate: Pick<Gate, "nextCaptureId" | "take">;
    readonly countries: Countries;
    readonly clock: Clock;
  }) {
    this.#options = options;
  }

  /** Takes in a plate; resolves when it is on disk. */
  async take(deviceId: string, plate: ForeignPlate): Promise<void> {
    const { clock, countries, gate } = this.#options;
    const analysis = analyse(plate.text.slice(0, 32), countries);
    const event = `${deviceId}\n${plate.eventId}\n${analysis.plate ?? analysis.text}`;
    const before = this.#best.get(event);
    if (before !== undefined && before.confidence >= plate.confidence) return;
    const sinceMono = before?.sinceMono ?? clock.mono();
    this.#best.delete(event);
    this.#best.set(event, { confidence: plate.confidence, sinceMono });
    const [oldest] = this.#best.keys();
    if (this.#best.size > MOST_EVENTS && oldest !== undefined) this.#best.delete(oldest);
    const now = clock.now();
    const at = Math.abs(now - plate.at) < 7 * 86_400_000 ? Math.min(plate.at, now) : now;
    const burst: Burst = {
      deviceId,
      captureId: gate.nextCaptureId(),
      trigger: "motion",
      at,
      direction: null,
      frames: [],
      completeMono: clock.mono(),
    };
    const confidence = Math.round(Math.min(1, Math.max(0, plate.confidence)) * analysis.confidence);
    const vehicle = { analysis: { ...analysis, confidence }, votes: 1, sightings: [], best: NO_SIGHTING };
    const reading: BurstReading = {
      samples: 1,
      vehicles: analysis.plate === null ? [] : [vehicle],
      reason: analysis.plate === null ? "invalid_format" : null,
      unread: analysis.plate === null ? [vehicle] : [],
      tookMs: 0,
    };
    const untilMono = opensUntil({ mono: clock.mono(), wall: now }, plate.at, FRESH_MS);
    const opensUntilMono = Math.min(untilMono, sinceMono + FRESH_EVENT_MS);
    await gate.take({ burst, captureKey: null, opensUntilMono, reading });
  }
}

/** The other box keeps its pictures. */
const NO_SIGHTING: Sighting = {
  frame: 0,
  score: 1,
  corners: [
    [0, 0],
    [0, 0],
    [0, 0],
    [0, 0],
  ],
  box: [0, 0, 0, 0],
  frameSize: [0, 0],
  twoLine: false,
  views: [],
  second: null,
  analysis: refused(""),
};
