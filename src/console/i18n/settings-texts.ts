/** What settings mean in other languages than the hub's own; loaded with their page. */
import { language } from "../preferences.js";
import { keyedText } from "./hub-texts.js";
import hi from "./settings-hi.json";
import names from "./settings-names.json";

const SETTINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = { hi };

/** What a setting means, or what the hub says of it. */
export function settingText(key: string, otherwise: string): string {
  return SETTINGS[language.value]?.[key] ?? otherwise;
}

const NAMES: Readonly<Record<string, { readonly en: string; readonly hi: string }>> = names;

/** What a setting is called; its key where no catalogue knows it. */
export function settingName(key: string): string {
  return NAMES[key]?.[language.value] ?? key;
}

/** What a choice of a setting is called; the choice itself where no catalogue knows it. */
export function choiceName(key: string, choice: string): string {
  return keyedText(`setting.${key}.${choice}`, choice);
}

/** What a group of settings is called; its own name where no catalogue knows it. */
export function groupName(group: string): string {
  return keyedText(`group.${group}`, group);
}
