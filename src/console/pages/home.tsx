import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { dangers } from "../../features/devices/console/house-dangers.ts";
import { GateHero, Hero, mainGate } from "../../features/gate/console/gate-hero.tsx";
import { SceneButton } from "../../features/scenes/console/scene-button.tsx";
import { HealthBanner } from "../../features/system/console/health-card.tsx";
import { Card, Empty, PageHeading } from "../components/basics.tsx";
import { Button } from "../components/button.tsx";
import { isAway, isOpen, runs, stateLine } from "../components/device-tile.tsx";
import { HouseChips } from "../components/house-chips.tsx";
import { Icon, type IconName, roomIcon } from "../components/icon.tsx";
import { Name } from "../components/name.tsx";
import { SearchField } from "../components/search-field.tsx";
import { TileGrid } from "../components/tile-grid.tsx";
import { houseHour, houseZone, loadFurther, t } from "../i18n/translate.ts";
import { query } from "../router.ts";
import { account, isOwner } from "../session.ts";
import { type Device, deviceList, FAVOURITES, feed, hints, loaded, NO_ROOM, reads, rooms, scenes } from "../store.ts";
import { Latest } from "./home-latest.tsx";
import { later } from "./later.tsx";
import { usePages } from "./page.ts";
import { WhatNext } from "./what-next.tsx";
import "./home.css";

/** What needs somebody now; its code is loaded when something does. */
const DangerList = later(
  async () => {
    const { Dangers } = await import("../../features/devices/console/dangers.tsx");
    return () => <Dangers dangers={dangers.value} />;
  },
  { isSilent: true },
);

/** Asks for the time zone until it is known; few visits need it. */
const ZoneNotice = later(
  async () => {
    const { ZoneNotice: Question } = await import("../../features/system/console/zone-notice.tsx");
    return () => <Question />;
  },
  { isSilent: true },
);

/** What is left to do until a test picture has moved the gate. */
const SetUp = later(async () => (await import("../../features/gate/console/set-up.tsx")).SetUpCard, { isSilent: true });

const loadFound = () => import("./home-found.tsx");

/** What a search finds, or a fact leads to, in place of the house. */
const Narrowed = later(async () => (await loadFound()).Narrowed, { isSilent: true });

/** From this many devices on, rooms are shown as cards that lead to their pages. */
const LARGE_HOUSE = 24;
/** Tiles of a room before the rest is left to its page. */
const OF_A_ROOM = 6;
/** Rooms of a large house before somebody asks for the others. */
const FIRST_ROOMS = 9;
/** Favourites come from all rooms: each says its own. */
const TO_FAVOURITES = `/rooms/${FAVOURITES}`;
/** Pause after which typing counts as finished: drawing tiles takes longer than a key. */
const REST_MS = 160;

/** The facts that Home can be narrowed to. */
const FACTS = ["on", "open", "offline", "battery"];

/** Whether the first screen has been painted: the house below it is drawn then, which takes a phone a second. */
const isPainted = signal(false);

/** The page that opens first: the gate, the house at a glance, then rooms and the last things that happened. */
export function Home() {
  const asked = new URLSearchParams(query());
  const show = asked.get("show") ?? "";
  const [wanted, setWanted] = useState(asked.get("q") ?? "");
  if (!loaded.value) return <HomeShell />;
  const q = wanted.trim();
  return (
    <>
      <div class="danger-place" role="alert">
        {dangers.value.length > 0 && <DangerList params={{}} />}
      </div>
      <search class="home-search">
        <HomeSearch typed={wanted} onRest={setWanted} />
      </search>
      {q !== "" || FACTS.includes(show) ? <Narrowed params={{ q, show }} /> : <House all={deviceList.value} />}
    </>
  );
}

/** The house as it is: the gate and what belongs to it, beside them what happened last. */
function House({ all }: { all: readonly Device[] }) {
  const gate = mainGate();
  const hasOpened = reads.value.some(({ gate: at }) => at?.result === "opened" || at?.result === "taken");
  const hasGate = gate !== undefined || reads.value.length > 0;
  const hasNews = feed.value.length > 0 || reads.value.length > 0;
  useEffect(() => {
    const frame = requestAnimationFrame(() => setTimeout(() => (isPainted.value = true)));
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <div class={hasNews ? "home columns" : "home"}>
      <div class="home-main">
        {hasGate ? <GateHero gate={gate} greeting={greeting()} /> : <HouseHero all={all} />}
        <HealthBanner />
        {isOwner.value && houseZone.value === undefined && (
          <div class="zone-place">
            <ZoneNotice params={{}} />
          </div>
        )}
        {hints.value?.setUp === true && !hasOpened && (
          <div class={mayBeSetUp(all) ? "set-up-place" : undefined}>
            <SetUp params={{}} />
          </div>
        )}
        <HouseChips />
        {(hasOpened || hints.value?.setUp === false) && <WhatNext />}
        <div class="home-rooms">{isPainted.value && <Rooms all={all} above={hasGate ? gate : undefined} />}</div>
      </div>
      {hasNews && (
        <section class="stack home-side" aria-label={t("home.latest")}>
          <h2>
            <a class="section-link" href="/activity">
              {t("home.latest")}
              <Icon name="chevronRight" small />
            </a>
          </h2>
          {isPainted.value && <Latest />}
        </section>
      )}
    </div>
  );
}

/** Whether the way to a gate is shown once it is known: its place is kept, so that the house below does not jump. */
function mayBeSetUp(all: readonly Device[]): boolean {
  return all.length === 0 || all.some(({ type, capabilities }) => type === "camera" || capabilities?.barrier === true);
}

/** What stands there before the first lists are here: nothing jumps when they come. */
function HomeShell() {
  return (
    <>
      <div class="home-search shell" aria-hidden="true" />
      <div class="home columns">
        <div class="home-main">
          <section class="hero shell" aria-busy="true">
            <div class="hero-words">
              <p class="hero-sentence">{t("state.loading")}</p>
            </div>
          </section>
          <div class="house shell" aria-hidden="true" />
        </div>
        <div class="home-side" />
      </div>
    </>
  );
}

/** A house without a gate: the most important thing about it. */
function HouseHero({ all }: { all: readonly Device[] }) {
  const open = all.find(isOpenDoor);
  // the way to a gate below has the first step of a house that wants one
  const isBegun = all.length > 0 || hints.value?.setUp !== false;
  const quiet = dangers.value.length > 0 ? "hero.elseQuiet" : "hero.quiet";
  const words =
    open === undefined
      ? t(all.length === 0 ? "hero.emptyHouse" : quiet)
      : t("hero.device", { name: open.name, state: stateLine(open) });
  return (
    <Hero picture={null} note="">
      <div class="hero-story">
        <p class="hero-place">{greeting()}</p>
        <PageHeading text={words} page={t("nav.home")} />
        {!isBegun && <p class="hero-sentence">{t("home.noDevices")}</p>}
      </div>
      {open !== undefined && (
        <a class="button" href={`/devices/${encodeURIComponent(open.id)}`}>
          {t("home.lookAt")}
        </a>
      )}
      {!isBegun && isOwner.value && (
        <a class="button outline" href="/devices?add">
          {t("home.addDevice")}
        </a>
      )}
    </Hero>
  );
}

function isOpenDoor(device: Device): boolean {
  return device.online && (device.type === "lock" || device.type === "gate") && isOpen(device);
}

/**
 * The field keeps up with the keys; the page follows when they rest. What it finds takes the place of the house, right
 * below it.
 */
function HomeSearch({ typed, onRest }: { typed: string; onRest: (text: string) => void }) {
  const [text, setText] = useState(typed);
  const box = useRef<HTMLDivElement>(null);
  const pages = usePages();
  const begin = (): void => {
    // what a search shows is here before the first key
    void Promise.all([loadFound(), loadFurther()])
      .then(([{ askForLists }]) => void (text === "" && askForLists(pages)))
      .catch(() => {});
  };
  useEffect(() => {
    // its key was pressed on another page
    if (typed === "" && new URLSearchParams(location.search).has("q")) box.current?.querySelector("input")?.focus();
  }, []);
  useEffect(() => {
    if (text === typed) return;
    const timer = setTimeout(() => {
      const show = new URLSearchParams(location.search).get("show");
      const next = new URLSearchParams({ ...(show === null ? {} : { show }), ...(text === "" ? {} : { q: text }) });
      history.replaceState(null, "", next.size === 0 ? "/" : `/?${next}`); // comes back with the page
      onRest(text);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div ref={box} onFocusIn={begin}>
      <SearchField label={t("home.search")} value={text} onInput={setText} />
    </div>
  );
}

/** Scenes, favourites and rooms. A large house shows its rooms as cards. */
function Rooms({ all, above }: { all: readonly Device[]; above: Device | undefined }) {
  const isLarge = all.length > LARGE_HOUSE;
  // the gate and its picture stand above already
  const isBelow = (device: Device): boolean =>
    isLarge || (device.id !== above?.id && !(above && device.type === "camera"));
  const groups = rooms.value.map((room) => ({
    key: String(room.id),
    title: room.name,
    icon: roomIcon(room.icon),
    devices: all.filter((device) => isBelow(device) && device.room?.toLowerCase() === room.name.toLowerCase()),
  }));
  const [shown, setShown] = useState(FIRST_ROOMS);
  const roomless = {
    key: NO_ROOM,
    title: t(rooms.value.length > 0 ? "home.noRoom" : "home.devices"),
    icon: "cpu" as const,
    devices: all.filter((device) => isBelow(device) && device.room === null),
  };
  const favourites = {
    title: t("home.favourites"),
    to: TO_FAVOURITES,
    devices: all.filter((device) => device.favorite),
  };
  const cards = [...groups, roomless]
    .filter(({ devices }) => devices.length > 0)
    .sort((one, other) => oddness(one.devices) - oddness(other.devices));
  return (
    <>
      {scenes.value.length > 0 && (
        <section class="scene-row" aria-label={t("nav.scenes")}>
          {scenes.value.map((scene) => (
            <SceneButton key={scene.id} scene={scene} />
          ))}
        </section>
      )}
      {isLarge ? (
        <Section {...favourites} />
      ) : (
        <div class="rooms">
          <Section {...favourites} />
          {[...groups, roomless].map(({ key, title, devices }) => (
            <Section key={key} title={title} to={`/rooms/${key}`} devices={devices} />
          ))}
        </div>
      )}
      {isLarge && (
        <section class="stack" aria-label={t("rooms.title")}>
          <h2>{t("rooms.title")}</h2>
          <div class="room-cards">
            {cards.slice(0, shown).map(({ key, ...room }) => (
              <RoomCard key={key} to={`/rooms/${key}`} {...room} />
            ))}
          </div>
          {cards.length > shown && (
            <Button text={t("home.more", { n: cards.length - shown })} onClick={() => setShown(cards.length)} />
          )}
        </section>
      )}
      {all.length === 0 && !isOwner.value && (
        <Card>
          <Empty icon="plug" text={t("home.noDevices")} />
        </Card>
      )}
    </>
  );
}

/** Rooms that want a look come first: a danger, then what is open, then what is away. */
function oddness(devices: readonly Device[]): number {
  if (dangers.value.some(({ deviceId }) => devices.some(({ id }) => id === deviceId))) return 0;
  if (devices.some((device) => device.online && isOpen(device))) return 1;
  return devices.some(isAway) ? 2 : 3;
}

/** A device list under its heading, which leads to a page of its own. */
function Section({ title, to, devices }: { title: string; to: string; devices: readonly Device[] }) {
  if (devices.length === 0) return null;
  const rest = devices.length - OF_A_ROOM;
  return (
    <section class="stack" aria-label={title}>
      <h2>
        <a class="section-link" href={to}>
          {title}
          <Icon name="chevronRight" small />
        </a>
      </h2>
      <TileGrid
        devices={rest > 1 ? devices.slice(0, OF_A_ROOM) : devices}
        room={to === TO_FAVOURITES ? undefined : title}
      />
      {rest > 1 && (
        <a class="more-link" href={to}>
          {t("home.more", { n: rest })}
        </a>
      )}
    </section>
  );
}

/** A room of a large house: what is in it in one line. */
function RoomCard({
  title,
  icon,
  to,
  devices,
}: {
  title: string;
  icon: IconName;
  to: string;
  devices: readonly Device[];
}) {
  const offline = devices.filter(isAway).length;
  const facts = [
    ...(devices.some(runs) ? [t("home.countOn", { n: devices.filter(runs).length })] : []),
    ...(devices.some(isOpen) ? [t("home.countOpen", { n: devices.filter(isOpen).length })] : []),
    ...(offline > 0 ? [t("home.countOffline", { n: offline })] : []),
  ];
  return (
    <a class="card link-card room-card" data-odd={oddness(devices) < 3} href={to}>
      <span class="row">
        <Icon name={icon} />
        <strong class="grow">
          <Name text={title} />
        </strong>
        <Icon name="chevronRight" small />
      </span>
      <span class="soft small">
        <span class="room-total">{t("rooms.devices", { n: devices.length })}</span>
        {facts.length > 0 && <span class="room-facts">{facts.join(" · ")}</span>}
      </span>
    </a>
  );
}

function greeting(): string {
  const hour = houseHour();
  const words =
    hour < 5 ? t("home.night") : hour < 12 ? t("home.morning") : hour < 18 ? t("home.afternoon") : t("home.evening");
  const name = account.value?.name.split(" ")[0];
  return name ? `${words}, ${name}` : words;
}
