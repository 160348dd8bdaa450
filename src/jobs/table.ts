import type { Job } from "./jobs.js";

/** What the periodic jobs call; each is bounded in what it does at a time. */
export interface JobWork {
  readonly expireCommands: () => Promise<unknown>;
  readonly sweepCommands: () => Promise<unknown>;
  readonly sweepFeed: () => Promise<unknown>;
  readonly sweepTelemetry: () => Promise<unknown>;
  readonly sweepWebhooks: () => Promise<unknown>;
  readonly sweepPlateImages: () => Promise<unknown>;
  readonly sweepPlateReads: () => Promise<unknown>;
  readonly removeStrayImages: () => Promise<unknown>;
  readonly purgeSessions: () => Promise<unknown>;
  readonly purgeAudit: () => Promise<unknown>;
  readonly sweepDevices: () => Promise<unknown>;
}

const SECOND = 1_000;
const HOUR = 3_600_000;

/** Every periodic job of the hub with its period. */
export function jobTable(work: JobWork): Job[] {
  const job = (name: string, periodMs: number, run: () => Promise<unknown>, atStart = true): Job => ({
    name,
    periodMs,
    atStart,
    run: async () => {
      await run();
    },
  });
  return [
    job("expire-commands", 5 * SECOND, work.expireCommands, false),
    job("sweep-commands", HOUR, work.sweepCommands),
    job("sweep-feed", HOUR, work.sweepFeed),
    job("sweep-telemetry", HOUR, work.sweepTelemetry),
    job("sweep-webhooks", HOUR, work.sweepWebhooks),
    job("sweep-plate-images", HOUR, work.sweepPlateImages),
    job("sweep-plate-reads", HOUR, work.sweepPlateReads),
    job("remove-stray-images", 24 * HOUR, work.removeStrayImages),
    job("purge-sessions", HOUR, work.purgeSessions),
    job("purge-audit", 24 * HOUR, work.purgeAudit),
    job("sweep-devices", 24 * HOUR, work.sweepDevices),
  ];
}
