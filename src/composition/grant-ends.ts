import type { LiveGrant } from "../access/grants.js";
import type { Actor } from "../access/ports.js";
import { SENDING_CHANNELS } from "../contract/notification-topics.js";
import { partOf } from "../storage/tables/issued.js";
import type { Base } from "./base.js";
import type { HubParts } from "./parts.js";

/**
 * Ends one thing that a person issued, inside a write job: it is switched off or loses its password, and nothing of it is
 * deleted, so that whoever wants it back can issue it again. What other hubs or other processes have a part in follows
 * after the commit.
 */
export function endGrant(base: Base, hub: HubParts, { kind, id, siteId }: LiveGrant, by: Actor): void {
  const row = Number(id);
  const later = (work: () => Promise<unknown>): void =>
    base.database.committed(() => {
      work().catch((error: unknown) => base.logger.error({ kind, id, err: error }, "what ended could not be removed"));
    });
  const ofSite = (end: (site: number) => void): void => {
    if (siteId !== null) end(siteId);
  };
  switch (kind) {
    case "guest_pass":
      ofSite((site) => hub.plates.passes.end(site, row, by.actor));
      return;
    case "plate_rule":
      ofSite((site) => {
        const { rules } = hub.plates;
        if (rules.isShared(site, rules.get(site, row).deviceId))
          later(() => rules.edit(site, row, { enabled: false }, by.actor));
        else rules.update(site, row, { enabled: false }, by.actor);
      });
      return;
    case "automation":
      ofSite((site) => hub.automations.switchOff(site, row, by.actor));
      return;
    case "camera":
    case "device":
      ofSite((site) => hub.devices.registry.setPassword(site, id, null));
      return;
    case "camera_source":
      ofSite((site) => hub.plates.cameras.update(site, id, { enabled: false }, by.actor));
      return;
    case "bridge_client":
      hub.bridge.clients.cutOff(row);
      return;
    case "scene":
      hub.access.grants.disown(kind, id); // it is not run until somebody saves it
      return;
    case "webhook_event": {
      const { row: webhook, part } = partOf(id);
      hub.webhooks.registry.narrow(webhook, part);
      return;
    }
    case "webhook":
      hub.webhooks.registry.writeActive(row, false, "owner");
      return;
    case "notification_channel": {
      const owner = hub.access.accounts.owner();
      const channel = SENDING_CHANNELS.find((name) => name === id);
      if (owner !== null && channel !== undefined) hub.notifications.channels.switchOff(owner.id, channel);
      return;
    }
    case "matter_home":
      hub.access.grants.disown(kind, id); // its orders are refused from now on
      later(() => hub.matter.bridge.removeFabric(row));
      return;
    case "api_key":
    case "key_scope":
    case "invitation":
    case "owner":
    case "member":
      return; // access ends them itself
  }
}
