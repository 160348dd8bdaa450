import type { Base } from "../../core/base.ts";
import { type Feature, job, type PlacedService } from "../../core/feature.ts";
import { HOUR_MS } from "../../core/kernel/clock.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { WebhooksFeature } from "../webhooks/feature.ts";
import { telemetryRoutes } from "./routes/telemetry.ts";
import { type StoredMessage, Telemetry } from "./telemetry.ts";

const MEGABYTE = 1_048_576;

/** What devices measure. */
export class TelemetryFeature implements Feature {
  readonly telemetry: Telemetry;
  readonly services: readonly PlacedService[];
  readonly #base: Base;
  readonly #access: AccessFeature;
  readonly #devices: DevicesFeature;
  #onStored: ((messages: readonly StoredMessage[]) => void) | null = null;

  constructor(
    base: Base,
    {
      access,
      webhooks,
      devices,
    }: { readonly access: AccessFeature; readonly webhooks: WebhooksFeature; readonly devices: DevicesFeature },
  ) {
    const { database, bus, clock, trust, quietWrites, logger, settings } = base;
    this.#base = base;
    this.#access = access;
    this.#devices = devices;
    this.telemetry = new Telemetry({
      database,
      bus,
      clock,
      quietWrites,
      logger,
      settings: {
        get rawDays() {
          return settings().telemetry.rawDays;
        },
        get hourlyDays() {
          return settings().telemetry.hourlyDays;
        },
        get maxBytes() {
          return settings().telemetry.maxMegabytes * MEGABYTE;
        },
        reportGapMs: settings().webhooks.telemetryGapMs,
      },
      siteOf: (deviceId) => devices.registry.find(deviceId)?.siteId ?? null,
      clockTrusted: () => trust.state() !== "unknown",
      webhooks: webhooks.outbox,
      stored: (messages) => this.#onStored?.(messages),
    });
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

  /**
   * Calls `listener` for new messages inside the write job that stores them: its writes are stored with them or not at
   * all.
   */
  onStored(listener: (messages: readonly StoredMessage[]) => void): void {
    this.#onStored = listener;
  }

  get api() {
    const { telemetry } = this;
    const { clock } = this.#base;
    const { registry } = this.#devices;
    const { accounts } = this.#access;
    return telemetryRoutes({
      checkDevice: (siteId, deviceId) => void registry.get(siteId, deviceId),
      recent: (deviceId, query) => telemetry.recent(deviceId, query),
      oldestFirst: (deviceId, query) => telemetry.oldestFirst(deviceId, query),
      metrics: (deviceId) => telemetry.metrics(deviceId),
      history: (deviceId, query) => telemetry.history(deviceId, query),
      timeZone: (siteId) => accounts.site(siteId).timeZone,
      now: () => clock.now(),
      energy: (siteId, deviceId, { hours, metric }) =>
        telemetry.energy(deviceId, {
          hours,
          metric,
          timeZone: accounts.site(siteId).timeZone,
          now: clock.now(),
        }),
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
