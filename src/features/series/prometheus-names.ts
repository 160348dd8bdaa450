/**
 * Values by Prometheus' naming rules: base units, the unit in the name, `_total` for counters
 * (https://prometheus.io/docs/practices/naming/). A value of unknown unit keeps its own name as a label of one common
 * metric.
 */

/** The Prometheus form of a value. */
export interface MetricName {
  readonly metric: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  /** Factor from the hub's unit to the base unit. */
  readonly factor: number;
}

const gauge = (metric: string, help: string, factor = 1): MetricName => ({
  metric: `gatehouse_${metric}`,
  type: "gauge",
  help,
  factor,
});

const POWER = gauge("power_watts", "Electric power.");
const ENERGY: MetricName = {
  metric: "gatehouse_energy_joules_total",
  type: "counter",
  help: "Energy that was counted so far; 3600000 joules are one kilowatt-hour.",
  factor: 3_600_000,
};
const LIGHT = gauge("illuminance_lux", "Light.");
const BY_VALUE: Readonly<Record<string, MetricName>> = {
  watts: POWER,
  power_w: POWER,
  kwh: ENERGY,
  voltage: gauge("voltage_volts", "Voltage."),
  current: gauge("current_amperes", "Current."),
  frequency: gauge("frequency_hertz", "Frequency of the mains."),
  temperature: gauge("temperature_celsius", "Temperature."),
  target: gauge("target_temperature_celsius", "Temperature that is wanted."),
  humidity: gauge("humidity_ratio", "Relative humidity, 0 to 1.", 0.01),
  soil: gauge("soil_moisture_ratio", "Moisture of the soil, 0 to 1.", 0.01),
  battery: gauge("battery_ratio", "Charge of the battery, 0 to 1.", 0.01),
  brightness: gauge("brightness_ratio", "Brightness, 0 to 1.", 0.01),
  position: gauge("position_ratio", "How far it is open, 0 to 1.", 0.01),
  pressure: gauge("pressure_pascals", "Air pressure.", 100),
  illuminance: LIGHT,
  lux: LIGHT,
  co2: gauge("co2_ratio", "Carbon dioxide, parts of one.", 0.000_001),
  rssi: gauge("radio_signal_dbm", "Strength of the radio signal."),
};

/** The metric of all other numbers. */
export const OTHER_VALUE = gauge("value", "A value whose unit the hub does not know, by its own name.");

/**
 * The metric of a value, with the channel or phase that its name may end in (`watts2`); {@link OTHER_VALUE} for others.
 */
export function metricOf(value: string): { readonly name: MetricName; readonly channel: string } {
  const known = Object.hasOwn(BY_VALUE, value) ? BY_VALUE[value] : undefined;
  if (known !== undefined) return { name: known, channel: "" };
  const [, base = "", channel = ""] = /^(.+?)_?([1-9]\d?|[A-C])$/.exec(value) ?? [];
  const divided = Object.hasOwn(BY_VALUE, base) ? BY_VALUE[base] : undefined;
  return divided === undefined ? { name: OTHER_VALUE, channel: "" } : { name: divided, channel };
}
