import { join } from "node:path";
import { controlSocketFile } from "../cli/control-socket.js";
import { brokerCheck } from "../health/broker.js";
import { clockCheck } from "../health/clock.js";
import { diskSpaceCheck } from "../health/disk-space.js";
import { type Health, readHealth } from "../health/health.js";
import { recogniserCheck } from "../health/recogniser.js";
import { settingsCheck } from "../health/settings.js";
import { sntpCheck } from "../health/sntp.js";
import { storageCheck } from "../health/storage.js";
import { consoleRoutes } from "../http/console-api.js";
import type { BoundRoute } from "../http/exchange.js";
import { authorityRoutes } from "../http/routes/authority.js";
import { automationManagementRoutes } from "../http/routes/console-automations.js";
import { cameraViewRoutes } from "../http/routes/console-camera-view.js";
import { networkRoutes } from "../http/routes/console-network.js";
import { plateManagementRoutes } from "../http/routes/console-plates.js";
import { resetRoutes } from "../http/routes/console-reset.js";
import { healthRoutes } from "../http/routes/health.js";
import { HttpServer } from "../http/server.js";
import { v1Routes } from "../http/v1.js";
import { Problem } from "../kernel/problem.js";
import { diskSpace } from "../platform/disk.js";
import { stageFactoryReset } from "../platform/factory-reset.js";
import type { LogRing } from "../platform/log-ring.js";
import { isTimeZone } from "../settings/load.js";
import type { SettingsStore } from "../settings/store.js";
import type { Base } from "./base.js";
import { boxService } from "./box-service.js";
import { bridgeManagement } from "./bridge-management.js";
import { cameraView } from "./camera-view.js";
import { metricSources } from "./metric-sources.js";
import { Metrics } from "./metrics.js";
import { networkName, networkView } from "./network-view.js";
import { ownNames } from "./own-names.js";
import type { HubParts } from "./parts.js";
import { plateManagement } from "./plate-management.js";
import type { HubTls } from "./tls.js";
import { v1Services } from "./v1-services.js";

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
  const checks = [
    storageCheck(database),
    diskSpaceCheck(() => diskSpace(base.dataFolder)),
    brokerCheck({ listening: () => broker.port !== null, clientCount: () => broker.figures()?.devices ?? 0 }),
    recogniserCheck(recognition),
    clockCheck(trust, hub.clock),
    settingsCheck(() => options.store.refused),
    ...hub.box.checks,
    ...hub.outside.checks,
    ...(sntp === null ? [] : [sntpCheck(() => sntp.figures, trust)]),
  ];
  const health = (): Health => readHealth(checks);
  const metrics = new Metrics(base, [...metricSources(hub), ...hub.box.metrics, ...hub.outside.metrics]);
  hub.plates.gate.onTimed((timing) => metrics.gate(timing));
  const { version, store } = options;
  const routes = [
    ...v1Routes(v1Services(base, hub)),
    ...consoleRoutes({
      database,
      access,
      isTimeZone,
      devices: { registry: devices.registry, commands: devices.commands, refusals: (deviceId) => broker.refusals(deviceId) },
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
      box: boxService(base, hub),
      networkName: () => networkName(hub.box),
      isOwnName: ownNames({ tls: options.tls, http: store.current.http, networkName: () => networkName(hub.box) }),
      further: [
        ...hub.box.routes(),
        ...automationManagementRoutes(hub.automations),
        ...plateManagementRoutes(plateManagement(hub)),
        ...cameraViewRoutes(cameraView(hub)),
        ...networkRoutes(() => networkView(hub, () => server)),
        ...resetRoutes({ accounts: access.accounts, reset: factoryReset(base, options.restart) }),
      ],
    }),
    ...(options.tls?.authority ? authorityRoutes(options.tls.authority) : []),
    ...healthRoutes({ health, version, metrics: () => metrics.text() }),
  ];
  const { http, rates } = store.current;
  const server = new HttpServer({
    listen: { host: http.host, port: http.port },
    tls: options.tls === null ? null : { host: http.host, port: store.current.tls.httpsPort, context: options.tls.server },
    socketFile: controlSocketFile(base.dataFolder),
    allowedHosts: http.allowedHosts,
    maxConnections: http.maxConnections,
    trustProxy: http.trustProxy,
    rates,
    consoleFolder: join(base.projectFolder, "dist/console"),
    routes,
    credentials: {
      check: ({ headers }) => {
        const caller = access.authenticator.check({
          authorization: headers.authorization ?? null,
          xApiKey: one(headers["x-api-key"]),
          cookie: headers.cookie ?? null,
        });
        if (caller.env === "test") hub.sandbox.sandbox.wake(caller.siteId);
        return caller;
      },
      stands: (caller) => access.authenticator.stands(caller),
      onChange: (listener) => access.watch.onChange(listener),
      originRegistered: (origin) => access.keys.listsOrigin(origin),
      checkProof: (caller, { host, secure }) => access.checkProof(caller, secure ? host.toLowerCase().replace(/:\d+$/, "") : null),
      boxCaller: () => access.authenticator.boxCaller(),
    },
    acceptUpgrade: store.current.mqtt.webSocket ? (request, socket, head) => broker.acceptUpgrade(request, socket, head) : null,
    closed: () => (access.claim.claimed ? null : unowned()),
    onRequest: (figure) => metrics.request(figure),
    database,
    clock,
    logger: logger.child({ part: "http" }),
  });
  return { server, routes, health };
}

/** The answer to the person who asked goes out before the restart. */
const RESTART_AFTER_MS = 500;

/** Has everything deleted at the next start, and starts anew where something starts the hub again. */
function factoryReset({ dataFolder, clock }: Base, restart: (() => void) | null): () => boolean {
  return () => {
    stageFactoryReset(dataFolder);
    if (restart !== null) clock.after(RESTART_AFTER_MS, restart);
    return restart !== null;
  };
}

/** Until somebody owns the hub no credential can be valid. */
function unowned(): Problem {
  return new Problem("missing_credential", "Nobody owns this hub yet. Open its address in a browser, or run 'gatehouse provision'.", {
    headers: { "WWW-Authenticate": 'Bearer realm="gatehouse"' },
  });
}

function one(value: string | string[] | undefined): string | null {
  return typeof value === "string" ? value : (value?.[0] ?? null);
}
