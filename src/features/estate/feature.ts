import type { Base } from "../../core/base.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Access } from "../access/access.ts";
import { householdAudit } from "../access/household-audit.ts";
import type { DeviceParts } from "../devices/feature.ts";
import type { PlateParts } from "../gate/feature.ts";
import type { MetricSource } from "../system/metrics.ts";
import { readEstateConfig } from "./config.ts";
import { Estate } from "./estate.ts";
import { estateCheck } from "./health.ts";
import { type EstateParts, NO_ESTATE } from "./parts.ts";
import type { EstateGate } from "./ports.ts";

/** What an estate uses of the hub. */
interface EstateNeeds {
  readonly access: Access;
  readonly devices: DeviceParts;
  readonly plates: PlateParts;
}

/**
 * Joins the estate of the data folder; a check reports an unusable file, and the hub goes on alone. Loaded only by a
 * hub that has such a folder.
 */
export function buildEstate(base: Base, hub: EstateNeeds, version: string): EstateParts {
  const { database, clock, dataFolder } = base;
  const logger = base.logger.child({ part: "estate" });
  const now = (): number => clock.now();
  let config: ReturnType<typeof readEstateConfig>;
  try {
    config = readEstateConfig(dataFolder);
  } catch (error) {
    const broken = error instanceof Error ? error.message : String(error);
    logger.error({ err: error }, "the estate could not be joined; the hub goes on alone");
    return { ...NO_ESTATE, checks: [estateCheck(() => ({ broken }), now)] };
  }
  if (config === null) return NO_ESTATE;
  const { plates, devices } = hub;
  const { registry, commands, feed } = devices;
  const siteId = (): number | null => hub.access.accounts.sites().find(({ env }) => env === "live")?.id ?? null;
  const deviceName = (id: string): string => registry.find(id)?.name ?? id;
  /** Those of the household's cameras; the test household has a gate too, which nobody can open from elsewhere. */
  const gates = () =>
    [...plates.cameras.withSettings()].flatMap((id) => {
      const camera = plates.cameras.find(id);
      return camera?.siteId === siteId() && camera.gate !== null ? [camera.gate] : [];
    });
  const estate = new Estate({
    config,
    database,
    clock,
    logger,
    random: Math.random,
    siteId,
    recordFeed: feed.record.bind(feed),
    recordAudit: householdAudit(() => hub.access),
    version,
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
  return { estate, services: [estate], checks: [estateCheck(() => estate.health(), now)], metrics: metricsOf(estate) };
}

/**
 * The command that opens a gate for another hub; null if no camera has that gate. A command waits for a device that is
 * away, and a gate must not open when whoever asked is gone.
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
