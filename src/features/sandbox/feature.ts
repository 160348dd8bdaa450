import { join } from "node:path";
import type { Base } from "../../core/base.ts";
import type { Feature, PlacedService } from "../../core/feature.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import type { Service } from "../../core/kernel/service.ts";
import { OPENS_NEVER, opensUntil } from "../../core/plates/freshness.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { AutomationsFeature } from "../automations/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { FeedFeature } from "../feed/feature.ts";
import type { GateFeature } from "../gate/feature.ts";
import type { HouseFeature } from "../house/feature.ts";
import type { MqttFeature } from "../mqtt/feature.ts";
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
          .map(({ id, accountId, timeZone }) => ({ siteId: id, accountId, timeZone })),
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
        zone: (stopped) => zoneOf(access.accounts, clock, site.siteId, stopped),
        brokerUrl: `mqtt://${host.includes(":") ? `[${host}]` : host}:${port}`,
        topicRoot: mqtt.topicRoot,
        speed: demo.speed,
        photosFolder: join(base.projectFolder, "test/fixtures/plates"),
      });
    };
    /** It waits for an owner. */
    const demo = new DemoService({
      isEnabled: () => base.settings().demo.enabled,
      sites: () => liveSites(siblings),
      brokerPort: () => mqtt.broker.port,
      makeDemo,
    });
    this.sandbox = sandbox;
    this.services = [
      { service: sandbox, start: "serve", stop: "simulation" },
      { service: demo, start: "serve", stop: "simulation" },
    ];
    devices.commands.carriedBy(sandbox);
    access.accounts.onCreated(({ accountId, testSiteId }) => {
      const { timeZone } = access.accounts.site(testSiteId);
      sandbox.add({ siteId: testSiteId, accountId, timeZone });
      void demo.start();
    });
  }
}

/** How long the past of the demo waits for the time zone of its house, which the first run asks for. */
const ZONE_WAIT_MS = 60_000;

/** The time zone of a household as soon as a person, or a browser with one of its own, has said it. */
async function zoneOf(
  accounts: AccessFeature["accounts"],
  clock: Clock,
  siteId: number,
  stopped: Promise<void>,
): Promise<string> {
  if (!accounts.isZoneGiven(siteId)) {
    const said = Promise.withResolvers<void>();
    accounts.onSiteEdited((edited) => edited === siteId && said.resolve());
    const limit = clock.after(ZONE_WAIT_MS, () => said.resolve());
    await Promise.race([said.promise, stopped]);
    limit.stop();
  }
  return accounts.site(siteId).timeZone;
}

function liveSites({ access }: Siblings): SimulatedSite[] {
  return access.accounts
    .sites()
    .filter(({ env }) => env === "live")
    .map(({ id, accountId, timeZone }) => ({ siteId: id, accountId, timeZone }));
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
  { access, feed, devices, house, scenes, telemetry, states, automations, gate }: Siblings,
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
  };
}
