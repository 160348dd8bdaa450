import type { Logger } from "../../core/kernel/logger.ts";
import type { Service } from "../../core/kernel/service.ts";
import type { SettingsStore } from "../../core/settings/store.ts";
import type { Database } from "../../core/storage/database.ts";
import { HubTable } from "../../core/storage/tables/hub.ts";

/** Set by a migration where gates opened before reads had to be sure. */
const OPENS_BY_ANY_READ = "opens_by_any_read";
const SETTING = "gate.minConfidence";

/**
 * At the start after an upgrade: a hub that opened gates by any read goes on so, by a setting that its owner sees and
 * can change. Where the settings cannot be written, only sure reads open, and the next start tries again.
 */
export function keepsOpeningConfidence({
  database,
  settings,
  logger,
}: {
  readonly database: Database;
  readonly settings: Pick<SettingsStore, "describe" | "change">;
  readonly logger: Logger;
}): Service {
  return {
    name: "opening confidence",
    async start(): Promise<void> {
      const table = new HubTable(database);
      if (table.get(OPENS_BY_ANY_READ) !== "1") return;
      const isChosen = settings.describe().some(({ key, source }) => key === SETTING && source !== "default");
      try {
        if (!isChosen) await settings.change({ [SETTING]: 0 });
        await database.write(() => table.set(OPENS_BY_ANY_READ, "0"));
      } catch (error) {
        logger.warn({ err: error }, `${SETTING} could not be kept at 0: gates open only by reads that are sure`);
      }
    },
    async stop(): Promise<void> {},
  };
}
