import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { HouseholdEnergy } from "../energy/energy.js";
import { brokerCheck } from "../health/broker.js";
import { clockCheck } from "../health/clock.js";
import { diskSpaceCheck } from "../health/disk-space.js";
import { encryptionCheck } from "../health/encryption.js";
import { filesCheck } from "../health/files.js";
import { type Health, readHealth } from "../health/health.js";
import { historyCheck } from "../health/history.js";
import { modulesCheck } from "../health/modules.js";
import { recogniserCheck } from "../health/recogniser.js";
import { settingsCheck } from "../health/settings.js";
import { sntpCheck } from "../health/sntp.js";
import { storageCheck } from "../health/storage.js";
import { webhookSecretsCheck } from "../health/webhook-secrets.js";
import { webhooksCheck } from "../health/webhooks.js";
import { consoleRoutes } from "../http/console-api.js";
import type { BoundRoute } from "../http/exchange.js";
import { authorityRoutes, type TrustService } from "../http/routes/authority.js";
import { auditedJobs, auditNote } from "../http/routes/console-audit.js";
import { automationManagementRoutes } from "../http/routes/console-automations.js";
import { cameraViewRoutes } from "../http/routes/console-camera-view.js";
import { energyRoutes } from "../http/routes/console-energy.js";
import { estateRoutes } from "../http/routes/console-estate.js";
import { gateRoutes } from "../http/routes/console-gate.js";
import { historyRoutes } from "../http/routes/console-history.js";
import { matterRoutes } from "../http/routes/console-matter.js";
import { matterJoinRoutes } from "../http/routes/console-matter-joins.js";
import { explorerRoutes } from "../http/routes/console-mqtt.js";
import { networkRoutes } from "../http/routes/console-network.js";
import { notificationRoutes } from "../http/routes/console-notifications.js";
import { plateManagementRoutes } from "../http/routes/console-plates.js";
import { resetRoutes } from "../http/routes/console-reset.js";
import { seriesRoutes } from "../http/routes/console-series.js";
import { healthRoutes } from "../http/routes/health.js";
import { HttpServer } from "../http/server.js";
import { v1Routes } from "../http/v1.js";
import type { Logger } from "../kernel/logger.js";
import { Problem } from "../kernel/problem.js";
import { controlSocketFile } from "../platform/control-socket-file.js";
import { diskSpace } from "../platform/disk.js";
import { stageFactoryReset } from "../platform/factory-reset.js";
import type { LogRing } from "../platform/log-ring.js";
import { isTimeZone } from "../settings/load.js";
import type { SettingsStore } from "../settings/store.js";
import type { Base } from "./base.js";
import { boxService } from "./box-service.js";
import { bridgeManagement } from "./bridge-management.js";
import { cameraView } from "./camera-view.js";
import { estateAdmission, keepsEstate } from "./estate-admission.js";
import { metricSources } from "./metric-sources.js";
import { Metrics } from "./metrics.js";
import { isListening, isPlainHttpClosed, networkName, networkView } from "./network-view.js";
import { ownNames } from "./own-names.js";
import type { HubParts } from "./parts.js";
import { plateManagement } from "./plate-management.js";
import { type HubTls, hasUncoveredName } from "./tls.js";
import { v1Services } from "./v1-services.js";
import { watchMetrics } from "./watch-metrics.js";

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
  const parts = { database, audit: access.audit, now: () => clock.now() };
  const [note, audited] = [auditNote(parts), auditedJobs(parts)];
  const checks = [
    storageCheck(database),
    historyCheck(() => hub.ages.states()),
    diskSpaceCheck(() => diskSpace(base.dataFolder)),
    brokerCheck({ listening: () => isListening(broker), clientCount: () => broker.figures()?.devices ?? 0 }),
    recogniserCheck(recognition),
    clockCheck(trust, hub.clock),
    settingsCheck(store),
    filesCheck(() => hub),
    modulesCheck(),
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
        ...matterRoutes({ ...hub.matter.service, note, audited }),
        ...seriesRoutes({ ...hub.series.service, audited }),
        ...historyRoutes({
          states: () => hub.ages.states(),
          dueAfter: (setting, days) => hub.ages.dueAfter(setting, days),
          allow: (kinds, beside) => hub.ages.allow(kinds, beside),
          begin: () =>
            void hub.ages
              .sweep()
              .catch((error: unknown) =>
                logger.error({ err: error }, "what was allowed to go could not be deleted; it goes later"),
              ),
          audited,
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
          audited,
        }),
        ...matterJoinRoutes({ joins: hub.matter.controller.joins, note }),
        ...notificationRoutes({ ...hub.notifications, audited }),
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
