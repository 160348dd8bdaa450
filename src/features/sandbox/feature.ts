import { join } from "node:path";
import type { Base } from "../../core/base.ts";
import type { Service } from "../../core/kernel/service.ts";
import { OPENS_NEVER, opensUntil } from "../../core/plates/freshness.ts";
import type { Site } from "../access/accounts.ts";
import type { Automations } from "../automations/automations.ts";
import type { DeviceParts } from "../devices/feature.ts";
import type { PlateParts } from "../gate/feature.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { Demo } from "./demo.ts";
import type { HouseholdPorts, SimulatedSite } from "./ports.ts";
import { Sandbox } from "./sandbox.ts";

/** Simulated households: those behind test keys, and the demo. */
export interface SandboxParts {
  readonly sandbox: Sandbox;
  /** The demo's household; it waits for an owner. */
  readonly demo: DemoService;
}

/** What the sandbox uses of the hub. */
export interface SandboxNeeds {
  readonly devices: DeviceParts;
  readonly telemetry: Telemetry;
  readonly automations: Automations;
  readonly plates: () => PlateParts;
  /** All sites of the hub. */
  readonly sites: () => readonly Site[];
  readonly clockTrusted: () => boolean;
  /** Port of the broker; null while it does not listen. */
  readonly brokerPort: () => number | null;
}

const ACTOR = "hub:sandbox";

/** Builds the simulated households. */
export function buildSandbox(base: Base, needs: SandboxNeeds): SandboxParts {
  const { database, clock } = base;
  const logger = base.logger.child({ part: "sandbox" });
  const random = Math.random;
  const household = householdPorts(base, needs);
  const { state, presence, events, commands, registry } = needs.devices;
  const sandbox = new Sandbox({
    database,
    clock,
    logger,
    random,
    household,
    devices: {
      state: (deviceId, patch) => state.apply(deviceId, patch, { source: "device", at: clock.now() }),
      telemetry: (deviceId, data) => {
        presence.seen(deviceId, data);
        return needs.telemetry.ingest(deviceId, [{ at: null, data }], {
          messageId: null,
          duplicate: false,
          at: clock.now(),
        });
      },
      event: (deviceId, event) => events.record(deviceId, event, clock.now()),
      info: (deviceId, info) => state.info(deviceId, info),
      online: (deviceId) => presence.status(deviceId, { status: "online" }),
      delivered: (deviceId, payload) => commands.onDelivered(deviceId, payload),
    },
    sites: () =>
      needs
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
      renewPassword: (siteId, deviceId) => registry.renewPassword(siteId, deviceId),
      site,
      brokerUrl: `mqtt://${host.includes(":") ? `[${host}]` : host}:${port}`,
      topicRoot: mqtt.topicRoot,
      speed: demo.speed,
      photosFolder: join(base.projectFolder, "test/fixtures/plates"),
    });
  };
  return {
    sandbox,
    demo: new DemoService({
      isEnabled: () => base.settings().demo.enabled,
      sites: () => liveSites(needs),
      brokerPort: needs.brokerPort,
      makeDemo,
    }),
  };
}

function liveSites(needs: SandboxNeeds): SimulatedSite[] {
  return needs
    .sites()
    .filter(({ env }) => env === "live")
    .map(({ id, accountId, timeZone }) => ({ siteId: id, accountId, timeZone }));
}

interface DemoServiceOptions {
  readonly isEnabled: () => boolean;
  readonly sites: () => readonly SimulatedSite[];
  readonly brokerPort: () => number | null;
  readonly makeDemo: (site: SimulatedSite, port: number) => Demo;
}

/** Runs the demo on the owner's site: from the start, or from the moment somebody claims the hub. */
class DemoService implements Service {
  readonly name = "demo";
  readonly #options: DemoServiceOptions;
  #demo: Demo | null = null;

  constructor(options: DemoServiceOptions) {
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

function householdPorts({ clock }: Base, needs: SandboxNeeds): HouseholdPorts {
  const { registry, scenes, feed } = needs.devices;
  return {
    findDevice: (deviceId) => registry.find(deviceId),
    createDevice: (siteId, device) => registry.create(siteId, device),
    createScene: (siteId, scene) => scenes.create(siteId, scene),
    createAutomation: (siteId, body) => needs.automations.create(siteId, body),
    createPlateRule: (siteId, rule) => needs.plates().rules.create(siteId, rule, ACTOR),
    setCamera: (siteId, deviceId, gate) => needs.plates().cameras.edit(siteId, deviceId, { gate }),
    // Without a trusted clock every sample would be filed under this moment.
    ingest: async (deviceId, samples) => {
      if (needs.clockTrusted())
        await needs.telemetry.ingest(deviceId, samples, {
          messageId: null,
          duplicate: false,
          at: clock.now(),
          durable: true,
        });
    },
    takeBurst: (burst, reading, isFresh) => {
      const now = { mono: clock.mono(), wall: clock.now() };
      const opensUntilMono = isFresh ? opensUntil(now, burst.at) : OPENS_NEVER;
      return needs.plates().gate.take({ burst, captureKey: null, opensUntilMono, reading });
    },
    nextCaptureId: () => needs.plates().gate.nextCaptureId(),
    feed: (item) => void feed.record(item),
  };
}
