import type { Facts } from "./api/facts.ts";
import type { Bus } from "./kernel/bus.ts";
import type { Logger } from "./kernel/logger.ts";
import type { QuietWrites } from "./kernel/quiet-writes.ts";
import type { ClockTrust } from "./platform/clock-trust.ts";
import type { HubClock } from "./platform/hub-clock.ts";
import type { HubKey } from "./platform/hub-key.ts";
import type { OwnAddress } from "./platform/own-address.ts";
import type { HubTls } from "./platform/tls.ts";
import type { Settings } from "./settings/schema.ts";
import type { SettingsStore } from "./settings/store.ts";
import type { Database } from "./storage/database.ts";
import type { Reserve } from "./storage/reserve.ts";

/** What every feature is built on. Everything else that a feature uses is another feature. */
export interface Base {
  /** The values in force; read at the moment of use if a setting needs no restart. */
  readonly settings: () => Settings;
  readonly store: SettingsStore;
  readonly database: Database;
  /** For jobs that free room on a full disk. */
  readonly reserve: Reserve;
  readonly bus: Bus<Facts>;
  /** The hub's time: the machine's, as far as it can be trusted. */
  readonly clock: HubClock;
  readonly trust: ClockTrust;
  readonly quietWrites: QuietWrites;
  readonly logger: Logger;
  /** Seals secrets, and derives those that only this hub has. */
  readonly hubKey: HubKey;
  /** Certificates for https and mqtts; null while TLS is off. */
  readonly tls: HubTls | null;
  readonly address: OwnAddress;
  readonly version: string;
  /** The data folder, absolute. */
  readonly dataFolder: string;
  /** Root of the installed project, absolute. */
  readonly projectFolder: string;
  /** Restarts the process; null where nothing would start it again. */
  readonly restart: (() => void) | null;
}
