import { X509Certificate } from "node:crypto";
import type { RouteSpec } from "../../core/api/route.ts";
import { TAGS } from "../../core/api/tags.ts";
import type { Base } from "../../core/base.ts";
import type { Feature, MetricSource } from "../../core/feature.ts";
import { type Health, type HealthCheck, readHealth } from "../../core/health/health.ts";
import type { BoundRoute } from "../../core/http/exchange.ts";
import { LiveEvents } from "../../core/http/live/live-events.ts";
import type { FileTroubles } from "../../core/kernel/file-troubles.ts";
import { residentBytes } from "../../core/platform/disk.ts";
import type { LogRing } from "../../core/platform/log-ring.ts";
import type { HubTls } from "../../core/platform/tls.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { BackupsFeature } from "../backups/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { FeedFeature } from "../feed/feature.ts";
import type { GateFeature } from "../gate/feature.ts";
import type { MqttFeature } from "../mqtt/feature.ts";
import type { NotificationsFeature } from "../notifications/feature.ts";
import type { SeriesFeature } from "../series/feature.ts";
import type { TelemetryFeature } from "../telemetry/feature.ts";
import { CardFeature } from "./card.ts";
import { filesCheck } from "./health/files.ts";
import { modulesCheck } from "./health/modules.ts";
import { settingsCheck } from "./health/settings.ts";
import { Hints } from "./hints.ts";
import { HistoryFeature } from "./history.ts";
import { HouseholdNews } from "./household-news.ts";
import { settleKey } from "./key-proof.ts";
import { Metrics } from "./metrics.ts";
import { NetworkFeature } from "./network.ts";
import { hintRoutes } from "./routes/console-hints.ts";
import { logRoutes } from "./routes/console-logs.ts";
import { overviewRoute } from "./routes/console-overview.ts";
import { consoleReferenceRoute, systemRoutes } from "./routes/console-system.ts";
import { healthRoutes } from "./routes/health.ts";
import { referenceRoutes } from "./routes/reference.ts";
import { streamRoutes } from "./routes/stream.ts";
import { TimeFeature } from "./time.ts";

/** The features that the hub itself is seen through, that fill its card, or that go by its clock. */
interface Siblings {
  readonly feed: FeedFeature;
  readonly access: AccessFeature;
  readonly devices: DevicesFeature;
  readonly telemetry: TelemetryFeature;
  readonly series: SeriesFeature;
  readonly gate: GateFeature;
  readonly mqtt: MqttFeature;
  readonly notifications: NotificationsFeature;
  readonly backups: BackupsFeature;
  /** All others, once they are built. */
  readonly features: () => readonly Feature[];
  /** The latest lines of the log. */
  readonly log: LogRing;
  /** Files of the hub's own that could not be used at this start. */
  readonly troubles: FileTroubles;
}

const LEVELS: Record<Health["status"], number> = { ok: 0, degraded: 1, failed: 2 };

/** The hub itself: health, figures, settings, log, and the descriptions of all features' APIs; its card, clock and network. */
export class SystemFeature implements Feature {
  readonly news: HouseholdNews;
  readonly time: TimeFeature;
  readonly network: NetworkFeature;
  readonly history: HistoryFeature;
  /** All of it in the order in which it starts, but for the time, which comes first of all. */
  readonly parts: readonly Feature[];
  /** Whether `hub.key` is not the key with which the database's secrets were sealed. */
  isKeyForeign = false;
  readonly #base: Base;
  readonly #siblings: Siblings;
  readonly #startedAt: number;
  #checks: readonly HealthCheck[] | null = null;
  #metrics: Metrics | null = null;

  constructor(base: Base, siblings: Siblings) {
    this.#base = base;
    this.#siblings = siblings;
    this.#startedAt = base.clock.now();
    const news = new HouseholdNews(base, siblings);
    this.news = news;
    this.time = new TimeFeature(base, { ...siblings, news });
    const card = new CardFeature(base, siblings);
    this.network = new NetworkFeature(base, siblings);
    this.history = new HistoryFeature(base, { ...siblings, news });
    this.parts = [card, this.network, this.history, this];
    siblings.gate.gate.onTimed((timing) => this.figures.gate(timing));
  }

  /** How the hub is now. */
  health(): Health {
    this.#checks ??= this.#siblings.features().flatMap(({ checks = [] }) => checks);
    return readHealth(this.#checks);
  }

  /** The figures for Prometheus. */
  get figures(): Metrics {
    this.#metrics ??= new Metrics(
      this.#base,
      this.#siblings.features().flatMap(({ metrics = [] }) => metrics),
    );
    return this.#metrics;
  }

  /** Once everything runs: reports which of the hub's own files were unusable at this start. */
  settle(): void {
    const { database, hubKey, logger } = this.#base;
    const { troubles } = this.#siblings;
    this.isKeyForeign = settleKey(database, hubKey);
    if (this.isKeyForeign) logger.error({ file: "hub.key" }, "the hub's key does not belong to its database");
    for (const trouble of troubles.all) logger.warn({ ...trouble }, "a file of the hub could not be used");
    if (troubles.all.length === 0) return;
    this.news.record("system.storage", {
      code: "storage.files",
      files: troubles.all.map(({ file }) => file).join(", "),
    });
  }

  get api() {
    const { bus, clock } = this.#base;
    const { registry } = this.#siblings.devices;
    return streamRoutes(new LiveEvents({ bus, clock }), registry);
  }

  get console() {
    const { feed, access, log } = this.#siblings;
    return [
      ...systemRoutes({
        base: this.#base,
        hub: this,
        feed: feed.feed,
        startedAt: this.#startedAt,
        log,
        note: access.note,
        position: access.position,
      }),
      ...hintRoutes(new Hints(this.#base, this.#siblings)),
      ...logRoutes(log),
    ];
  }

  /** Every operation of the hub, with the descriptions that are made from them. */
  routes(): BoundRoute[] {
    const { access, features } = this.#siblings;
    const { version } = this.#base;
    const operations = features().flatMap(({ api = [] }) => api);
    const api = [...operations, ...referenceRoutes(described(operations))];
    const pages = features().flatMap(({ console = [] }) => console);
    pages.push(overviewRoute([...api, ...pages], access.position));
    return [...api, ...pages, consoleReferenceRoute(described(pages)), ...access.trust, ...healthRoutes(this, version)];
  }

  get checks() {
    return [
      settingsCheck(this.#base.store),
      modulesCheck(),
      filesCheck(() => ({ troubles: this.#siblings.troubles, isKeyForeign: this.isKeyForeign })),
    ];
  }

  get metrics(): MetricSource[] {
    const { version, tls } = this.#base;
    return [
      { name: "info", help: "Always 1; says which version runs.", label: "version", readAll: () => ({ [version]: 1 }) },
      {
        name: "health_level",
        help: "How each check of the health page is: 0 ok, 1 degraded, 2 failed.",
        label: "check",
        readAll: () => Object.fromEntries(this.health().checks.map(({ code, level }) => [code, LEVELS[level]])),
      },
      { name: "resident_bytes", help: "Memory of the process.", read: () => residentBytes() },
      {
        name: "certificate_expiry_timestamp_seconds",
        help: "When a certificate ends: the one that is served, and the hub's own authority.",
        label: "certificate",
        readAll: certificateEnds(tls),
      },
    ];
  }
}

/** The operations in the order of their tags. */
function described(routes: readonly BoundRoute[]): RouteSpec[] {
  const tags = Object.keys(TAGS);
  return routes.map(({ spec }) => spec).sort((a, b) => tags.indexOf(a.tag) - tags.indexOf(b.tag));
}

/** A certificate is parsed once, until another is served. */
function certificateEnds(tls: HubTls | null): () => Record<string, number> {
  let read = { cert: "", ends: 0 };
  return () => {
    if (tls === null) return {};
    const { cert } = tls.server;
    if (cert !== read.cert) read = { cert, ends: Date.parse(new X509Certificate(cert).validTo) / 1_000 };
    return {
      server: read.ends,
      ...(tls.authority === null ? {} : { authority: Math.round(tls.authority.notAfter / 1_000) }),
    };
  };
}
