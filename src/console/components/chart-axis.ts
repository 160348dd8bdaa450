/** What the axes of all charts have in common: their place, the steps of their scale and the words under it. */
import { localParts, zoneDate, zoneHour, zoneTime } from "./zone-time.ts";

const DAY_S = 86_400;

/** Pixels left of the plot for the numbers, above it for the unit, and below it for the times. */
export const CHART = { left: 52, top: 22, below: 28, font: "12px Inter, system-ui, sans-serif" } as const;

/** Lower on a small screen, so that it fits the first one. */
export function chartHeight(): number {
  if (innerHeight < 660) return 188;
  return innerWidth < 600 ? 200 : 260;
}

/** Width of a letter below a bar, and the gap between two words. */
const LETTER = 6.6;
const BETWEEN = 14;

/** Of words under an axis that stand `slot` pixels apart, every how many there is room for. */
export function everyTick(words: readonly string[], slot: number): number {
  const longest = Math.max(...words.map(({ length }) => length), 1);
  return Math.max(1, Math.ceil((longest * LETTER + BETWEEN) / slot));
}

/**
 * The words under a moment (epoch ms) of an axis of time, whose ticks are `stepS` seconds apart (null: there is one): the
 * hour alone where it is full, the date where a day begins, so that days are told apart without a second line.
 */
export function timeTick(at: number, stepS: number | null, zone: string): string {
  if (stepS !== null && stepS >= 300 * DAY_S) return zoneDate(at, zone, { year: "numeric" });
  if (stepS !== null && stepS >= 27 * DAY_S) return zoneDate(at, zone, { month: "short", year: "2-digit" });
  const { hour, minute } = localParts(at, zone);
  if ((hour === 0 && minute === 0) || (stepS !== null && stepS >= DAY_S - 3_600)) return zoneDate(at, zone);
  return hourTick(at, zone, stepS !== null && stepS < 60);
}

/** The hour alone where it is full, else the time of day. */
export function hourTick(at: number, zone: string, seconds = false): string {
  return !seconds && localParts(at, zone).minute === 0 ? zoneHour(at, zone) : zoneTime(at, zone, seconds);
}
