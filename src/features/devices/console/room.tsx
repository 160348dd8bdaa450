import { useState } from "preact/hooks";
import { Card, Empty, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { isAway, isOpen, runs } from "../../../console/components/device-tile.tsx";
import { findDevices } from "../../../console/components/find-devices.ts";
import { Gone } from "../../../console/components/gone.tsx";
import { SearchField } from "../../../console/components/search-field.tsx";
import { TileGrid } from "../../../console/components/tile-grid.tsx";
import { measured } from "../../../console/i18n/measures.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { isOwner } from "../../../console/session.ts";
import { type Device, deviceList, FAVOURITES, loaded, NO_ROOM, rooms, saveOrder } from "../../../console/store.ts";
import { SortableList } from "./sortable-list.tsx";

/** A room with fewer devices needs no search. */
const SEARCHED_FROM = 13;

/** One room, the favourites, or the devices in no room: its devices, and their manual order. */
export function RoomPage({ params }: PageProps) {
  const [isSorting, setSorting] = useState(false);
  const [wanted, setWanted] = useState("");
  if (!loaded.value) return <p aria-busy="true">{t("state.loading")}</p>;
  const found = roomOf(params.id ?? "");
  if (found === null) return <Gone text={t("rooms.gone")} />;
  const { title, devices } = found;
  return (
    <>
      <PageHead title={title} back={{ to: "/", text: t("nav.home") }} subtitle={howItIs(devices)}>
        {isOwner.value && devices.length > 1 && (
          <Button
            look={isSorting ? "primary" : undefined}
            text={t(isSorting ? "action.done" : "rooms.sort")}
            onClick={() => setSorting(!isSorting)}
          />
        )}
        {isOwner.value && !isSorting && (
          <a class="button" href="/system/rooms">
            {t("rooms.manage")}
          </a>
        )}
      </PageHead>
      {isSorting ? (
        <Card>
          <p class="soft small">{t("rooms.sortHint")}</p>
          <SortableList items={devices} save={saveOrder} />
        </Card>
      ) : (
        <>
          {devices.length >= SEARCHED_FROM && (
            <SearchField label={t("devices.find")} value={wanted} onInput={setWanted} />
          )}
          {devices.length === 0 ? (
            <Card>
              <Empty icon="doorOpen" text={t("rooms.empty")} />
            </Card>
          ) : (
            <TileGrid devices={findDevices(devices, wanted)} room={title} />
          )}
        </>
      )}
    </>
  );
}

/** How many devices there are, and what of them is worth a word. */
function howItIs(devices: readonly Device[]): string {
  const climate = devices.find(({ online, state }) => online && typeof state.temperature === "number");
  const [on, open, away] = [devices.filter(runs).length, devices.filter(isOpen).length, devices.filter(isAway).length];
  return [
    t("rooms.devices", { n: devices.length }),
    ...(climate === undefined ? [] : [measured("temperature", climate.state.temperature)]),
    ...(on > 0 ? [t("home.countOn", { n: on })] : []),
    ...(open > 0 ? [t("home.countOpen", { n: open })] : []),
    ...(away > 0 ? [t("home.countOffline", { n: away })] : []),
  ].join(" · ");
}

function roomOf(id: string): { readonly title: string; readonly devices: readonly Device[] } | null {
  const all = deviceList.value;
  if (id === FAVOURITES) return { title: t("home.favourites"), devices: all.filter((device) => device.favorite) };
  if (id === NO_ROOM) return { title: t("home.noRoom"), devices: all.filter((device) => device.room === null) };
  const room = rooms.value.find((candidate) => String(candidate.id) === id);
  return room === undefined
    ? null
    : { title: room.name, devices: all.filter((device) => device.room?.toLowerCase() === room.name.toLowerCase()) };
}
