/** What the search of Home finds, by kind: a device, a room, a scene, a rule, a person, a car, a page, a setting, help. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { shownName } from "../../features/automations/console/rule-names.ts";
import { loadLanguagesOf } from "../../features/automations/console/stored-texts.ts";
import { weakBatteries } from "../../features/devices/rules/dangers.ts";
import { FoundPlateRules, FoundReads, findReads, listPlateRules } from "../../features/gate/console/found-reads.tsx";
import { ruleWords } from "../../features/gate/console/rule-words.ts";
import { SceneButton } from "../../features/scenes/console/scene-button.tsx";
import { findPages } from "../../features/system/console/found-places.tsx";
import { get } from "../api.ts";
import { PageHead } from "../components/basics.tsx";
import { isAway, isOpen, runs } from "../components/device-tile.tsx";
import { findDevices } from "../components/find-devices.ts";
import { HouseChips } from "../components/house-chips.tsx";
import { Icon, type IconName, roomIcon } from "../components/icon.tsx";
import { Name } from "../components/name.tsx";
import { TileGrid } from "../components/tile-grid.tsx";
import { withWords } from "../components/with-words.ts";
import { loadChapter } from "../help/chapters.ts";
import { firstSentence, type Found as Hit, type Section, searchSections } from "../help/sections.ts";
import { type TextKey, t } from "../i18n/translate.ts";
import type { AnswerTo } from "../operations.ts";
import { language } from "../preferences.ts";
import { type Device, deviceList, type GateRead, rooms, scenes } from "../store.ts";
import { type Page, type PageProps, usePages } from "./page.ts";

/** Lines of one kind. */
const SHOWN = 6;
/** Sections of the manual. */
const OF_HELP = 4;
/** Shorter texts are in every section of the manual. */
const LEAST_FOR_HELP = 3;

/** A line that leads to what was found. */
interface Line {
  readonly to: string;
  readonly name: string;
  /** Where it is, or how it stands. */
  readonly about?: string;
  readonly icon?: IconName;
}

/** A kind of things, and those of them that were found. */
interface Kind {
  readonly kind: TextKey;
  readonly lines: readonly Line[];
}

type Found = Awaited<ReturnType<typeof findElsewhere>>;

/** What the facts of Home lead to. */
const FACTS: Readonly<Record<string, { readonly word: TextKey; readonly fits: (device: Device) => boolean }>> = {
  on: { word: "home.countOn", fits: runs },
  open: { word: "home.countOpen", fits: isOpen },
  offline: { word: "home.countOffline", fits: isAway },
  battery: { word: "home.countBattery", fits: (device) => weakBatteries([device]).length > 0 },
};

/** Home narrowed to what somebody typed (`q`), to the devices that are so (`show`), or to both. */
export function Narrowed({ params: { q = "", show = "" } }: PageProps) {
  const fact = FACTS[show];
  const all = deviceList.value;
  const among = fact === undefined ? all : all.filter(fact.fits);
  const found = findDevices(among, q);
  return (
    <div class="stack home-found">
      {fact === undefined ? (
        <h1 class="sr-only">{t("home.results", { what: q })}</h1>
      ) : (
        <>
          <PageHead title={t(fact.word, { n: among.length })} back={{ to: "/", text: t("nav.home") }}>
            <a class="button" href="/">
              {t("filter.clear")}
            </a>
          </PageHead>
          <HouseChips />
        </>
      )}
      {(found.length > 0 || q === "") && (
        <section class="stack" aria-label={t("home.found", { n: found.length })}>
          <p class="soft" role="status">
            {t("home.found", { n: found.length })}
          </p>
          <TileGrid devices={found} first={12} />
        </section>
      )}
      {q !== "" && <FoundElsewhere q={q} isAlone={found.length === 0} />}
    </div>
  );
}

/**
 * What fits what somebody typed, all at once when everything has answered: nothing moves under a finger. `isAlone`: no
 * device was found, so that somebody has to be told if there is nothing else either.
 */
function FoundElsewhere({ q, isAlone }: { q: string; isAlone: boolean }) {
  const pages = usePages();
  const [lists] = useState(() => askLists(pages));
  const [found, setFound] = useState<Found | null>(null);
  useEffect(() => {
    let isStale = false;
    void findElsewhere(q, pages, lists).then((all) => {
      if (!isStale) setFound(all);
    });
    return () => {
      isStale = true;
    };
  }, [q]);
  if (found === null) return null;
  const { reads, plateRules, kinds } = found;
  const sceneList = scenes.value.filter(withWords(q, ({ name }) => name));
  const roomLines = rooms.value.filter(withWords(q, ({ name }) => name)).map(({ id, name, icon, deviceCount }) => ({
    to: `/rooms/${id}`,
    name,
    icon: roomIcon(icon),
    about: t("rooms.devices", { n: deviceCount }),
  }));
  const count = [reads, plateRules, sceneList, roomLines, ...kinds.map(({ lines }) => lines)].flat().length;
  if (count === 0)
    return isAlone ? (
      <p class="soft" role="status">
        {t("found.nothing")}
      </p>
    ) : null;
  return (
    <>
      <Lines kind="rooms.title" lines={roomLines} />
      {sceneList.length > 0 && (
        <Group title={t("nav.scenes")}>
          <div class="scene-row">
            {sceneList.map((scene) => (
              <SceneButton key={scene.id} scene={scene} />
            ))}
          </div>
        </Group>
      )}
      <FoundReads reads={reads} q={q} />
      <FoundPlateRules rules={plateRules} q={q} />
      {kinds.map((one) => (
        <Lines key={one.kind} {...one} />
      ))}
      <p class="sr-only" role="status">
        {t("found.elsewhere", { n: count })}
      </p>
    </>
  );
}

const none = <Item,>(): Item[] => [];

/** What is searched here and not by the hub, asked for once while somebody types; what does not answer is left out. */
function askLists(pages: readonly Page[]) {
  const paths = new Set(pages.map(({ path }) => path));
  const allowed = async <Item,>(path: string, ask: () => Promise<readonly Item[]>): Promise<readonly Item[]> =>
    paths.has(path) ? ask().catch(none<Item>) : [];
  return {
    plateRules: allowed("/gate/rules", listPlateRules),
    automations: allowed("/automations", async () => (await get("/v1/automations")).automations),
    persons: allowed("/system/persons", async () => (await get("/api/persons")).persons),
  };
}

/** Asks the hub and the manual; what does not answer is left out. `pages`: those that this person may see. */
async function findElsewhere(q: string, pages: readonly Page[], lists: ReturnType<typeof askLists>) {
  const [reads, plateRules, automations, persons, help] = await Promise.all([
    findReads(q).catch(none<GateRead>),
    lists.plateRules,
    lists.automations,
    lists.persons,
    helpLines(q).catch(none<Line>),
  ]);
  const kinds: readonly Kind[] = [
    { kind: "nav.automations", lines: automationLines(q, automations) },
    { kind: "persons.title", lines: personLines(q, persons) },
    { kind: "found.pages", lines: findPages(q, pages) },
    { kind: "help.title", lines: help },
  ];
  return { reads, plateRules: plateRules.filter(withWords(q, ruleWords)), kinds };
}

type Automation = AnswerTo<"GET", "/v1/automations">["automations"][number];

function automationLines(q: string, automations: readonly Automation[]): Line[] {
  loadLanguagesOf(automations.map(({ name }) => name));
  return automations
    .map((rule) => ({ rule, name: shownName(rule) }))
    .filter(withWords(q, ({ rule, name }) => `${name} ${rule.name}`))
    .map(({ rule, name }) => ({
      to: `/automations/${rule.id}`,
      name,
      about: t(rule.enabled ? "device.on" : "device.off"),
      icon: "wand",
    }));
}

type Person = AnswerTo<"GET", "/api/persons">["persons"][number];

function personLines(q: string, persons: readonly Person[]): Line[] {
  return persons
    .filter(withWords(q, ({ name, email }) => `${name} ${email}`))
    .map(({ id, name, email }) => ({ to: `/system/persons/${id}`, name, about: email, icon: "user" }));
}

/** Sections of the chapter for everybody that have every word. */
async function helpLines(q: string): Promise<Line[]> {
  if (q.length < LEAST_FOR_HELP) return [];
  const { sections } = await loadChapter("using-gatehouse", language.value);
  const has = withWords<Section>(q, ({ title, text }) => `${title} ${text}`);
  const found: Hit[] = [...searchSections(sections.filter(has), q)];
  if (found.length === 0 && language.value !== "en") {
    // typed in English: the same sections in the reader's language
    const english = searchSections((await loadChapter("using-gatehouse", "en")).sections.filter(has), q);
    for (const { section } of english) {
      const same = sections.find(({ id }) => id === section.id);
      if (same !== undefined) found.push({ section: same, sentence: firstSentence(same) });
    }
  }
  return found.slice(0, OF_HELP).map(({ section, sentence }) => ({
    to: `/help/using-gatehouse#${section.id}`,
    name: section.title,
    about: sentence,
    icon: "help",
  }));
}

function Lines({ kind, lines }: Kind) {
  const [isAll, setAll] = useState(false);
  if (lines.length === 0) return null;
  return (
    <Group title={t(kind)}>
      <ul class="rows">
        {(isAll ? lines : lines.slice(0, SHOWN)).map(({ to, name, about, icon = "settings" }) => (
          <li key={`${to} ${name}`}>
            <a href={to}>
              <Icon name={icon} />
              <span class="row-title">
                <Name text={name} />
                {about !== undefined && about !== "" && <span class="row-text">{about}</span>}
              </span>
              <Icon name="chevronRight" small />
            </a>
          </li>
        ))}
      </ul>
      {!isAll && lines.length > SHOWN && (
        <button type="button" class="button" onClick={() => setAll(true)}>
          {t("home.more", { n: lines.length - SHOWN })}
        </button>
      )}
    </Group>
  );
}

function Group({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="stack" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
