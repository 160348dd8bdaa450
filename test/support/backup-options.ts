import { join } from "node:path";
import type { BackupsOptions } from "../../src/features/backups/backups-options.js";
import { probeFolder } from "../../src/features/backups/folder-probe.js";
import { doWork } from "../../src/features/backups/work.js";
import { systemClock } from "../../src/core/kernel/clock.js";
import { silentLogger } from "../../src/core/kernel/logger.js";
import type { Database } from "../../src/core/storage/database.js";
import { Reserve } from "../../src/core/storage/reserve.js";
import { PROJECT_ROOT } from "./database.js";

/**
 * Backups of a hub that somebody owns, whose clock is believed, and that keeps everything on its own disk; what a test
 * is about it gives itself.
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
