import type { Base } from "../../../core/base.ts";
import { IssuedTable } from "../../access/tables/issued.ts";
import { finishRemovals } from "../../devices/removed.ts";
import type { HubParts } from "../parts.ts";
import type { JobWork } from "./table.ts";

/**
 * What the periodic jobs of the hub call. What is deleted for its age is measured against the time that has certainly
 * come.
 */
export function jobWork({ database }: Base, hub: HubParts): JobWork {
  const { access, ages, clock, plates, telemetry, webhooks } = hub;
  const { commands, feed, registry } = hub.devices;
  const { retention } = plates;
  const issued = new IssuedTable(database);
  return {
    expireCommands: () => commands.expireDue(clock.now()),
    sweepCommands: () => commands.sweep(),
    sweepHistory: () => ages.sweep(),
    trimFeed: () => feed.sweep(),
    trimTelemetry: () => telemetry.sweep(),
    sweepWebhooks: () => webhooks.outbox.sweep(),
    removeStrayImages: () => retention.removeStrays(),
    purgeSessions: () => database.write(() => access.sessions.purge() + issued.forgetGone()),
    sweepGuestPasses: () => plates.passes.sweep(),
    sweepDevices: async () => {
      await registry.sweep(clock.certain());
      await finishRemovals({
        retired: () => registry.retired(),
        forget: [(id) => telemetry.removeDevice(id), (id) => hub.broker.forget(id)],
      });
    },
  };
}
