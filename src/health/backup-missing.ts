import { isoTime } from "../kernel/clock.js";
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
      if (!owned) return { level: "ok", text: "Nothing to keep before somebody owns the hub.", words: { code: "backup.unowned" } };
      const good = backups.find(({ problem }) => problem === null);
      if (!scheduled)
        return good === undefined
          ? { level: "ok", text: "Switched off; there is none.", words: { code: "backup.offNone" } }
          : { level: "ok", text: `Switched off; the last is of ${day(good.at)}.`, words: { code: "backup.off", at: isoTime(good.at) } };
      const newest = new Map<string, (typeof backups)[number]>();
      for (const backup of backups) if (!newest.has(backup.destination)) newest.set(backup.destination, backup);
      const failed = [...newest.values()].find(({ problem }) => problem !== null);
      if (failed !== undefined) {
        const { destination, problem } = failed;
        return {
          level: "degraded",
          text: `The last backup to ${destination} failed: ${problem}`,
          words: { code: "backup.failed", destination, why: problem ?? "" },
        };
      }
      const since = good?.at ?? ownedSince;
      const days = Math.floor((now - since) / DAY_MS);
      if (now - since > 2 * DAY_MS)
        return { level: "degraded", text: `No backup was made for ${days} days. Make one on the backups page.`, words: { code: "backup.late", n: days } };
      if (good === undefined) return { level: "ok", text: "The first is made tonight.", words: { code: "backup.first" } };
      return { level: "ok", text: `The last is of ${day(good.at)}.`, words: { code: "backup.ok", at: isoTime(good.at) } };
    },
  };
}

function day(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}
