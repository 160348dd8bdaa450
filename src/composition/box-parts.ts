import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HubKey } from "../access/hub-key.js";
import { Backups } from "../backups/backups.js";
import { workInThread } from "../backups/thread.js";
import { Uploads } from "../backups/uploads.js";
import { backupMissingCheck } from "../health/backup-missing.js";
import { backupRehearsalCheck } from "../health/backup-rehearsal.js";
import type { HealthCheck } from "../health/health.js";
import type { BoundRoute } from "../http/exchange.js";
import { auditNote } from "../http/routes/console-audit.js";
import { backupRoutes } from "../http/routes/console-backups.js";
import type { Job } from "../jobs/jobs.js";
import type { Service } from "../kernel/service.js";
import { BackupTable } from "../storage/tables/backup.js";
import type { Base } from "./base.js";
import type { MetricSource } from "./metrics.js";
import type { HubParts } from "./parts.js";

/** The box beneath the hub: backups, updates, the network's name, the card. */
export interface BoxParts {
  readonly backups: Backups;
  readonly services: readonly Service[];
  readonly jobs: readonly Job[];
  readonly checks: readonly HealthCheck[];
  readonly routes: () => readonly BoundRoute[];
  readonly metrics: readonly MetricSource[];
}

/** What the box is built from beside the hub's parts. */
export interface BoxOptions {
  readonly hubKey: HubKey;
  readonly version: string;
  /** Restarts the process; absent where nothing would start it again. */
  readonly restart: (() => void) | null;
}

const MINUTE = 60_000;
const DAY = 86_400_000;
/** The answer to the person who asked goes out first. */
const RESTART_AFTER_MS = 500;

/** Builds what the hub does for its box. Parts that are built later are looked up when asked. */
export function buildBox(base: Base, hub: Pick<HubParts, "access" | "trust">, options: BoxOptions): BoxParts {
  const backups = buildBackups(base, hub, options);
  const uploads = new Uploads({ folder: join(base.dataFolder, "uploads"), clock: base.clock });
  const { access } = hub;
  const note = auditNote({ database: base.database, audit: access.audit, now: () => base.clock.now() });
  return {
    backups,
    services: [],
    jobs: backupJobs(base, backups),
    checks: backupChecks(base, hub, backups),
    routes: () => backupRoutes({ backups, uploads, checkClaim: (code, from) => access.claim.check(code, from), note }),
    metrics: [],
  };
}

function buildBackups(base: Base, hub: Pick<HubParts, "access" | "trust">, { hubKey, version, restart }: BoxOptions): Backups {
  const { database, dataFolder, projectFolder, clock, logger } = base;
  return new Backups({
    database,
    dataFolder,
    migrationsFolder: join(projectFolder, "src/storage/migrations"),
    version,
    settings: () => base.settings().backups,
    zone: () =>
      hub.access.accounts.sites().find(({ env }) => env === "live")?.timeZone ??
      (base.settings().site.timeZone || Intl.DateTimeFormat().resolvedOptions().timeZone),
    owned: () => hub.access.claim.claimed,
    clockTrusted: () => hub.trust.state() !== "unknown",
    seal: (plain) => hubKey.seal(plain, "backup passphrase"),
    open: (sealed) => hubKey.open(sealed, "backup passphrase"),
    mounts: { mountInfo: () => readFileSync("/proc/self/mountinfo", "utf8"), labelFolder: "/dev/disk/by-label" },
    doWork: workInThread,
    restart: () => {
      if (restart === null) return false;
      clock.after(RESTART_AFTER_MS, restart);
      return true;
    },
    wrote: () => {},
    clock,
    logger: logger.child({ part: "backups" }),
  });
}

function backupJobs({ clock }: Base, backups: Backups): Job[] {
  const rehearse = async (): Promise<void> => {
    const last = backups.lastRehearsal();
    const isDue = last === null || clock.now() - last.at > 7 * DAY || last.at > clock.now();
    if (isDue && !backups.running && backups.list().some(({ present }) => present)) await backups.rehearse();
  };
  return [
    { name: "backup", periodMs: MINUTE, atStart: false, run: () => backups.tick() },
    { name: "rehearse-restore", periodMs: 60 * MINUTE, atStart: false, run: rehearse },
  ];
}

function backupChecks(base: Base, { access }: Pick<HubParts, "access">, backups: Backups): HealthCheck[] {
  const table = new BackupTable(base.database);
  const startedAt = base.clock.now();
  return [
    backupMissingCheck(() => ({
      scheduled: base.settings().backups.scheduled,
      owned: access.claim.claimed,
      ownedSince: startedAt,
      now: base.clock.now(),
      backups: table.list(),
    })),
    backupRehearsalCheck(() => backups.lastRehearsal()),
  ];
}
