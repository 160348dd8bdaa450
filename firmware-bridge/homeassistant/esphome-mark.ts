/** Recognises ESPHome's announcements: that family takes them, the generic one ignores them. */
import { hardwareAddress } from "../json-values.ts";
import type { Announcement, DiscoveryTopic } from "./discovery.ts";

const TOPIC_KEYS: readonly string[] = [
  "state_topic",
  "command_topic",
  "position_topic",
  "mode_state_topic",
  "current_temperature_topic",
  "topic",
];

/**
 * ESPHome names itself in the firmware's version since it has projects; before that, and without one, its device is a
 * MAC address and its topics are `<node>/<component>/<object_id>/…`. Source:
 * https://github.com/esphome/esphome/blob/dev/esphome/components/mqtt/mqtt_component.cpp.
 */
export function isEspHome(announced: Extract<Announcement, { says: "present" }>, topic: DiscoveryTopic): boolean {
  if (announced.isBundle || topic.node === null) return false;
  if (/esphome/i.test(announced.device.firmware ?? "")) return true;
  if (hardwareAddress(announced.device.key) === null) return false;
  const middle = `/${topic.platform}/${topic.object}/`;
  return announced.components.some(({ config }) =>
    TOPIC_KEYS.some((key) => typeof config[key] === "string" && String(config[key]).includes(middle)),
  );
}
