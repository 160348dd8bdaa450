import type { AuthenticateError, Client, ConnectPacket } from "aedes";
import type { Clock } from "../kernel/clock.ts";
import { randomBase62 } from "../kernel/ids.ts";
import type { Logger } from "../kernel/logger.ts";
import { TokenBuckets } from "../kernel/token-bucket.ts";
import { clientIdAllowed } from "./authorise.ts";
import {
  type BridgeLogin,
  bridgeClientId,
  bridgeClientIdAllowed,
  bridgeClientName,
  bridgeSubject,
} from "./bridge-access-policy.ts";
import type { Connection, DeviceIdentity } from "./connection.ts";
import type { MqttLimits } from "./limits.ts";
import type { Refusals } from "./refusals.ts";

/** CONNACK return codes of MQTT 3.1.1 §3.2.2.3. */
const IDENTIFIER_REJECTED = 2;
const SERVER_UNAVAILABLE = 3;
const BAD_USER_NAME_OR_PASSWORD = 4;

/** Type of an identity that is not a device. */
const BRIDGED = "bridge";
/** Topic and packet identifier, in addition to the payload. */
const HEADER_BYTES = 512;

interface Credential {
  readonly username: string | undefined;
  readonly password: Buffer | undefined;
}

type Done = (error: AuthenticateError | null, success: boolean | null) => void;

/** Who may connect, and under which client id. */
export class Login {
  readonly #options: ConstructorParameters<typeof Login>[0];
  readonly #logged = new TokenBuckets({ quota: 1, periodMs: 60_000, burst: 1 }, 1_000);
  readonly #loggedAll = new TokenBuckets({ quota: 10, periodMs: 60_000, burst: 10 }, 1);
  /** Repeats the check of a connection's credential. */
  readonly #again = new WeakMap<Connection, () => boolean>();

  constructor(options: {
    readonly limits: MqttLimits;
    /** The owner of this credential; null: none. */
    readonly authenticate: (deviceId: string, password: string) => DeviceIdentity | null;
    /** Whether native devices alone may use this name. */
    readonly isDevice: (username: string) => boolean;
    /** Why the bridge does not let a client in, or null; absent without a bridge. */
    readonly admitBridged: ((login: BridgeLogin) => string | null) | null;
    /** Whether the device may open this connection in addition to those that it has. */
    readonly hasRoom: (deviceId: string, clientId: string) => boolean;
    readonly refusals: Refusals;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  /** Looks at CONNECT before Aedes acts on it. */
  prepare(connection: Connection, packet: ConnectPacket): void {
    // Only MQTT 3.1.1 is spoken. Aedes also takes 3.1; to it, 2 is unknown and answered with CONNACK 1.
    if (packet.protocolVersion === 3) Object.assign(packet, { protocolVersion: 2 });
    const limit = this.#options.limits.keepAliveLimitSeconds;
    const keepalive = packet.keepalive ?? 0;
    if (keepalive === 0 || keepalive > limit) packet.keepalive = limit;
    const { isDevice, admitBridged } = this.#options;
    const username = packet.username ?? "";
    if (packet.clientId === "") connection.namelessSession = packet.clean === false;
    if (admitBridged !== null && username !== "" && !isDevice(username))
      packet.clientId = bridgeClientId(username, packet.clientId, () => randomBase62(16));
    else if (packet.clientId === "") packet.clientId = `${username}:${randomBase62(16)}`;
  }

  /** Reports to Aedes whether the credential is valid; fills `connection.identity` when it is. */
  authenticate(client: Client, connection: Connection, credential: Credential, done: Done): void {
    const verdict = connection.namelessSession
      ? IDENTIFIER_REJECTED
      : this.#withRoom(client.id, this.#check(client.id, connection.address, credential));
    if (typeof verdict !== "number") {
      const { packetBytes, cameraPacketBytes, bridgePacketBytes } = this.#options.limits;
      const most =
        verdict.type === "camera"
          ? cameraPacketBytes
          : verdict.type === BRIDGED
            ? bridgePacketBytes + HEADER_BYTES
            : packetBytes;
      connection.identity = verdict;
      this.#again.set(connection, () => typeof this.#check(client.id, connection.address, credential) !== "number");
      connection.guard.accept(packetBytes, Math.max(packetBytes, most));
      done(null, true);
    } else if (verdict === BAD_USER_NAME_OR_PASSWORD)
      this.#options.clock.after(this.#options.limits.refusalDelayMs, () => done(refusal(verdict), null));
    else done(refusal(verdict), null);
  }

  /**
   * Checks whether the credential of a connection is still valid now that it is open. The hub may have waited for the
   * disk in between, and revoking the credential meanwhile found no connection to close. A connection whose credential
   * is no longer valid loses its identity.
   */
  stands(connection: Connection): boolean {
    const isGood = this.#again.get(connection)?.() ?? false;
    this.#again.delete(connection);
    if (!isGood) connection.identity = null;
    return isGood;
  }

  /** The device, or the CONNACK code of the refusal. */
  #check(clientId: string, address: string, credential: Credential): DeviceIdentity | number {
    let identity: DeviceIdentity | string;
    if (!credential.username || credential.password === undefined || credential.password.length === 0) {
      this.#refuse(credential.username ?? "", address, credential.username ? "no_password" : "anonymous");
      return BAD_USER_NAME_OR_PASSWORD;
    }
    try {
      identity = this.#identify(clientId, address, credential.username, credential.password.toString("utf8"));
    } catch (error) {
      this.#options.logger.error({ err: error }, "a device's credential could not be checked");
      return SERVER_UNAVAILABLE;
    }
    if (typeof identity === "string") {
      this.#refuse(credential.username, address, identity);
      return BAD_USER_NAME_OR_PASSWORD;
    }
    const allowed =
      identity.type === BRIDGED ? bridgeClientIdAllowed(clientId) : clientIdAllowed(clientId, identity.deviceId);
    if (!allowed) {
      this.#count(identity.deviceId, "foreign_client_id", clientId);
      return IDENTIFIER_REJECTED;
    }
    return identity;
  }

  /**
   * Whether a device may have one more connection. An admitted connection keeps its place: this is not checked again.
   */
  #withRoom(clientId: string, verdict: DeviceIdentity | number): DeviceIdentity | number {
    if (typeof verdict === "number" || this.#options.hasRoom(verdict.deviceId, clientId)) return verdict;
    this.#count(verdict.deviceId, "too_many_connections", clientId);
    return SERVER_UNAVAILABLE;
  }

  /** The identity, or the reason why there is none. */
  #identify(clientId: string, address: string, username: string, password: string): DeviceIdentity | string {
    const { authenticate, admitBridged } = this.#options;
    const bridged = bridgeClientName(clientId);
    if (bridged === null || admitBridged === null) return authenticate(username, password) ?? "wrong_credential";
    return (
      admitBridged({ ...bridged, password, address }) ?? { deviceId: bridgeSubject(username), siteId: 0, type: BRIDGED }
    );
  }

  /**
   * Records a sign-in that failed. One in the name of a device is recorded with that device, where its owner looks for
   * it, and a limited number of times in the log; the client gets the same answer as for any other name. The password
   * that was tried is not kept.
   */
  #refuse(username: string, address: string, reason: string): void {
    if (!this.#options.isDevice(username)) {
      this.#count("", reason, `${username} ${address}`.trim());
      return;
    }
    this.#count(username, reason === "wrong_credential" ? "wrong_password" : reason, address);
    const now = this.#options.clock.mono();
    if (this.#logged.take(username, now).allowed && this.#loggedAll.take("", now).allowed)
      this.#options.logger.warn(
        { deviceId: username, address, reason },
        "a connection in the name of a device was refused",
      );
  }

  #count(deviceId: string, reason: string, topic: string): void {
    this.#options.refusals.count(deviceId, { reason, topic, at: this.#options.clock.now() });
  }
}

function refusal(returnCode: number): AuthenticateError {
  return Object.assign(new Error(`CONNACK ${returnCode}`), { returnCode });
}
