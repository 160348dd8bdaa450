import { join } from "node:path";
import type { Base } from "../../core/base.ts";
import type { Feature, PlacedService } from "../../core/feature.ts";
import type { Service } from "../../core/kernel/service.ts";
import { OPENS_NEVER, opensUntil } from "../../core/plates/freshness.ts";
import { HubTable } from "../../core/storage/tables/hub.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { AutomationsFeature } from "../automations/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { FeedFeature } from "../feed/feature.ts";
import type { GateFeature } from "../gate/feature.ts";
import type { HouseFeature } from "../house/feature.ts";
import type { MqttFeature } from "../mqtt/feature.ts";
import type { NotificationsFeature } from "../notifications/feature.ts";
import type { ScenesFeature } from "../scenes/feature.ts";
import type { StatesFeature } from "../states/feature.ts";
import type { TelemetryFeature } from "../telemetry/feature.ts";
import { Demo } from "./demo.ts";
import type { HouseholdPorts, SimulatedSite } from "./ports.ts";
import { Sandbox } from "./sandbox.ts";

/** The features that simulated households live in. */
interface Siblings {
  readonly feed: FeedFeature;
  readonly access: AccessFeature;
  readonly devices: DevicesFeature;
  readonly house: HouseFeature;
  readonly scenes: ScenesFeature;
  readonly telemetry: TelemetryFeature;
  readonly states: StatesFeature;
  readonly automations: AutomationsFeature;
  readonly gate: GateFeature;
  readonly notifications: NotificationsFeature;
  readonly mqtt: MqttFeature;
}

const ACTOR = "hub:sandbox";

/** Simulated households: those behind test keys, and the demo. */
export class SandboxFeature implements Feature {
  readonly sandbox: Sandbox;
  readonly services: readonly PlacedService[];

  constructor(base: Base, siblings: Siblings) {
    const { access, devices, telemetry, mqtt } = siblings;
    const { database, clock } = base;
    const logger = base.logger.child({ part: "sandbox" });
    const random = Math.random;
    const household = householdPorts(base, siblings);
    const sandbox = new Sandbox({
      database,
      clock,
      logger,
      random,
      household,
      devices,
      telemetry: telemetry.telemetry,
      sites: () =>
        access.accounts
          .sites()
          .filter(({ env }) => env === "test")
          .map(({ id, accountId, timeZone }) => ({ siteId: id, accountId, timeZone, language: "en" })),
    });
    const makeDemo = (site: SimulatedSite, port: number): Demo => {
      const { demo, http, mqtt } = base.settings();
      const host = ["0.0.0.0", "::"].includes(http.host) ? "127.0.0.1" : http.host;
      return new Demo({
        database,
        clock,
        logger: base.logger.child({ part: "demo" }),
        random,
        ports: household,
        registry: devices.registry,
        site,
        brokerUrl: `mqtt://${host.includes(":") ? `[${host}]` : host}:${port}`,
        topicRoot: mqtt.topicRoot,
        speed: demo.speed,
        photosFolder: join(base.projectFolder, "test/fixtures/plates"),
      });
    };
    /** It waits for an owner. */
    const demo = new DemoService({
      isEnabled: () => base.settings().demo.enabled,
      sites: () => liveSites(base, siblings),
      brokerPort: () => mqtt.broker.port,
      makeDemo,
    });
    this.sandbox = sandbox;
    this.services = [
      { service: sandbox, start: "serve", stop: "simulation" },
      { service: demo, start: "serve", stop: "simulation" },
    ];
    devices.commands.carriedBy(sandbox);
    access.accounts.onCreating(({ siteId, language }) => {
      new HubTable(database).set(languageMark(siteId), language); // the demo may be switched on later
      if (!base.settings().demo.enabled) return;
      const { timeZone } = access.accounts.site(siteId);
      if (timeZone === HOME.timeZone || !access.accounts.isZoneGiven(siteId))
        access.accounts.updateSite(siteId, HOME, { accountId: null, actor: ACTOR });
    });
    access.accounts.onCreated(({ accountId, testSiteId }) => {
      const { timeZone } = access.accounts.site(testSiteId);
      sandbox.add({ siteId: testSiteId, accountId, timeZone, language: "en" });
      void demo.start();
    });
  }
}

/** Where the demo's house stands whose owner's browser knows no place of its own: its cars have plates from there. */
const HOME = { timeZone: "Asia/Kolkata", latitude: 18.52, longitude: 73.86 } as const;

/** Key in `hub` of the language of a household's names. */
function languageMark(siteId: number): string {
  return `sandbox.${siteId}.language`;
}

function liveSites({ database }: Base, { access }: Siblings): SimulatedSite[] {
  return access.accounts
    .sites()
    .filter(({ env }) => env === "live")
    .map(({ id, accountId, timeZone }) => ({
      siteId: id,
      accountId,
      timeZone,
      language: new HubTable(database).get(languageMark(id)) === "hi" ? "hi" : "en",
    }));
}

/** Runs the demo on the owner's site: from the start, or from the moment the hub is claimed. */
class DemoService implements Service {
  readonly name = "demo";
  readonly #options: ConstructorParameters<typeof DemoService>[0];
  #demo: Demo | null = null;

  constructor(options: {
    readonly isEnabled: () => boolean;
    readonly sites: () => readonly SimulatedSite[];
    readonly brokerPort: () => number | null;
    readonly makeDemo: (site: SimulatedSite, port: number) => Demo;
  }) {
    this.#options = options;
  }

  /** Starts the demo if it is wanted, can run and does not run yet. */
  async start(): Promise<void> {
    const { isEnabled, sites, brokerPort, makeDemo } = this.#options;
    const port = brokerPort();
    const site = sites()[0];
    if (!isEnabled() || this.#demo !== null || port === null || site === undefined) return;
    this.#demo = makeDemo(site, port);
    await this.#demo.start();
  }

  async stop(): Promise<void> {
    await this.#demo?.stop();
    this.#demo = null;
  }
}

function householdPorts(
  { clock, trust, database }: Base,
  { access, feed, devices, house, scenes, telemetry, states, automations, gate, notifications }: Siblings,
): HouseholdPorts {
  const { registry } = devices;
  return {
    findDevice: (deviceId) => registry.find(deviceId),
    createDevice: (siteId, device) => registry.create(siteId, device),
    expectDevice: (deviceId) => devices.presence.expect(deviceId),
    ownerName: (accountId) => access.accounts.get(accountId).name,
    createScene: async (siteId, scene, ranAt) => {
      const { id } = await scenes.scenes.create(siteId, scene);
      if (ranAt !== null) await database.write(() => scenes.scenes.recordPast(id, ranAt));
    },
    createAutomation: async (siteId, body, ranAt) => {
      const { id } = await automations.automations.create(siteId, body);
      if (ranAt !== null) automations.automations.recordPast(id, ranAt);
    },
    knowOwnerByCar: ({ siteId, accountId }, plate) =>
      house.presence.choose(siteId, accountId, { plate, deviceId: null }, ACTOR),
    createPlateRule: (siteId, rule) => gate.rules.create(siteId, rule, ACTOR),
    setCamera: (siteId, deviceId, opens) => gate.cameras.edit(siteId, deviceId, { gate: opens }),
    // Without a trusted clock every sample would be filed under this moment.
    ingest: async (deviceId, samples) => {
      if (trust.state() !== "unknown")
        await telemetry.telemetry.ingest(deviceId, samples, {
          messageId: null,
          duplicate: false,
          at: clock.now(),
          durable: true,
        });
    },
    addStates: async (past) => {
      if (trust.state() !== "unknown") await states.history.addPast(past);
    },
    takeBurst: (burst, reading, isFresh) => {
      const now = { mono: clock.mono(), wall: clock.now() };
      const opensUntilMono = isFresh ? opensUntil(now, burst.at) : OPENS_NEVER;
      return gate.gate.take({ burst, captureKey: null, opensUntilMono, reading });
    },
    nextCaptureId: () => gate.gate.nextCaptureId(),
    isInside: (siteId, plate) => gate.vehicles.isInside(siteId, plate),
    openedInThePast: (opening) => gate.openings.recordPast(opening),
    feed: (item) => void feed.record(item),
    hasRead: async ({ siteId, accountId }, since, until) => {
      await access.accounts.recordPast(accountId, since);
      const person = notifications.recipient(accountId);
      const told = notifications.notifications.list(siteId, person).filter(({ at }) => at < until);
      const newest = Math.max(0, ...told.map(({ id }) => id));
      await notifications.notifications.markSeen(siteId, person, newest);
    },
  };
}
