import type { BridgeDevices } from "../../../firmware-bridge/ports.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Device } from "../devices/device.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import { createNextLife } from "../devices/next-life.ts";
import type { TelemetryFeature } from "../telemetry/feature.ts";
import type { ForeignPlates } from "./plates.ts";

/** Where devices of other makes become devices of the hub. */
export interface BridgedHousehold {
  readonly devices: Pick<DevicesFeature, "registry" | "state" | "presence" | "events">;
  readonly telemetry: Pick<TelemetryFeature, "telemetry">;
  /** The household in which devices are created; null without an owner. */
  readonly siteId: () => number | null;
}

/**
 * The hub's devices, as those of other makes use them; `isPatient`: they report again anyway, so that samples may wait
 * some minutes for the disk.
 */
export function bridgeDevices(
  { clock }: { readonly clock: Pick<Clock, "now"> },
  { devices, telemetry, siteId: household }: BridgedHousehold,
  plates: Pick<ForeignPlates, "take">,
  isPatient = false,
): BridgeDevices {
  const { registry, state, presence, events } = devices;
  const own = (deviceId: string): Device => {
    const device = registry.find(deviceId);
    if (device === null) throw new Problem("device_not_found", "There is no such device.");
    return device;
  };
  return {
    ready: () => household() !== null,
    find: (deviceId) => registry.find(deviceId),
    create: async (device) => {
      const siteId = household();
      if (siteId === null) throw new Problem("unavailable", { code: "conflict.noOwner" });
      return createNextLife(registry, siteId, { ...device, password: null });
    },
    rename: async (deviceId, name) => void (await registry.edit(own(deviceId).siteId, deviceId, { name })),
    info: (deviceId, info) => state.info(deviceId, info),
    state: (deviceId, patch) => state.apply(deviceId, patch, { source: "device", at: clock.now() }),
    measured: (deviceId, patch) => state.measured(deviceId, patch, clock.now()),
    telemetry: (deviceId, samples, durable) => {
      presence.measured(deviceId, samples.at(-1)?.data);
      const receipt = { messageId: null, duplicate: false, at: clock.now(), durable, patient: isPatient };
      return telemetry.telemetry.ingest(deviceId, samples, receipt);
    },
    presence: (deviceId, online) => presence.status(deviceId, { status: online ? "online" : "offline" }),
    event: (deviceId, event) => {
      presence.seen(deviceId);
      return events.record(deviceId, { ...event }, clock.now());
    },
    plate: (deviceId, plate) => {
      presence.seen(deviceId);
      return plates.take(deviceId, plate);
    },
  };
}
