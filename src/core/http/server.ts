import { chmodSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContextOptions } from "node:tls";
import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";
import { Problem } from "../kernel/problem.ts";
import type { Service } from "../kernel/service.ts";
import { serverTls } from "../kernel/tls-limits.ts";
import type { Database } from "../storage/database.ts";
import { AnswerWriter } from "./answer-writer.ts";
import { openApp } from "./app.ts";
import { Connections } from "./connections.ts";
import { ConsoleFiles, type FirstSightOf } from "./console-files.ts";
import { EventStreams } from "./events-stream.ts";
import type { BoundRoute } from "./exchange.ts";
import { FairScheduler, type FairShares } from "./fair-scheduler.ts";
import type { Credentials } from "./middleware/access.ts";
import { Answers, type RequestFigures } from "./middleware/answers.ts";
import { BodyRoom } from "./middleware/body-room.ts";
import { errorBody, statusOf } from "./middleware/errors.ts";
import { HostRule } from "./middleware/host.ts";
import { Idempotency } from "./middleware/idempotency.ts";
import type { PlainHttp } from "./middleware/plain-http.ts";
import { RateLimits, type RateSettings } from "./middleware/rate-limit.ts";
import { RequestIds } from "./middleware/request-id.ts";
import { openExchange } from "./open-exchange.ts";
import { OpenResponses } from "./open-responses.ts";

/** Dependencies of {@link HttpServer}. */
export interface HttpServerOptions {
  readonly listen: { readonly host: string; readonly port: number };
  /** A second listener with TLS; null leaves it out. */
  readonly tls: { readonly host: string; readonly port: number; readonly context: SecureContextOptions } | null;
  /** Whether plain http is closed; open unless given. */
  readonly isPlainClosed?: () => boolean;
  /** File of the control socket, readable by the hub's own user only; null leaves it out. */
  readonly socketFile: string | null;
  readonly allowedHosts: readonly string[];
  readonly maxConnections: number;
  readonly trustProxy: boolean;
  readonly rates: RateSettings;
  /** Folder of the built console; null or a missing folder leaves it out. */
  readonly consoleFolder: string | null;
  /** What pages of the console show and request first; nothing unless given. */
  readonly firstSightOf?: FirstSightOf;
  readonly routes: readonly BoundRoute[];
  readonly credentials: Credentials;
  /** Takes over MQTT over WebSocket at `/mqtt`; null leaves it out. */
  readonly acceptUpgrade?: ((request: IncomingMessage, socket: Duplex, head: Buffer) => void) | null;
  /** Why /v1 is closed now; null when it is open. */
  readonly closed: () => Problem | null;
  readonly figures?: RequestFigures;
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Requests without a credential that begin in one turn of the event loop: some ten microseconds each. */
const ANONYMOUS_TURNS: FairShares = { each: 1, all: 8 };
/** Chunks of large responses that are written in one turn: a tenth of a millisecond each, more with TLS. */
const CHUNK_TURNS: FairShares = { each: 2, all: 8 };
const DRAIN_MS = 5_000;
const HANDSHAKE_MS = 10_000;
/** A response to an invalid request has this long to arrive. */
const LAST_WORD_MS = 500;
const IDLE_SWEEP_MS = 50;
const SERVER_LIMITS: ServerOptions = {
  requestTimeout: 600_000, // each body has a time limit of its own (middleware/body-room.ts)
  headersTimeout: 10_000,
  keepAliveTimeout: 30_000,
  maxHeaderSize: 16_384,
  connectionsCheckingInterval: 2_000,
  requireHostHeader: false, // the host rule responds in the API's own error shape
  noDelay: true,
};

/** The web server: plain, with TLS, and on the control socket, all in front of one Koa application (app.ts). */
export class HttpServer implements Service {
  readonly name = "http";
  readonly #options: HttpServerOptions;
  readonly #idempotency: Idempotency;
  readonly #streams: EventStreams;
  readonly #open: OpenResponses;
  readonly #connections: Connections;
  #unwatch: () => void = () => {};
  readonly #consoleFiles: ConsoleFiles | null;
  readonly #boxSockets = new WeakSet<Socket>();
  #servers: Server[] = [];
  #tlsServer: TlsServer | null = null;
  #answers: Answers | null = null;
  #isStopping = false;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#idempotency = new Idempotency(options);
    this.#streams = new EventStreams(options.clock);
    this.#open = new OpenResponses({ authenticator: options.credentials.authenticator, clock: options.clock });
    this.#connections = new Connections({
      maxConnections: options.maxConnections,
      behindProxy: options.trustProxy,
      clock: options.clock,
    });
    this.#consoleFiles = options.consoleFolder === null ? null : new ConsoleFiles(options.consoleFolder);
  }

  /** @throws Error when an address or port cannot be had. */
  async start(): Promise<void> {
    const { listen, tls, socketFile } = this.#options;
    this.#isStopping = false;
    this.#idempotency.start();
    this.#unwatch = this.#options.credentials.watch.onChange(() => this.#open.recheck());
    this.#consoleFiles?.start();
    this.#connections.start();
    const listener = this.#listener();
    const plain = this.#adopt(createServer(SERVER_LIMITS, listener), listener);
    await listening(plain, listen);
    if (tls) {
      this.#tlsServer = createTlsServer(
        { ...SERVER_LIMITS, ...serverTls(tls.context), handshakeTimeout: HANDSHAKE_MS },
        listener,
      );
      await listening(this.#adopt(this.#tlsServer, listener), tls);
    }
    if (socketFile !== null) await this.#listenOnSocket(socketFile, listener);
  }

  /** Refuses new requests, lets running ones finish within five seconds, then closes every connection. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const closed = Promise.all(
      this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))),
    );
    this.#streams.closeAll();
    const sweep = setInterval(() => this.#closeIdle(), IDLE_SWEEP_MS);
    const limit = setTimeout(() => this.#closeAll(), DRAIN_MS);
    this.#closeIdle();
    await closed;
    this.#connections.stop();
    clearInterval(sweep);
    clearTimeout(limit);
    if (this.#options.socketFile !== null && this.#servers.length > 0)
      rmSync(this.#options.socketFile, { force: true });
    this.#servers = [];
    this.#tlsServer = null;
    this.#idempotency.stop();
    this.#unwatch();
    this.#open.stop();
  }

  /** Port of the plain listener; 0 before start. */
  get port(): number {
    return portOf(this.#servers[0]);
  }

  /** Port of the TLS listener; 0 without one. */
  get tlsPort(): number {
    return portOf(this.#tlsServer ?? undefined);
  }

  /** Whether built console files were found. */
  get hasConsole(): boolean {
    return this.#consoleFiles?.isThere ?? false;
  }

  /** Requests being answered, event streams and connections open now. */
  get figures(): { running: number; streams: number; connections: Connections["figures"] } {
    return {
      running: this.#answers?.running ?? 0,
      streams: this.#streams.size,
      connections: this.#connections.figures,
    };
  }

  /** New connections get a renewed certificate; open ones keep the old. */
  renewCertificate(context: SecureContextOptions): void {
    this.#tlsServer?.setSecureContext(serverTls(context));
  }

  #listener(): RequestListener {
    const {
      routes,
      credentials,
      rates,
      clock,
      logger,
      closed,
      trustProxy,
      allowedHosts,
      figures = null,
    } = this.#options;
    const { isPlainClosed = () => false } = this.#options;
    const connections = this.#connections;
    const plainHttp: PlainHttp = { isClosed: isPlainClosed, httpsPort: () => this.tlsPort };
    const requestIds = new RequestIds();
    const isBoxSocket = (socket: Socket): boolean => this.#boxSockets.has(socket);
    this.#answers = new Answers({
      open: (request, response) =>
        openExchange(request, response, requestIds.next(request.headers["x-request-id"]), { trustProxy, isBoxSocket }),
      writer: new AnswerWriter({
        streams: this.#streams,
        open: this.#open,
        connections,
        chunkScheduler: new FairScheduler(CHUNK_TURNS),
        plainHttp,
        isStopping: () => this.#isStopping,
        clock,
      }),
      figures,
      clock,
      logger,
    });
    const app = openApp({
      routes,
      connections,
      scheduler: new FairScheduler(ANONYMOUS_TURNS),
      answers: this.#answers,
      hosts: new HostRule(allowedHosts),
      plainHttp,
      credentials,
      rates: new RateLimits(rates, clock),
      bodies: new BodyRoom(clock),
      idempotency: this.#idempotency,
      consoleFiles: this.#consoleFiles?.isThere ? this.#consoleFiles : null,
      firstSightOf: this.#options.firstSightOf ?? (() => null),
      closed,
      clock,
    });
    app.on("error", (error: unknown) => logger.debug({ err: error }, "connection broke while answering"));
    const answer = app.callback();
    return (request, response) => void answer(request, response);
  }

  /**
   * Only `/mqtt`, under one of the hub's host names, and from no foreign page (a browser sends its page's origin with
   * every WebSocket).
   */
  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#connections.released(request.socket);
    const { acceptUpgrade = null, allowedHosts } = this.#options;
    const { host = "", origin } = request.headers;
    const isOwnPage = origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
    if (
      acceptUpgrade !== null &&
      request.url === "/mqtt" &&
      isOwnPage &&
      new HostRule(allowedHosts).allows(host.replace(/:\d+$/, ""))
    )
      acceptUpgrade(request, socket, head);
    else {
      socket.on("error", () => socket.destroy()); // Node has taken its own listener away
      endSoon(socket, "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    }
  }

  #adopt(server: Server, listener: RequestListener): Server {
    server.maxHeadersCount = 0; // none is dropped unseen: middleware/host.ts counts them
    this.#connections.watch(server);
    server.on("clientError", answerBrokenRequest);
    server.on("checkContinue", listener); // send 100 Continue only once the body is wanted
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) =>
      this.#upgrade(request, socket, head),
    );
    this.#servers.push(server);
    return server;
  }

  async #listenOnSocket(file: string, listener: RequestListener): Promise<void> {
    const server = createServer(SERVER_LIMITS, listener);
    server.on("connection", (socket) => this.#boxSockets.add(socket));
    server.on("clientError", answerBrokenRequest);
    try {
      // left over from a crash: a hub that lives has the folder's lock (../storage/folder-lock.ts), and where the folder
      // takes no locks, it answers
      if (await answers(file)) throw new Error("another process listens on it");
      rmSync(file, { force: true });
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(file, () => resolve());
      });
      chmodSync(file, 0o600);
    } catch (error) {
      // A folder that takes no writes: the hub serves without its command line.
      this.#options.logger.warn({ file, err: error }, "the control socket could not be made");
      return;
    }
    this.#servers.push(server);
  }

  /** A connection whose last response went out before the stop is idle now, and no event will follow. */
  #closeIdle(): void {
    for (const server of this.#servers) server.closeIdleConnections();
  }

  #closeAll(): void {
    for (const server of this.#servers) server.closeAllConnections();
  }
}

/** Whether a Unix socket has a listener. */
function answers(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(file, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}

/** What Node's parser refuses never reaches the application; it is answered in the same shape, and the connection ends. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  // Node's own handler looks here too: an answer under way must not be cut into
  const { _httpMessage: answering } = socket as Socket & { _httpMessage?: { headersSent: boolean } | null };
  if (socket.destroyed || !socket.writable || error.code === "ECONNRESET" || answering?.headersSent) {
    socket.destroy();
    return;
  }
  const problem = BROKEN[error.code ?? ""] ?? new Problem("invalid_request", "The request is not well-formed HTTP.");
  const body = JSON.stringify(errorBody(problem, "none"));
  const head = [
    `HTTP/1.1 ${statusOf(problem.code)} ${problem.code}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "X-Content-Type-Options: nosniff",
    "Connection: close",
  ].join("\r\n");
  endSoon(socket, `${head}\r\n\r\n${body}`);
}

/** Sends a final text; the client gets a moment to read it, but must not hold the connection half open. */
function endSoon(socket: Duplex, text: string): void {
  socket.end(text);
  const timer = setTimeout(() => socket.destroy(), LAST_WORD_MS).unref();
  socket.once("close", () => clearTimeout(timer));
}

const BROKEN: Readonly<Record<string, Problem>> = {
  HPE_HEADER_OVERFLOW: new Problem("headers_too_large", "The headers are larger than 16 KiB."),
  ERR_HTTP_REQUEST_TIMEOUT: new Problem("request_timeout", "The request did not arrive in time."),
};

function listening(server: Server, where: { readonly host: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(where.port, where.host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

function portOf(server: Server | undefined): number {
  const address = server?.address() as AddressInfo | null | undefined; // TCP listeners only
  return address?.port ?? 0;
}
