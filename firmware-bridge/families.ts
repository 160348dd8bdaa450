import { esphome } from "./esphome/esphome.js";
import type { Family } from "./family.js";
import { frigate } from "./frigate/frigate.js";
import { homeassistant } from "./homeassistant/homeassistant.js";
import { openbeken } from "./openbeken/openbeken.js";
import { openmqttgateway } from "./openmqttgateway/openmqttgateway.js";
import { shelly1 } from "./shelly1/shelly1.js";
import { shelly2 } from "./shelly2/shelly2.js";
import { tasmota } from "./tasmota/tasmota.js";
import { zigbee2mqtt } from "./zigbee2mqtt/zigbee2mqtt.js";

/**
 * Every family that the hub knows. If two see the same device (its hardware address), the one higher in the list keeps
 * it.
 */
export const FAMILIES: readonly Family[] = [
  zigbee2mqtt,
  esphome,
  tasmota,
  openbeken,
  shelly2,
  shelly1,
  openmqttgateway,
  frigate,
  homeassistant,
];
