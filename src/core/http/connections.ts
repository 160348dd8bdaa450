import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Admission, plainAddress, type Ticket } from "../kernel/admission.ts";
import type { Clock, Timer } from "../kernel/clock.ts";

interface Visit {
  readonly socket: Socket;
  ticket: Ticket | null;
  isKnown: boolean;
  /** The last request that was answered, and its answer; null before the first, and while one is being answered. */
  answered: { readonly request: IncomingMessage; readonly response: ServerResponse } | null;
  isAnswering: boolean;
  /** The answer to the request that came last. */
  latest: ServerResponse | null;
  /** The last response closes the connection: further requests on it are ignored. */
  isEnding: boolean;
  /** Monotonic time at which the connection is destroyed; not set while a request is being answered. */
  deadlineMono: number;
}

/** Connections of one address that have shown no credential; the oldest beyond them end. */
const STRANGERS_PER_ADDRESS = 64;
/** Each gets at least this long, so that many clients that reconnect at once all get in. */
const STRANGER_GRACE_MS = 3_000;
/** Time until the first request, that is, its complete headers. */
const FIRST_REQUEST_MS = 10_000;
/** Time within which a response has to be read, and the minimum speed for a large one. */
const UNREAD_MS = 8_000;
const LEAST_BYTES_PER_MS = 100;
const SWEEP_MS = 500;

/**
 * The connections of the web server: their number, and the deadlines of each. Node's own `maxConnections` treats all
 * alike, so one host can shut everybody else out; here {@link Admission} decides which is closed. A connection is also
 * closed if its request does not arrive or its response is not read.
 */
export class Connections {
  readonly #options: ConstructorParameters<typeof Connections>[0];
  readonly #admission: Admission;
  readonly #open = new Set<Visit>();
  readonly #visits = new WeakMap<Socket, Visit>();
  /** TLS connections by their peer: the socket that requests arrive on is not the one that connected. */
  readonly #byPeer = new Map<string, Visit>();
  #sweeper: Timer | null = null;

  constructor(options: {
    readonly maxConnections: number;
    /** One address carries many clients (a proxy), so there is no limit per address. */
    readonly behindProxy: boolean;
    readonly clock: Clock;
  }) {
    const { maxConnections, clock } = options;
    this.#options = options;
    this.#admission = new Admission(
      { maxConnections, turnsPerAddress: Number.POSITIVE_INFINITY, turnMs: Number.POSITIVE_INFINITY },
      clock,
    );
  }

  /** Open connections, those without a credential among them, and connections turned away since start. */
  get figures(): Admission["figures"] {
    return this.#admission.figures;
  }

  start(): void {
    this.#sweeper = this.#options.clock.every(SWEEP_MS, () => this.#sweep());
  }

  stop(): void {
    this.#sweeper?.stop();
    this.#admission.stop();
  }

  /** Counts the connections of a server from now on. */
  watch(server: Server): void {
    server.on("connection", (socket: Socket) => this.#connected(socket));
    server.on("secureConnection", (socket: Socket) => {
      const visit = this.#byPeer.get(peerOf(socket));
      if (visit) this.#visits.set(socket, visit);
    });
  }

  /**
   * A complete request head has arrived. Returns the previous response on the same connection if it has not been read
   * yet: requests are handled one at a time.
   */
  arrived(socket: Socket, response: ServerResponse): ServerResponse | null {
    const visit = this.#visits.get(socket);
    if (!visit) return null; // the control socket
    const before = visit.latest;
    visit.latest = response;
    return before === null || before.writableFinished || before.destroyed ? null : before;
  }

  /**
   * A request's turn has come; its handler has the time it needs. Returns whose connection it came on; `ended`: do not
   * answer it.
   */
  begun(socket: Socket): "known" | "unauthenticated" | "ended" {
    const visit = this.#visits.get(socket);
    if (!visit) return "known";
    if (visit.isEnding || socket.destroyed) return "ended";
    visit.answered = null;
    visit.isAnswering = true;
    visit.deadlineMono = Number.POSITIVE_INFINITY;
    return visit.isKnown ? "known" : "unauthenticated";
  }

  /** The answer under way is the connection's last. */
  ending(socket: Socket): void {
    const visit = this.#visits.get(socket);
    if (visit) visit.isEnding = true;
  }

  /** The request showed a good credential. */
  recognised(socket: Socket): void {
    const visit = this.#visits.get(socket);
    if (!visit || visit.isKnown) return;
    visit.isKnown = true;
    if (!this.#admission.hasRoom) this.#endIdle();
    visit.ticket?.accepted();
  }

  /** A response of `bytes` is on its way; infinity for an endless one. */
  answered(request: IncomingMessage, response: ServerResponse, bytes: number): void {
    const visit = this.#visits.get(request.socket);
    if (!visit) return;
    visit.answered = { request, response };
    visit.isAnswering = !Number.isFinite(bytes);
    visit.deadlineMono = this.#options.clock.mono() + UNREAD_MS + bytes / LEAST_BYTES_PER_MS;
  }

  /** The connection switched to another protocol: it is counted elsewhere from now on. */
  released(socket: Socket): void {
    const visit = this.#visits.get(socket);
    if (!visit) return;
    this.#open.delete(visit);
    visit.ticket?.closed();
  }

  #connected(socket: Socket): void {
    const peer = peerOf(socket);
    const visit: Visit = {
      socket,
      ticket: null,
      isKnown: false,
      answered: null,
      isAnswering: false,
      latest: null,
      isEnding: false,
      deadlineMono: this.#options.clock.mono() + FIRST_REQUEST_MS,
    };
    // A reset, not an orderly end: a client that is evicted must not hold the connection half open.
    visit.ticket = this.#admission.admit(plainAddress(socket.remoteAddress), {
      begin: () => {},
      end: () => socket.resetAndDestroy(),
    });
    if (visit.ticket === null) return;
    this.#open.add(visit);
    this.#visits.set(socket, visit);
    this.#byPeer.set(peer, visit);
    socket.once("close", () => {
      this.#open.delete(visit);
      this.#byPeer.delete(peer);
      visit.ticket?.closed();
    });
  }

  /**
   * Makes room for one more connection with a credential: the one that has been idle longest is closed, which all
   * browsers tolerate.
   */
  #endIdle(): void {
    for (const visit of this.#open) {
      if (!visit.isKnown || visit.isAnswering || visit.answered?.response.writableFinished === false) continue;
      visit.socket.resetAndDestroy();
      return;
    }
  }

  #sweep(): void {
    const now = this.#options.clock.mono();
    if (!this.#options.behindProxy) this.#admission.trim(STRANGERS_PER_ADDRESS, STRANGER_GRACE_MS);
    for (const visit of this.#open) {
      if (visit.deadlineMono > now) continue;
      const { answered } = visit;
      if (answered?.response.writableFinished && answered.request.complete)
        visit.deadlineMono = Number.POSITIVE_INFINITY; // idle: Node's own limit holds
      else visit.socket.resetAndDestroy();
    }
  }
}

function peerOf(socket: Socket): string {
  return `${socket.remoteAddress ?? ""} ${socket.remotePort ?? 0} ${socket.localPort ?? 0}`;
}
