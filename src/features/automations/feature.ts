import type { Base } from "../../core/base.ts";
import { type Feature, job, type PlacedService } from "../../core/feature.ts";
import { DAY_MS } from "../../core/kernel/clock.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { FeedFeature } from "../feed/feature.ts";
import type { GateFeature } from "../gate/feature.ts";
import type { HouseFeature } from "../house/feature.ts";
import type { ScenesFeature } from "../scenes/feature.ts";
import type { WebhooksFeature } from "../webhooks/feature.ts";
import { Automations } from "./automations.ts";
import { decides, leversOf } from "./levers.ts";
import { LanNotifier } from "./notify-lan.ts";
import { automationRoutes } from "./routes/automations.ts";
import { automationManagementRoutes } from "./routes/console-automations.ts";

/** The features that rules work with. */
interface Siblings {
  readonly feed: FeedFeature;
  readonly access: AccessFeature;
  readonly webhooks: WebhooksFeature;
  readonly devices: DevicesFeature;
  readonly house: HouseFeature;
  readonly scenes: ScenesFeature;
  readonly gate: GateFeature;
}

/** The household's rules. */
export class AutomationsFeature implements Feature {
  readonly automations: Automations;
  readonly services: readonly PlacedService[];
  readonly #gate: GateFeature;

  constructor(base: Base, { feed, access, webhooks, devices, house, scenes: { scenes }, gate }: Siblings) {
    const { database, bus, clock, trust, logger } = base;
    this.#gate = gate;
    const { registry, commands } = devices;
    const lan = new LanNotifier({
      receiver: () => {
        const { kind, url } = base.settings().notify;
        return kind === "none" || url === "" ? null : { kind, url };
      },
      clock,
      logger,
    });
    const sources = { registry, commands, scenes, presence: house.presence, gate: gate.choices };
    const automations: Automations = new Automations({
      database,
      clock,
      trust,
      logger,
      bus,
      house: {
        registry,
        commands,
        scenes,
        accounts: access.accounts,
        keys: access.keys,
        limits: access.limits,
        grants: access.grants,
        feed: feed.feed,
        outbox: webhooks.outbox,
        lan,
        occupancy: gate.occupancy,
        modes: house.modes,
        presence: house.presence,
        decides: (siteId, step) => decides(siteId, step, automations.rules(siteId), sources),
        countries: gate.countries,
        recordAudit: access.recordAudit,
      },
    });
    this.automations = automations;
    this.services = [{ service: automations, start: "load", stop: "intake" }];
    access.limits.leversKnownBy((siteId) => leversOf(siteId, automations.rules(siteId), sources));
    access.accounts.onSiteEdited((siteId) => automations.siteChanged(siteId));
    gate.reads.forgottenBy((siteId, plate) => automations.forgetPlate(siteId, plate));
    access.grants.endsBy("automation", ({ row, siteId }, { actor }) => {
      if (siteId !== null) automations.switchOff(siteId, row, actor);
    });
  }

  get jobs() {
    return [job("sweep-traces", DAY_MS, () => this.automations.sweepTraces(this.#gate.retention.readsKeptDays))];
  }

  get api() {
    return automationRoutes(this.automations);
  }

  get console() {
    return automationManagementRoutes(this.automations);
  }
}
