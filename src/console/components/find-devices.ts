import { keyedText } from "../i18n/hub-texts.ts";
import type { Device } from "../store.ts";
import { plain } from "./plain.ts";

/** The devices with every word of `text` in their name, room, type or id. */
export function findDevices(devices: readonly Device[], text: string): readonly Device[] {
  const words = plain(text).split(/\s+/).filter(Boolean);
  if (words.length === 0) return devices;
  return devices.filter((device) => {
    const about = plain(
      [device.name, device.room ?? "", keyedText(`type.${device.type}`, device.type), device.type, device.id].join(" "),
    );
    return words.every((word) => about.includes(word));
  });
}
