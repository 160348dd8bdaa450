import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { RoomClass } from "../../../core/jobs/make-room.ts";
import type { Database } from "../../../core/storage/database.ts";
import type { Backups } from "../../backups/backups.ts";
import type { PlateRetention } from "../../gate/retention.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";

/** What is deleted when the disk is nearly full. */
export interface RoomGivers {
  readonly dataFolder: string;
  readonly freeBytes: () => number;
  readonly backups: Pick<Backups, "evictOldest">;
  readonly pictures: Pick<PlateRetention, "evictImages">;
  readonly telemetry: Pick<Telemetry, "evictOldest">;
  readonly database: Pick<Database, "reusableBytes">;
}

/** Room the database must find on the disk or among its own empty pages; otherwise samples are deleted too. */
const DATABASE_NEEDS = 64 * 1_048_576;
/** Pictures that go at a time. */
const PICTURES = 50;
/** Folders and files in the data folder that were kept aside after a restore or an update. */
const KEPT_ASIDE = /^(before-restore-|gatehouse\.db\.after-update-|after-failed-update)/;

/** The classes of data deleted before the disk is full, the least valuable first. */
export function roomClasses({
  dataFolder,
  freeBytes,
  backups,
  pictures,
  telemetry,
  database,
}: RoomGivers): RoomClass[] {
  return [
    { name: "what was kept aside", give: async () => removeOldest(dataFolder, KEPT_ASIDE) },
    { name: "backups on this disk", give: () => backups.evictOldest() },
    { name: "pictures", give: async () => (await pictures.evictImages(PICTURES)) > 0 },
    // Its pages go to the next rows, not to the disk.
    {
      name: "samples",
      needed: () => freeBytes() + database.reusableBytes < DATABASE_NEEDS,
      give: () => telemetry.evictOldest(),
    },
  ];
}

/** Removes the oldest entry of a folder whose name fits. */
function removeOldest(folder: string, pattern: RegExp): boolean {
  const entries = readdirSync(folder)
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name))
    .sort((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
  const [oldest] = entries;
  if (oldest === undefined) return false;
  rmSync(oldest, { recursive: true, force: true });
  return !existsSync(oldest);
}
