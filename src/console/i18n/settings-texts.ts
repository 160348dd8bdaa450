/** The meaning of settings in languages other than the hub's own; loaded with their page. */
import { language } from "../preferences.ts";
import { keyedText } from "./hub-texts.ts";
import hi from "./settings-hi.json";
import names from "./settings-names.json";

const SETTINGS: Readonly<Record<string, Readonly<Record<string, string>>>> = { hi };

/** The meaning of a setting, else the hub's own text. */
export function settingText(key: string, otherwise: string): string {
  return SETTINGS[language.value]?.[key] ?? otherwise;
}

const NAMES: Readonly<Record<string, { readonly en: string; readonly hi: string }>> = names;

/** The name of a setting; its key if no catalogue has it. */
export function settingName(key: string): string {
  return NAMES[key]?.[language.value] ?? key;
}

/** The name of a setting's choice; the choice itself if no catalogue has it. */
export function choiceName(key: string, choice: string): string {
  return keyedText(`setting.${key}.${choice}`, choice);
}

/** The name of a group of settings; its own name if no catalogue has it. */
export function groupName(group: string): string {
  return keyedText(`group.${group}`, group);
}
