/**
 * The hub: its features in the order in which they start. A feature is given those before it; what a later one adds to
 * an earlier one it adds itself, in its constructor. Nothing is decided here.
 */
import type { Base } from "./core/base.ts";
import { type Feature, startOrder, stopStages } from "./core/feature.ts";
import { JobRunner } from "./core/jobs/jobs.ts";
import { FileTroubles } from "./core/kernel/file-troubles.ts";
import { startInOrder, stopInStages } from "./core/kernel/service.ts";
import { LogRing } from "./core/platform/log-ring.ts";
import { AccessFeature } from "./features/access/feature.ts";
import { OwnershipMark } from "./features/access/ownership-mark.ts";
import { AutomationsFeature } from "./features/automations/feature.ts";
import { BackupsFeature } from "./features/backups/feature.ts";
import { BridgeFeature } from "./features/bridge/feature.ts";
import { CamerasFeature } from "./features/cameras/feature.ts";
import { DevicesFeature } from "./features/devices/feature.ts";
import { EnergyFeature } from "./features/energy/feature.ts";
import { type EstateCode, EstateFeature } from "./features/estate/feature.ts";
import { loadEstate } from "./features/estate/loaded.ts";
import { FeedFeature } from "./features/feed/feature.ts";
import { GateFeature } from "./features/gate/feature.ts";
import { HomeAssistantFeature } from "./features/home-assistant/feature.ts";
import { HouseFeature } from "./features/house/feature.ts";
import { MatterFeature } from "./features/matter/feature.ts";
import { MqttFeature } from "./features/mqtt/feature.ts";
import { NotificationsFeature } from "./features/notifications/feature.ts";
import { OutsideBrokerFeature } from "./features/outside-broker/feature.ts";
import { ProvisionFeature } from "./features/provision/feature.ts";
import { RecognitionFeature } from "./features/recognition/feature.ts";
import { SandboxFeature } from "./features/sandbox/feature.ts";
import { ScenesFeature } from "./features/scenes/feature.ts";
import { SeriesFeature } from "./features/series/feature.ts";
import { StatesFeature } from "./features/states/feature.ts";
import { SystemFeature } from "./features/system/feature.ts";
import { FirstUse, piecesOf } from "./features/system/first-use.ts";
import { WebFeature } from "./features/system/web.ts";
import { TelemetryFeature } from "./features/telemetry/feature.ts";
import { UpdatesFeature } from "./features/updates/feature.ts";
import { WebhooksFeature } from "./features/webhooks/feature.ts";
import { type HubOptions, openBase } from "./open-base.ts";

/** A whole hub. */
export class Hub {
  readonly base: Base;
  readonly feed: FeedFeature;
  readonly access: AccessFeature;
  readonly webhooks: WebhooksFeature;
  readonly devices: DevicesFeature;
  readonly house: HouseFeature;
  readonly scenes: ScenesFeature;
  readonly telemetry: TelemetryFeature;
  readonly states: StatesFeature;
  readonly energy: EnergyFeature;
  readonly series: SeriesFeature;
  readonly recognition: RecognitionFeature;
  readonly cameras: CamerasFeature;
  readonly gate: GateFeature;
  readonly notifications: NotificationsFeature;
  readonly automations: AutomationsFeature;
  readonly bridge: BridgeFeature;
  readonly mqtt: MqttFeature;
  readonly outside: OutsideBrokerFeature;
  readonly backups: BackupsFeature;
  readonly updates: UpdatesFeature;
  readonly matter: MatterFeature;
  readonly homeAssistant: HomeAssistantFeature;
  readonly estate: EstateFeature;
  readonly sandbox: SandboxFeature;
  readonly provision: ProvisionFeature;
  readonly system: SystemFeature;
  readonly web: WebFeature;
  /** In the order in which they start. */
  readonly features: readonly Feature[];

  /** Builds a hub; nothing of it runs yet. Code that only some hubs need is loaded where this one does. */
  static async open(options: HubOptions): Promise<Hub> {
    return new Hub(options, await loadEstate(options.dataFolder));
  }

  private constructor(options: HubOptions, estate: EstateCode | null) {
    const mark = new OwnershipMark(options.dataFolder);
    const { troubles = new FileTroubles(), log = new LogRing() } = options;
    const base = openBase(options, {
      mark,
      troubles,
      onDamage: () => this.system.news.record("system.storage", { code: "storage.damaged" }),
    });
    this.base = base;
    this.feed = new FeedFeature(base);
    this.access = new AccessFeature(base, { ...this, mark, passwordCost: options.passwordCost });
    this.webhooks = new WebhooksFeature(base, this);
    this.devices = new DevicesFeature(base, this);
    this.house = new HouseFeature(base, this);
    this.scenes = new ScenesFeature(base, this);
    this.telemetry = new TelemetryFeature(base, this);
    this.states = new StatesFeature(base, this);
    this.energy = new EnergyFeature(base, this);
    this.series = new SeriesFeature(base, this);
    this.recognition = new RecognitionFeature(base);
    this.cameras = new CamerasFeature(base, this.recognition);
    this.gate = new GateFeature(base, this);
    this.notifications = new NotificationsFeature(base, this);
    this.automations = new AutomationsFeature(base, this);
    this.bridge = new BridgeFeature(base, this);
    this.mqtt = new MqttFeature(base, this);
    this.outside = new OutsideBrokerFeature(base, this);
    this.backups = new BackupsFeature(base, this);
    this.updates = new UpdatesFeature(base, this);
    this.matter = new MatterFeature(base, this);
    this.homeAssistant = new HomeAssistantFeature(base, this);
    this.estate = new EstateFeature(base, this, estate);
    this.sandbox = new SandboxFeature(base, this);
    this.provision = new ProvisionFeature(base, this);
    this.system = new SystemFeature(base, { ...this, features: () => this.features, troubles, log });
    const before: Feature[] = [
      { services: [{ service: base.database, start: "first", stop: "storage" }] },
      { services: [{ service: base.reserve, start: "first", stop: null }] },
      this.system.time,
      ...[this.access, this.feed, this.webhooks, this.devices, this.house, this.scenes, this.telemetry, this.states],
      ...[this.energy, this.series, this.recognition, this.gate, this.cameras, this.automations],
      ...[this.mqtt, this.bridge, this.outside, this.homeAssistant, this.estate, this.notifications],
      ...[this.backups, this.updates, this.provision, ...this.system.parts],
    ];
    this.features = [...before, this.matter, this.sandbox];
    this.web = new WebFeature(base, this);
    const service = new JobRunner({ jobs: before.flatMap(({ jobs }) => jobs ?? []), ...base });
    const firstUse = new FirstUse(base, () => piecesOf(base, this));
    this.features = [
      ...before,
      { services: [{ service, start: "serve", stop: "intake" }] },
      ...[this.web, this.matter, this.sandbox],
      { services: options.prepares === false ? [] : [{ service: firstUse, start: "serve", stop: "simulation" }] },
    ];
  }

  /** Starts every service. @throws Error of the one that could not; what ran is stopped again. */
  async start(): Promise<void> {
    const { database, logger } = this.base;
    await startInOrder(startOrder(this.features), logger);
    database.served();
    this.system.settle();
    await this.access.settle();
  }

  /** Stops in stages. Returns the names of services that were late. */
  async stop(): Promise<string[]> {
    return stopInStages(stopStages(this.features), this.base.logger);
  }
}
