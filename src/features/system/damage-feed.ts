import type { FileTroubles } from "../../core/kernel/file-troubles.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { HubParts } from "./parts.ts";

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

/** Says in the log and in the feed which of the hub's own files could not be used at this start. */
export function recordTroubles(
  hub: Pick<HubParts, "database" | "access" | "devices" | "clock"> & {
    readonly troubles: FileTroubles;
    readonly isKeyForeign: boolean;
  },
  logger: Logger,
): void {
  const { database, access, devices, clock, troubles, isKeyForeign } = hub;
  if (isKeyForeign) logger.error({ file: "hub.key" }, "the hub's key is not the one of its database");
  for (const trouble of troubles.all) logger.warn({ ...trouble }, "a file of the hub could not be used");
  if (troubles.all.length === 0) return;
  const files = troubles.all.map(({ file }) => file).join(", ");
  const record = (): void => {
    for (const { id, env } of access.accounts.sites())
      if (env === "live")
        devices.feed.record({
          siteId: id,
          kind: "system.storage",
          deviceId: null,
          text: { code: "storage.files", files },
          at: clock.now(),
        });
  };
  database.write(record).catch(() => {}); // health and the log say it too
}
