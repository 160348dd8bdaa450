import type { Logger } from "../kernel/logger.js";
import type { HubParts } from "./parts.js";

/**
 * Records in the feed that a read met a damaged page: with the writes already waiting, this is the last that the file
 * takes. If that is no longer possible, only health and the log say so.
 */
export function recordDamage(
  { database, access, devices, clock }: Pick<HubParts, "database" | "access" | "devices" | "clock">,
  reason: string,
  logger: Logger,
): void {
  const record = (): void => {
    for (const { id, env } of access.accounts.sites()) {
      if (env !== "live") continue;
      devices.feed.record({
        siteId: id,
        kind: "system.storage",
        deviceId: null,
        text: { code: "storage.damaged" },
        at: clock.now(),
      });
    }
  };
  database
    .write(record)
    .catch((error: unknown) => logger.warn({ err: error, reason }, "the damage could not be put into the feed"));
}
