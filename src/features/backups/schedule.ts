import { DateTime } from "luxon";

/** When backups are made and how many of the scheduled ones stay. */
export interface BackupPlan {
  /** `03:15`, local time. */
  readonly time: string;
  readonly keepDaily: number;
  readonly keepWeekly: number;
}

/**
 * The latest moment at or before `nowMs` at which a backup was due. A time that a clock change skips is taken an hour
 * later.
 */
export function lastDue(plan: Pick<BackupPlan, "time">, zone: string, nowMs: number): number {
  const today = moment(plan.time, DateTime.fromMillis(nowMs, { zone }));
  return today <= nowMs ? today : moment(plan.time, DateTime.fromMillis(nowMs, { zone }).minus({ days: 1 }));
}

/** The next moment after `nowMs` at which a backup is due. */
export function nextDue(plan: Pick<BackupPlan, "time">, zone: string, nowMs: number): number {
  const today = moment(plan.time, DateTime.fromMillis(nowMs, { zone }));
  return today > nowMs ? today : moment(plan.time, DateTime.fromMillis(nowMs, { zone }).plus({ days: 1 }));
}

function moment(time: string, day: DateTime): number {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  return day.set({ hour, minute, second: 0, millisecond: 0 }).toMillis();
}

/**
 * Which of the scheduled backups of one destination may go: all but the newest of each of the last `keepDaily` days and
 * of each of the last `keepWeekly` weeks that have one. The newest always stays.
 */
export function rotatedOut<Kept extends { readonly at: number }>(
  backups: readonly Kept[],
  plan: Omit<BackupPlan, "time">,
  zone: string,
): Kept[] {
  const newestFirst = [...backups].sort((a, b) => b.at - a.at);
  const stay = new Set<Kept>(newestFirst.slice(0, 1));
  const keepNewestOf = (period: (at: DateTime) => string, count: number): void => {
    const seen = new Set<string>();
    for (const backup of newestFirst) {
      const name = period(DateTime.fromMillis(backup.at, { zone }));
      if (seen.has(name)) continue;
      seen.add(name);
      if (seen.size > count) return;
      stay.add(backup);
    }
  };
  keepNewestOf((at) => at.toFormat("yyyy-MM-dd"), plan.keepDaily);
  keepNewestOf((at) => at.toFormat("kkkk-'W'WW"), plan.keepWeekly);
  return newestFirst.filter((backup) => !stay.has(backup));
}

/** Whether the restore is to be rehearsed again: a week after the last time, or where the clock was ahead then. */
export function rehearsalDue(lastMs: number | null, nowMs: number): boolean {
  return lastMs === null || nowMs - lastMs > REHEARSED_EVERY_MS || lastMs > nowMs;
}

const REHEARSED_EVERY_MS = 7 * 86_400_000;
