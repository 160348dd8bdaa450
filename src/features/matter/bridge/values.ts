/** Reads values of a state carefully: a device may send anything. */
import type { Control } from "./part.ts";

/** A boolean of a state; null for anything else. */
export function bool(value: unknown): boolean | null {
  return typeof value === "boolean" ? value : null;
}

/** The opposite; null stays null. */
export function negated(value: boolean | null): boolean | null {
  return value === null ? null : !value;
}

/** A number of a state within its limits; null for anything else. */
export function num(value: unknown, least: number, most: number): number | null {
  return typeof value === "number" && Number.isFinite(value) ? clamp(value, least, most) : null;
}

/** A number within limits. */
export function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/** A value of a range as percent of it; null if it is not a number. */
export function scaled(value: unknown, { min, max }: Control<"range">): number | null {
  const number = num(value, min, max);
  return number === null || max <= min ? null : ((number - min) / (max - min)) * 100;
}

/** The value of a range at a percentage of it. */
export function unscaled(percent: number, range: Control<"range">): number {
  return stepped(range.min + (percent / 100) * (range.max - range.min), range);
}

/** Rounded to a step of a range, without floating-point noise. */
export function stepped(value: number, { min, max, step }: Control<"range">): number {
  const width = step > 0 ? step : 1;
  return Number(clamp(min + Math.round((value - min) / width) * width, min, max).toFixed(6));
}
