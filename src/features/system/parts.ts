import type { Access } from "../access/access.js";
import type { Automations } from "../automations/automations.js";
import type { Facts } from "../../core/api/facts.js";
import type { AgeLimits } from "../../core/jobs/age-limits.js";
import type { Bus } from "../../core/kernel/bus.js";
import type { FileTroubles } from "../../core/kernel/file-troubles.js";
import type { Broker } from "../mqtt/broker.js";
import type { Authority } from "../../core/platform/certificates.js";
import type { ClockTrust } from "../../core/platform/clock-trust.js";
import type { HubClock } from "../../core/platform/hub-clock.js";
import type { SntpServer } from "../../core/platform/sntp-server.js";
import type { Database } from "../../core/storage/database.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { BoxParts } from "./box.js";
import type { BridgeParts } from "../bridge/feature.js";
import type { DeviceParts } from "../devices/feature.js";
import type { EstateParts } from "../estate/parts.js";
import type { MatterParts } from "../matter/parts.js";
import type { NotificationParts } from "../notifications/feature.js";
import type { OutsideParts } from "../outside-broker/feature.js";
import type { PlateParts } from "../gate/feature.js";
import type { RecognitionParts } from "../cameras/feature.js";
import type { SandboxParts } from "../sandbox/feature.js";
import type { SeriesParts } from "../series/feature.js";
import type { WebhookParts } from "../webhooks/feature.js";

/** The parts of a hub that the web server and the command line use. */
export interface HubParts {
  /** The hub's time: the machine's, as far as it can be trusted. */
  readonly clock: HubClock;
  /** Files of the hub's own that could not be used at this start. */
  readonly troubles: FileTroubles;
  /** Whether `hub.key` is not the key with which the database's secrets were sealed. */
  readonly isKeyForeign: boolean;
  readonly database: Database;
  readonly bus: Bus<Facts>;
  readonly access: Access;
  readonly devices: DeviceParts;
  readonly telemetry: Telemetry;
  readonly automations: Automations;
  readonly plates: PlateParts;
  readonly recognition: RecognitionParts;
  readonly webhooks: WebhookParts;
  readonly notifications: NotificationParts;
  readonly broker: Broker;
  readonly bridge: BridgeParts;
  readonly outside: OutsideParts;
  readonly estate: EstateParts;
  readonly series: SeriesParts;
  readonly matter: MatterParts;
  readonly sntp: SntpServer | null;
  readonly sandbox: SandboxParts;
  readonly trust: ClockTrust;
  /** Deletion by age. */
  readonly ages: AgeLimits;
  readonly box: BoxParts;
  /** The hub's own certificate authority; null without one. */
  readonly authority: Authority | null;
}
