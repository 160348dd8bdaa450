import type { JobWork } from "../jobs/table.js";
import { type Base, days } from "./base.js";
import type { HubParts } from "./parts.js";
import { finishRemovals } from "./removed-devices.js";

/** What the periodic jobs of the hub call. What is deleted for its age is measured against the time that has certainly come. */
export function jobWork({ settings, database }: Base, hub: HubParts): JobWork {
  const { access, clock, plates, telemetry, webhooks } = hub;
  const { commands, feed, registry } = hub.devices;
  const { retention } = plates;
  return {
    expireCommands: () => commands.expireDue(clock.now()),
    sweepCommands: () => commands.sweep(),
    sweepFeed: () => feed.sweep(clock.certain()),
    sweepTelemetry: () => telemetry.sweep(),
    sweepWebhooks: () => webhooks.outbox.sweep(),
    sweepPlateImages: () => retention.sweepImages(),
    sweepPlateReads: () => retention.sweepReads(),
    removeStrayImages: () => retention.removeStrays(),
    purgeSessions: () => database.write(() => access.sessions.purge()),
    purgeAudit: () => database.write(() => access.audit.purge(clock.certain() - days(settings().access.auditDays))),
    sweepDevices: async () => {
      await registry.sweep(clock.certain());
      await finishRemovals({ retired: () => registry.retired(), forget: [(id) => telemetry.removeDevice(id), (id) => hub.broker.forget(id)] });
    },
  };
}
