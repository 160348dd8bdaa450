import { useState } from "preact/hooks";
import { Card, Empty, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { isAway, isLit, isOpen, runs, stateLine } from "../../../console/components/device-tile.tsx";
import { FindList } from "../../../console/components/find-list.tsx";
import { deviceIcon, Icon } from "../../../console/components/icon.tsx";
import { Name } from "../../../console/components/name.tsx";
import { shortName } from "../../../console/components/short-names.ts";
import { TileSwitch } from "../../../console/components/tile-controls.tsx";
import { keyedText } from "../../../console/i18n/hub-texts.ts";
import { number, t } from "../../../console/i18n/translate.ts";
import { isOwner } from "../../../console/session.ts";
import { type Device, deviceList, isOrdered, loaded, shownState } from "../../../console/store.ts";
import { SetUpBar } from "../../gate/console/set-up.tsx";
import { AddDevice } from "./add-device.tsx";

/** Natural order: 2 before 10. */
const natural = new Intl.Collator(undefined, { numeric: true });

/** Letters of a name that fit into two lines of a phone. */
const MOST_LETTERS = 40;

/** Up to this charge a battery is to be changed soon. */
const WEAK_PERCENT = 20;

function hasWeakBattery({ battery }: Device): boolean {
  return typeof battery === "number" && battery <= WEAK_PERCENT;
}

function batteryText({ battery }: Device): string {
  return t("devices.batteryLeft", { n: number(battery ?? 0, 0) });
}

/** All devices in a list, and the way to add one. */
export function DevicesPage() {
  const [adding, setAdding] = useState(() => new URLSearchParams(location.search).has("add"));
  if (!loaded.value) return <p aria-busy="true">{t("state.loading")}</p>;
  const all = deviceList.value;
  return (
    <>
      <PageHead title={t("home.devices")} subtitle={t("devices.subtitle", { n: all.length })}>
        {isOwner.value && (
          <Button look="primary" icon="plus" text={t("home.addDevice")} onClick={() => setAdding(true)} />
        )}
      </PageHead>
      {isOwner.value && <SetUpBar />}
      <Card>
        {all.length === 0 ? (
          <Empty icon="plug" text={t("home.noDevices")} />
        ) : (
          <FindList
            items={all}
            label={t("devices.find")}
            wordsOf={({ name, id, room, type }) => [name, id, room ?? "", keyedText(`type.${type}`, type)].join(" ")}
            className="list device-rows"
            step={24}
            orders={[
              ...(isOrdered.value ? [{ name: t("order.house"), compare: () => 0 }] : []),
              { name: t("order.name"), compare: (one, other) => natural.compare(one.name, other.name) },
              { name: t("order.room"), compare: (one, other) => natural.compare(one.room ?? "~", other.room ?? "~") },
              {
                name: t("order.seen"),
                compare: (one, other) => (other.lastSeen ?? "").localeCompare(one.lastSeen ?? ""),
              },
            ]}
            narrowings={[
              { name: t("device.on"), fits: runs },
              { name: t("device.open"), fits: (device: Device) => device.online && isOpen(device) },
              { name: t("device.offline"), fits: isAway },
              { name: t("devices.weakBattery"), fits: hasWeakBattery },
              { name: t("devices.roomless"), fits: ({ room }: Device) => room === null },
            ].filter(({ fits }) => all.some(fits))}
            row={(device) => (
              <li key={device.id} data-on={isLit(device)}>
                <Icon name={isAway(device) ? "wifiOff" : deviceIcon(device.type)} />
                <div class="grow">
                  <p>
                    <a href={`/devices/${encodeURIComponent(device.id)}`} title={device.name}>
                      <Name text={device.name} most={MOST_LETTERS} />
                    </a>
                  </p>
                  <p class="soft small">
                    {[
                      device.room && shortName(device.room, MOST_LETTERS),
                      stateLine(device),
                      hasWeakBattery(device) ? batteryText(device) : null,
                    ]
                      .filter((part) => part !== null)
                      .join(" · ")}
                  </p>
                </div>
                <TileSwitch device={device} state={shownState(device)} next={[]} />
              </li>
            )}
          />
        )}
      </Card>
      {adding && isOwner.value && (
        <AddDevice type={new URLSearchParams(location.search).get("add") ?? ""} onClose={() => setAdding(false)} />
      )}
    </>
  );
}
