import { checkedJson, jsonWithCheck, readSmallFile } from "../kernel/small-file.ts";
import { writeFileAtomic } from "../kernel/write-file-atomic.ts";

const PURPOSE = "clock.json";

/** The part of the clock that is saved for a restart. */
export interface SavedClock {
  /** The hub's time, epoch ms. */
  readonly wallMs: number;
  readonly believed: boolean;
  readonly bootId: string;
  /** Milliseconds since boot at that moment; null if an earlier version saved it, or the system does not report it. */
  readonly uptimeMs: number | null;
  /**
   * The latest moment (epoch ms) that had certainly come; earlier than `wallMs` while only one source vouched for a
   * large step.
   */
  readonly certainMs: number;
}

/**
 * Reads what {@link writeSavedClock} wrote; null when there is none, or it was changed since. A time later than
 * `latestMs` is not trusted: a saved time alone does not vouch for it. Its certain time remains certain.
 */
export function readSavedClock(file: string, latestMs = Number.POSITIVE_INFINITY): SavedClock | null {
  const found = readSmallFile(file);
  const saved: Partial<SavedClock> | null = found.kind === "good" ? checkedJson(PURPOSE, found.text) : null;
  if (saved === null) return null;
  const { wallMs, believed, bootId, uptimeMs = null, certainMs = wallMs } = saved;
  const isWhole =
    typeof wallMs === "number" &&
    typeof believed === "boolean" &&
    typeof bootId === "string" &&
    typeof certainMs === "number" &&
    certainMs <= latestMs;
  if (isWhole && wallMs > latestMs)
    return { wallMs: certainMs, believed: false, bootId: "", uptimeMs: null, certainMs };
  return isWhole
    ? { wallMs, believed, bootId, uptimeMs: typeof uptimeMs === "number" ? uptimeMs : null, certainMs }
    : null;
}

/** Saves the clock for the next start. @throws Error of the file system */
export function writeSavedClock(file: string, saved: SavedClock): Promise<void> {
  return writeFileAtomic(file, jsonWithCheck(PURPOSE, saved));
}
