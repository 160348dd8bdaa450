import type { BurstReading, VehicleReading } from "./reading.js";

/** Fewer characters of a plate that could not be made out say nothing: they are mostly no plate's. */
const LEAST_TEXT = 4;

/**
 * What the hub stores of a burst: its vehicles; where there is none, the clearest plate that could not be made out,
 * without a text too short to say anything.
 */
export function kept({ vehicles, unread }: Pick<BurstReading, "vehicles" | "unread">): readonly VehicleReading[] {
  if (vehicles.length > 0) return vehicles;
  return unread
    .slice(0, 1)
    .map((one) => (one.analysis.text.length < LEAST_TEXT ? { ...one, analysis: { ...one.analysis, text: "" } } : one));
}
