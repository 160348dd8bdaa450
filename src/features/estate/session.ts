import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { KV } from "@nats-io/kv";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Clock } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { EstateConfig } from "./config.ts";
import { estateNames, inboxPrefix } from "./names.ts";
import { connectToServers } from "./server-connection.ts";

/** One connection to the estate's servers, from its beginning to its end. */
export interface Session {
  readonly connection: NatsConnection;
  readonly stream: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly cards: KV;
  /** Whether the connection has ended; nothing is requested over it then. */
  readonly isOver: () => boolean;
  /** Waits, but not beyond the end of the connection. `waiting` gets a function that ends the wait. */
  pause(ms: number, waiting?: (end: () => void) => void): Promise<void>;
}

/** Waits between two attempts: doubled each time, up to the longest, and never the same for all hubs of an estate. */
const SHORTEST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 15_000;
/** A connection that lasted this long was a good one: the next wait is short again. */
const GOOD_MS = 30_000;
const CONNECT_MS = 5_000;
/** A silently dead connection is noticed after two unanswered pings. */
const PING_MS = 5_000;
const REQUEST_MS = 4_000;

/**
 * Reconnects forever, one session after another; each starts everything from scratch, so there is only one recovery
 * path.
 * @param ended resolves when it is to stop
 */
export async function keepSessions(
  options: {
    readonly config: EstateConfig;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly random: () => number;
    /** Works for as long as the session lasts. */
    readonly work: (session: Session) => Promise<void>;
    /** Called with the reason why there is no session, or with null when there is one. */
    readonly changed: (error: string | null) => void;
  },
  ended: AbortSignal,
): Promise<void> {
  const { clock, logger, random } = options;
  let wait = SHORTEST_WAIT_MS;
  while (!ended.aborted) {
    const began = clock.mono();
    try {
      await oneSession(options, ended);
      options.changed("The connection ended.");
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      logger.debug({ err: error }, "no connection to the estate");
      options.changed(reason);
    }
    if (clock.mono() - began > GOOD_MS) wait = SHORTEST_WAIT_MS;
    await pause(clock, wait * (0.5 + random()), ended);
    wait = Math.min(LONGEST_WAIT_MS, wait * 2);
  }
}

async function oneSession(
  { config, clock, work, changed }: Parameters<typeof keepSessions>[0],
  ended: AbortSignal,
): Promise<void> {
  const { jwtAuthenticator, nkeyAuthenticator } = await import("@nats-io/transport-node");
  const { jetstream, jetstreamManager } = await import("@nats-io/jetstream");
  const { Kvm } = await import("@nats-io/kv");
  const { servers, ca, hub, estate } = config;
  const seed = config.seed === null ? null : new TextEncoder().encode(config.seed);
  const connection = await connectToServers({
    servers: [...servers],
    name: `gatehouse ${hub}`,
    reconnect: false,
    ignoreClusterUpdates: true,
    timeout: CONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    inboxPrefix: inboxPrefix(hub),
    ...(ca === null ? {} : { tls: { ca } }),
    ...(seed === null
      ? {}
      : { authenticator: config.jwt === null ? nkeyAuthenticator(seed) : jwtAuthenticator(config.jwt, seed) }),
  });
  const over = new AbortController();
  const closed = connection.closed().then(() => over.abort());
  const close = (): void => void connection.close();
  ended.addEventListener("abort", close, { once: true });
  if (ended.aborted) close();
  try {
    const stream = jetstream(connection, { timeout: REQUEST_MS });
    const buckets = new Kvm(stream);
    const names = estateNames(estate);
    const session: Session = {
      connection,
      stream,
      manager: await jetstreamManager(connection, { timeout: REQUEST_MS, checkAPI: false }),
      cards: await buckets.open(names.hubs),
      isOver: () => over.signal.aborted,
      pause: (ms, waiting) => pause(clock, ms, over.signal, waiting),
    };
    if (session.isOver()) return;
    changed(null);
    await work(session);
  } finally {
    ended.removeEventListener("abort", close);
    await connection.close().catch(() => undefined); // it may have ended by itself
    await closed;
  }
}

/** Waits, but not beyond an end. `waiting` gets a function that ends the wait. */
export function pause(
  clock: Clock,
  ms: number,
  until: AbortSignal,
  waiting: (end: () => void) => void = () => {},
): Promise<void> {
  if (until.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      timer.stop();
      until.removeEventListener("abort", done);
      resolve();
    };
    const timer = clock.after(ms, done);
    until.addEventListener("abort", done, { once: true });
    waiting(done);
  });
}
