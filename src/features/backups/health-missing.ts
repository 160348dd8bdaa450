import type { HealthCheck } from "../../core/health/health.ts";
import { isoTime } from "../../core/kernel/clock.ts";
import type { Detail } from "../../core/text/keys.ts";

/** The facts this check judges; times are epoch milliseconds. */
export interface BackupFacts {
  readonly scheduled: boolean;
  /** Whether the hub has an owner, and since when at the earliest. */
  readonly owned: boolean;
  readonly ownedSince: number;
  readonly now: number;
  /** Whether backups go somewhere besides the hub itself, and whether they are encrypted. */
  readonly elsewhere: boolean;
  readonly encrypted: boolean;
  /** Newest first. */
  readonly backups: readonly {
    readonly at: number;
    readonly destination: string;
    /** Why it failed; null when it was written. */
    readonly problem: string | Detail | null;
  }[];
}

const DAY_MS = 86_400_000;

/** Whether there is a fresh backup at every destination, and one that survives the loss of the hub. */
export function backupMissingCheck(facts: () => BackupFacts): HealthCheck {
  return {
    code: "backup-missing",
    check: () => {
      const { scheduled, owned, ownedSince, now, elsewhere, encrypted, backups } = facts();
      if (!owned) return { level: "ok", words: { code: "backup.unowned" } };
      const good = backups.find(({ problem }) => problem === null);
      if (!scheduled)
        return good === undefined
          ? { level: "ok", advice: true, words: { code: "backup.offNone" } }
          : { level: "ok", advice: true, words: { code: "backup.off", at: isoTime(good.at) } };
      const newest = new Map<string, (typeof backups)[number]>();
      for (const backup of backups) if (!newest.has(backup.destination)) newest.set(backup.destination, backup);
      const failed = [...newest.values()].find(({ problem }) => problem !== null);
      if (failed !== undefined) {
        const { destination, problem } = failed;
        return {
          level: "degraded",
          words: { code: "backup.failed", destination, why: problem ?? "" },
        };
      }
      const since = good?.at ?? ownedSince;
      const days = Math.floor((now - since) / DAY_MS);
      if (now - since > 2 * DAY_MS) return { level: "degraded", words: { code: "backup.late", n: days } };
      if (good === undefined) return { level: "ok", words: { code: "backup.first" } };
      const at = isoTime(good.at);
      if (!elsewhere) return { level: "ok", advice: true, words: { code: "backup.onlyHere", at } };
      if (!encrypted) return { level: "ok", advice: true, words: { code: "backup.clear", at } };
      return { level: "ok", words: { code: "backup.ok", at } };
    },
  };
}
