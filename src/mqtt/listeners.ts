import type { IncomingMessage } from "node:http";
import { createServer, type Server, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import { createWebSocketStream, WebSocketServer } from "ws";
import { serverTls } from "../kernel/tls-limits.js";

/** A connection that was let in. */
export interface Ticket {
  readonly address: string;
  /** The client showed a good credential: it no longer counts against its address. */
  accepted(): void;
  /** The connection is gone. */
  closed(): void;
}

/** Counts connections: so many in all, and so many per address that have not shown a credential yet. */
export class Admission {
  readonly #limits: { readonly maxConnections: number; readonly maxUnauthenticatedPerAddress: number };
  readonly #strangers = new Map<string, number>();
  #open = 0;
  #turnedAway = 0;

  constructor(limits: { readonly maxConnections: number; readonly maxUnauthenticatedPerAddress: number }) {
    this.#limits = limits;
  }

  /** Open connections, those without a credential so far, and connections turned away since start. */
  get figures(): { open: number; unauthenticated: number; turnedAway: number } {
    let unauthenticated = 0;
    for (const count of this.#strangers.values()) unauthenticated += count;
    return { open: this.#open, unauthenticated, turnedAway: this.#turnedAway };
  }

  /** A ticket for one more connection from `address`, or null: no room. */
  admit(address: string): Ticket | null {
    const strangers = this.#strangers.get(address) ?? 0;
    if (this.#open >= this.#limits.maxConnections || strangers >= this.#limits.maxUnauthenticatedPerAddress) {
      this.#turnedAway += 1;
      return null;
    }
    this.#open += 1;
    this.#strangers.set(address, strangers + 1);
    let stranger = true;
    let open = true;
    const known = (): void => {
      if (!stranger) return;
      stranger = false;
      const left = (this.#strangers.get(address) ?? 1) - 1;
      if (left === 0) this.#strangers.delete(address);
      else this.#strangers.set(address, left);
    };
    return {
      address,
      accepted: known,
      closed: () => {
        known();
        if (open) this.#open -= 1;
        open = false;
      },
    };
  }
}

/** Certificate and key in PEM. */
export interface TlsMaterial {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

/** What {@link Listeners} need. */
export interface ListenersOptions {
  readonly admission: Admission;
  readonly connectTimeoutMs: number;
  /** Largest message of a WebSocket, bytes. */
  readonly maxPayload: number;
  readonly onConnection: (stream: Duplex, ticket: Ticket) => void;
}

/** Dead peers are found by the kernel even when a client asked for no keep-alive of MQTT's own. */
const TCP_KEEP_ALIVE_MS = 60_000;

/** The doors of the broker: TCP, TLS, and WebSockets handed over by the web server. */
export class Listeners {
  readonly #options: ListenersOptions;
  readonly #sockets = new Set<Duplex>();
  #tcp: Server | null = null;
  #tls: TlsServer | null = null;
  #webSockets: WebSocketServer | null = null;

  constructor(options: ListenersOptions) {
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
    const server = createServer({ noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS }, (socket) => {
      const ticket = this.#admit(socket);
      if (ticket) this.#options.onConnection(socket, ticket);
    });
    await listening(server, host, port);
    this.#tcp = server;
  }

  /** Listens for TLS connections. @throws Error of the system when the port cannot be had or the certificate is none. */
  async listenTls(host: string, port: number, material: TlsMaterial): Promise<void> {
    const tickets = new Map<string, Ticket>();
    const server = createTlsServer({ ...serverTls(material), noDelay: true, keepAlive: true, handshakeTimeout: this.#options.connectTimeoutMs });
    server.on("connection", (socket: Socket) => {
      const ticket = this.#admit(socket); // counted before the handshake: that is the expensive part
      const peer = peerOf(socket);
      if (ticket === null) return;
      tickets.set(peer, ticket);
      socket.once("close", () => tickets.delete(peer));
    });
    server.on("secureConnection", (socket) => {
      const ticket = tickets.get(peerOf(socket));
      socket.on("error", () => socket.destroy());
      if (ticket) this.#options.onConnection(socket, ticket);
      else socket.destroy();
    });
    await listening(server, host, port);
    this.#tls = server;
  }

  /** Replaces the certificate for connections to come. */
  renewTls(material: TlsMaterial): void {
    this.#tls?.setSecureContext(serverTls(material));
  }

  /** Takes over an HTTP upgrade request for MQTT; whoever calls has checked path and origin. */
  acceptUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const ticket = this.#admit(socket, request.socket.remoteAddress ?? "");
    if (ticket === null) return;
    this.#webSockets ??= new WebSocketServer({
      noServer: true,
      maxPayload: this.#options.maxPayload,
      perMessageDeflate: false,
      handleProtocols: (protocols) => (protocols.has("mqtt") ? "mqtt" : false),
    });
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      if (webSocket.protocol !== "mqtt") return webSocket.close(1002, "subprotocol mqtt expected"); // MQTT 3.1.1 §6
      const stream = createWebSocketStream(webSocket);
      stream.on("error", () => webSocket.terminate());
      this.#options.onConnection(stream, ticket);
    });
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

  #admit(socket: Duplex, address = socketAddress(socket)): Ticket | null {
    const ticket = this.#options.admission.admit(address);
    if (ticket === null) {
      socket.destroy();
      return null;
    }
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => {
      this.#sockets.delete(socket);
      ticket.closed();
    });
    return ticket;
  }
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
