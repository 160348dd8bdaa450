import { getTimes } from "suncalc";
import { type DayNumber, dayAt } from "../../../core/kernel/local-time.ts";
import type { SitePlace } from "./world.ts";

const DAY_MS = 86_400_000;

/** A site whose coordinates are known. */
export interface SunPlace {
  readonly timeZone: string;
  readonly latitude: number;
  readonly longitude: number;
}

/** The place with its coordinates, or null when the owner has set none: then the sun neither rises nor sets. */
export function sunPlace(place: SitePlace): SunPlace | null {
  const { timeZone, latitude, longitude } = place;
  return latitude === null || longitude === null ? null : { timeZone, latitude, longitude };
}

/**
 * The instant of sunrise or sunset on a local calendar day; null when there is none on that day (polar day or night).
 * If clock and sun are far apart, the event may belong to a neighbouring solar day: the one on the local day counts.
 */
export function sunEvent(event: "sunrise" | "sunset", place: SunPlace, day: DayNumber): number | null {
  for (const shift of [0, -1, 1]) {
    const time = getTimes(new Date((day + shift) * DAY_MS + DAY_MS / 2), place.latitude, place.longitude)[event];
    if (time !== null && dayAt(place.timeZone, time.getTime()) === day) return Math.round(time.getTime());
  }
  return null;
}

/** Whether the sun is above the horizon (the rise and set altitude) at an instant. */
export function isSunUp(place: SunPlace, instantMs: number): boolean {
  for (const shift of [-1, 0, 1]) {
    const times = getTimes(new Date(instantMs + shift * DAY_MS), place.latitude, place.longitude);
    if (times.sunrise === null || times.sunset === null) {
      const noon = times.solarNoon.getTime();
      if (Math.abs(instantMs - noon) <= DAY_MS / 2) return times.alwaysUp === true;
    } else if (instantMs >= times.sunrise.getTime() && instantMs < times.sunset.getTime()) return true;
  }
  return false;
}
