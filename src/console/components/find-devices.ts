import { keyedText } from "../i18n/hub-texts.ts";
import type { Device } from "../store.ts";
import { ranked, type Sought } from "./ranked.ts";

/** What a device is found by. */
export function deviceSought({ id, name, room, type }: Device): Sought {
  return { names: [name], about: `${room ?? ""} ${keyedText(`type.${type}`, type)} ${type} ${id}` };
}

/** The devices with every word of `text` in their name, room, type or id; those that are called so come first. */
export function findDevices(devices: readonly Device[], text: string): readonly Device[] {
  return ranked(devices, text, deviceSought);
}
