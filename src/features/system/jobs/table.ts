import type { Job } from "../../../core/jobs/jobs.ts";

/** What the periodic jobs call; each is bounded in what it does at a time. */
export interface JobWork {
  readonly expireCommands: () => Promise<unknown>;
  readonly sweepCommands: () => Promise<unknown>;
  readonly sweepHistory: () => Promise<unknown>;
  readonly trimFeed: () => Promise<unknown>;
  readonly trimTelemetry: () => Promise<unknown>;
  readonly sweepWebhooks: () => Promise<unknown>;
  readonly removeStrayImages: () => Promise<unknown>;
  readonly purgeSessions: () => Promise<unknown>;
  readonly sweepGuestPasses: () => Promise<unknown>;
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
    job("sweep-history", HOUR, work.sweepHistory),
    job("trim-feed", HOUR, work.trimFeed),
    job("trim-telemetry", HOUR, work.trimTelemetry),
    job("sweep-webhooks", HOUR, work.sweepWebhooks),
    job("remove-stray-images", 24 * HOUR, work.removeStrayImages),
    job("purge-sessions", HOUR, work.purgeSessions),
    job("sweep-guest-passes", HOUR, work.sweepGuestPasses),
    job("sweep-devices", 24 * HOUR, work.sweepDevices),
  ];
}
