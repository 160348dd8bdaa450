import type { BurstReading, VehicleReading } from "./reading.ts";

/** Fewer characters of an illegible plate say nothing: they are mostly not from a plate. */
const LEAST_TEXT = 4;

/**
 * What the hub stores of a burst: its vehicles; if there are none, the clearest illegible plate, without a text too
 * short to mean anything.
 */
export function kept({ vehicles, unread }: Pick<BurstReading, "vehicles" | "unread">): readonly VehicleReading[] {
  if (vehicles.length > 0) return vehicles;
  return unread
    .slice(0, 1)
    .map((one) => (one.analysis.text.length < LEAST_TEXT ? { ...one, analysis: { ...one.analysis, text: "" } } : one));
}
