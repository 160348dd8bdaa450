import { type Base, chosenCountries } from "../../core/base.ts";
import { analyse } from "../../core/plates/analyse.ts";
import { householdAudit } from "../access/household-audit.ts";
import type { HubParts } from "../system/parts.ts";
import { Automations } from "./automations.ts";
import { LanNotifier } from "./notify-lan.ts";

/**
 * Builds the automations; what they use is looked up when a rule runs, since they are connected to nearly everything.
 */
export function buildAutomations(
  base: Base,
  hub: Pick<HubParts, "trust" | "devices" | "access" | "plates" | "webhooks">,
): Automations {
  const { database, bus, clock, logger } = base;
  const { trust, devices, access, webhooks } = hub;
  const { registry, commands, scenes, feed } = devices;
  const lan = new LanNotifier({
    receiver: () => {
      const { kind, url } = base.settings().notify;
      return kind === "none" || url === "" ? null : { kind, url };
    },
    now: () => clock.now(),
    logger,
  });
  const countries = chosenCountries(base);
  return new Automations({
    database,
    clock,
    trust,
    logger,
    bus,
    ports: {
      sendCommand: ({ siteId, deviceId, command, actor, source, chargedTo }) =>
        commands.send({ siteId, deviceId, command, actor, source, chargedTo }),
      activateScene: ({ siteId, sceneId, actor, chargedTo }) => scenes.activate(siteId, sceneId, actor, chargedTo),
      recordFeed: (item) => {
        feed.record(item);
        const { siteId, kind: event, at } = item;
        if (event !== "automation.notify" || !("title" in item)) return;
        const { title, body } = item;
        webhooks.outbox.enqueue({ siteId, event, deviceId: null, data: { title, body }, at });
      },
      notifyLan: ({ siteId, title, body }) => {
        // a simulated household reaches nothing real
        if (access.accounts.site(siteId).env === "live") lan.notify({ title, body });
      },
      author: (keyId) => access.keys.author(keyId),
      issuerStands: (ruleId) => access.grants.stands("automation", String(ruleId)),
      recordAudit: householdAudit(() => access),
      device: (id) => registry.find(id),
      sceneDevices: (siteId, sceneId) => {
        const scene = scenes.list(siteId).find(({ id }) => id === sceneId);
        return scene?.actions.map((action) => action.deviceId) ?? null;
      },
      normalisePlate: (text) => analyse(text, countries).plate,
      site: (siteId) => access.accounts.site(siteId),
      occupancy: (siteId) => hub.plates.occupancy.now(siteId).inside,
    },
  });
}
