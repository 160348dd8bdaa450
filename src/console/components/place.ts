/** Where a house is: what people type and paste for it, the cities that the console knows, and its sun. */
import { getTimes } from "suncalc";

/** A point in degrees: north and east are positive. */
export interface Place {
  readonly latitude: number;
  readonly longitude: number;
}

/** A city of `cities.json`; its name may hold a former one in brackets. */
export interface City extends Place {
  readonly name: string;
  /** ISO 3166. */
  readonly country: string;
  readonly timeZone: string;
}

const NUMBER = String.raw`(-?\d{1,3}(?:\.\d+)?)`;
/**
 * Where maps write a place: Google (`!3d…!4d…` is the pin, `@…` the view), OpenStreetMap, Apple, `geo:`; and last two
 * plain numbers with or without the signs and letters of degrees.
 */
const WRITTEN: readonly RegExp[] = [
  new RegExp(`!3d${NUMBER}!4d${NUMBER}`),
  new RegExp(`[?&]mlat=${NUMBER}&mlon=${NUMBER}`),
  new RegExp(`[?&](?:q|ll|query|center|destination)=(?:loc:)?${NUMBER}(?:,|%2C)\\s*\\+?${NUMBER}`, "i"),
  new RegExp(`@${NUMBER},${NUMBER}`),
  new RegExp(`#map=[\\d.]+/${NUMBER}/${NUMBER}`),
  new RegExp(`^geo:${NUMBER},${NUMBER}`),
];
const PLAIN = new RegExp(`^${NUMBER}\\s*°?\\s*([NS]?)[\\s,;/]+${NUMBER}\\s*°?\\s*([EW]?)$`, "i");
const DAY_MS = 86_400_000;
/** More digits than anybody knows about a house: a hundred-thousandth of a degree is a metre. */
const DIGITS = 5;

/** The place that a text names: `18.52, 73.85`, `18.52° N, 73.85° E`, or a link to a map; null if it names none. */
export function placeIn(text: string): Place | null {
  const plain = PLAIN.exec(text.trim());
  if (plain !== null) {
    const [, north = "", ns = "", east = "", ew = ""] = plain;
    return placeAt(Number(north) * (/s/i.test(ns) ? -1 : 1), Number(east) * (/w/i.test(ew) ? -1 : 1));
  }
  for (const pattern of WRITTEN) {
    const [, north, east] = pattern.exec(text.trim()) ?? [];
    if (north !== undefined && east !== undefined) return placeAt(Number(north), Number(east));
  }
  return null;
}

/** A place, rounded to a metre; null if there is none on earth. */
export function placeAt(north: number, east: number): Place | null {
  if (!(Math.abs(north) <= 90 && Math.abs(east) <= 180)) return null;
  return { latitude: Number(north.toFixed(DIGITS)), longitude: Number(east.toFixed(DIGITS)) };
}

/** Kilometres between two places. */
export function distanceOf(one: Place, other: Place): number {
  const rad = Math.PI / 180;
  const [north, east] = [(other.latitude - one.latitude) * rad, (other.longitude - one.longitude) * rad];
  const half =
    Math.sin(north / 2) ** 2 + Math.cos(one.latitude * rad) * Math.cos(other.latitude * rad) * Math.sin(east / 2) ** 2;
  return 12_742 * Math.asin(Math.min(1, Math.sqrt(half)));
}

/** The city of a place, and how far it is in kilometres; null while no city is known. */
export function nearestCity(cities: readonly City[], place: Place): { city: City; km: number } | null {
  let nearest: { city: City; km: number } | null = null;
  for (const city of cities) {
    const km = distanceOf(city, place);
    if (nearest === null || km < nearest.km) nearest = { city, km };
  }
  return nearest;
}

/** Beyond this no city says where a place is. */
export const NEAR_CITY_KM = 60;
/** No zone's clock is further from the sun than this. */
const MOST_FROM_SUN_MINUTES = 4 * 60;

/**
 * The time zone that a place keeps: that of a city near it. Without one near: that of the nearest, if the clock of
 * `timeZone` cannot be that of the place; otherwise null.
 */
export function zoneAt(cities: readonly City[], place: Place, timeZone: string, now: number): string | null {
  const nearest = nearestCity(cities, place);
  if (nearest === null) return null;
  if (nearest.km <= NEAR_CITY_KM) return nearest.city.timeZone;
  const apart = Math.abs(offsetMinutes(timeZone, now) - place.longitude * 4);
  return Math.min(apart, 1_440 - apart) > MOST_FROM_SUN_MINUTES ? nearest.city.timeZone : null;
}

/** Whether the clocks of two time zones show the same, in summer and in winter. */
export function isSameClock(one: string, other: string, now: number): boolean {
  return [now, now + 182 * DAY_MS].every((at) => offsetMinutes(one, at) === offsetMinutes(other, at));
}

/** By how much a zone's clock is ahead of UTC. */
function offsetMinutes(timeZone: string, at: number): number {
  const parts = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" }).formatToParts(at);
  const [, sign = "+", hours = "0", minutes = "0"] =
    /GMT([+-])(\d\d):(\d\d)/.exec(parts.find(({ type }) => type === "timeZoneName")?.value ?? "") ?? [];
  return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes));
}

/** Letters as people type them: `Köln` is found by `koln`. */
function plainLetters(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

/**
 * The cities that a text finds by their name or their country's, those of `timeZone` first, otherwise as they are (the
 * largest first). Without a text: those of the zone alone.
 */
export function findCities(
  cities: readonly City[],
  text: string,
  timeZone: string,
  countryName: (code: string) => string,
): City[] {
  const wanted = plainLetters(text.trim());
  if (wanted === "") return cities.filter((city) => city.timeZone === timeZone);
  const rank = ({ name, country, timeZone: zone }: City): number => {
    const words = plainLetters(name);
    const begins = words.startsWith(wanted) || words.includes(`(${wanted}`);
    const fits = begins || words.includes(` ${wanted}`);
    const isOfCountry = !fits && plainLetters(countryName(country)).startsWith(wanted);
    if (!fits && !isOfCountry && !words.includes(wanted)) return -1;
    return (zone === timeZone ? 8 : 0) + (begins ? 4 : fits ? 2 : isOfCountry ? 0 : 1);
  };
  return cities
    .map((city) => ({ city, rank: rank(city) }))
    .filter(({ rank }) => rank >= 0)
    .sort((one, other) => other.rank - one.rank)
    .map(({ city }) => city);
}

/**
 * Sunrise and sunset of the day that it is at `now` (epoch ms) by the clock of `timeZone`, as the hub's rules reckon
 * them; null where the sun does not rise or set on that day.
 */
export function sunOn(
  { latitude, longitude }: Place,
  timeZone: string,
  now: number,
): { readonly sunrise: Date | null; readonly sunset: Date | null } {
  const dayOf = new Intl.DateTimeFormat("en", { timeZone, dateStyle: "short" });
  const today = dayOf.format(now);
  const event = (name: "sunrise" | "sunset"): Date | null => {
    for (const shift of [0, -1, 1]) {
      const time = getTimes(new Date(now + shift * DAY_MS), latitude, longitude)[name];
      if (time !== null && dayOf.format(time) === today) return time;
    }
    return null;
  };
  return { sunrise: event("sunrise"), sunset: event("sunset") };
}
