/**
 * Device classes of sensors and the hub's words for them. Source:
 * https://www.home-assistant.io/integrations/sensor/#device-class.
 */

/** The hub's word for a sensor's `device_class`. Classes that are not here keep the sensor's own name. */
export const SENSOR_WORDS: ReadonlyMap<string, string> = new Map([
  ["temperature", "temperature"],
  ["humidity", "humidity"],
  ["pressure", "pressure"],
  ["atmospheric_pressure", "pressure"],
  ["illuminance", "illuminance"],
  ["power", "watts"],
  ["voltage", "voltage"],
  ["current", "amps"],
  ["power_factor", "powerFactor"],
  ["frequency", "frequency"],
  ["apparent_power", "voltAmps"],
  ["reactive_power", "vars"],
  ["battery", "battery"],
  ["signal_strength", "rssi"],
  ["carbon_dioxide", "co2"],
  ["carbon_monoxide", "co"],
  ["pm1", "pm1"],
  ["pm25", "pm25"],
  ["pm10", "pm10"],
  ["volatile_organic_compounds", "voc"],
  ["volatile_organic_compounds_parts", "voc"],
  ["aqi", "aqi"],
  ["gas", "gasVolume"],
  ["water", "waterVolume"],
  ["moisture", "moisture"],
  ["distance", "distance"],
  ["wind_speed", "windSpeed"],
  ["sound_pressure", "sound"],
  ["ozone", "ozone"],
  ["nitrogen_dioxide", "no2"],
  ["irradiance", "irradiance"],
  ["ph", "ph"],
  ["weight", "weight"],
]);

/** A binary sensor's word; `inverted`: its ON is the word's false, as an open door is not a contact. */
export interface BinaryWord {
  readonly word: string;
  readonly inverted: boolean;
}

function straight(word: string): BinaryWord {
  return { word, inverted: false };
}

function inverted(word: string): BinaryWord {
  return { word, inverted: true };
}

/** The hub's word for a binary sensor's `device_class`. */
export const BINARY_WORDS: ReadonlyMap<string, BinaryWord> = new Map([
  ["motion", straight("motion")],
  ["moving", straight("moving")],
  ["occupancy", straight("occupancy")],
  ["presence", straight("occupancy")],
  ["door", inverted("contact")],
  ["window", inverted("contact")],
  ["garage_door", inverted("contact")],
  ["opening", inverted("contact")],
  ["lock", inverted("locked")],
  ["moisture", straight("leak")],
  ["smoke", straight("smoke")],
  ["gas", straight("gas")],
  ["carbon_monoxide", straight("carbonMonoxide")],
  ["vibration", straight("vibration")],
  ["tamper", straight("tamper")],
  ["problem", straight("problem")],
  ["battery", straight("batteryLow")],
  ["battery_charging", straight("charging")],
  ["connectivity", straight("connected")],
  ["plug", straight("plugged")],
  ["power", straight("powered")],
  ["running", straight("running")],
  ["safety", straight("unsafe")],
  ["sound", straight("sound")],
  ["light", straight("lightDetected")],
  ["heat", straight("heat")],
  ["cold", straight("cold")],
  ["update", straight("updateAvailable")],
]);
