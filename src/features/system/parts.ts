import type { Facts } from "../../core/api/facts.ts";
import type { AgeLimits } from "../../core/jobs/age-limits.ts";
import type { Bus } from "../../core/kernel/bus.ts";
import type { FileTroubles } from "../../core/kernel/file-troubles.ts";
import type { Authority } from "../../core/platform/certificates.ts";
import type { ClockTrust } from "../../core/platform/clock-trust.ts";
import type { HubClock } from "../../core/platform/hub-clock.ts";
import type { SntpServer } from "../../core/platform/sntp-server.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Access } from "../access/access.ts";
import type { Automations } from "../automations/automations.ts";
import type { BridgeParts } from "../bridge/feature.ts";
import type { RecognitionParts } from "../cameras/feature.ts";
import type { DeviceParts } from "../devices/feature.ts";
import type { EstateParts } from "../estate/parts.ts";
import type { PlateParts } from "../gate/feature.ts";
import type { MatterParts } from "../matter/parts.ts";
import type { Broker } from "../mqtt/broker.ts";
import type { NotificationParts } from "../notifications/feature.ts";
import type { OutsideParts } from "../outside-broker/feature.ts";
import type { SandboxParts } from "../sandbox/feature.ts";
import type { SeriesParts } from "../series/feature.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { WebhookParts } from "../webhooks/feature.ts";
import type { BoxParts } from "./box.ts";

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
