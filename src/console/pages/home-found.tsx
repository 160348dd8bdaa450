/** What the search of Home finds, by kind: a device, a room, a scene, a rule, a person, a car, a page, a setting, help. */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { shownName } from "../../features/automations/console/rule-names.ts";
import { loadLanguagesOf } from "../../features/automations/console/stored-texts.ts";
import { weakBatteries } from "../../features/devices/rules/dangers.ts";
import { FoundPlateRules, FoundReads, findReads, listPlateRules } from "../../features/gate/console/found-reads.tsx";
import type { PlateRule } from "../../features/gate/resources/plate-rule.ts";
import { SceneButton } from "../../features/scenes/console/scene-button.tsx";
import { findPages, namesOfPages } from "../../features/system/console/found-places.tsx";
import { get } from "../api.ts";
import { PageHead } from "../components/basics.tsx";
import { isAway, isOpen, runs } from "../components/device-tile.tsx";
import { deviceSought, findDevices } from "../components/find-devices.ts";
import { HouseChips } from "../components/house-chips.tsx";
import { Icon, type IconName, roomIcon } from "../components/icon.tsx";
import { meantBy, spokenWords } from "../components/misspelt.ts";
import { Name } from "../components/name.tsx";
import { ABOUT, bestPlace, ranked, rankOf, type Sought, withWords } from "../components/ranked.ts";
import { TileGrid } from "../components/tile-grid.tsx";
import { loadChapter } from "../help/chapters.ts";
import { type Section as Chapter, firstSentence, type Found as Hit, searchSections } from "../help/sections.ts";
import { type TextKey, t } from "../i18n/translate.ts";
import type { AnswerTo } from "../operations.ts";
import { language } from "../preferences.ts";
import { type Device, deviceList, type GateRead, rooms, scenes } from "../store.ts";
import { type Page, type PageProps, usePages } from "./page.ts";

/** Tiles that are drawn before somebody scrolls: the first screen of a phone. */
const FIRST_TILES = 6;
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
      {q === "" ? <FoundDevices devices={among} /> : <Results q={q} among={among} />}
    </div>
  );
}

function FoundDevices({ devices }: { devices: readonly Device[] }) {
  return (
    <section class="stack" aria-label={t("home.found", { n: devices.length })}>
      <p class="soft" role="status">
        {t("home.found", { n: devices.length })}
      </p>
      <TileGrid devices={devices} first={FIRST_TILES} />
    </section>
  );
}

/** Devices that are not called so: the room, or the kind, has the words. */
function DevicesAbout({ devices }: { devices: readonly Device[] }) {
  return (
    <Section title={t("found.byRoom", { n: devices.length })}>
      <TileGrid devices={devices} first={FIRST_TILES} />
    </Section>
  );
}

/** Things of one kind that were found, and how well the best of them fits. */
interface Group {
  readonly place: number;
  readonly count: number;
  readonly view: ComponentChildren;
}

/**
 * What fits what somebody typed: kinds of things one below the other, that of the best fit first. Cars and the manual
 * follow below when they have answered: nothing moves under a finger.
 */
function Results({ q, among }: { q: string; among: readonly Device[] }) {
  const pages = usePages();
  const lists = useLists(pages);
  const [late, setLate] = useState<Late | null>(null);
  useEffect(() => {
    let isStale = false;
    void findLate(q).then((found) => {
      if (!isStale) setLate(found);
    });
    return () => {
      isStale = true;
    };
  }, [q]);
  const following = useFollowing(q);
  const further = useMemo(
    () => (following === null || lists === null ? [] : elsewhereOf(following, pages, lists)),
    [following, lists],
  );
  const found = [...hereOf(q, among), ...further].filter(({ count }) => count > 0);
  const groups = [...found].sort((one, other) => one.place - other.place);
  const elsewhere = late === null ? 0 : late.reads.length + late.help.length;
  const meant = useMeant(following, among, pages, lists);
  if (groups.length + elsewhere + meant.length === 0)
    return late?.q === q && following === q && lists !== null ? (
      <p class="soft" role="status">
        {t("found.nothing")}
      </p>
    ) : null;
  return (
    <>
      {groups.map(({ view }) => view)}
      {late !== null && (
        <>
          <FoundReads reads={late.reads} q={q} />
          <Lines kind="help.title" lines={late.help} />
          <p class="sr-only" role="status">
            {t("found.elsewhere", { n: elsewhere })}
          </p>
        </>
      )}
      {lists !== null &&
        late?.q === q &&
        meant.map((words) => <Meant key={words} q={words} among={among} pages={pages} lists={lists} />)}
    </>
  );
}

/** What may have been meant by words that nothing here has; none before the lists have answered. */
function useMeant(
  q: string | null,
  among: readonly Device[],
  pages: readonly Page[],
  lists: Lists | null,
): readonly string[] {
  const [titles, setTitles] = useState<readonly string[]>([]);
  useEffect(() => {
    void loadChapter("using-gatehouse", language.value)
      .then(({ sections }) => setTitles(sections.map(({ title }) => title)))
      .catch(() => {}); // the manual's words are not known then
  }, []);
  const known = useMemo(() => {
    const called = [
      ...among.flatMap((device) => [device.name, deviceSought(device).about ?? ""]),
      ...[...rooms.value, ...scenes.value, ...(lists?.persons ?? [])].map(({ name }) => name),
      ...(lists?.automations.value ?? []).map(({ name }) => name),
      ...namesOfPages(pages),
      ...titles,
    ];
    return new Set(called.flatMap(spokenWords));
  }, [among, rooms.value, scenes.value, lists, lists?.automations.value, titles, language.value]);
  return useMemo(() => (q === null || lists === null ? [] : meantBy(q, known)), [q, known]);
}

/** What is found by words that are a letter away from those that were typed. */
function Meant({
  q,
  among,
  pages,
  lists,
}: {
  q: string;
  among: readonly Device[];
  pages: readonly Page[];
  lists: Lists;
}) {
  const [help, setHelp] = useState<readonly Line[]>([]);
  useEffect(() => void helpLines(q).then(setHelp, () => {}), [q]);
  const groups = [...hereOf(q, among), ...elsewhereOf(q, pages, lists)]
    .filter(({ count }) => count > 0)
    .sort((one, other) => one.place - other.place);
  if (groups.length + help.length === 0) return null;
  return (
    <section class="stack" aria-label={t("found.meant", { what: q })}>
      <p class="soft" role="status">
        {t("found.meant", { what: q })}
      </p>
      {groups.map(({ view }) => view)}
      <Lines kind="help.title" lines={help} />
    </section>
  );
}

/** A value once what it changes at first has been painted: a phone takes a key between the two parts of the work. */
function useFollowing<Value>(value: Value): Value | null {
  const [following, setFollowing] = useState<Value | null>(null);
  useEffect(() => {
    const frame = requestAnimationFrame(() => setTimeout(() => setFollowing(() => value)));
    return () => cancelAnimationFrame(frame);
  }, [value]);
  return following;
}

const nameOf = ({ name }: { readonly name: string }): Sought => ({ names: [name] });

function linesOf(q: string, kind: TextKey, lines: readonly Line[]): Group {
  return {
    place: bestPlace(q, lines.slice(0, 1).map(nameOf)),
    count: lines.length,
    view: <Lines key={kind} kind={kind} lines={lines} />,
  };
}

/** What the page knows, by kind: of two kinds that fit as well, the one named first stands first. */
function hereOf(q: string, among: readonly Device[]): readonly Group[] {
  const found = findDevices(among, q);
  const isCalledSo = (device: Device): boolean => rankOf(q, deviceSought(device)) !== "about";
  const called = found.filter(isCalledSo);
  // where none is called so, those are what was meant
  const [devices, others] = called.length === 0 ? [found, []] : [called, found.slice(called.length)];
  const sceneList = ranked(scenes.value, q, nameOf);
  const roomLines = ranked(rooms.value, q, nameOf).map(({ id, name, icon, deviceCount }) => ({
    to: `/rooms/${id}`,
    name,
    icon: roomIcon(icon),
    about: t("rooms.devices", { n: deviceCount }),
  }));
  return [
    {
      place: bestPlace(q, devices.slice(0, 1).map(deviceSought)),
      count: devices.length,
      view: <FoundDevices key="devices" devices={devices} />,
    },
    linesOf(q, "rooms.title", roomLines),
    {
      place: bestPlace(q, sceneList.slice(0, 1).map(nameOf)),
      count: sceneList.length,
      view: (
        <Section key="scenes" title={t("nav.scenes")}>
          <div class="scene-row">
            {sceneList.map((scene) => (
              <SceneButton key={scene.id} scene={scene} />
            ))}
          </div>
        </Section>
      ),
    },
    { place: ABOUT, count: others.length, view: <DevicesAbout key="others" devices={others} /> },
  ];
}

/** What was asked for when the search began, and the pages with their settings. */
function elsewhereOf(q: string, pages: readonly Page[], lists: Lists): readonly Group[] {
  const ruleSought = (rule: PlateRule): Sought => ({ names: [rule.plate, rule.formatted, rule.label] });
  const plateRules = ranked(lists.plateRules, q, ruleSought);
  return [
    {
      place: bestPlace(q, plateRules.slice(0, 1).map(ruleSought)),
      count: plateRules.length,
      view: <FoundPlateRules key="rules" rules={plateRules} q={q} />,
    },
    linesOf(q, "nav.automations", automationLines(q, lists.automations.value)),
    linesOf(q, "persons.title", personLines(q, lists.persons)),
    linesOf(q, "found.pages", findPages(q, pages)),
  ];
}

const none = <Item,>(): Item[] => [];

/** What is searched here and not by the hub. */
interface Lists {
  readonly plateRules: readonly PlateRule[];
  /** With their names, which are made of their sentences: that takes too long for each key. */
  readonly automations: ReadonlySignal<readonly NamedRule[]>;
  readonly persons: readonly Person[];
}

/** How long a search waits for lists; what has not answered by then is left out. */
const LISTS_MS = 1_500;

/** Requested for the search that is about to begin. */
let asked: Promise<Lists> | null = null;

/** Requests the lists that this person may see, once for all that somebody types: when they go to the field. */
export function askForLists(pages: readonly Page[]): Promise<Lists> {
  const paths = new Set(pages.map(({ path }) => path));
  const allowed = async <Item,>(path: string, ask: () => Promise<readonly Item[]>): Promise<readonly Item[]> => {
    if (!paths.has(path)) return [];
    const tooLate = new Promise<readonly Item[]>((resolve) => setTimeout(() => resolve([]), LISTS_MS));
    return Promise.race([ask().catch(none<Item>), tooLate]);
  };
  asked = Promise.all([
    allowed("/gate/rules", listPlateRules),
    allowed("/automations", async () => (await get("/v1/automations")).automations),
    allowed("/system/persons", async () => (await get("/api/persons")).persons),
  ]).then(([plateRules, automations, persons]) => ({ plateRules, automations: named(automations), persons }));
  return asked;
}

function useLists(pages: readonly Page[]): Lists | null {
  const [lists, setLists] = useState<Lists | null>(null);
  useEffect(() => {
    void (asked ?? askForLists(pages)).then(setLists);
    return () => {
      asked = null; // the next search asks anew
    };
  }, []);
  return lists;
}

type Late = Awaited<ReturnType<typeof findLate>>;

/** Asks the hub and the manual; what does not answer is left out. */
async function findLate(q: string) {
  const [reads, help] = await Promise.all([findReads(q).catch(none<GateRead>), helpLines(q).catch(none<Line>)]);
  return { q, reads, help };
}

type Automation = AnswerTo<"GET", "/v1/automations">["automations"][number];

interface NamedRule {
  readonly rule: Automation;
  readonly name: string;
}

function named(automations: readonly Automation[]): ReadonlySignal<readonly NamedRule[]> {
  loadLanguagesOf(automations.map(({ name }) => name));
  const all = computed(() => automations.map((rule) => ({ rule, name: shownName(rule) })));
  setTimeout(() => all.value); // before the first key
  return all;
}

function automationLines(q: string, rules: readonly NamedRule[]): Line[] {
  return ranked(rules, q, ({ rule, name }) => ({ names: [name, rule.name] })).map(({ rule, name }) => ({
    to: `/automations/${rule.id}`,
    name,
    about: t(rule.enabled ? "device.on" : "device.off"),
    icon: "wand",
  }));
}

type Person = AnswerTo<"GET", "/api/persons">["persons"][number];

function personLines(q: string, persons: readonly Person[]): Line[] {
  return ranked(persons, q, ({ name, email }) => ({ names: [name], about: email })).map(({ id, name, email }) => ({
    to: `/system/persons/${id}`,
    name,
    about: email,
    icon: "user",
  }));
}

/** Sections of the chapter for everybody that have every word. */
async function helpLines(q: string): Promise<Line[]> {
  if (q.length < LEAST_FOR_HELP) return [];
  const { sections } = await loadChapter("using-gatehouse", language.value);
  const has = withWords<Chapter>(q, ({ title, text }) => `${title} ${text}`);
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

function Lines({ kind, lines }: { kind: TextKey; lines: readonly Line[] }) {
  const [isAll, setAll] = useState(false);
  if (lines.length === 0) return null;
  return (
    <Section title={t(kind)}>
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
    </Section>
  );
}

function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="stack" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
