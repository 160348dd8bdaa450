/** Units of measurement as firmware writes them, converted to those that the hub uses everywhere. */

/** A value in the hub's unit. */
export interface Quantity {
  readonly value: number;
  /** The hub's unit; the firmware's own text if it is not in the table. */
  readonly unit: string;
}

interface Conversion {
  readonly unit: string;
  readonly factor: number;
  readonly offset?: number;
}

const CONVERSIONS: ReadonlyMap<string, Conversion> = new Map<string, Conversion>([
  ...same("°C", "°C", "℃", "C", "degC", "celsius"),
  ["°F", { unit: "°C", factor: 5 / 9, offset: -160 / 9 }],
  ["℉", { unit: "°C", factor: 5 / 9, offset: -160 / 9 }],
  ["F", { unit: "°C", factor: 5 / 9, offset: -160 / 9 }],
  ["K", { unit: "°C", factor: 1, offset: -273.15 }],
  ...scaled("W", { W: 1, kW: 1000, mW: 0.001, MW: 1_000_000, GW: 1e9, TW: 1e12, "BTU/h": 0.29307107 }),
  ...scaled("Wh", {
    Wh: 1,
    kWh: 1000,
    mWh: 0.001,
    MWh: 1_000_000,
    GWh: 1e9,
    TWh: 1e12,
    J: 1 / 3600,
    kJ: 1 / 3.6,
    MJ: 1 / 0.0036,
    GJ: 1 / 0.0000036,
    Ws: 1 / 3600,
    cal: 4.184 / 3600,
    kcal: 4184 / 3600,
  }),
  ...scaled("V", { V: 1, mV: 0.001, µV: 0.000001, kV: 1000, MV: 1_000_000 }),
  ...scaled("A", { A: 1, mA: 0.001, µA: 0.000001, kA: 1000 }),
  ...scaled("VA", { VA: 1, mVA: 0.001, kVA: 1000, MVA: 1_000_000 }),
  ...scaled("var", { var: 1, VAR: 1, VAr: 1, mvar: 0.001, kvar: 1000, kVAr: 1000 }),
  ...scaled("Hz", { Hz: 1, kHz: 1000, MHz: 1_000_000, GHz: 1e9 }),
  ...scaled("hPa", {
    hPa: 1,
    mbar: 1,
    Pa: 0.01,
    kPa: 10,
    MPa: 10_000,
    bar: 1000,
    cbar: 10,
    psi: 68.947573,
    inHg: 33.863886,
    mmHg: 1.333224,
    "inH₂O": 2.49089,
  }),
  ...scaled("lx", { lx: 1, lux: 1, klx: 1000, klux: 1000 }),
  ...scaled("ppm", { ppm: 1, ppb: 0.001 }),
  ...scaled("µg/m³", { "µg/m³": 1, "μg/m³": 1, "ug/m3": 1, "µg/m3": 1, "mg/m³": 1000, "mg/m3": 1000 }),
  ...scaled("m³", {
    "m³": 1,
    m3: 1,
    L: 0.001,
    l: 0.001,
    mL: 0.000001,
    "ft³": 0.028316847,
    CCF: 2.8316847,
    gal: 0.0037854118,
  }),
  ...scaled("m", { m: 1, cm: 0.01, mm: 0.001, km: 1000, in: 0.0254, ft: 0.3048, yd: 0.9144, mi: 1609.344 }),
  ...scaled("kg", { kg: 1, g: 0.001, mg: 0.000001, lb: 0.45359237, oz: 0.028349523 }),
  ...scaled("m/s", { "m/s": 1, "km/h": 1 / 3.6, kmh: 1 / 3.6, mph: 0.44704, "ft/s": 0.3048, kn: 0.514444 }),
]);

function same(unit: string, ...spellings: readonly string[]): [string, Conversion][] {
  return spellings.map((spelling) => [spelling, { unit, factor: 1 }]);
}

function scaled(unit: string, factors: Readonly<Record<string, number>>): [string, Conversion][] {
  return Object.entries(factors).map(([spelling, factor]) => [spelling, { unit, factor }]);
}

/**
 * A value in the hub's unit: °C, W, Wh, V, A, VA, var, Hz, hPa, lx, ppm, µg/m³, m³, m, kg, m/s. At most six decimal
 * places.
 */
export function quantity(value: number, unit: string | null): Quantity {
  const conversion = unit === null ? undefined : CONVERSIONS.get(unit.trim());
  if (!conversion) return { value, unit: unit ?? "" };
  if (conversion.factor === 1 && conversion.offset === undefined) return { value, unit: conversion.unit };
  const converted = value * conversion.factor + (conversion.offset ?? 0);
  return { value: Math.round(converted * 1e6) / 1e6, unit: conversion.unit };
}

/** The unit to which {@link quantity} converts a firmware's unit. */
export function commonUnit(unit: string | null): string {
  return quantity(0, unit).unit;
}

/**
 * The way back: a value in the hub's unit as the firmware wants it, for example °C for a thermostat that counts in °F.
 */
export function inUnit(value: number, unit: string | null): number {
  const conversion = unit === null ? undefined : CONVERSIONS.get(unit.trim());
  if (!conversion) return value;
  return Math.round(((value - (conversion.offset ?? 0)) / conversion.factor) * 1e6) / 1e6;
}
