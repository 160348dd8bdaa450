/** Readings of plates by vehicle: each vehicle's first one at once, later ones only if they are more certain. */
import type { BridgedPlate } from "../family.ts";
import { clamp, numberOf, textOf } from "../json-values.ts";

const REMEMBERED = 500;
/**
 * A reading stamped further in the future than this comes from a wrong clock, so the time of receipt counts. One from
 * the past may be genuine: it waited at a broker while the hub was down, and must not open a gate for a car that has
 * left.
 */
const MAX_FUTURE_MS = 5 * 60_000;

/** The readings of one Frigate. */
export class PlateReadings {
  /** Best score by event; the oldest event first. */
  readonly #best = new Map<string, { readonly score: number; readonly text: string }>();

  /** A reading to be passed on; null if it has nothing new or nothing usable. `seconds`: epoch, as Frigate counts. */
  read(
    reading: { readonly text: unknown; readonly score: unknown; readonly id: unknown; readonly seconds: unknown },
    at: number,
  ): BridgedPlate | null {
    const text = textOf(reading.text, 20);
    const eventId = textOf(reading.id, 64);
    if (text === null || eventId === null || !/[A-Za-z0-9]{2}/.test(text)) return null;
    const score = clamp(numberOf(reading.score) ?? 0.5, 0, 1);
    const best = this.#best.get(eventId);
    if (best !== undefined && score <= best.score) return null;
    this.#best.delete(eventId);
    this.#best.set(eventId, { score, text });
    const oldest = this.#best.size > REMEMBERED ? this.#best.keys().next().value : undefined;
    if (oldest !== undefined) this.#best.delete(oldest);
    const seconds = numberOf(reading.seconds);
    const stampedAt = seconds === null ? at : Math.max(0, Math.round(seconds * 1000));
    return { text, confidence: score, at: stampedAt - at <= MAX_FUTURE_MS ? stampedAt : at, eventId };
  }
}
