import type { Access } from "../access/access.js";
import type { Automations } from "../automations/automations.js";
import type { Facts } from "../contract/facts.js";
import type { AgeLimits } from "../jobs/age-limits.js";
import type { Bus } from "../kernel/bus.js";
import type { FileTroubles } from "../kernel/file-troubles.js";
import type { Broker } from "../mqtt/broker.js";
import type { Authority } from "../platform/certificates.js";
import type { ClockTrust } from "../platform/clock-trust.js";
import type { HubClock } from "../platform/hub-clock.js";
import type { SntpServer } from "../platform/sntp-server.js";
import type { Database } from "../storage/database.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { BoxParts } from "./box.js";
import type { BridgeParts } from "./bridge-parts.js";
import type { DeviceParts } from "./device-parts.js";
import type { EstateParts } from "./estate.js";
import type { MatterParts } from "./matter.js";
import type { NotificationParts } from "./notification-parts.js";
import type { OutsideParts } from "./outside-parts.js";
import type { PlateParts } from "./plate-parts.js";
import type { RecognitionParts } from "./recognition-parts.js";
import type { SandboxParts } from "./sandbox-parts.js";
import type { SeriesParts } from "./series-parts.js";
import type { WebhookParts } from "./webhook-parts.js";

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
