import type { StorageState } from "../storage/database.js";
import type { HealthCheck } from "./health.js";

/** Whether the database takes writes. */
export function storageCheck(database: { readonly state: StorageState; readonly stateReason: string | null }): HealthCheck {
  return {
    code: "storage",
    title: "Storage",
    check: () => {
      if (database.state === "full")
        return {
          level: "failed",
          text: `The disk is full: nothing new is stored. Devices and commands still work. Free some space. (${database.stateReason})`,
          words: { code: "storage.full" },
        };
      if (database.state === "damaged")
        return {
          level: "failed",
          text: `The database is damaged: nothing is stored. Commands still work. Restore a backup. (${database.stateReason})`,
          words: { code: "storage.damaged" },
        };
      return { level: "ok", text: "The database takes writes.", words: { code: "storage.ok" } };
    },
  };
}
