import type { Access } from "../access/access.js";
import type { HubKey } from "../access/hub-key.js";
import type { HealthCheck } from "../health/health.js";
import { seriesCheck } from "../health/series.js";
import type { SeriesService } from "../http/routes/console-series.js";
import type { Service } from "../kernel/service.js";
import { Slices } from "../kernel/slices.js";
import type { ClockTrust } from "../platform/clock-trust.js";
import { localAddresses } from "../platform/network.js";
import { SeriesExport } from "../series/export.js";
import { LatestValues } from "../series/latest-values.js";
import { SeriesMarks } from "../series/marks.js";
import { exposition, type MeasuredDevice } from "../series/prometheus.js";
import { SeriesSetup } from "../series/setup.js";
import type { MovedSpan } from "../telemetry/compaction.js";
import type { StoredMessage, Telemetry } from "../telemetry/telemetry.js";
import type { Base } from "./base.js";
import type { DeviceParts } from "./device-parts.js";
import type { MetricSource } from "./metrics.js";

/** Long-term series that are kept elsewhere, from the rest of the hub's view. */
export interface SeriesParts {
  /** Knows how far it got before any sample arrives. */
  readonly memory: Service;
  readonly services: readonly Service[];
  readonly checks: readonly HealthCheck[];
  readonly metrics: readonly MetricSource[];
  readonly service: Omit<SeriesService, "audited">;
  /** The values of a household for a scraper; null if none may fetch them. */
  readonly metricsText: (siteId: number) => Promise<string | null>;
  /** Inside the write job that stores samples. */
  readonly stored: (messages: readonly StoredMessage[]) => void;
  /** Moves recorded samples to their true times while the export stands still. */
  readonly whileMoved: <Result>(span: MovedSpan, work: () => Promise<Result>) => Promise<Result>;
}

/** What it works with; called once the hub runs. */
export interface SeriesNeeds {
  readonly hub: () => {
    readonly access: Pick<Access, "accounts">;
    readonly devices: Pick<DeviceParts, "registry">;
    readonly telemetry: Pick<Telemetry, "oldestFirst" | "recent">;
    readonly trust: Pick<ClockTrust, "state">;
  };
  readonly hubKey: HubKey;
  readonly ownPorts: () => readonly number[];
}

/** Samples searched for a device's latest values. */
const LATEST_SAMPLES = 20;

/** Builds the export; it is quiet, and has no connection, until an owner sets it up. */
export function buildSeries(base: Base, { hub, hubKey, ownPorts }: SeriesNeeds): SeriesParts {
  const { database, clock, bus } = base;
  const targets = {
    allowLoopback: base.settings().webhooks.allowLoopback,
    ownPorts,
    ownAddresses: localAddresses,
  };
  const setup = new SeriesSetup({ database, secrets: hubKey, targets, now: () => clock.now() });
  const marks = new SeriesMarks(database);
  const siteId = (): number | null =>
    hub()
      .access.accounts.sites()
      .find(({ env }) => env === "live")?.id ?? null;
  const devices = () => {
    const site = siteId();
    return site === null ? [] : hub().devices.registry.list(site);
  };
  const sending = new SeriesExport({
    database,
    setup,
    marks,
    devices,
    read: (deviceId, query) => hub().telemetry.oldestFirst(deviceId, query),
    clockTrusted: () => hub().trust.state() !== "unknown",
    targets,
    clock,
    quietWrites: base.quietWrites,
    logger: base.logger.child({ part: "series" }),
    random: Math.random,
  });
  const latest = new LatestValues(
    (deviceId) => hub().telemetry.recent(deviceId, { limit: LATEST_SAMPLES }),
    (note) => bus.on("device.telemetry", "long-term series", ({ deviceId, at, data }) => note(deviceId, at, data)),
  );
  bus.on("device.edited", "long-term series", ({ deviceId, what }) => {
    if (what === "removed") latest.forget(deviceId);
  });
  return {
    memory: {
      name: "long-term series' memory",
      start: async () => {
        setup.start();
        marks.start(setup.settings.beginsAt);
      },
      stop: async () => {},
    },
    services: [sending],
    checks: [
      seriesCheck(
        () => sending.state,
        () => clock.now(),
      ),
    ],
    metrics: metricsOf(sending, () => clock.now()),
    service: {
      settings: () => setup.settings,
      hasSecret: () => setup.hasSecret,
      state: () => sending.state,
      putInflux: async (edit, beside) => {
        await sending.change(() => setup.putInflux(edit, (beginsAt) => marks.beginAnew(beginsAt), beside));
      },
      putPrometheus: async (enabled, beside) => {
        await setup.putPrometheus(enabled, beside);
        if (!enabled) latest.clear();
      },
      putLeftOut: async (leftOut, beside) => {
        const again = setup.settings.leftOut.filter((id) => !leftOut.includes(id));
        await sending.change(() =>
          setup.putLeftOut(leftOut, () => {
            marks.skipTo(clock.now(), again);
            beside();
          }),
        );
      },
      homeName: (site) => hub().access.accounts.site(site).name,
    },
    metricsText: async (site) => {
      if (!setup.settings.prometheus) return null;
      const leftOut = new Set(setup.settings.leftOut);
      const measured: MeasuredDevice[] = [];
      const slices = new Slices(); // the first time, the samples of all devices are read
      for (const { id, name, room, type, online } of hub().devices.registry.list(site)) {
        if (leftOut.has(id)) continue;
        await slices.next();
        if (hub().devices.registry.find(id) === null) continue; // removed meanwhile
        measured.push({ id, name, room, type, online, values: latest.of(id) });
      }
      return exposition(measured, clock.now());
    },
    stored: (messages) => marks.arrived(messages),
    whileMoved: ({ fromMs, shiftMs }, work) => sending.whileMoved(Math.min(fromMs, fromMs + shiftMs), work),
  };
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
