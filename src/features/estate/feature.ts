import type { Base } from "../../core/base.ts";
import type { Feature, MetricSource, PlacedService } from "../../core/feature.ts";
import type { HealthCheck } from "../../core/health/health.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { FeedFeature } from "../feed/feature.ts";
import type { GateFeature } from "../gate/feature.ts";
import { plateOf } from "../gate/plate-rules.ts";
import { estateAdmission, keepsEstate } from "./admission.ts";
import { readEstateConfig } from "./config.ts";
import type { Estate } from "./estate.ts";
import { estateCheck } from "./health.ts";
import type { EstateGate } from "./ports.ts";
import { estateRoutes as consoleRoutes } from "./routes/console-estate.ts";
import { estateRoutes } from "./routes/estate.ts";

/** The features that an estate works with. */
interface Siblings {
  readonly feed: FeedFeature;
  readonly access: AccessFeature;
  readonly devices: DevicesFeature;
  readonly gate: GateFeature;
}

/** The code of an estate: loaded only by a hub that has joined one. */
export type EstateCode = typeof import("./estate.ts");

/** The estate of several hubs that this one has joined; quiet in a hub that belongs to none. */
export class EstateFeature implements Feature {
  /** Null if it belongs to none. */
  readonly estate: Estate | null = null;
  readonly services: readonly PlacedService[] = [];
  readonly checks: readonly HealthCheck[] = [];
  readonly metrics: readonly MetricSource[] = [];
  readonly #base: Base;
  readonly #siblings: Siblings;

  /** `code`: null in a hub without an estate. An unusable file is reported by a check, and the hub continues alone. */
  constructor(base: Base, siblings: Siblings, code: EstateCode | null) {
    this.#base = base;
    this.#siblings = siblings;
    if (code === null) return;
    const { feed, access, devices, gate: plates } = siblings;
    const { database, bus, clock, dataFolder } = base;
    const logger = base.logger.child({ part: "estate" });
    const now = (): number => clock.now();
    let config: ReturnType<typeof readEstateConfig>;
    try {
      config = readEstateConfig(dataFolder);
    } catch (error) {
      const broken = error instanceof Error ? error.message : String(error);
      logger.error({ err: error }, "the estate could not be joined; the hub continues alone");
      this.checks = [estateCheck(() => ({ broken }), now)];
      return;
    }
    if (config === null) return;
    const { registry, commands } = devices;
    const siteId = (): number | null => access.accounts.household()?.id ?? null;
    const deviceName = (id: string): string => registry.find(id)?.name ?? id;
    /**
     * The gates of the household's cameras; the test household has a gate too, which cannot be opened from elsewhere.
     */
    const gates = () =>
      [...plates.cameras.withSettings()].flatMap((id) => {
        const camera = plates.cameras.find(id);
        return camera?.siteId === siteId() && camera.gate !== null ? [camera.gate] : [];
      });
    const estate = new code.Estate({
      config,
      database,
      bus,
      clock,
      logger,
      random: Math.random,
      siteId,
      recordFeed: feed.record,
      recordAudit: access.recordAudit,
      version: base.version,
      deviceName,
      gates: (): EstateGate[] | null => {
        if (!base.settings().gate.openFromEstate) return null;
        const ids = new Set(gates().map(({ deviceId }) => deviceId));
        return [...ids].map((deviceId) => ({ deviceId, name: deviceName(deviceId) }));
      },
      forgetHere: (site, plate, actor) => plates.reads.forget(site, plate, actor, true),
      openHere: async (site, deviceId, actor) => {
        const command = openingOf(
          gates().find((gate) => gate.deviceId === deviceId),
          registry.find(deviceId),
        );
        if (command !== null) await commands.send({ siteId: site, deviceId, command, actor, source: "console" });
      },
    });
    plates.rules.share(estate.rules, siteId);
    plates.reads.tellForgotten((site, plate) => {
      if (site === siteId()) estate.forgotten(plate);
    });
    plates.gate.sharedWith(() => estate.view);
    this.estate = estate;
    this.services = [{ service: estate, start: "serve", stop: "intake" }];
    this.checks = [estateCheck(() => estate.health(), now)];
    this.metrics = metricsOf(estate);
  }

  get api() {
    const { access, gate } = this.#siblings;
    return estateRoutes({
      of: (siteId) => (access.accounts.site(siteId).env === "live" ? this.estate : null),
      plateOf: (text) => plateOf(text, gate.countries, "plate").plate,
    });
  }

  get console() {
    return consoleRoutes({
      estate: this.estate,
      isKeeper: () => keepsEstate(this.#base),
      version: this.#base.version,
      admit: estateAdmission(this.#base),
    });
  }
}

/**
 * The command that opens a gate for another hub; null if no camera has that gate. A command waits for an absent device,
 * and a gate must not open once the requester has left.
 * @throws Problem conflict while the controller is offline
 */
function openingOf(
  gate: { readonly command: unknown } | null | undefined,
  controller: { readonly online: boolean } | null,
): string | null {
  if (gate === undefined || gate === null) return null;
  if (controller?.online !== true) throw new Problem("conflict", { code: "conflict.gateOffline" });
  return JSON.stringify(gate.command);
}

function metricsOf(estate: Estate): MetricSource[] {
  return [
    {
      name: "estate_connected",
      help: "1 while this hub reaches its estate.",
      read: () => (estate.health().connected ? 1 : 0),
    },
    { name: "estate_waiting", help: "Own reads that the estate has not got.", read: () => estate.health().waiting },
    {
      name: "estate_behind",
      help: "Messages of the estate that this hub has not taken yet.",
      read: () => estate.health().behind ?? 0,
    },
  ];
}
