import { join } from "node:path";
import { systemClock } from "../../src/core/kernel/clock.ts";
import { silentLogger } from "../../src/core/kernel/logger.ts";
import type { Database } from "../../src/core/storage/database.ts";
import { Reserve } from "../../src/core/storage/reserve.ts";
import type { BackupsOptions } from "../../src/features/backups/backups-options.ts";
import { probeFolder } from "../../src/features/backups/folder-probe.ts";
import { doWork } from "../../src/features/backups/work.ts";
import { PROJECT_ROOT } from "./database.ts";

/**
 * Backups of a claimed hub with a trusted clock that stores everything on its own disk; a test overrides what it is
 * about.
 */
export function backupOptions(
  database: Database,
  dataFolder: string,
  changes: Partial<BackupsOptions> = {},
): BackupsOptions {
  return {
    database,
    reserve: new Reserve(join(dataFolder, "gatehouse.reserve"), database),
    dataFolder,
    migrationsFolder: join(PROJECT_ROOT, "src/core/storage/migrations"),
    version: "1.2.3",
    settings: () => ({ scheduled: true, time: "03:15", keepDaily: 2, keepWeekly: 1, destinations: [] }),
    zone: () => "UTC",
    owned: () => true,
    clockTrusted: () => true,
    seal: (plain) => plain,
    open: (sealed) => sealed,
    mounts: { mountInfo: () => "", labelFolder: join(dataFolder, "labels") },
    probe: async (folder) => probeFolder(folder),
    doWork,
    availableMemory: () => process.availableMemory(),
    restart: () => false,
    wrote: () => {},
    clock: systemClock,
    logger: silentLogger,
    ...changes,
  };
}
