import { findBest } from "../../../console/components/find.ts";
import { Icon } from "../../../console/components/icon.tsx";
import {
  groupName,
  settingKeys,
  settingName,
  settingText,
  settingWords,
} from "../../../console/i18n/settings-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { Place } from "../../../console/pages/section.ts";
import { SECTIONS } from "../../../console/pages/sections.ts";

const PLACES: readonly Place[] = SECTIONS.flatMap(({ places = [] }) => places);

/** What a search means: places on other pages, and keys of settings. */
export interface Found {
  readonly places: readonly Place[];
  readonly settings: readonly string[];
}

/**
 * Finds places and settings by any of the words of `wanted`; those with fewer of them are left out. `meaning`: what the
 * hub says of a setting in English, where it is known.
 */
export function findAll(wanted: string, meaning: (key: string) => string = () => ""): Found {
  const best = findBest<Place | string>([...PLACES, ...settingKeys()], wanted, (one) =>
    typeof one === "string"
      ? {
          named: `${settingName(one)} ${settingWords(one)} ${groupName(one.split(".")[0] ?? "")}`,
          about: `${one.replace(/([A-Z])/g, " $1")} ${settingText(one, meaning(one))}`,
        }
      : { named: `${t(one.title)} ${one.words.en} ${one.words.hi}`, about: one.on === undefined ? "" : t(one.on) },
  );
  return {
    places: best.filter((one) => typeof one !== "string"),
    settings: best.filter((one) => typeof one === "string"),
  };
}

/** What is found on other pages as links. `withSettings`: the settings too, each a link to its place in their list. */
export function FoundPlaces({ wanted, withSettings = false }: { wanted: string; withSettings?: boolean }) {
  const { places, settings } = findAll(wanted);
  const shown = withSettings ? settings : [];
  if (places.length + shown.length === 0) return withSettings ? <p class="soft">{t("settings.noneFound")}</p> : null;
  return (
    <ul class="rows" aria-label={t("settings.elsewhere")}>
      {places.map(({ title, to, on }) => (
        <li key={`${to} ${title}`}>
          <a href={to}>
            <span class="row-title">{t(title)}</span>
            {on !== undefined && <span class="row-state">{t(on)}</span>}
            <Icon name="chevronRight" small />
          </a>
        </li>
      ))}
      {shown.map((key) => (
        <li key={key}>
          <a href={`/system/settings?find=${encodeURIComponent(settingName(key))}`}>
            <span class="row-title">{settingName(key)}</span>
            <span class="row-state">{groupName(key.split(".")[0] ?? "")}</span>
            <Icon name="chevronRight" small />
          </a>
        </li>
      ))}
    </ul>
  );
}
