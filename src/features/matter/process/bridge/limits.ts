import { Logger } from "@matter/main";
import type { SecureSession, SessionManager, Subscription, UnsecuredSession } from "@matter/main/protocol";

const logger = Logger.get("Bridge");

/**
 * Subscriptions of one session, and of all sessions of a home. A home's hub keeps one or two, each phone another, and
 * each costs its reports. The library limits the sessions of one node, and nothing else.
 */
const MOST_OF_SESSION = 10;
const MOST_OF_FABRIC = 60;
/** Sessions of a home: it may have many phones, and names its nodes itself. */
const MOST_SESSIONS = 100;

/**
 * Handshakes under way, of anybody on the network: each stays until its peer has acknowledged the last answer, or that
 * was repeated often enough. A home begins one at a time.
 */
const MOST_HANDSHAKES = 64;

/**
 * Ends the oldest handshake of the address that has most when there are too many. An attacker with a whole network of
 * addresses ends those of others, who begin again.
 */
export function limitHandshakes(sessions: SessionManager): void {
  const create = sessions.createUnsecuredSession.bind(sessions);
  const ending = new WeakSet<object>();
  sessions.createUnsecuredSession = (options) => {
    const open = [...sessions.unsecuredSessions.values()].filter((one) => !ending.has(one) && !one.isClosed);
    if (open.length >= MOST_HANDSHAKES) {
      const ofAddress = Map.groupBy(open, addressOf);
      const [oldest] = [...ofAddress.values()].reduce((a, b) => (b.length > a.length ? b : a));
      if (oldest !== undefined) {
        ending.add(oldest);
        oldest
          .initiateForceClose({ cause: new Error("too many handshakes") })
          .catch((error: unknown) => logger.warn("a handshake did not end", error));
      }
    }
    return create(options);
  };
}

function addressOf({ channel }: UnsecuredSession): string {
  return channel.networkAddress?.ip ?? "";
}

/** Ends the oldest subscriptions and sessions of a home that has more than any home needs. */
export function limitSessions(sessions: SessionManager): void {
  const ending = new WeakSet<object>();
  const end = (one: object, what: string, close: () => Promise<void>): void => {
    if (ending.has(one)) return;
    ending.add(one);
    logger.info(`a home has too many ${what}; its oldest ends`);
    close().catch((error: unknown) => logger.warn(`a ${what} of a home did not end`, error));
  };
  const endSubscriptions = (all: readonly Subscription[], most: number): void => {
    const open = all.filter((one) => !ending.has(one));
    for (const one of open.slice(0, Math.max(0, open.length - most))) end(one, "subscriptions", () => one.close());
  };
  sessions.subscriptionsChanged.on((session) => {
    endSubscriptions([...session.subscriptions], MOST_OF_SESSION);
    const { fabric } = session;
    if (fabric === undefined) return;
    const all = sessions.forFabric(fabric).flatMap((one) => [...one.subscriptions]);
    endSubscriptions(
      all.sort((a, b) => a.subscriptionId - b.subscriptionId),
      MOST_OF_FABRIC,
    );
  });
  sessions.sessions.added.on((session) => {
    const { fabric } = session;
    if (fabric === undefined) return;
    const own: SecureSession[] = sessions.forFabric(fabric).filter((one) => !ending.has(one));
    own.sort((a, b) => a.timestamp - b.timestamp);
    for (const one of own.slice(0, Math.max(0, own.length - MOST_SESSIONS)))
      end(one, "sessions", () => one.initiateClose());
  });
}
