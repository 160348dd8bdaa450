import type { Base } from "../../../core/base.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import type { Service } from "../../../core/kernel/service.ts";
import type { AccessFeature } from "../../access/feature.ts";
import { bridgeDevices } from "../../bridge/bridged-devices.ts";
import type { DevicesFeature } from "../../devices/feature.ts";
import type { TelemetryFeature } from "../../telemetry/feature.ts";
import type { MatterHost } from "../host.ts";
import { MatterDevices } from "./devices.ts";
import { MatterJoins } from "./joins.ts";
import { MatterMemory } from "./memory.ts";

/** Matter devices that join the hub. */
export interface MatterController {
  readonly devices: MatterDevices;
  readonly joins: MatterJoins;
  readonly services: readonly Service[];
}

/** The features that Matter devices become part of. */
interface Siblings {
  readonly access: AccessFeature;
  readonly devices: DevicesFeature;
  readonly telemetry: TelemetryFeature;
}

/** Builds the hub's side of the controller and joins it to the Matter process. */
export function buildMatterController(
  base: Base,
  { access, devices: hubs, telemetry }: Siblings,
  host: MatterHost,
): MatterController {
  const { database, bus, clock, quietWrites, settings } = base;
  const logger = base.logger.child({ part: "matter" });
  const { registry, commands } = hubs;
  const siteId = (): number | null => access.accounts.household()?.id ?? null;
  const noPlates = { take: async () => {} }; // no plates are read by Matter
  const known = bridgeDevices(base, { devices: hubs, telemetry, siteId }, noPlates, true);
  const devices: MatterDevices = new MatterDevices({
    devices: {
      ...known,
      // A stop may come between the device's row and the note of whose it is: no other device can have the id, which
      // contains the node's name.
      create: async (device) => (isOrphan(device.id) ? device.id : known.create(device)),
    },
    memory: new MatterMemory({ database, logger }),
    process: host,
    commandResults: commands,
    maxDevices: () => settings().bridge.maxDevices,
    clock,
    quietWrites,
    logger,
  });
  const isOrphan = (deviceId: string): boolean => {
    const device = registry.find(deviceId);
    return device !== null && !device.hasPassword && device.siteId === siteId() && !devices.has(deviceId);
  };
  const joins = new MatterJoins({ process: host, devices, clock, logger });
  const done = (work: Promise<void>): Promise<null> =>
    work.then(
      () => null,
      (error: unknown) => {
        if (error instanceof Problem) throw error;
        logger.error({ err: error }, "a Matter device's message could not be processed");
        return null;
      },
    );
  host.serve({
    "controller.step": ({ step }) => {
      joins.step(step);
      return null;
    },
    "controller.node": (node) => done(devices.node(node)),
    "controller.report": (report) => done(devices.report(report)),
    "controller.reach": (reach) => done(devices.reach(reach)),
    "controller.gone": (gone) => done(devices.gone(gone)),
  });
  host.onUp(() => devices.up());
  bus.on("device.edited", "Matter devices", ({ deviceId, what }) => what === "removed" && devices.removed(deviceId));
  return { devices, joins, services: [devices] };
}
