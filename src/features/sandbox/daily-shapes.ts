/**
 * The course of a household's day in numbers: shared by the living devices and the history that is made up for them.
 */
import { noisy, rounded } from "./model.ts";

/** The initial readings of the plug's and the meter's counters, kWh. */
export const PLUG_KWH = 41.2;
export const METER_KWH = 18_204.6;

/** Watts of a household's base load (refrigerator, router, standby), by local hour. */
export function baseWatts(hour: number, random: () => number): number {
  const morning = bump(hour, 7.5, 1.2) * 420;
  const noon = bump(hour, 13, 1.6) * 260;
  const evening = bump(hour, 20, 2.2) * 780;
  const compressor = random() < 0.35 ? 110 : 0;
  return rounded(noisy(145 + morning + noon + evening, 0.08, random) + compressor);
}

/** Watts of the plug's appliance while it is on: a television with its box. */
export function plugWatts(random: () => number): number {
  return rounded(noisy(96, 0.06, random));
}

/** Whether the plug is usually on at this hour. */
export function plugIsOn(hour: number): boolean {
  return (hour >= 7 && hour < 8.5) || (hour >= 18.5 && hour < 23);
}

/** Degrees Celsius outside: coldest before sunrise, warmest in the afternoon. */
export function outdoorTemperature(hour: number, random: () => number): number {
  return rounded(26 + 6 * Math.cos(((hour - 15) / 24) * 2 * Math.PI) + (random() - 0.5) * 0.6);
}

/** Relative humidity outside, percent: the mirror of the temperature. */
export function outdoorHumidity(hour: number, random: () => number): number {
  return Math.round(62 - 18 * Math.cos(((hour - 15) / 24) * 2 * Math.PI) + (random() - 0.5) * 3);
}

/** How lively the household is at this hour, 0 to 1: drives motion. */
export function liveliness(hour: number): number {
  return Math.min(1, bump(hour, 7.5, 1.5) + bump(hour, 19.5, 3) + 0.08);
}

/** A bell of height 1 around `centre`, also past midnight. */
function bump(hour: number, centre: number, width: number): number {
  const distance = Math.min(Math.abs(hour - centre), 24 - Math.abs(hour - centre));
  return Math.exp(-((distance / width) ** 2));
}
