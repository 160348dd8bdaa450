/**
 * The hub's words for measured quantities, and Home Assistant's device classes and units. Source:
 * https://www.home-assistant.io/integrations/sensor/#device-class and
 * https://www.home-assistant.io/integrations/binary_sensor/#device-class.
 */

/** How Home Assistant describes a number. */
export interface Quantity {
  readonly name: string;
  readonly deviceClass: string | null;
  readonly unit: string | null;
  readonly stateClass: "measurement" | "total_increasing" | null;
  /** It describes the state of the device itself, not what the device is for. */
  readonly isDiagnostic: boolean;
}

function measured(name: string, deviceClass: string | null, unit: string | null, isDiagnostic = false): Quantity {
  return { name, deviceClass, unit, stateClass: "measurement", isDiagnostic };
}

function counted(name: string, deviceClass: string, unit: string): Quantity {
  return { name, deviceClass, unit, stateClass: "total_increasing", isDiagnostic: false };
}

/** Numbers by the hub's word. */
export const QUANTITIES: ReadonlyMap<string, Quantity> = new Map([
  ["temperature", measured("Temperature", "temperature", "°C")],
  ["humidity", measured("Humidity", "humidity", "%")],
  ["pressure", measured("Pressure", "atmospheric_pressure", "hPa")],
  ["illuminance", measured("Illuminance", "illuminance", "lx")],
  ["watts", measured("Power", "power", "W")],
  ["kwh", counted("Energy", "energy", "kWh")],
  ["kwhExported", counted("Energy exported", "energy", "kWh")],
  ["voltage", measured("Voltage", "voltage", "V")],
  ["amps", measured("Current", "current", "A")],
  ["powerFactor", measured("Power factor", "power_factor", null)],
  ["frequency", measured("Frequency", "frequency", "Hz")],
  ["voltAmps", measured("Apparent power", "apparent_power", "VA")],
  ["co2", measured("Carbon dioxide", "carbon_dioxide", "ppm")],
  ["co", measured("Carbon monoxide", "carbon_monoxide", "ppm")],
  ["pm1", measured("PM1", "pm1", "µg/m³")],
  ["pm25", measured("PM2.5", "pm25", "µg/m³")],
  ["pm10", measured("PM10", "pm10", "µg/m³")],
  ["voc", measured("Volatile organic compounds", "volatile_organic_compounds", "µg/m³")],
  ["aqi", measured("Air quality", "aqi", null)],
  ["ozone", measured("Ozone", "ozone", "µg/m³")],
  ["no2", measured("Nitrogen dioxide", "nitrogen_dioxide", "µg/m³")],
  ["gasVolume", counted("Gas", "gas", "m³")],
  ["waterVolume", counted("Water", "water", "m³")],
  ["moisture", measured("Moisture", "moisture", "%")],
  ["distance", measured("Distance", "distance", "m")],
  ["windSpeed", measured("Wind speed", "wind_speed", "m/s")],
  ["irradiance", measured("Irradiance", "irradiance", "W/m²")],
  ["weight", measured("Weight", "weight", "kg")],
  ["battery", measured("Battery", "battery", "%", true)],
  ["batteryPercent", measured("Battery", "battery", "%", true)],
  ["rssi", measured("Signal", "signal_strength", "dBm", true)],
  ["wifiRssi", measured("Signal", "signal_strength", "dBm", true)],
  ["signal", measured("Signal", null, "%", true)],
  ["linkquality", measured("Link quality", null, "lqi", true)],
  ["uptime", measured("Uptime", "duration", "s", true)],
  ["boardTemperature", measured("Board temperature", "temperature", "°C", true)],
]);

/** How Home Assistant describes a boolean. */
export interface Contact {
  readonly name: string;
  readonly deviceClass: string;
  /** The hub's false is Home Assistant's ON: a contact that is not closed is an opening. */
  readonly isInverted: boolean;
}

function contact(name: string, deviceClass: string, isInverted = false): Contact {
  return { name, deviceClass, isInverted };
}

/** Booleans by the hub's word. */
export const CONTACTS: ReadonlyMap<string, Contact> = new Map([
  ["motion", contact("Motion", "motion")],
  ["occupancy", contact("Occupancy", "occupancy")],
  ["contact", contact("Contact", "opening", true)],
  ["leak", contact("Leak", "moisture")],
  ["smoke", contact("Smoke", "smoke")],
  ["gas", contact("Gas", "gas")],
  ["carbonMonoxide", contact("Carbon monoxide", "carbon_monoxide")],
  ["vibration", contact("Vibration", "vibration")],
  ["tamper", contact("Tamper", "tamper")],
  ["problem", contact("Problem", "problem")],
  ["jammed", contact("Jammed", "problem")],
  ["batteryLow", contact("Battery low", "battery")],
  ["charging", contact("Charging", "battery_charging")],
  ["connected", contact("Connected", "connectivity")],
  ["plugged", contact("Plugged in", "plug")],
  ["powered", contact("Powered", "power")],
  ["running", contact("Running", "running")],
  ["unsafe", contact("Unsafe", "safety")],
  ["alarm", contact("Alarm", "safety")],
  ["sound", contact("Sound", "sound")],
  ["updateAvailable", contact("Update available", "update")],
]);
