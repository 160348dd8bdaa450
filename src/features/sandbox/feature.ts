import { join } from "node:path";
import type { Base } from "../../core/base.ts";
import type { Feature, PlacedService } from "../../core/feature.ts";
import type { Service } from "../../core/kernel/service.ts";
import { opensUntil } from "../../core/plates/freshness.ts";
import { HubTable } from "../../core/storage/tables/hub.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { Automations } from "../automations/automations.ts";
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
import { CarPictures } from "./car-pictures.ts";
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
    const makeDemo = (site: SimulatedSite, port: number, pictures: CarPictures): Demo => {
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
        pictures,
      });
    };
    /** It waits for an owner. */
    const demo = new DemoService({
      isEnabled: () => base.settings().demo.enabled,
      sites: () => liveSites(base, siblings),
      brokerPort: () => mqtt.broker.port,
      makeDemo,
      rules: siblings.automations.automations,
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
      const add = (): void => sandbox.add({ siteId: testSiteId, accountId, timeZone, language: "en" });
      void demo.start();
      // the house that somebody is about to look at comes first
      if (demo.isRunning) void demo.atHome().then(add);
      else add();
    });
    access.claim.waitFor(() => demo.atHome());
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
  readonly #pictures = new CarPictures();
  #demo: Demo | null = null;

  constructor(options: {
    readonly isEnabled: () => boolean;
    readonly sites: () => readonly SimulatedSite[];
    readonly brokerPort: () => number | null;
    readonly makeDemo: (site: SimulatedSite, port: number, pictures: CarPictures) => Demo;
    readonly rules: Pick<Automations, "ready">;
  }) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#demo !== null;
  }

  /** See {@link Demo.atHome}; at once where there is no demo. */
  async atHome(): Promise<void> {
    await this.#demo?.atHome();
  }

  /** Starts the demo if it is wanted, can run and does not run yet; prepares it where nobody owns the hub yet. */
  async start(): Promise<void> {
    const { isEnabled, sites, brokerPort, makeDemo, rules } = this.#options;
    const port = brokerPort();
    const site = sites()[0];
    if (!isEnabled() || this.#demo !== null || port === null) return;
    if (site === undefined) {
      this.#pictures.drawAhead();
      void Promise.allSettled([import("mqtt"), rules.ready()]); // what fails is said when it is needed
      return;
    }
    this.#demo = makeDemo(site, port, this.#pictures);
    await this.#demo.start();
  }

  async stop(): Promise<void> {
    await this.#demo?.stop();
    this.#demo = null;
    this.#pictures.stop();
  }
}

function householdPorts(
  { clock, trust, database }: Base,
  { access, feed: { feed }, devices, house, scenes, telemetry, states, automations, gate, notifications }: Siblings,
): HouseholdPorts {
  const { registry } = devices;
  return {
    findDevice: (deviceId) => registry.find(deviceId),
    beforeMaking: async () => {
      await automations.automations.ready();
      await states.history.flush();
    },
    inOneJob: (make) => database.write(() => registry.foundWhile(() => feed.pastWhile(make)), "large"),
    makeDevice: (siteId, device) => registry.insert(siteId, device),
    expectDevice: (deviceId) => database.committed(() => devices.presence.expect(deviceId)),
    ownerName: (accountId) => access.accounts.get(accountId).name,
    makeScene: (siteId, scene, ranAt) => {
      const id = scenes.scenes.insert(siteId, scene);
      if (ranAt !== null) scenes.scenes.recordPast(id, ranAt);
    },
    makeAutomation: (siteId, body, ranAt) => {
      const { id } = automations.automations.put(siteId, null, body);
      if (ranAt !== null) database.committed(() => automations.automations.recordPast(id, ranAt));
    },
    knowOwnerByCar: ({ siteId, accountId }, plate) =>
      house.presence.put(siteId, accountId, { plate, deviceId: null }, ACTOR),
    makePlateRule: (siteId, rule) => gate.rules.insert(siteId, rule, ACTOR),
    setCamera: (siteId, deviceId, opens) => gate.cameras.update(siteId, deviceId, { gate: opens }),
    // Without a trusted clock every sample would be filed under this moment.
    addSamples: (past) => {
      if (trust.state() !== "unknown") telemetry.telemetry.addPast(past);
    },
    addStates: (past) => {
      if (trust.state() !== "unknown") states.history.addPast(past);
    },
    preparePasses: async (passes) => {
      const prepared = await gate.past.prepare(passes);
      return {
        record: (cameraId) => gate.past.record(cameraId, prepared),
        discard: () => gate.past.discard(prepared),
      };
    },
    takeBurst: (burst, reading) => {
      const now = { mono: clock.mono(), wall: clock.now() };
      return gate.gate.take({ burst, captureKey: null, opensUntilMono: opensUntil(now, burst.at), reading });
    },
    nextCaptureId: () => gate.gate.nextCaptureId(),
    isInside: (siteId, plate) => gate.vehicles.isInside(siteId, plate),
    feed: (item) => void feed.record(item),
    hasRead: ({ siteId, accountId }, since, until) => {
      access.accounts.recordPast(accountId, since);
      const person = notifications.recipient(accountId);
      const told = notifications.notifications.list(siteId, person).filter(({ at }) => at < until);
      const newest = Math.max(0, ...told.map(({ id }) => id));
      notifications.notifications.noteSeen(siteId, person, newest);
    },
  };
}
