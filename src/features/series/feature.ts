import type { Base } from "../../core/base.ts";
import type { Feature, MetricSource, PlacedService } from "../../core/feature.ts";
import { Slices } from "../../core/kernel/slices.ts";
import { localAddresses } from "../../core/platform/network.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { MovedSpan } from "../telemetry/compaction.ts";
import type { TelemetryFeature } from "../telemetry/feature.ts";
import { SeriesExport } from "./export.ts";
import { seriesCheck } from "./health.ts";
import { LatestValues } from "./latest-values.ts";
import { SeriesMarks } from "./marks.ts";
import { exposition, type MeasuredDevice } from "./prometheus.ts";
import { householdMetricsRoutes, seriesRoutes } from "./routes/console-series.ts";
import { SeriesSetup } from "./setup.ts";

/** Samples searched for a device's latest values. */
const LATEST_SAMPLES = 20;

/** Long-term series stored elsewhere. Idle, without a connection, until an owner sets it up. */
export class SeriesFeature implements Feature {
  readonly services: readonly PlacedService[];
  readonly #base: Base;
  readonly #access: AccessFeature;
  readonly #devices: DevicesFeature;
  readonly #setup: SeriesSetup;
  readonly #marks: SeriesMarks;
  readonly #export: SeriesExport;
  readonly #latest: LatestValues;

  constructor(
    base: Base,
    {
      access,
      devices,
      telemetry,
    }: { readonly access: AccessFeature; readonly devices: DevicesFeature; readonly telemetry: TelemetryFeature },
  ) {
    const { database, clock, bus, trust } = base;
    const targets = {
      allowLoopback: base.settings().webhooks.allowLoopback,
      ownPorts: base.address.ports,
      ownAddresses: localAddresses,
    };
    const setup = new SeriesSetup({ database, secrets: base.hubKey, targets, clock });
    const marks = new SeriesMarks(database);
    const sending = new SeriesExport({
      database,
      setup,
      marks,
      devices: () => {
        const site = access.accounts.household();
        return site === null ? [] : devices.registry.list(site.id);
      },
      telemetry: telemetry.telemetry,
      clockTrusted: () => trust.state() !== "unknown",
      targets,
      clock,
      quietWrites: base.quietWrites,
      logger: base.logger.child({ part: "series" }),
      random: Math.random,
    });
    const latest = new LatestValues(
      (deviceId) => telemetry.telemetry.recent(deviceId, { limit: LATEST_SAMPLES }),
      (note) => bus.on("device.telemetry", "long-term series", ({ deviceId, at, data }) => note(deviceId, at, data)),
    );
    bus.on("device.edited", "long-term series", ({ deviceId, what }) => {
      if (what === "removed") latest.forget(deviceId);
    });
    telemetry.telemetry.onStored((messages) => marks.arrived(messages));
    this.#base = base;
    this.#access = access;
    this.#devices = devices;
    this.#setup = setup;
    this.#marks = marks;
    this.#export = sending;
    this.#latest = latest;
    // it knows its progress before any sample arrives
    const memory = {
      name: "long-term series' memory",
      start: async () => {
        setup.start();
        marks.start(setup.settings.beginsAt);
      },
      stop: async () => {},
    };
    this.services = [
      { service: memory, start: "first", stop: null },
      { service: sending, start: "serve", stop: "intake" },
    ];
  }

  /** Moves recorded samples to their true times while the export stands still. */
  whileMoved<Result>({ fromMs, shiftMs }: MovedSpan, work: () => Promise<Result>): Promise<Result> {
    return this.#export.whileMoved(Math.min(fromMs, fromMs + shiftMs), work);
  }

  get api() {
    return householdMetricsRoutes((siteId) => this.#metricsText(siteId));
  }

  get console() {
    const setup = this.#setup;
    const marks = this.#marks;
    const sending = this.#export;
    return seriesRoutes({
      settings: () => setup.settings,
      hasSecret: () => setup.hasSecret,
      state: () => sending.state,
      putInflux: async (edit, beside) => {
        await sending.change(() => setup.putInflux(edit, (beginsAt) => marks.beginAnew(beginsAt), beside));
      },
      putPrometheus: async (enabled, beside) => {
        await setup.putPrometheus(enabled, beside);
        if (!enabled) this.#latest.clear();
      },
      putLeftOut: async (leftOut, beside) => {
        const again = setup.settings.leftOut.filter((id) => !leftOut.includes(id));
        await sending.change(() =>
          setup.putLeftOut(leftOut, () => {
            marks.skipTo(this.#base.clock.now(), again);
            beside();
          }),
        );
      },
      homeName: (site) => this.#access.accounts.site(site).name,
      audited: this.#access.audited,
    });
  }

  get checks() {
    return [
      seriesCheck(
        () => this.#export.state,
        () => this.#base.clock.now(),
      ),
    ];
  }

  get metrics() {
    return metricsOf(this.#export, () => this.#base.clock.now());
  }

  /** The values of a household for a scraper; null if none may fetch them. */
  async #metricsText(siteId: number): Promise<string | null> {
    const setup = this.#setup;
    const { registry } = this.#devices;
    if (!setup.settings.prometheus) return null;
    const leftOut = new Set(setup.settings.leftOut);
    const measured: MeasuredDevice[] = [];
    const slices = new Slices(); // the first time, the samples of all devices are read
    for (const { id, name, room, type, online } of registry.list(siteId)) {
      if (leftOut.has(id)) continue;
      await slices.next();
      if (registry.find(id) === null) continue; // removed meanwhile
      measured.push({ id, name, room, type, online, values: this.#latest.of(id) });
    }
    return exposition(measured, this.#base.clock.now());
  }
}

function metricsOf(sending: SeriesExport, now: () => number): MetricSource[] {
  return [
    {
      name: "series_sent",
      help: "Samples that the server of long-term series took, since start.",
      kind: "counter",
      read: () => sending.state.sent,
    },
    {
      name: "series_refused",
      help: "Points that it did not take, since start.",
      kind: "counter",
      read: () => sending.state.refused,
    },
    {
      name: "series_behind_seconds",
      help: "Age of the oldest sample that is not there yet.",
      read: () => {
        const { oldestWaiting } = sending.state;
        return oldestWaiting === null ? 0 : Math.max(0, now() - oldestWaiting) / 1_000;
      },
    },
  ];
}
