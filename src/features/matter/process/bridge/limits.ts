import { Logger } from "@matter/main";
import type { SecureSession, SessionManager, Subscription } from "@matter/main/protocol";

const logger = Logger.get("Bridge");

/**
 * Subscriptions of one session, and of all sessions of a home. A home's hub keeps one or two, each phone another, and
 * each costs its reports. The library limits the sessions of one node, and nothing else.
 */
const MOST_OF_SESSION = 10;
const MOST_OF_FABRIC = 60;
/** Sessions of a home: it may have many phones, and names its nodes itself. */
const MOST_SESSIONS = 100;

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
