/** What settings are called and mean, as the features declare it (settings.ts); loaded with the settings page. */
import { settings } from "virtual:settings";
import type { Part } from "../../core/settings/builders.ts";
import { language } from "../preferences.ts";
import { unbroken } from "./unbroken.ts";

/** The meaning of a setting, else the hub's own text. */
export function settingText(key: string, otherwise: string): string {
  return unbroken((language.value === "hi" ? settings.settings[key]?.help.hi : undefined) ?? otherwise);
}

/** The name of a setting; its key if none is declared. */
export function settingName(key: string): string {
  return settings.settings[key]?.name[language.value] ?? key;
}

/** The name of a setting's choice; the choice itself if none is declared. */
export function choiceName(key: string, choice: string): string {
  return settings.settings[key]?.choices[choice]?.[language.value] ?? choice;
}

/** The name of a group of settings; its own name if none is declared. */
export function groupName(group: string): string {
  return settings.groups.find((one) => one.group === group)?.name[language.value] ?? group;
}

/** The groups of a section of the page, in order. */
export function groupsOf(part: Part): readonly string[] {
  return settings.groups.flatMap((one) => (one.part === part ? [one.group] : []));
}

/** The key of every setting. */
export function settingKeys(): readonly string[] {
  return Object.keys(settings.settings);
}

/** Whether the people of a house set it; else it is for an installer. */
export function isCommon(key: string): boolean {
  return settings.settings[key]?.common === true;
}

/** What a setting is also searched by: its name and its other words in every language. */
export function settingWords(key: string): string {
  const setting = settings.settings[key];
  return setting === undefined
    ? ""
    : [setting.name.en, setting.name.hi, setting.words?.en, setting.words?.hi].filter(Boolean).join(" ");
}
