/**
 * Names of values in OpenMQTTGateway, Theengs Decoder and rtl_433, and the hub's words for them. Sources:
 * https://docs.openmqttgateway.com; https://decoder.theengs.io/devices/devices.html;
 * https://github.com/merbanan/rtl_433/blob/master/docs/DATA_FORMAT.md.
 */
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import { camelCase, numberOf, rounded } from "../json-values.ts";

/** Values of a message in the hub's words. */
export interface Values {
  readonly state: JsonObject;
  readonly data: Record<string, number>;
  /** Running totals in Wh. */
  readonly totals: Record<string, number>;
}

interface Meaning {
  readonly word: string;
  readonly factor?: number;
  readonly offset?: number;
  /** It is a boolean; false where the hub's word means the opposite. */
  readonly flag?: boolean;
  /** It is a total; the factor makes it Wh. */
  readonly total?: boolean;
}

const FAHRENHEIT = { factor: 5 / 9, offset: -160 / 9 };

const MEANINGS: Readonly<Record<string, Meaning>> = {
  tempc: { word: "temperature" },
  temperature_C: { word: "temperature" },
  temperature_F: { word: "temperature", ...FAHRENHEIT },
  temperature_1_C: { word: "temperature" },
  temperature_2_C: { word: "temperature2" },
  tempc2: { word: "temperature2" },
  tempc3: { word: "temperature3" },
  tempc4: { word: "temperature4" },
  hum: { word: "humidity" },
  humidity: { word: "humidity" },
  batt: { word: "battery" },
  battery_mV: { word: "batteryVoltage", factor: 0.001 },
  battery_ok: { word: "batteryLow", flag: false },
  lux: { word: "illuminance" },
  light_lux: { word: "illuminance" },
  pres: { word: "pressure" },
  pressure_hPa: { word: "pressure" },
  pressure_kPa: { word: "pressure", factor: 10 },
  pa: { word: "pressure", factor: 0.01 },
  moi: { word: "moisture" },
  moisture: { word: "moisture" },
  fer: { word: "conductivity" },
  for: { word: "formaldehyde" },
  weight: { word: "weight" },
  steps: { word: "steps" },
  co2: { word: "co2" },
  co2_ppm: { word: "co2" },
  pm25: { word: "pm25" },
  pm2_5_ug_m3: { word: "pm25" },
  pm10: { word: "pm10" },
  distance: { word: "distance" },
  volt: { word: "voltage" },
  voltage: { word: "voltage" },
  voltage_V: { word: "voltage" },
  current: { word: "amps" },
  current_A: { word: "amps" },
  power: { word: "watts" },
  power_W: { word: "watts" },
  power0_W: { word: "watts" },
  energy: { word: "kwh", factor: 1000, total: true },
  energy_kWh: { word: "kwh", factor: 1000, total: true },
  open: { word: "contact", flag: false },
  door: { word: "contact", flag: false },
  window: { word: "contact", flag: false },
  closed: { word: "contact", flag: true },
  motion: { word: "motion", flag: true },
  presence: { word: "occupancy", flag: true },
  tamper: { word: "tamper", flag: true },
  smoke: { word: "smoke", flag: true },
  water: { word: "leak", flag: true },
  detect_wet: { word: "leak", flag: true },
  alarm: { word: "alarm", flag: true },
  wind_avg_km_h: { word: "windSpeed", factor: 1 / 3.6 },
  wind_avg_m_s: { word: "windSpeed" },
  wind_max_km_h: { word: "windGust", factor: 1 / 3.6 },
  wind_max_m_s: { word: "windGust" },
  wind_dir_deg: { word: "windDirection" },
  rain_mm: { word: "rain" },
  rain_in: { word: "rain", factor: 25.4 },
  rain_rate_mm_h: { word: "rainRate" },
};

/** Members that name or route the message, repeat a value in another unit, or are raw radio data. */
const IGNORED: ReadonlySet<string> = new Set(
  (
    "id name rssi brand model model_id type subtype channel cidc acts cont track mac mac_type adv_type mfid manufacturerdata servicedata servicedatauuid " +
    "tempf tempf2 tempf3 tempf4 txpower device prmac duration mic freq protocol snr noise time mod length delay value gpio cmd uptime undecoded crc sequence_num counter button button_code"
  ).split(" "),
);

const MOST_VALUES = 32;

/** Reads the measured values of a message. */
export function valuesOf(message: JsonObject): Values {
  const values: Values = { state: {}, data: {}, totals: {} };
  for (const [name, value] of Object.entries(message).slice(0, 128)) {
    const meaning = Object.hasOwn(MEANINGS, name) ? MEANINGS[name] : undefined;
    if (meaning !== undefined) take(values, meaning, value);
    else if (!IGNORED.has(name)) takeUnknown(values, name, value);
  }
  const fahrenheit = numberOf(message.tempf);
  if (values.data.temperature === undefined && fahrenheit !== null && Object.hasOwn(message, "tempf"))
    take(values, { word: "temperature", ...FAHRENHEIT }, fahrenheit);
  return values;
}

function take(values: Values, meaning: Meaning, value: unknown): void {
  const { word, factor = 1, offset = 0, flag, total } = meaning;
  const number = typeof value === "boolean" ? Number(value) : numberOf(value);
  if (number === null) return;
  if (flag !== undefined) values.state[word] = (number !== 0) === flag;
  else if (typeof value === "boolean") return;
  else if (total === true) {
    if (number >= 0) values.totals[word] = rounded(number * factor, 3);
  } else values.data[word] = rounded(number * factor + offset, 3);
}

/** A value that is not in the table keeps its own name. */
function takeUnknown(values: Values, name: string, value: unknown): void {
  const word = /^[A-Za-z]/.test(name) ? camelCase(name) : null;
  if (word === null || !/^[a-z][A-Za-z0-9]{0,39}$/.test(word)) return;
  if (Object.keys(values.data).length + Object.keys(values.state).length >= MOST_VALUES) return;
  if (typeof value === "number" && Number.isFinite(value) && Math.abs(value) < 1e12) values.data[word] ??= value;
  else if (typeof value === "boolean") values.state[word] ??= value;
}

/** Whether a message carries anything that was measured. */
export function isEmpty(values: Values): boolean {
  return [values.state, values.data, values.totals].every((part) => Object.keys(part).length === 0);
}
