import type { Base } from "../../core/base.ts";
import type { Feature, PlacedService } from "../../core/feature.ts";
import { analyse } from "../../core/plates/analyse.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { FeedFeature } from "../feed/feature.ts";
import type { GateFeature } from "../gate/feature.ts";
import type { ScenesFeature } from "../scenes/feature.ts";
import type { WebhooksFeature } from "../webhooks/feature.ts";
import { Automations } from "./automations.ts";
import { LanNotifier } from "./notify-lan.ts";
import { automationRoutes } from "./routes/automations.ts";
import { automationManagementRoutes } from "./routes/console-automations.ts";

/** The features that rules work with. */
interface Siblings {
  readonly feed: FeedFeature;
  readonly access: AccessFeature;
  readonly webhooks: WebhooksFeature;
  readonly devices: DevicesFeature;
  readonly scenes: ScenesFeature;
  readonly gate: GateFeature;
}

/** The household's rules. */
export class AutomationsFeature implements Feature {
  readonly automations: Automations;
  readonly services: readonly PlacedService[];

  constructor(base: Base, { feed, access, webhooks, devices, scenes: { scenes }, gate }: Siblings) {
    const { database, bus, clock, trust, logger } = base;
    const { registry, commands } = devices;
    const lan = new LanNotifier({
      receiver: () => {
        const { kind, url } = base.settings().notify;
        return kind === "none" || url === "" ? null : { kind, url };
      },
      now: () => clock.now(),
      logger,
    });
    const automations = new Automations({
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
        recordAudit: access.recordAudit,
        device: (id) => registry.find(id),
        persons: (siteId) => access.accounts.ofHousehold(access.accounts.site(siteId).accountId),
        sceneDevices: (siteId, sceneId) => {
          const scene = scenes.list(siteId).find(({ id }) => id === sceneId);
          return scene?.actions.map((action) => action.deviceId) ?? null;
        },
        normalisePlate: (text) => analyse(text, gate.countries).plate,
        site: (siteId) => access.accounts.site(siteId),
        occupancy: (siteId) => gate.occupancy.now(siteId).inside,
      },
    });
    this.automations = automations;
    this.services = [{ service: automations, start: "load", stop: "intake" }];
    access.accounts.onSiteEdited((siteId) => automations.siteChanged(siteId));
    access.grants.endsBy("automation", ({ row, siteId }, { actor }) => {
      if (siteId !== null) automations.switchOff(siteId, row, actor);
    });
  }

  get api() {
    return automationRoutes(this.automations);
  }

  get console() {
    return automationManagementRoutes(this.automations);
  }
}
