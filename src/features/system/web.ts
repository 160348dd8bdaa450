import { join } from "node:path";
import { TLSSocket } from "node:tls";
import type { Base } from "../../core/base.ts";
import type { Feature, PlacedService } from "../../core/feature.ts";
import type { FirstSightOf } from "../../core/http/console-files.ts";
import type { BoundRoute } from "../../core/http/exchange.ts";
import { HttpServer, type HttpServerOptions } from "../../core/http/server.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { controlSocketFile } from "../../core/platform/control-socket-file.ts";
import { type HubTls, isPlainHttpClosed } from "../../core/platform/tls.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { GateFeature } from "../gate/feature.ts";
import { picturedRead, pictureOf } from "../gate/rules/read-picture.ts";
import type { MqttFeature } from "../mqtt/feature.ts";
import type { SandboxFeature } from "../sandbox/feature.ts";
import type { SystemFeature } from "./feature.ts";

/** The features that the web server works with. */
interface Siblings {
  readonly access: AccessFeature;
  readonly devices: DevicesFeature;
  readonly gate: GateFeature;
  readonly mqtt: MqttFeature;
  readonly sandbox: SandboxFeature;
  readonly system: SystemFeature;
}

/** The web server, with everything that it serves. */
export class WebFeature implements Feature {
  readonly server: HttpServer;
  /** Every operation of the hub; the command line calls them on a hub that does not run. */
  readonly routes: readonly BoundRoute[];
  readonly services: readonly PlacedService[];

  /** Build it last: it serves the routes of all features. */
  constructor(base: Base, { access, devices, gate, mqtt, sandbox, system }: Siblings) {
    const { store, tls, database, clock, logger } = base;
    const { http, rates } = store.current;
    const isPlainClosed = (): boolean => isPlainHttpClosed(store.current, tls);
    let isOwned = false;
    this.routes = system.routes();
    this.server = new HttpServer({
      listen: { host: http.host, port: http.port },
      tls: tls === null ? null : ownTls(tls, http.host),
      isPlainClosed,
      socketFile: controlSocketFile(base.dataFolder),
      allowedHosts: http.allowedHosts,
      maxConnections: http.maxConnections,
      trustProxy: http.trustProxy,
      rates,
      consoleFolder: join(base.projectFolder, "dist/console"),
      firstSightOf: firstSightOf(access, gate),
      routes: this.routes,
      credentials: {
        check: ({ headers, secure }) => {
          const caller = access.authenticator.check({
            authorization: headers.authorization ?? null,
            xApiKey: one(headers["x-api-key"]),
            cookie: headers.cookie ?? null,
            secure,
          });
          if (caller.env === "test") sandbox.sandbox.wake(caller.siteId);
          return caller;
        },
        authenticator: access.authenticator,
        watch: access.watch,
        keys: access.keys,
        checkProof: (caller, { host, secure }, age) =>
          access.checkProof(caller, secure ? host.toLowerCase().replace(/:\d+$/, "") : null, age),
        deviceCaller: (id, password) => {
          const device = devices.registry.authenticate(id, password);
          return device === null ? null : access.authenticator.deviceCaller(device);
        },
      },
      acceptUpgrade: store.current.mqtt.webSocket
        ? (request, socket, head) => {
            const isSecure =
              request.socket instanceof TLSSocket ||
              (http.trustProxy && request.headers["x-forwarded-proto"] === "https");
            if (isSecure || (store.current.mqtt.plain && !isPlainClosed()))
              mqtt.broker.acceptUpgrade(request, socket, head);
            else socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
          }
        : null,
      closed: () => {
        isOwned ||= access.claim.claimed; // checked for each request, and an owner never leaves while the hub runs
        return isOwned ? null : unowned();
      },
      figures: system.figures,
      database,
      clock,
      logger: logger.child({ part: "http" }),
    });
    this.services = [{ service: this.server, start: "serve", stop: "intake" }];
    base.address.serves(this.server);
    system.network.onCertificate((certificate) => this.server.renewCertificate(certificate));
  }
}

/** Among the latest sightings is the one that Home opens with. */
const LATEST_READS = 20;

/**
 * For a browser whose person is signed in: the overview, which the script asks for in the same way (or it would not be
 * the same request), and on Home the picture that it opens with.
 */
function firstSightOf({ authenticator }: AccessFeature, { day }: GateFeature): FirstSightOf {
  return ({ path, headers, secure }) => {
    let siteId: number;
    try {
      const { cookie = null } = headers;
      siteId = authenticator.check({ authorization: null, xApiKey: null, cookie, secure }).siteId;
    } catch {
      return null; // nobody: it would be refused
    }
    const read = path === "/" ? picturedRead(day.list(siteId, {}, { limit: LATEST_READS }).reads) : undefined;
    const overview = "</api/overview>; rel=preload; as=fetch; crossorigin=anonymous";
    return { links: [overview], picture: read === undefined ? null : pictureOf(read) };
  };
}

/** Without an owner no credential can be valid. */
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

/** The certificate is read when the server listens: it may have been renewed since the hub was composed. */
function ownTls(tls: HubTls, host: string): HttpServerOptions["tls"] {
  return {
    host,
    port: tls.httpsPort,
    get context() {
      return tls.server;
    },
  };
}
