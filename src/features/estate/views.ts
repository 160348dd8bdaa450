import type { Occupancy } from "../../core/plates/occupancy.ts";
import type { EstateReadRow } from "./tables/estate-read.ts";
import type { EstateRuleRow, LastSeenRow } from "./tables/estate-vehicle.ts";

/** This hub's state in its estate; times are epoch milliseconds. */
export interface EstateHealth {
  readonly estate: string;
  readonly hub: string;
  readonly name: string;
  readonly part: string;
  readonly role: "gate" | "manager";
  readonly connected: boolean;
  /** Since when that has been so; null before the first report. */
  readonly since: number | null;
  /** When this hub last had everything that the servers had; null: never. */
  readonly currentAt: number | null;
  /** Own reads that the estate does not have yet. */
  readonly waiting: number;
  /** Messages that this hub has not taken yet; null while it is cut off. */
  readonly behind: number | null;
  /** How far this hub's clock is ahead of the servers'. */
  readonly clockOffMs: number | null;
  /** Why there is no connection, in English; null while there is one. */
  readonly error: string | null;
  /** Why the servers refuse this hub's messages, in their words: they may be full. Null while they accept them. */
  readonly refusal: string | null;
  readonly servers: readonly string[];
}

/** Another hub. */
export interface EstatePeer {
  readonly hub: string;
  readonly name: string;
  readonly part: string;
  readonly role: "gate" | "manager";
  readonly version: string;
  readonly gates: readonly { readonly deviceId: string; readonly name: string }[];
  readonly heardAt: number | null;
  readonly online: boolean;
  readonly waiting: number | null;
  readonly behind: number | null;
  readonly clockOffMs: number | null;
  /** Its reads of the last 24 hours, as far as this hub has them. */
  readonly reads: number;
  readonly lastReadAt: number | null;
}

/** How full a part of the site is. */
export interface PartOccupancy extends Occupancy {
  readonly part: string;
  readonly name: string;
}

/** A read of any gate of the estate. */
export type EstateRead = Pick<
  EstateReadRow,
  | "hub"
  | "uid"
  | "part"
  | "plate"
  | "formatted"
  | "deviceId"
  | "camera"
  | "direction"
  | "decision"
  | "confidence"
  | "label"
  | "at"
> & {
  /** Name of the hub. */
  readonly hubName: string;
  /** The id of the same read in this hub's own list; null for other hubs' reads. */
  readonly localId: number | null;
};

/** A vehicle that was seen at any gate, or that has a rule for all cameras. */
export interface EstateVehicle {
  readonly plate: string;
  readonly formatted: string;
  /** Its name; empty if it was never named. */
  readonly label: string;
  readonly rule: EstateRuleRow["kind"] | null;
  readonly inside: readonly { readonly part: string; readonly entryAt: number }[];
  /** Null: never. */
  readonly lastSeen: (LastSeenRow & { readonly hubName: string }) | null;
}
