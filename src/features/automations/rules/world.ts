import type { HouseMode, Whereabouts } from "../../../core/api/house.ts";
import type { JsonObject } from "../../../core/kernel/json-object.ts";

/** A site's location: its IANA time zone and, if its owner set them, its coordinates in degrees. */
export interface SitePlace {
  readonly timeZone: string;
  readonly latitude: number | null;
  readonly longitude: number | null;
}

/** What conditions are judged against: one moment at one site. */
export interface World {
  /** Wall time, epoch ms; null while the clock cannot be trusted. */
  readonly now: number | null;
  readonly place: SitePlace;
  /** State of a device; null when it was removed. */
  state(deviceId: string): JsonObject | null;
  /** Vehicles inside. */
  occupancy(): number;
  /** What the house is set to. */
  mode(): HouseMode;
  /**
   * Where a person is, or, without one, whether somebody is home. Null: not known; undefined: the person is not in the
   * household.
   */
  whereIs(person?: number): Whereabouts | null | undefined;
}
