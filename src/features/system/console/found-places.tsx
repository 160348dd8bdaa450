import { findBest } from "../../../console/components/find.ts";
import { Icon, type IconName } from "../../../console/components/icon.tsx";
import { meantBy, spokenWords } from "../../../console/components/misspelt.ts";
import {
  groupName,
  settingKeys,
  settingName,
  settingText,
  settingWords,
} from "../../../console/i18n/settings-texts.ts";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import type { Page } from "../../../console/pages/page.ts";
import type { Place } from "../../../console/pages/section.ts";
import { SECTIONS } from "../../../console/pages/sections.ts";
import { language } from "../../../console/preferences.ts";
import type { Language } from "../../../core/text/render.ts";

const PLACES: readonly Place[] = SECTIONS.flatMap(({ places = [] }) => places);

/** What a search means: places on other pages, and keys of settings. */
interface Found {
  readonly places: readonly Place[];
  readonly settings: readonly string[];
}

/** {@link wordsOf} in one language: a search looks through all of them with each key. */
const known = new Map<Place | string, ReturnType<typeof wordsOf>>();
let knownIn: Language | null = null;

function knownWordsOf(one: Place | string): ReturnType<typeof wordsOf> {
  if (knownIn !== language.value) known.clear();
  knownIn = language.value;
  const words = known.get(one) ?? wordsOf(one);
  known.set(one, words);
  return words;
}

/** What a place or a setting is called, and what else is written about it. */
function wordsOf(one: Place | string, meaning: (key: string) => string = () => "") {
  return typeof one === "string"
    ? {
        named: `${settingName(one)} ${settingWords(one)} ${groupName(one.split(".")[0] ?? "")}`,
        about: `${one.replace(/([A-Z])/g, " $1")} ${settingText(one, meaning(one))}`,
      }
    : { named: `${t(one.title)} ${one.words.en} ${one.words.hi}`, about: one.on === undefined ? "" : t(one.on) };
}

/**
 * Finds places and settings by any of the words of `wanted`; those with fewer of them are left out. `meaning`: what the
 * hub says of a setting in English, where it is known.
 */
export function findAll(wanted: string, meaning: (key: string) => string = () => ""): Found {
  const all = [...PLACES, ...settingKeys()];
  const find = (words: string) => findBest<Place | string>(all, words, (one) => wordsOf(one, meaning));
  const found = find(wanted);
  const best =
    [found, ...(found.length > 0 ? [] : meant(wanted, all).map(find))].find(({ length }) => length > 0) ?? [];
  return {
    places: best.filter((one) => typeof one !== "string"),
    settings: best.filter((one) => typeof one === "string"),
  };
}

/** What may have been meant by words that nothing has. */
function meant(wanted: string, all: readonly (Place | string)[]): readonly string[] {
  return meantBy(wanted, new Set(all.flatMap((one) => spokenWords(knownWordsOf(one).named))));
}

/** A page, a part of one, or a setting, as the search of Home shows it. */
export interface FoundPage {
  readonly to: string;
  readonly name: string;
  /** The page or the section that it is in; empty where its name says it. */
  readonly about: string;
  readonly icon: IconName;
}

/** Titles of pages by their paths. */
type Titles = ReadonlyMap<string, TextKey | undefined>;

function titlesOf(pages: readonly Page[]): Titles {
  return new Map(pages.map(({ path, entry, tab }) => [path, entry?.title ?? tab?.title]));
}

/** What a search for pages looks through. */
function candidatesOf(titles: Titles): readonly (Place | string)[] {
  const placed = PLACES.filter(({ to }) => titles.has(pathOf(to)));
  const unplaced = [...titles].flatMap(([to, title]) =>
    title === undefined || placed.some((place) => place.to === to && place.title === title)
      ? []
      : [{ to, title, words: { en: "", hi: "" } }],
  );
  return [...placed, ...unplaced, ...(titles.has("/system/settings") ? settingKeys() : [])];
}

/** What the pages and settings that this person may see are called, with other words for them. */
export function namesOfPages(pages: readonly Page[]): readonly string[] {
  return candidatesOf(titlesOf(pages)).map((one) => knownWordsOf(one).named);
}

/**
 * The pages and settings that have every word of `wanted`. `pages`: what this person may see; a setting is on a page of
 * its own.
 */
export function findPages(wanted: string, pages: readonly Page[]): readonly FoundPage[] {
  const titles = titlesOf(pages);
  const icons = new Map(pages.map(({ path, entry, tab }) => [path, tab?.icon ?? entry?.icon]));
  return findBest<Place | string>(candidatesOf(titles), wanted, knownWordsOf, true).map((one) =>
    typeof one === "string"
      ? { to: addressOf(one), name: settingName(one), about: groupName(one.split(".")[0] ?? ""), icon: "settings" }
      : {
          to: one.to,
          name: t(one.title),
          about: nameOf(one.on ?? titles.get(sectionOf(one.to)), t(one.title)),
          icon: icons.get(pathOf(one.to)) ?? icons.get(sectionOf(one.to)) ?? "settings",
        },
  );
}

function pathOf(to: string): string {
  return to.split("?")[0] ?? to;
}

/** The first page of the section that an address is in. */
function sectionOf(to: string): string {
  return `/${pathOf(to).split("/")[1] ?? ""}`;
}

function nameOf(title: TextKey | undefined, otherThan: string): string {
  const name = title === undefined ? "" : t(title);
  return name === otherThan ? "" : name;
}

/** Where a setting is changed. */
function addressOf(key: string): string {
  return `/system/settings?find=${encodeURIComponent(settingName(key))}`;
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
          <a href={addressOf(key)}>
            <span class="row-title">{settingName(key)}</span>
            <span class="row-state">{groupName(key.split(".")[0] ?? "")}</span>
            <Icon name="chevronRight" small />
          </a>
        </li>
      ))}
    </ul>
  );
}
