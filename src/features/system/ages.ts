import type { Base } from "../../core/base.ts";
import { AgeLimits } from "../../core/jobs/age-limits.ts";
import type { HubParts } from "./parts.ts";

/**
 * Deletion by age: measured against the time that has certainly come, and reported in the feed when more is due than is
 * deleted in a day.
 */
export function buildAgeLimits(
  { database, clock, logger, settings }: Base,
  hub: Pick<HubParts, "access" | "devices" | "plates" | "telemetry" | "clock">,
): AgeLimits {
  const { visits, reads, openings, pictures } = hub.plates.retention;
  const audit = hub.access.audit.aged({ keepDays: () => settings().access.auditDays, certain: () => clock.certain() });
  return new AgeLimits({
    database,
    clock,
    logger,
    histories: () => [pictures, visits, reads, openings, hub.devices.feed.aged, audit, ...hub.telemetry.aged],
    notify: ({ kind, count }) => {
      for (const { id, env } of hub.access.accounts.sites()) {
        if (env !== "live") continue;
        hub.devices.feed.record({
          siteId: id,
          kind: "system.storage",
          deviceId: null,
          text: { code: `aged.${kind}`, n: count },
          at: clock.now(),
        });
      }
    },
  });
}
