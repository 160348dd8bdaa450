import type { Clock } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Reserve } from "../../core/storage/reserve.ts";
import type { MountFacts } from "./destinations.ts";
import type { ProbeFolder } from "./folder-probe.ts";
import type { BackupPlan } from "./schedule.ts";
import type { DoWork } from "./thread.ts";

/** The values of the settings, read when needed. */
interface BackupSettings extends BackupPlan {
  readonly scheduled: boolean;
  /** `folder:`, `mount:` and `usb:` destinations; empty = the data folder only. */
  readonly destinations: readonly string[];
}

/** What `Backups` (backups.ts) needs. */
export interface BackupsOptions {
  readonly database: Database;
  /** Deleting a backup uses this if the disk is full. */
  readonly reserve: Reserve;
  readonly dataFolder: string;
  readonly migrationsFolder: string;
  readonly version: string;
  readonly settings: () => BackupSettings;
  /** IANA zone of the household. */
  readonly zone: () => string;
  /** Whether the hub has an owner: before that there is nothing to back up. */
  readonly owned: () => boolean;
  readonly clockTrusted: () => boolean;
  /** Seals with the hub's own key. */
  readonly seal: (plain: Buffer) => Buffer;
  readonly open: (sealed: Buffer) => Buffer;
  readonly mounts: MountFacts;
  /** Probes the folder of a destination, which may never answer. */
  readonly probe: ProbeFolder;
  readonly doWork: DoWork;
  /** Bytes of memory that the hub can still have. */
  readonly availableMemory: () => number;
  /** Restarts the hub; false if nothing would start it again. */
  readonly restart: () => boolean;
  /** Reports how many bytes a backup wrote. */
  readonly wrote: (bytes: number) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}
