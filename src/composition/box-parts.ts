import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HubKey } from "../access/hub-key.js";
import { Backups } from "../backups/backups.js";
import { locate, type MountFacts, mountedUnder } from "../backups/destinations.js";
import { localFolderOf, probeBeside } from "../backups/folder-probe.js";
import { workInThread } from "../backups/thread.js";
import { Uploads } from "../backups/uploads.js";
import { backupMissingCheck } from "../health/backup-missing.js";
import { backupRehearsalCheck } from "../health/backup-rehearsal.js";
import type { HealthCheck } from "../health/health.js";
import { auditedJobs, auditNote } from "../http/routes/console-audit.js";
import { backupRoutes } from "../http/routes/console-backups.js";
import { updateRoutes } from "../http/routes/console-updates.js";
import type { Job } from "../jobs/jobs.js";
import { availableBytes } from "../platform/disk.js";
import { storedWords } from "../storage/stored-json.js";
import { BackupTable } from "../storage/tables/backup.js";
import { storedReason } from "../text/english.js";
import { debianArch, trustedKeys } from "../updates/bundle.js";
import { updateKind } from "../updates/place.js";
import { Updates } from "../updates/updates.js";
import { updateWorkInThread } from "../updates/work.js";
import type { Base } from "./base.js";
import type { BoxParts } from "./box.js";
import { buildCard } from "./box-card.js";
import { buildNetwork } from "./box-network.js";
import { isListening } from "./network-view.js";
import type { HubParts } from "./parts.js";
import type { HubTls } from "./tls.js";
import type { WebParts } from "./web-parts.js";

/** What the box is built from besides the hub's parts. */
export interface BoxOptions {
  readonly hubKey: HubKey;
  readonly version: string;
  readonly tls: HubTls | null;
  /** Restarts the process; absent where nothing would start it again. */
  readonly restart: (() => void) | null;
}

/** The hub's parts that the box looks up on request. */
type Around = Pick<HubParts, "access" | "trust" | "plates" | "telemetry" | "broker" | "database"> & {
  readonly web: WebParts;
};

const MINUTE = 60_000;
/** The answer to the person who asked goes out first. */
const RESTART_AFTER_MS = 500;
const MOUNTS: MountFacts = {
  mountInfo: () => readFileSync("/proc/self/mountinfo", "utf8"),
  labelFolder: "/dev/disk/by-label",
};
/** Where the system's helper mounts sticks. */
const STICKS = "/media/gatehouse";

/** Builds what the hub does for its box. Parts that are built later are looked up on request. */
export function buildBox(base: Base, hub: Around, options: BoxOptions): BoxParts {
  const { database, clock, dataFolder } = base;
  const { access } = hub;
  let backupBytes = 0;
  const backups = buildBackups(base, hub, {
    ...options,
    wrote: (bytes) => {
      backupBytes += bytes;
    },
  });
  const uploads = new Uploads({ folder: join(dataFolder, "uploads"), clock });
  const updates = buildUpdates(base, hub, options.version);
  const card = buildCard(base, hub, { backups, bytes: () => backupBytes });
  const network = buildNetwork(base, {
    hubKey: options.hubKey,
    version: options.version,
    tls: options.tls,
    hub: () => hub,
  });
  const parts = { database, audit: access.audit, now: () => clock.now() };
  const [note, audited] = [auditNote(parts), auditedJobs(parts)];
  return {
    backups,
    updates,
    mdns: network.mdns,
    renewAuthority: network.renewAuthority,
    services: [updates, card.service, ...network.services],
    jobs: [
      ...backupJobs(backups),
      { name: "sweep-uploads", periodMs: 60 * MINUTE, atStart: true, run: async () => uploads.sweep() },
      ...card.jobs,
      ...network.jobs,
    ],
    checks: [...backupChecks(base, hub, backups), ...card.checks],
    routes: () => [
      ...backupRoutes({
        backups,
        uploads,
        lastRestore: () => access.revocations.lastRestore(),
        checkClaim: (code, from) => access.claim.check(code, from),
        note,
        audited,
      }),
      ...updateRoutes({ updates, uploads, version: options.version, wear: card.wear, note }),
    ],
    metrics: card.metrics,
  };
}

function buildUpdates(base: Base, hub: Around, version: string): Updates {
  const { dataFolder, projectFolder, settings, clock, logger } = base;
  const folders = (): string[] => {
    const named = settings().updates.sources.flatMap((source) => locate(source, dataFolder, MOUNTS).root ?? []);
    return [...new Set([...named, ...mountedUnder(STICKS, MOUNTS)])];
  };
  return new Updates({
    version,
    dataFolder,
    projectFolder,
    stateFolder: settings().updates.stateFolder,
    arch: debianArch(process.arch),
    kind: updateKind(),
    keys: () => trustedKeys(projectFolder),
    folders,
    doWork: updateWorkInThread,
    healthy: () =>
      hub.database.state === "ok" &&
      isListening(hub.broker) &&
      hub.web.server.port > 0 &&
      hub.web.health().status !== "failed",
    clock,
    logger: logger.child({ part: "updates" }),
  });
}

function buildBackups(
  base: Base,
  hub: Pick<HubParts, "access" | "trust">,
  { hubKey, version, restart, wrote }: BoxOptions & { readonly wrote: (bytes: number) => void },
): Backups {
  const { database, reserve, dataFolder, projectFolder, clock, logger } = base;
  return new Backups({
    database,
    reserve,
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
    mounts: MOUNTS,
    probe: probeBeside(localFolderOf(dataFolder)),
    doWork: workInThread,
    availableMemory: availableBytes,
    restart: () => {
      if (restart === null) return false;
      clock.after(RESTART_AFTER_MS, restart);
      return true;
    },
    wrote,
    clock,
    logger: logger.child({ part: "backups" }),
  });
}

function backupJobs(backups: Backups): Job[] {
  return [
    { name: "backup", periodMs: MINUTE, atStart: false, run: () => backups.tick() },
    { name: "rehearse-restore", periodMs: 60 * MINUTE, atStart: false, run: () => backups.rehearseWhenDue() },
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
      backups: table.list().map((row) => ({
        ...row,
        problem: row.problem === null ? null : storedReason(row.problem, storedWords(row.words)),
      })),
    })),
    backupRehearsalCheck(() => {
      const last = backups.lastRehearsal();
      return last === null ? null : { ...last, why: storedReason(last.text, storedWords(last.words)) };
    }),
  ];
}
