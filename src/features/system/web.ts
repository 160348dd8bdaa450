import { join } from "node:path";
import { TLSSocket } from "node:tls";
import type { Base } from "../../core/base.ts";
import { type Health, readHealth } from "../../core/health/health.ts";
import type { BoundRoute } from "../../core/http/exchange.ts";
import { HttpServer } from "../../core/http/server.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { controlSocketFile } from "../../core/platform/control-socket-file.ts";
import { diskSpace } from "../../core/platform/disk.ts";
import { stageFactoryReset } from "../../core/platform/factory-reset.ts";
import type { LogRing } from "../../core/platform/log-ring.ts";
import { ownNames } from "../../core/platform/own-names.ts";
import { type HubTls, hasUncoveredName } from "../../core/platform/tls.ts";
import { isTimeZone } from "../../core/settings/load.ts";
import type { SettingsStore } from "../../core/settings/store.ts";
import { authorityRoutes, type TrustService } from "../access/routes/authority.ts";
import { auditNote } from "../access/routes/console-audit.ts";
import { resetRoutes } from "../access/routes/console-reset.ts";
import { automationManagementRoutes } from "../automations/routes/console-automations.ts";
import { bridgeManagement } from "../bridge/management.ts";
import { HouseholdEnergy } from "../energy/energy.ts";
import { energyRoutes } from "../energy/routes/console-energy.ts";
import { estateAdmission, keepsEstate } from "../estate/admission.ts";
import { estateRoutes } from "../estate/routes/console-estate.ts";
import { cameraView } from "../gate/camera-view.ts";
import { plateManagement } from "../gate/plate-management.ts";
import { cameraViewRoutes } from "../gate/routes/console-camera-view.ts";
import { gateRoutes } from "../gate/routes/console-gate.ts";
import { plateManagementRoutes } from "../gate/routes/console-plates.ts";
import { matterRoutes } from "../matter/routes/console-matter.ts";
import { matterJoinRoutes } from "../matter/routes/console-matter-joins.ts";
import { brokerCheck } from "../mqtt/health.ts";
import { explorerRoutes } from "../mqtt/routes/console-mqtt.ts";
import { notificationRoutes } from "../notifications/routes/console-notifications.ts";
import { boxService } from "../provision/feature.ts";
import { recogniserCheck } from "../recognition/health.ts";
import { seriesRoutes } from "../series/routes/console-series.ts";
import { historyCheck } from "../telemetry/health.ts";
import { historyRoutes } from "../telemetry/routes/console-history.ts";
import { webhooksCheck } from "../webhooks/health.ts";
import { webhookSecretsCheck } from "../webhooks/health-secrets.ts";
import { consoleRoutes } from "./console-api.ts";
import { clockCheck } from "./health/clock.ts";
import { diskSpaceCheck } from "./health/disk-space.ts";
import { encryptionCheck } from "./health/encryption.ts";
import { filesCheck } from "./health/files.ts";
import { settingsCheck } from "./health/settings.ts";
import { sntpCheck } from "./health/sntp.ts";
import { storageCheck } from "./health/storage.ts";
import { metricSources } from "./metric-sources.ts";
import { Metrics } from "./metrics.ts";
import { isListening, isPlainHttpClosed, networkName, networkView } from "./network-view.ts";
import type { HubParts } from "./parts.ts";
import { networkRoutes } from "./routes/console-network.ts";
import { healthRoutes } from "./routes/health.ts";
import { v1Routes } from "./v1.ts";
import { v1Services } from "./v1-services.ts";
import { watchMetrics } from "./watch-metrics.ts";

/** The web server with everything it serves. */
export interface WebParts {
  readonly server: HttpServer;
  /** Every operation of the hub; the command line calls them on a hub that does not run. */
  readonly routes: readonly BoundRoute[];
  readonly health: () => Health;
}

/** Builds the web server over the parts of a hub. */
export function buildWeb(
  base: Base,
  hub: HubParts,
  options: {
    readonly store: SettingsStore;
    readonly version: string;
    readonly tls: HubTls | null;
    readonly log: LogRing;
    readonly restart: (() => void) | null;
  },
): WebParts {
  const { clock, logger, database, bus } = base;
  const { access, devices, webhooks, broker, recognition, trust, sntp } = hub;
  const startedAt = clock.now();
  const { version, store, tls } = options;
  const isPlainClosed = (): boolean => isPlainHttpClosed(store.current, tls);
  const note = auditNote({ database, audit: access.audit, now: () => clock.now() });
  const checks = [
    storageCheck(database),
    historyCheck(() => hub.ages.states()),
    diskSpaceCheck(() => diskSpace(base.dataFolder)),
    brokerCheck({ listening: () => isListening(broker), clientCount: () => broker.figures()?.devices ?? 0 }),
    recogniserCheck(recognition),
    clockCheck(trust, hub.clock),
    settingsCheck(store),
    filesCheck(() => hub),
    webhookSecretsCheck(() => webhooks.registry.unsigned()),
    webhooksCheck(
      () => webhooks.deliveries.pending(),
      () => clock.now(),
    ),
    encryptionCheck(() => ({
      tls:
        tls === null
          ? null
          : {
              authority: tls.authority,
              isLost: tls.isAuthorityLost,
              uncovered: hasUncoveredName(store.current, tls.authority),
            },
      plainHttp: isPlainClosed() ? "closed" : "open",
      now: clock.now(),
    })),
    ...hub.box.checks,
    ...hub.outside.checks,
    ...hub.estate.checks,
    ...hub.series.checks,
    ...hub.matter.checks,
    ...(sntp === null ? [] : [sntpCheck(() => sntp.figures, trust)]),
  ];
  const health = (): Health => readHealth(checks);
  const metrics = new Metrics(base, [
    ...metricSources(hub),
    ...watchMetrics(base, hub, { health, tls, version }),
    ...hub.box.metrics,
    ...hub.outside.metrics,
    ...hub.estate.metrics,
    ...hub.series.metrics,
    ...hub.matter.metrics,
  ]);
  hub.plates.gate.onTimed((timing) => metrics.gate(timing));
  const v1 = v1Routes(v1Services(base, hub));
  const routes = [
    ...v1,
    ...consoleRoutes({
      v1,
      database,
      access,
      isTimeZone,
      devices: {
        registry: devices.registry,
        commands: devices.commands,
        order: devices.order,
        refusals: (deviceId) => broker.refusals(deviceId),
      },
      rooms: devices.rooms,
      scenes: devices.scenes,
      webhooks,
      system: {
        feed: devices.feed,
        settings: store,
        health,
        bus,
        version,
        startedAt,
        now: () => clock.now(),
        log: options.log,
        offerTime: (browserMs) => trust.confirm(browserMs),
      },
      bridge: bridgeManagement(base, hub),
      box: boxService(base, hub, store),
      endpoints: {
        networkName: () => networkName(hub.box),
        httpsPort: () => server.tlsPort || null,
        isPlainClosed,
        claimedOverTls: () => closePlainHttp(store, logger),
        isOwnName: ownNames({ tls: options.tls, http: store.current.http, networkName: () => networkName(hub.box) }),
      },
      further: [
        ...hub.box.routes(),
        ...automationManagementRoutes(hub.automations),
        ...plateManagementRoutes(plateManagement(hub)),
        ...gateRoutes(hub.plates),
        ...estateRoutes({
          estate: hub.estate.estate,
          isKeeper: () => keepsEstate(base),
          version,
          admit: estateAdmission(base),
        }),
        ...cameraViewRoutes(cameraView(hub)),
        ...explorerRoutes({ tap: broker.tap, publish: (message) => broker.publishByHand(message), clock, note }),
        ...networkRoutes({
          view: () => networkView(hub, () => server, { settings: store.current, tls }),
          renewAuthority: hub.box.renewAuthority,
          note,
        }),
        ...matterRoutes({ ...hub.matter.service, note }),
        ...seriesRoutes({ ...hub.series.service, note }),
        ...historyRoutes({
          states: () => hub.ages.states(),
          dueAfter: (setting, days) => hub.ages.dueAfter(setting, days),
          allow: (kinds) => hub.ages.allow(kinds),
          begin: () =>
            void hub.ages
              .sweep()
              .catch((error: unknown) =>
                logger.error({ err: error }, "what was allowed to go could not be deleted; it goes later"),
              ),
          note,
        }),
        ...energyRoutes({
          energy: new HouseholdEnergy({
            database,
            devices: (siteId) => devices.registry.list(siteId),
            owns: (siteId, deviceId) => devices.registry.owns(siteId, deviceId),
            metrics: (deviceId) => hub.telemetry.metrics(deviceId),
            quarters: (deviceId, query) => hub.telemetry.quarters(deviceId, query),
            past: (deviceId) => hub.telemetry.past(deviceId),
            timeZone: (siteId) => access.accounts.site(siteId).timeZone,
            now: () => clock.now(),
          }),
          checkDevice: (siteId, deviceId) => void devices.registry.get(siteId, deviceId),
          note,
        }),
        ...matterJoinRoutes({ joins: hub.matter.controller.joins, note }),
        ...notificationRoutes({ ...hub.notifications, note }),
        ...resetRoutes({
          accounts: access.accounts,
          reset: factoryReset(base, options.restart),
          restart: restarter(base, options.restart),
          note,
        }),
      ],
    }),
    ...(tls === null ? [] : authorityRoutes(() => trustService(tls))),
    ...healthRoutes({ health, version, metrics: () => metrics.text() }),
  ];
  const trustService = ({ authority }: HubTls): TrustService => ({
    authority,
    httpsPort: server.tlsPort,
    httpPort: server.port,
    name: networkName(hub.box),
    offersClear: !access.claim.claimed && !isPlainClosed(),
  });
  const { http, rates } = store.current;
  let isOwned = false;
  const server = new HttpServer({
    listen: { host: http.host, port: http.port },
    tls: tls === null ? null : { host: http.host, port: tls.httpsPort, context: tls.server },
    isPlainClosed,
    socketFile: controlSocketFile(base.dataFolder),
    allowedHosts: http.allowedHosts,
    maxConnections: http.maxConnections,
    trustProxy: http.trustProxy,
    rates,
    consoleFolder: join(base.projectFolder, "dist/console"),
    routes,
    credentials: {
      check: ({ headers, secure }) => {
        const caller = access.authenticator.check({
          authorization: headers.authorization ?? null,
          xApiKey: one(headers["x-api-key"]),
          cookie: headers.cookie ?? null,
          secure,
        });
        if (caller.env === "test") hub.sandbox.sandbox.wake(caller.siteId);
        return caller;
      },
      stands: (caller) => access.authenticator.stands(caller),
      onChange: (listener) => access.watch.onChange(listener),
      originRegistered: (origin) => access.keys.listsOrigin(origin),
      checkProof: (caller, { host, secure }) =>
        access.checkProof(caller, secure ? host.toLowerCase().replace(/:\d+$/, "") : null),
      boxCaller: () => access.authenticator.boxCaller(),
      deviceCaller: (id, password) => {
        const device = hub.devices.registry.authenticate(id, password);
        return device === null ? null : access.authenticator.deviceCaller(device);
      },
    },
    acceptUpgrade: store.current.mqtt.webSocket
      ? (request, socket, head) => {
          const isSecure =
            request.socket instanceof TLSSocket ||
            (http.trustProxy && request.headers["x-forwarded-proto"] === "https");
          if (isSecure || (store.current.mqtt.plain && !isPlainClosed())) broker.acceptUpgrade(request, socket, head);
          else socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        }
      : null,
    closed: () => {
      isOwned ||= access.claim.claimed; // checked for each request, and an owner never leaves while the hub runs
      return isOwned ? null : unowned();
    },
    onRequest: (figure) => metrics.request(figure),
    database,
    clock,
    logger: logger.child({ part: "http" }),
  });
  return { server, routes, health };
}

/**
 * The browser that claims over https trusts the hub: nobody has to type anything into plain http again. An explicit
 * setting takes precedence.
 */
async function closePlainHttp(store: SettingsStore, logger: Logger): Promise<void> {
  if (store.current.tls.plainHttp !== "auto") return;
  try {
    await store.change({ "tls.plainHttp": "closed" });
  } catch (error) {
    logger.error({ err: error }, "plain http could not be closed after the claim over https");
  }
}

/** The answer to the person who asked goes out before the restart. */
const RESTART_AFTER_MS = 500;

/** Restarts if something starts the hub again; false otherwise. */
function restarter({ clock }: Base, restart: (() => void) | null): () => boolean {
  return () => {
    if (restart !== null) clock.after(RESTART_AFTER_MS, restart);
    return restart !== null;
  };
}

/** Has everything deleted at the next start, and restarts. */
function factoryReset(base: Base, restart: (() => void) | null): () => Promise<boolean> {
  return async () => {
    await stageFactoryReset(base.dataFolder);
    return restarter(base, restart)();
  };
}

/** Until somebody owns the hub no credential can be valid. */
function unowned(): Problem {
  return new Problem(
    "missing_credential",
    "Nobody owns this hub yet. Open its address in a browser, or run 'gatehouse provision'.",
    {
      headers: { "WWW-Authenticate": 'Bearer realm="gatehouse"' },
    },
  );
}

function one(value: string | string[] | undefined): string | null {
  return typeof value === "string" ? value : (value?.[0] ?? null);
}
