import type { Admission } from "../kernel/admission.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";
import type { Database } from "../storage/database.ts";
import type { BridgeAccessPolicy } from "./bridge-access-policy.ts";
import type { CommandDelivery, CommandResults } from "./command-delivery.ts";
import type { DeviceIdentity } from "./connection.ts";
import type { Forwarding } from "./forwarding.ts";
import type { Intake } from "./intake.ts";
import type { MqttLimits } from "./limits.ts";
import type { TlsMaterial } from "./listeners.ts";
import type { NativeHandlers } from "./native-topics.ts";
import type { Persistence } from "./persistence.ts";

/** Dependencies of Broker. */
export interface BrokerOptions {
  /** Address to bind to. */
  readonly host: string;
  /** TCP port; 0 takes any free one, null listens on none. */
  readonly port: number | null;
  readonly tls: ({ readonly port: number } & TlsMaterial) | null;
  /** First level of every topic. */
  readonly topicRoot: string;
  readonly limits: MqttLimits;
  readonly database: Database;
  /** The owner of this credential; null: none. */
  readonly authenticate: (deviceId: string, password: string) => DeviceIdentity | null;
  /** Whether native devices alone may use a user name; needed with a bridge. */
  readonly isDevice?: (username: string) => boolean;
  /** Clients of other makes; without it only native devices are admitted. */
  readonly bridge?: BridgeAccessPolicy;
  readonly handlers: NativeHandlers;
  readonly results: CommandResults;
  /** False while the wall clock may be wrong: commands queued before the last stop are dropped then. */
  readonly clockTrusted: () => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Figures of the broker for health checks, metrics and the console. */
export interface BrokerFigures {
  readonly connections: Admission["figures"];
  readonly devices: number;
  readonly messages: Intake["figures"];
  readonly commands: CommandDelivery["figures"];
  readonly stored: Persistence["figures"];
  readonly refused: number;
  readonly slow: Forwarding["figures"];
}
