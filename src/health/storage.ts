import { type BadRow, namesOf } from "../storage/bad-rows.js";
import type { StorageState } from "../storage/storage-state.js";
import type { HealthCheck } from "./health.js";

/** What the check looks at. */
export interface StorageView {
  readonly state: StorageState;
  readonly stateReason: string | null;
  readonly isStandIn: boolean;
  readonly badRows: readonly BadRow[];
  /** How long the disk has not answered, ms. */
  readonly silentMs: number;
}

/** A tired card stops for a second or two now and then; one that takes longer is told. */
const SILENT_MS = 5_000;

const TROUBLE: Readonly<Record<Exclude<StorageState, "ok">, string>> = {
  full: "The disk is full: nothing new is stored. Devices and commands still work. Free some space.",
  unwritable: "The disk takes no writes: nothing new is stored. Devices and commands still work. Look whether it is read-only or failing.",
  gone: "The data folder was moved or deleted while the hub ran: nothing is stored. Put it back, or restart the hub and restore a backup.",
  damaged: "The database is damaged: nothing is stored. Commands still work. Restore a backup: you can sign in as always.",
};

/** A read of a running hub met it: a disk that failed for a moment looks the same, and the whole file is looked at by the next start. */
const SEEN_DAMAGED =
  "A part of the database could not be read: nothing is stored. Commands still work. Restart the hub, which checks the whole file; if it is damaged, restore a backup then.";

/** Whether the database takes writes, and whether all of its rows could be read. */
export function storageCheck(database: StorageView): HealthCheck {
  return {
    code: "storage",
    title: "Storage",
    check: () => {
      const { state, stateReason, isStandIn, badRows, silentMs } = database;
      if (state !== "ok") {
        if (state === "damaged" && !isStandIn) return { level: "failed", text: `${SEEN_DAMAGED} (${stateReason})`, words: { code: "storage.damagedNow" } };
        const more = isStandIn && state !== "damaged" ? " Then restart the hub." : "";
        return { level: "failed", text: `${TROUBLE[state]}${more} (${stateReason})`, words: { code: `storage.${state}` } };
      }
      if (silentMs >= SILENT_MS) {
        const seconds = Math.floor(silentMs / 1_000);
        const text = `The disk has not answered for ${seconds} s: what is sent meanwhile is confirmed only when it does. Devices and commands still work. If it does not come back, it is failing: have a backup and another one at hand.`;
        return { level: "failed", text, words: { code: "storage.silent", seconds } };
      }
      if (badRows.length > 0) {
        const names = namesOf(badRows);
        const text = `What could not be read was set aside: ${names}. The hub runs without it; look whether it is as you want it, or restore a backup.`;
        return { level: "degraded", text, words: { code: "storage.setAside", names } };
      }
      return { level: "ok", text: "The database takes writes.", words: { code: "storage.ok" } };
    },
  };
}
