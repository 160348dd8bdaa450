import { useState } from "preact/hooks";
import { FeedList } from "../../features/feed/console/feed-list.tsx";
import { OccupancyGauge } from "../../features/gate/console/occupancy.tsx";
import { activateScene } from "../../features/scenes/console/scene-actions.ts";
import { HealthBanner } from "../../features/system/console/health-card.tsx";
import { Card, Empty, Notice, PageHead, Plate } from "../components/basics.tsx";
import { Chip } from "../components/button.tsx";
import { isOpen, runs } from "../components/device-tile.tsx";
import { findDevices } from "../components/find-devices.ts";
import { Icon, type IconName, roomIcon } from "../components/icon.tsx";
import { PowerNow } from "../components/power-now.tsx";
import { SearchField } from "../components/search-field.tsx";
import { TileGrid } from "../components/tile-grid.tsx";
import { houseZone, type TextKey, t } from "../i18n/translate.ts";
import { account, isOwner } from "../session.ts";
import {
  type Device,
  deviceList,
  FAVOURITES,
  feed,
  loaded,
  NO_ROOM,
  occupancy,
  reads,
  rooms,
  scenes,
} from "../store.ts";
import { later } from "./later.tsx";

/** Asks for the time zone until it is known; few visits need it. */
const ZoneNotice = later(
  async () => {
    const { ZoneNotice: Question } = await import("../../features/system/console/zone-notice.tsx");
    return () => <Question />;
  },
  { isSilent: true },
);

/** Most devices named in one line. */
const NAMED = 3;
/** Most characters of a name among others. */
const LONG_NAME = 32;

/** From this many devices on, rooms are shown as cards that lead to their pages. */
const LARGE_HOUSE = 48;

/** What Home can be narrowed to. */
const FILTERS = {
  on: { word: "home.countOn", fits: runs },
  open: { word: "home.countOpen", fits: isOpen },
  offline: { word: "home.countOffline", fits: (device: Device) => !device.online },
} as const satisfies Record<string, { word: TextKey; fits: (device: Device) => boolean }>;
type Filter = keyof typeof FILTERS;

/** Next steps for the owner of an empty house, besides adding the first device. */
const FIRST_STEPS = [
  ["/gate/cameras/new", "camera", "home.stepCamera"],
  ["/system/persons", "house", "home.stepPeople"],
  ["/notifications/settings", "bell", "home.stepNotify"],
] as const satisfies readonly (readonly [string, IconName, TextKey])[];

/**
 * The page that opens first: problems, what is on or open, favourites, rooms, who is inside, energy now, the last
 * things that happened.
 */
export function Home() {
  const [wanted, setWanted] = useState(() => new URLSearchParams(location.search).get("q") ?? "");
  const [filter, setFilter] = useState<Filter | null>(null);
  if (!loaded.value) return <p aria-busy="true">{t("state.loading")}</p>;
  const all = deviceList.value;
  const offline = all.filter((device) => !device.online);
  const find = (text: string): void => {
    setWanted(text);
    history.replaceState(null, "", text === "" ? "/" : `/?q=${encodeURIComponent(text)}`); // comes back with the page
  };
  const isNarrowed = wanted.trim() !== "" || filter !== null;
  return (
    <>
      <PageHead
        title={greeting()}
        subtitle={t("home.summary", { devices: all.length, online: all.length - offline.length })}
      />
      <HealthBanner />
      {isOwner.value && houseZone.value === undefined && <ZoneNotice params={{}} />}
      {offline.length > 0 && (
        <Notice tone="warn">{t("home.offline", { n: offline.length, names: namesOf(offline) })}</Notice>
      )}
      {all.length === 0 && (
        <Card>
          <Empty icon="plug" text={t("home.noDevices")}>
            {isOwner.value && (
              <a class="button primary" href="/system/devices">
                {t("home.addDevice")}
              </a>
            )}
          </Empty>
        </Card>
      )}
      {all.length === 0 && isOwner.value && (
        <Card title={t("home.firstSteps")}>
          <ul class="list">
            {FIRST_STEPS.map(([to, icon, text]) => (
              <li key={to}>
                <Icon name={icon} small />
                <a class="grow" href={to}>
                  {t(text)}
                </a>
              </li>
            ))}
          </ul>
        </Card>
      )}
      <div class="columns">
        <div class="stack home-main">
          {all.length > 0 && (
            <search class="stack">
              <SearchField label={t("home.search")} value={wanted} onInput={find} />
              <div class="chips" role="group" aria-label={t("home.filters")}>
                {(Object.keys(FILTERS) as Filter[]).map((key) => {
                  const n = all.filter(FILTERS[key].fits).length;
                  return (
                    (n > 0 || filter === key) && (
                      <Chip
                        key={key}
                        text={t(FILTERS[key].word, { n })}
                        pressed={filter === key}
                        onClick={() => setFilter(filter === key ? null : key)}
                      />
                    )
                  );
                })}
              </div>
            </search>
          )}
          {isNarrowed ? (
            <Found devices={findDevices(filter === null ? all : all.filter(FILTERS[filter].fits), wanted)} />
          ) : (
            <Rooms all={all} />
          )}
        </div>
        <div class="stack home-side">
          <Card title={t("home.inside")} action={<a href="/gate">{t("nav.gate")}</a>}>
            {occupancy.value && <OccupancyGauge occupancy={occupancy.value} />}
            {reads.value[0] && (
              <div class="row">
                <Plate text={reads.value[0].formatted ?? reads.value[0].plate} />
                <span class="soft small">{t("home.lastRead")}</span>
              </div>
            )}
          </Card>
          <PowerNow />
          <Card title={t("home.latest")} action={<a href="/activity">{t("home.all")}</a>}>
            <FeedList items={feed.value.slice(0, 6)} />
          </Card>
        </div>
      </div>
    </>
  );
}

/** The results of a search. */
function Found({ devices }: { devices: readonly Device[] }) {
  return (
    <section class="stack" aria-label={t("home.found", { n: devices.length })}>
      <p class="soft" role="status">
        {t("home.found", { n: devices.length })}
      </p>
      <TileGrid devices={devices} />
    </section>
  );
}

/** Scenes, favourites and rooms. A large house shows its rooms as cards. */
function Rooms({ all }: { all: readonly Device[] }) {
  const groups = rooms.value.map((room) => ({
    key: String(room.id),
    title: room.name,
    icon: roomIcon(room.icon),
    devices: all.filter((device) => device.room?.toLowerCase() === room.name.toLowerCase()),
  }));
  const roomless = {
    key: NO_ROOM,
    title: t(rooms.value.length > 0 ? "home.noRoom" : "home.devices"),
    icon: "cpu" as const,
    devices: all.filter((device) => device.room === null),
  };
  const isLarge = all.length > LARGE_HOUSE;
  return (
    <>
      {scenes.value.length > 0 && (
        <section aria-label={t("nav.scenes")} class="chips">
          {scenes.value.map((scene) => (
            <Chip key={scene.id} text={scene.name} onClick={() => activateScene(scene)} />
          ))}
        </section>
      )}
      <div class="rooms">
        <Section
          title={t("home.favourites")}
          to={`/rooms/${FAVOURITES}`}
          devices={all.filter((device) => device.favorite)}
        />
        {!isLarge &&
          [...groups, roomless].map(({ key, title, devices }) => (
            <Section key={key} title={title} to={`/rooms/${key}`} devices={devices} />
          ))}
      </div>
      {isLarge && (
        <section class="stack" aria-label={t("rooms.title")}>
          <h2>{t("rooms.title")}</h2>
          <div class="room-cards">
            {[...groups, roomless].map(({ key, ...room }) => (
              <RoomCard key={key} to={`/rooms/${key}`} {...room} />
            ))}
          </div>
        </section>
      )}
    </>
  );
}

/** A device list under its heading, which leads to a page of its own. */
function Section({ title, to, devices }: { title: string; to: string; devices: readonly Device[] }) {
  if (devices.length === 0) return null;
  return (
    <section class="stack" aria-label={title}>
      <h2>
        <a class="section-link" href={to}>
          {title}
          <Icon name="chevronRight" small />
        </a>
      </h2>
      <TileGrid devices={devices} />
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
  if (devices.length === 0) return null;
  const offline = devices.filter((device) => !device.online).length;
  const parts = [
    t("rooms.devices", { n: devices.length }),
    ...(devices.some(runs) ? [t("home.countOn", { n: devices.filter(runs).length })] : []),
    ...(devices.some(isOpen) ? [t("home.countOpen", { n: devices.filter(isOpen).length })] : []),
    ...(offline > 0 ? [t("home.countOffline", { n: offline })] : []),
  ];
  return (
    <a class="card link-card room-card" href={to}>
      <span class="row">
        <Icon name={icon} />
        <strong class="grow">{title}</strong>
        <Icon name="chevronRight" small />
      </span>
      <span class="soft small">{parts.join(" · ")}</span>
    </a>
  );
}

/** The first few by name, the rest as a number. */
function namesOf(some: readonly Device[]): string {
  const names = some
    .slice(0, NAMED)
    .map(({ name }) => (name.length > LONG_NAME ? `${name.slice(0, LONG_NAME)}…` : name))
    .join(", ");
  return some.length > NAMED ? t("home.andMore", { names, n: some.length - NAMED }) : names;
}

function greeting(): string {
  const hour = new Date().getHours();
  const words =
    hour < 5 ? t("home.night") : hour < 12 ? t("home.morning") : hour < 18 ? t("home.afternoon") : t("home.evening");
  const name = account.value?.name.split(" ")[0];
  return name ? `${words}, ${name}` : words;
}
