import type { Base } from "../../core/base.ts";
import { type Feature, job, type PlacedService } from "../../core/feature.ts";
import { HOUR_MS } from "../../core/kernel/clock.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { WebhooksFeature } from "../webhooks/feature.ts";
import { telemetryRoutes } from "./routes/telemetry.ts";
import { Telemetry } from "./telemetry.ts";

/** What devices measure. */
export class TelemetryFeature implements Feature {
  readonly telemetry: Telemetry;
  readonly services: readonly PlacedService[];
  readonly #base: Base;
  readonly #access: AccessFeature;
  readonly #devices: DevicesFeature;

  constructor(
    base: Base,
    {
      access,
      webhooks,
      devices,
    }: { readonly access: AccessFeature; readonly webhooks: WebhooksFeature; readonly devices: DevicesFeature },
  ) {
    const { bus, logger } = base;
    this.#base = base;
    this.#access = access;
    this.#devices = devices;
    this.telemetry = new Telemetry(base, { registry: devices.registry, outbox: webhooks.outbox });
    this.services = [{ service: this.telemetry, start: "load", stop: "drain" }];
    const forget = (deviceId: string): Promise<void> => this.telemetry.removeDevice(deviceId);
    devices.forgottenBy(forget);
    // at once: the owner was promised that the history goes with the device
    bus.on("device.edited", "telemetry of removed devices", ({ deviceId, what }) => {
      if (what === "removed")
        forget(deviceId).catch((error: unknown) =>
          logger.error({ deviceId, err: error }, "the removed device's telemetry stays"),
        );
    });
  }

  get api() {
    const { registry } = this.#devices;
    return telemetryRoutes({
      telemetry: this.telemetry,
      registry,
      accounts: this.#access.accounts,
      clock: this.#base.clock,
    });
  }

  get jobs() {
    return [job("trim-telemetry", HOUR_MS, () => this.telemetry.sweep())];
  }

  get aged() {
    return this.telemetry.aged;
  }

  get metrics() {
    return [
      {
        name: "telemetry_samples",
        help: "Samples received since start.",
        kind: "counter" as const,
        read: () => this.telemetry.figures().received,
      },
    ];
  }
}
