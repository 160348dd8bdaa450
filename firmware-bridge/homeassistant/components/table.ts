/** Which builder makes which component; a new component is a line here. */
import { type Component, component, type Naming } from "../component.ts";
import type { Config } from "../config.ts";
import { climate, humidifier, waterHeater } from "./climate.ts";
import { cover, valve } from "./cover.ts";
import { event, tag, trigger } from "./event.ts";
import { fan } from "./fan.ts";
import { light } from "./light.ts";
import { alarmControlPanel, lock } from "./lock.ts";
import { binarySensor, deviceTracker, sensor, update } from "./sensor.ts";
import { button, notify, number, scene, select, text } from "./setting.ts";
import { siren, switchComponent } from "./switch.ts";
import { lawnMower, vacuum } from "./vacuum.ts";

type Builder = (naming: Naming, config: Config) => Component;

/** Pictures are not the bridge's business: cameras are set up by their addresses. */
const unseen: Builder = (naming) => component(naming, {});

const BUILDERS: ReadonlyMap<string, Builder> = new Map<string, Builder>([
  ["alarm_control_panel", alarmControlPanel],
  ["binary_sensor", binarySensor],
  ["button", button],
  ["camera", unseen],
  ["climate", climate],
  ["cover", cover],
  ["device_automation", trigger],
  ["device_tracker", deviceTracker],
  ["event", event],
  ["fan", fan],
  ["humidifier", humidifier],
  ["image", unseen],
  ["lawn_mower", lawnMower],
  ["light", light],
  ["lock", lock],
  ["notify", notify],
  ["number", number],
  ["scene", scene],
  ["select", select],
  ["sensor", sensor],
  ["siren", siren],
  ["switch", switchComponent],
  ["tag", tag],
  ["text", text],
  ["update", update],
  ["vacuum", vacuum],
  ["valve", valve],
  ["water_heater", waterHeater],
]);

/** The component of an announcement; null for a platform that the hub does not know. */
export function buildComponent(naming: Naming, config: Config): Component | null {
  return BUILDERS.get(naming.platform)?.(naming, config) ?? null;
}

/** Whether a component shows pictures only: it does not make a device by itself. */
export function isUnseen(platform: string): boolean {
  return BUILDERS.get(platform) === unseen;
}
