import type { IncomingMessage } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import { createWebSocketStream, type WebSocket, WebSocketServer } from "ws";
import { type Admission, plainAddress, type Ticket } from "../kernel/admission.ts";
import { serverTls } from "../kernel/tls-limits.ts";

/** Certificate and key in PEM. */
export interface TlsMaterial {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** Dead peers are found by the kernel even when a client asked for no keep-alive of MQTT's own. */
const TCP_KEEP_ALIVE_MS = 60_000;
/** Nothing is read from a connection before its turn. */
const SOCKETS = { noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS, pauseOnConnect: true };
/** Time that a client of another protocol has for the closing handshake of its WebSocket. */
const CLOSING_MS = 1_000;

/** The doors of the broker: TCP, TLS, and WebSockets handed over by the web server. */
export class Listeners {
  readonly #options: ConstructorParameters<typeof Listeners>[0];
  readonly #sockets = new Set<Duplex>();
  #tcp: Server | null = null;
  #tls: Server | null = null;
  /** Shakes hands for the TLS listener. */
  #secure: TlsServer | null = null;
  #webSockets: WebSocketServer | null = null;

  constructor(options: {
    readonly admission: Admission;
    readonly connectTimeoutMs: number;
    /** Largest message of a WebSocket, bytes. */
    readonly maxPayload: number;
    readonly onConnection: (stream: Duplex, ticket: Ticket) => void;
  }) {
    this.#options = options;
  }

  /** Port of the TCP listener; null when there is none. */
  get port(): number | null {
    return portOf(this.#tcp);
  }

  /** Port of the TLS listener; null when there is none. */
  get tlsPort(): number | null {
    return portOf(this.#tls);
  }

  /** Listens for plain connections. @throws Error of the system when the port cannot be had. */
  async listen(host: string, port: number): Promise<void> {
    const server = createServer(SOCKETS, (socket) =>
      this.#admit(socket, (ticket) => this.#options.onConnection(socket, ticket)),
    );
    await listening(server, host, port);
    this.#tcp = server;
  }

  /**
   * Listens for TLS connections. @throws Error of the system when the port is not available or the certificate is
   * invalid.
   */
  async listenTls(host: string, port: number, material: TlsMaterial): Promise<void> {
    const tickets = new Map<string, Ticket>();
    const secure = createTlsServer({
      ...serverTls(material),
      handshakeTimeout: this.#options.connectTimeoutMs,
    });
    secure.on("tlsClientError", (_error, socket) => socket.destroy());
    secure.on("secureConnection", (socket) => {
      const ticket = tickets.get(peerOf(socket));
      socket.on("error", () => socket.destroy());
      if (ticket) this.#options.onConnection(socket, ticket);
      else socket.destroy();
    });
    const server = createServer(SOCKETS, (socket) => {
      this.#admit(socket, (ticket) => {
        const peer = peerOf(socket);
        tickets.set(peer, ticket);
        socket.once("close", () => tickets.delete(peer));
        secure.emit("connection", socket); // the handshake is the expensive part: it waits for its turn too
      });
    });
    await listening(server, host, port);
    this.#tls = server;
    this.#secure = secure;
  }

  /** Replaces the certificate for connections to come. */
  renewTls(material: TlsMaterial): void {
    this.#secure?.setSecureContext(serverTls(material));
  }

  /** Takes over an HTTP upgrade request for MQTT; the caller has checked path and origin. */
  acceptUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#webSockets ??= new WebSocketServer({
      noServer: true,
      maxPayload: this.#options.maxPayload,
      perMessageDeflate: false,
      handleProtocols: (protocols) => (protocols.has("mqtt") ? "mqtt" : false),
    });
    const server = this.#webSockets;
    const begin = (ticket: Ticket): void =>
      server.handleUpgrade(request, socket, head, (webSocket) => {
        webSocket.on("error", () => webSocket.terminate());
        if (webSocket.protocol !== "mqtt") return refuse(webSocket);
        const stream = createWebSocketStream(webSocket);
        stream.on("error", () => webSocket.terminate());
        this.#options.onConnection(stream, ticket);
      });
    this.#admit(socket, begin, request.socket.remoteAddress);
  }

  /** Takes no new connections; those that are open stay. */
  async stopListening(): Promise<void> {
    const servers = [this.#tcp, this.#tls];
    this.#tcp = null;
    this.#tls = null;
    for (const server of servers) server?.close();
    this.#webSockets?.close();
    this.#webSockets = null;
  }

  /** Cuts every open connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #admit(socket: Duplex, begin: (ticket: Ticket) => void, address = socketAddress(socket)): void {
    socket.on("error", () => socket.destroy());
    const ticket = this.#options.admission.admit(plainAddress(address), {
      begin: (turn) => {
        if (!socket.destroyed) begin(turn);
      },
      end: () => socket.destroy(),
    });
    if (ticket === null) return;
    this.#sockets.add(socket);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      ticket.closed();
    });
  }
}

/** MQTT 3.1.1 §6: the subprotocol is mqtt. */
function refuse(webSocket: WebSocket): void {
  webSocket.close(1002, "subprotocol mqtt expected");
  setTimeout(() => webSocket.terminate(), CLOSING_MS).unref();
}

function socketAddress(socket: Duplex): string {
  return "remoteAddress" in socket && typeof socket.remoteAddress === "string" ? socket.remoteAddress : "";
}

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress ?? ""} ${socket.remotePort ?? 0}`;
}

function portOf(server: Server | TlsServer | null): number | null {
  const address = server?.address() ?? null;
  return address === null || typeof address === "string" ? null : address.port;
}

function listening(server: Server | TlsServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}
