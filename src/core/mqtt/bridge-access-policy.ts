/**
 * Clients other than native devices: they connect with a credential of the bridge and speak the topics of other makes'
 * firmware. This interface defines how the broker names them and what it asks about them. Must never know who they are
 * or what their rights are.
 */

/** A client of the bridge. */
export interface BridgeClientName {
  readonly username: string;
  /** The client id as given; null if the broker generated one for the connection. */
  readonly mqttClientId: string | null;
}

/** A connection that wants in. */
export interface BridgeLogin extends BridgeClientName {
  readonly password: string;
  readonly address: string;
}

/** The broker's questions about clients of the bridge. */
export interface BridgeAccessPolicy {
  /** Null: the client may connect. Else the reason why not, to be counted. */
  admit(login: BridgeLogin): string | null;
  mayPublish(client: BridgeClientName, topic: string): boolean;
  /**
   * Whether some topic that matches `filter` may reach the client; each message is checked again with {@link
   * mayReceive}.
   */
  maySubscribe(client: BridgeClientName, filter: string): boolean;
  mayReceive(client: BridgeClientName, topic: string): boolean;
  /** Whether a client awaits acceptance: nothing from it is forwarded or retained. */
  isWaiting(client: BridgeClientName): boolean;
  /**
   * A retained message that {@link mayPublish} refused. True: kept until the client's own announcement gives it a
   * meaning, and not treated as a refusal.
   */
  keepEarly(client: BridgeClientName, topic: string, payload: Buffer): boolean;
  /** Whether messages of this topic may be larger than others. */
  isLarge(topic: string): boolean;
  /** A message; resolves once its effects are on disk. Fails like the native handlers. */
  message(
    client: BridgeClientName,
    message: { readonly topic: string; readonly payload: Buffer; readonly durable: boolean },
  ): Promise<void>;
  connected(client: BridgeClientName): void;
  disconnected(client: BridgeClientName): void;
}

/** Never part of a device id, so that no client of the bridge can be mistaken for a device. */
const PREFIX = "bridge/";
/** Client ids of other makes' firmware: MQTT bounds them at 23 characters, hardly anybody keeps to that. */
const GIVEN = /^[\x20-\x7e]{1,128}$/;
/** Client ids made up here begin with it. */
const MADE_UP = "~";

/**
 * The name under which the broker counts a user name's connections, sessions and refusals: where a device has its id.
 */
export function bridgeSubject(username: string): string {
  return PREFIX + encodeURIComponent(username);
}

/** The user name behind a subject of {@link bridgeSubject}; null for any other subject. */
export function usernameOf(subject: string | null): string | null {
  return subject === null || !isBridged(subject) ? null : decodeURIComponent(subject.slice(PREFIX.length));
}

/** Whether this is a client of the bridge, by its subject or its client id within the broker. */
export function isBridged(subjectOrClientId: string): boolean {
  return subjectOrClientId.startsWith(PREFIX);
}

/** The client id within the broker: two makes may choose the same one, and one of them a native device's. */
export function bridgeClientId(username: string, given: string, random: () => string): string {
  return `${bridgeSubject(username)}:${given === "" ? MADE_UP + random() : given}`;
}

/** Whether a client id belongs to a client of the bridge, with an accepted length and accepted characters. */
export function bridgeClientIdAllowed(clientId: string): boolean {
  return isBridged(clientId) && GIVEN.test(clientId.slice(clientId.indexOf(":") + 1));
}

/** The client behind an id of {@link bridgeClientId}; null for native devices. */
export function bridgeClientName(clientId: string): BridgeClientName | null {
  if (!isBridged(clientId)) return null;
  const colon = clientId.indexOf(":");
  const given = clientId.slice(colon + 1);
  return {
    username: decodeURIComponent(clientId.slice(PREFIX.length, colon)),
    mqttClientId: given.startsWith(MADE_UP) ? null : given,
  };
}
