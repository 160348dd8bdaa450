import type { Site } from "../access/accounts.js";
import type { Automations } from "../automations/automations.js";
import { Demo } from "../sandbox/demo.js";
import { SimulatedReadings } from "../sandbox/plate-reading.js";
import type { HouseholdPorts, SimulatedSite } from "../sandbox/ports.js";
import { Sandbox } from "../sandbox/sandbox.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { Base } from "./base.js";
import type { DeviceParts } from "./device-parts.js";
import type { PlateParts } from "./plate-parts.js";

/** Simulated households: those behind test keys, and the demo. */
export interface SandboxParts {
  readonly sandbox: Sandbox;
  /** The demo household on one live site; started once that site's account is there and the broker listens. */
  demo(site: SimulatedSite, broker: { readonly url: string; readonly topicRoot: string }, photosFolder: string | null): Demo;
}

/** What the sandbox reaches of the hub. */
export interface SandboxNeeds {
  readonly devices: DeviceParts;
  readonly telemetry: Telemetry;
  readonly automations: Automations;
  readonly plates: () => PlateParts;
  /** All sites of the hub. */
  readonly sites: () => readonly Site[];
  readonly clockTrusted: () => boolean;
}

const ACTOR = "hub:sandbox";

/** Builds the simulated households. */
export function buildSandbox(base: Base, needs: SandboxNeeds): SandboxParts {
  const { database, clock } = base;
  const logger = base.logger.child({ part: "sandbox" });
  const random = Math.random;
  const readings = new SimulatedReadings();
  const household = householdPorts(base, needs);
  const { state, presence, events, commands, registry } = needs.devices;
  const sandbox = new Sandbox({
    database,
    clock,
    logger,
    random,
    readings,
    household,
    devices: {
      state: (deviceId, patch) => state.apply(deviceId, patch, { source: "device", at: clock.now() }),
      telemetry: (deviceId, data) => {
        presence.seen(deviceId, data);
        return needs.telemetry.ingest(deviceId, [{ at: null, data }], { messageId: null, duplicate: false, at: clock.now() });
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
  const demo: SandboxParts["demo"] = (site, { url, topicRoot }, photosFolder) =>
    new Demo({
      database,
      clock,
      logger: base.logger.child({ part: "demo" }),
      random,
      readings,
      ports: household,
      renewPassword: (siteId, deviceId) => registry.renewPassword(siteId, deviceId),
      site,
      brokerUrl: url,
      topicRoot,
      speed: base.settings().demo.speed,
      photosFolder,
    });
  return { sandbox, demo };
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
      if (needs.clockTrusted()) await needs.telemetry.ingest(deviceId, samples, { messageId: null, duplicate: false, at: clock.now(), durable: true });
    },
    takeBurst: (burst, isFresh) => needs.plates().gate.take({ burst, captureKey: null, isFresh }),
    nextCaptureId: () => needs.plates().gate.nextCaptureId(),
    feed: (item) => void feed.record(item),
  };
}
