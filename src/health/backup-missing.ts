import type { HealthCheck } from "./health.js";

/** What the check looks at; times are epoch milliseconds. */
export interface BackupFacts {
  readonly scheduled: boolean;
  /** Whether somebody owns the hub, and since when at the earliest. */
  readonly owned: boolean;
  readonly ownedSince: number;
  readonly now: number;
  /** Newest first. */
  readonly backups: readonly { readonly at: number; readonly destination: string; readonly problem: string | null }[];
}

const DAY_MS = 86_400_000;

/** Whether there is a fresh backup at every destination. */
export function backupMissingCheck(facts: () => BackupFacts): HealthCheck {
  return {
    code: "backup-missing",
    title: "Backups",
    check: () => {
      const { scheduled, owned, ownedSince, now, backups } = facts();
      if (!owned) return { level: "ok", text: "Nothing to keep before somebody owns the hub." };
      const good = backups.find(({ problem }) => problem === null);
      if (!scheduled) return { level: "ok", text: good === undefined ? "Switched off; there is none." : `Switched off; the last is of ${day(good.at)}.` };
      const newest = new Map<string, (typeof backups)[number]>();
      for (const backup of backups) if (!newest.has(backup.destination)) newest.set(backup.destination, backup);
      const failed = [...newest.values()].find(({ problem }) => problem !== null);
      if (failed !== undefined) return { level: "degraded", text: `The last backup to ${failed.destination} failed: ${failed.problem}` };
      const since = good?.at ?? ownedSince;
      if (now - since > 2 * DAY_MS)
        return { level: "degraded", text: `No backup was made for ${Math.floor((now - since) / DAY_MS)} days. Make one on the backups page.` };
      return { level: "ok", text: good === undefined ? "The first is made tonight." : `The last is of ${day(good.at)}.` };
    },
  };
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}
