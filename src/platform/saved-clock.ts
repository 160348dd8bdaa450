import { readFileSync } from "node:fs";
import { writeFileAtomic } from "../kernel/write-file-atomic.js";

/** What is saved of the clock for a restart. */
export interface SavedClock {
  /** The hub's time, epoch ms. */
  readonly wallMs: number;
  readonly believed: boolean;
  readonly bootId: string;
  /** Milliseconds since boot at that moment; null if an earlier version saved it, or the system does not tell. */
  readonly uptimeMs: number | null;
  /**
   * The latest moment (epoch ms) that had certainly come; earlier than `wallMs` while only one source vouched for a
   * large step.
   */
  readonly certainMs: number;
}

/** Reads what {@link writeSavedClock} wrote; null when there is none, or a power cut tore it. */
export function readSavedClock(file: string): SavedClock | null {
  try {
    const saved = JSON.parse(readFileSync(file, "utf8")) as Partial<SavedClock>; // checked below
    const { wallMs, believed, bootId, uptimeMs = null, certainMs = wallMs } = saved;
    const isWhole =
      typeof wallMs === "number" &&
      typeof believed === "boolean" &&
      typeof bootId === "string" &&
      typeof certainMs === "number";
    return isWhole
      ? { wallMs, believed, bootId, uptimeMs: typeof uptimeMs === "number" ? uptimeMs : null, certainMs }
      : null;
  } catch {
    return null;
  }
}

/** Saves the clock for the next start. @throws Error of the file system */
export function writeSavedClock(file: string, saved: SavedClock): Promise<void> {
  return writeFileAtomic(file, JSON.stringify(saved));
}
