/** How long a vehicle usually stays, and from when on that says that it may have left. Pure. */

/** What the visits of a vehicle that were seen to end say. */
export interface UsualStay {
  /** The middle one of its stays, seconds. */
  readonly usualSeconds: number;
  /** Nine of ten of its stays were no longer, seconds. */
  readonly longSeconds: number;
}

/** Fewer stays are no habit. */
const FEWEST = 3;
/** Habits change: older stays than these do not count. */
export const LATEST_STAYS = 30;
/** Somebody who usually stays for ten minutes is not gone after twelve. */
const GRACE_MS = 15 * 60_000;
const LONGER_THAN_USUAL = 1.5;
/** Without a habit, the hub stops to say that a vehicle is inside after this time. */
const WITHOUT_HABIT_MS = 24 * 3_600_000;

/** The habit in a vehicle's latest stays, in seconds and any order; null where they are too few. */
export function usualStay(stays: readonly number[]): UsualStay | null {
  if (stays.length < FEWEST) return null;
  const sorted = stays.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { usualSeconds: at(0.5), longSeconds: at(0.9) };
}

/**
 * From when on (epoch ms) a vehicle that came at `entryAt` may have left without being seen: it has stayed longer than
 * it nearly always does, and clearly longer than usual. Nobody has seen that; it is a reason to ask.
 */
export function mayHaveLeftFrom(entryAt: number, habit: UsualStay | null): number {
  if (habit === null) return entryAt + WITHOUT_HABIT_MS;
  return entryAt + Math.max(habit.longSeconds, habit.usualSeconds * LONGER_THAN_USUAL) * 1_000 + GRACE_MS;
}
