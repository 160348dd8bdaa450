import type { AuthenticateError, Client, ConnectPacket } from "aedes";
import type { Clock } from "../kernel/clock.js";
import { randomBase62 } from "../kernel/ids.js";
import type { Logger } from "../kernel/logger.js";
import { clientIdAllowed } from "./authorise.js";
import type { Connection, DeviceIdentity } from "./connection.js";
import type { MqttLimits } from "./limits.js";
import type { Refusals } from "./refusals.js";

/** What {@link Login} needs. */
export interface LoginOptions {
  readonly limits: MqttLimits;
  /** Who owns this credential; null: nobody. */
  readonly authenticate: (deviceId: string, password: string) => DeviceIdentity | null;
  /** Whether the device may open this connection beside those it has. */
  readonly hasRoom: (deviceId: string, clientId: string) => boolean;
  readonly refusals: Refusals;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** CONNACK return codes of MQTT 3.1.1 §3.2.2.3. */
const IDENTIFIER_REJECTED = 2;
const SERVER_UNAVAILABLE = 3;
const BAD_USER_NAME_OR_PASSWORD = 4;

interface Credential {
  readonly username: string | undefined;
  readonly password: Buffer | undefined;
}

type Done = (error: AuthenticateError | null, success: boolean | null) => void;

/** Who may connect, and under which client id. */
export class Login {
  readonly #options: LoginOptions;

  constructor(options: LoginOptions) {
    this.#options = options;
  }

  /** Looks at CONNECT before Aedes acts on it. */
  prepare(connection: Connection, packet: ConnectPacket): void {
    // MQTT 3.1.1 is spoken, nothing else. Aedes also takes 3.1; to it, 2 is unknown and answered with CONNACK 1.
    if (packet.protocolVersion === 3) Object.assign(packet, { protocolVersion: 2 });
    const limit = this.#options.limits.keepAliveLimitSeconds;
    const keepalive = packet.keepalive ?? 0;
    if (keepalive === 0 || keepalive > limit) packet.keepalive = limit;
    if (packet.clientId !== "") return;
    connection.namelessSession = packet.clean === false;
    packet.clientId = `${packet.username ?? ""}:${randomBase62(16)}`;
  }

  /** Answers Aedes whether the credential is good; fills `connection.identity` when it is. */
  authenticate(client: Client, connection: Connection, credential: Credential, done: Done): void {
    const verdict = connection.namelessSession ? IDENTIFIER_REJECTED : this.#check(client.id, credential);
    if (typeof verdict !== "number") {
      const { packetBytes, cameraPacketBytes } = this.#options.limits;
      connection.identity = verdict;
      connection.guard.accept(verdict.type === "camera" ? Math.max(packetBytes, cameraPacketBytes) : packetBytes);
      done(null, true);
    } else if (verdict === BAD_USER_NAME_OR_PASSWORD) this.#options.clock.after(this.#options.limits.refusalDelayMs, () => done(refusal(verdict), null));
    else done(refusal(verdict), null);
  }

  /** The device, or the CONNACK code of the refusal. */
  #check(clientId: string, credential: Credential): DeviceIdentity | number {
    let identity: DeviceIdentity | null;
    try {
      identity = this.#identify(credential.username, credential.password);
    } catch (error) {
      this.#options.logger.error({ err: error }, "a device's credential could not be checked");
      return SERVER_UNAVAILABLE;
    }
    if (identity === null) {
      this.#count("", "wrong_credential", credential.username ?? "");
      return BAD_USER_NAME_OR_PASSWORD;
    }
    if (!clientIdAllowed(clientId, identity.deviceId)) {
      this.#count(identity.deviceId, "foreign_client_id", clientId);
      return IDENTIFIER_REJECTED;
    }
    if (this.#options.hasRoom(identity.deviceId, clientId)) return identity;
    this.#count(identity.deviceId, "too_many_connections", clientId);
    return SERVER_UNAVAILABLE;
  }

  #identify(username: string | undefined, password: Buffer | undefined): DeviceIdentity | null {
    if (username === undefined || username === "" || password === undefined) return null;
    return this.#options.authenticate(username, password.toString("utf8"));
  }

  #count(deviceId: string, reason: string, topic: string): void {
    this.#options.refusals.count(deviceId, { reason, topic, at: this.#options.clock.now() });
  }
}

function refusal(returnCode: number): AuthenticateError {
  return Object.assign(new Error(`CONNACK ${returnCode}`), { returnCode });
}
