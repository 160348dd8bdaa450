import { esphome } from "./esphome/esphome.ts";
import type { Family } from "./family.ts";
import { frigate } from "./frigate/frigate.ts";
import { homeassistant } from "./homeassistant/homeassistant.ts";
import { openbeken } from "./openbeken/openbeken.ts";
import { openmqttgateway } from "./openmqttgateway/openmqttgateway.ts";
import { shelly1 } from "./shelly1/shelly1.ts";
import { shelly2 } from "./shelly2/shelly2.ts";
import { tasmota } from "./tasmota/tasmota.ts";
import { zigbee2mqtt } from "./zigbee2mqtt/zigbee2mqtt.ts";

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
