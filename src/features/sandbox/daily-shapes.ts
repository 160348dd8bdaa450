/**
 * The course of a household's day in numbers: shared by the living devices and the history that is made up for them.
 */
import { noisy, rounded } from "./model.ts";

/** The initial readings of the counters, kWh. */
export const PLUG_KWH = 41.2;
export const METER_KWH = 18_204.6;
export const CLIMATE_KWH = 812.4;
export const PUMP_KWH = 96.7;
export const FAN_KWH = 17.3;

/** Watts of what nothing measures by itself (refrigerator, kitchen, lights, standby), by local hour. */
export function baseWatts(hour: number, random: () => number): number {
  const morning = bump(hour, 7.5, 1.2) * 380;
  const noon = bump(hour, 13, 1.6) * 140;
  const evening = bump(hour, 20, 2.2) * 460;
  const compressor = random() < 0.35 ? 110 : 0;
  return rounded(noisy(85 + morning + noon + evening, 0.08, random) + compressor);
}

/** Watts of the air conditioner while it heats or cools. */
export const CLIMATE_WATTS = 1_500;
/** Its watts otherwise. */
export const CLIMATE_IDLE_WATTS = 3;
/** Watts of the water pump. */
export const PUMP_WATTS = 740;

/** Mean watts of the air conditioner at an outside temperature: the warmer it is, the longer it runs. */
export function climateWatts(outside: number, random: () => number): number {
  const share = Math.min(1, Math.max(0, outside - 23) * 0.025);
  return rounded(noisy(CLIMATE_IDLE_WATTS + CLIMATE_WATTS * share, 0.1, random));
}

/** Whether the pump usually fills the tank at this hour. */
export function pumpIsOn(hour: number): boolean {
  return hour >= 6 && hour < 7;
}

/** Whether the fan usually turns at this hour: at night. */
export function fanIsOn(hour: number): boolean {
  return hour >= 22 || hour < 7;
}

/** Watts of the fan at one of its five speeds. */
export function fanWatts(speed: number): number {
  return 9 + speed * 11;
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
