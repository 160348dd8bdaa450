import type { Facts } from "../../core/api/facts.ts";
import type { RecordFeedItem } from "../../core/api/feed-kinds.ts";
import type { Bus } from "../../core/kernel/bus.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { Database } from "../../core/storage/database.ts";
import type { EstateConfig } from "./config.ts";

/** A gate of this hub that others may ask to open. */
export interface EstateGate {
  readonly deviceId: string;
  readonly name: string;
}

/** The shared dependencies of an estate's parts. */
export interface EstateBase {
  readonly config: EstateConfig;
  readonly database: Database;
  readonly bus: Bus<Facts>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** This hub's live household; null without an owner. */
  readonly siteId: () => number | null;
  /** A plate's form in subjects and keys. */
  readonly tokenOf: (plate: string) => string;
  readonly recordFeed: RecordFeedItem;
  /**
   * How far this hub's clock is ahead of the estate's, as far as it matters; while disconnected, the last measurement.
   */
  readonly clockOffMs: () => number;
}

/** The hub's services that an estate uses. */
export interface EstatePorts {
  readonly version: string;
  /** Name of a device; its id if it has none. */
  readonly deviceName: (deviceId: string) => string;
  /** Gates that managers at other hubs may open; null if this hub does not allow it. */
  readonly gates: () => readonly EstateGate[] | null;
  /** Forgets a plate on this hub, without notifying the others. */
  readonly forgetHere: (siteId: number, plate: string, actor: string) => Promise<unknown>;
  /** Commands a gate to open. @throws Problem device_not_found */
  readonly openHere: (siteId: number, deviceId: string, actor: string) => Promise<unknown>;
  /** Called inside a job of the database. */
  readonly recordAudit: (entry: {
    readonly siteId: number;
    readonly actor: string;
    readonly action: string;
    readonly target: string;
    readonly detail: object;
    readonly at: number;
  }) => void;
}
