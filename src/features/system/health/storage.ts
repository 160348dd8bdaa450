import type { HealthCheck } from "../../../core/health/health.ts";
import { type BadRow, namesOf } from "../../../core/storage/bad-rows.ts";
import type { StorageState } from "../../../core/storage/storage-state.ts";

/** The facts this check judges. */
export interface StorageView {
  readonly state: StorageState;
  readonly stateReason: string | null;
  readonly isFallback: boolean;
  readonly badRows: readonly BadRow[];
  /** How long the disk has been silent, ms. */
  readonly silentMs: number;
}

/** A tired card sometimes stops for a second or two; one that takes longer is reported. */
const SILENT_MS = 5_000;

/** Whether the database takes writes, and whether all of its rows could be read. */
export function storageCheck(database: StorageView): HealthCheck {
  return {
    code: "storage",
    check: () => {
      const { state, stateReason, isFallback, badRows, silentMs } = database;
      if (state !== "ok") {
        const reason = stateReason ?? "";
        // A running hub noticed it while reading: a disk that failed for a moment looks the same, and the next start
        // checks the whole file.
        if (state === "damaged")
          return { level: "failed", words: { code: isFallback ? "storage.damaged" : "storage.damagedNow", reason } };
        return { level: "failed", words: { code: `storage.${state}`, standIn: isFallback ? "yes" : "no", reason } };
      }
      if (silentMs >= SILENT_MS)
        return { level: "failed", words: { code: "storage.silent", seconds: Math.floor(silentMs / 1_000) } };
      if (badRows.length > 0) {
        const names = namesOf(badRows);
        return { level: "degraded", words: { code: "storage.setAside", names } };
      }
      return { level: "ok", words: { code: "storage.ok" } };
    },
  };
}
