import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Base } from "../../core/base.ts";
import { type Feature, job } from "../../core/feature.ts";
import { HOUR_MS, MINUTE_MS } from "../../core/kernel/clock.ts";
import { availableBytes } from "../../core/platform/disk.ts";
import { storedWords } from "../../core/storage/stored-json.ts";
import { storedReason } from "../../core/text/english.ts";
import type { AccessFeature } from "../access/feature.ts";
import { Backups } from "./backups.ts";
import type { MountFacts } from "./destinations.ts";
import { localFolderOf, probeBeside } from "./folder-probe.ts";
import { backupMissingCheck } from "./health-missing.ts";
import { backupRehearsalCheck } from "./health-rehearsal.ts";
import { backupRoutes } from "./routes/console-backups.ts";
import { BackupTable } from "./tables/backup.ts";
import { workInThread } from "./thread.ts";
import { Uploads } from "./uploads.ts";

/** Lets the response reach the person before the restart. */
const RESTART_AFTER_MS = 500;
/** The mounts, as the system reports them. */
export const MOUNTS: MountFacts = {
  mountInfo: () => readFileSync("/proc/self/mountinfo", "utf8"),
  labelFolder: "/dev/disk/by-label",
};

/** Copies of the hub, and the way back from them. */
export class BackupsFeature implements Feature {
  readonly backups: Backups;
  readonly uploads: Uploads;
  readonly #base: Base;
  readonly #access: AccessFeature;
  readonly #table: BackupTable;
  readonly #startedAt: number;
  #written = 0;

  constructor(base: Base, { access }: { readonly access: AccessFeature }) {
    const { database, reserve, dataFolder, projectFolder, clock, trust, hubKey, version, restart, logger } = base;
    const { accounts, claim } = access;
    this.#base = base;
    this.#access = access;
    this.#table = new BackupTable(database);
    this.#startedAt = clock.now();
    this.uploads = new Uploads({ folder: join(dataFolder, "uploads"), clock });
    this.backups = new Backups({
      database,
      reserve,
      dataFolder,
      migrationsFolder: join(projectFolder, "src/core/storage/migrations"),
      version,
      settings: () => base.settings().backups,
      zone: () =>
        accounts.household()?.timeZone ??
        (base.settings().site.timeZone || Intl.DateTimeFormat().resolvedOptions().timeZone),
      owned: () => claim.claimed,
      clockTrusted: () => trust.state() !== "unknown",
      seal: (plain) => hubKey.seal(plain, "backup passphrase"),
      open: (sealed) => hubKey.open(sealed, "backup passphrase"),
      mounts: MOUNTS,
      probe: probeBeside(localFolderOf(dataFolder)),
      doWork: workInThread,
      availableMemory: availableBytes,
      restart: () => {
        if (restart === null) return false;
        clock.after(RESTART_AFTER_MS, restart);
        return true;
      },
      wrote: (bytes) => {
        this.#written += bytes;
      },
      clock,
      logger: logger.child({ part: "backups" }),
    });
  }

  /** Bytes that backups have written since the start. */
  get written(): number {
    return this.#written;
  }

  get console() {
    const { backups, uploads } = this;
    return backupRoutes({ backups, uploads, access: this.#access });
  }

  get jobs() {
    return [
      job("backup", MINUTE_MS, () => this.backups.tick(), false),
      job("rehearse-restore", HOUR_MS, () => this.backups.rehearseWhenDue(), false),
      job("sweep-uploads", HOUR_MS, async () => this.uploads.sweep()),
    ];
  }

  get checks() {
    const { settings, clock } = this.#base;
    return [
      backupMissingCheck(() => ({
        scheduled: settings().backups.scheduled,
        owned: this.#access.claim.claimed,
        ownedSince: this.#startedAt,
        now: clock.now(),
        elsewhere: settings().backups.destinations.some((destination) => destination !== "local"),
        encrypted: this.backups.hasPassphrase,
        backups: this.#table.list().map((row) => ({
          ...row,
          problem: row.problem === null ? null : storedReason(row.problem, storedWords(row.words)),
        })),
      })),
      backupRehearsalCheck(() => {
        const last = this.backups.lastRehearsal();
        return last === null ? null : { ...last, why: storedReason(last.text, storedWords(last.words)) };
      }),
    ];
  }

  get metrics() {
    return [
      {
        name: "backup_last_success_timestamp_seconds",
        help: "When the newest backup without a problem was made; NaN: there is none.",
        read: () => {
          const last = this.#table.list().find(({ problem }) => problem === null);
          return last === undefined ? null : Math.round(last.at / 1_000);
        },
      },
    ];
  }
}
