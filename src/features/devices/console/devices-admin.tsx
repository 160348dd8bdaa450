import { useState } from "preact/hooks";
import { Card, Empty, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { stateLine } from "../../../console/components/device-tile.tsx";
import { deviceIcon, Icon } from "../../../console/components/icon.tsx";
import { Tabs } from "../../../console/components/tabs.tsx";
import { t } from "../../../console/i18n/translate.ts";
import { deviceList } from "../../../console/store.ts";
import { AddDevice } from "./add-device.tsx";

/** All devices in a list, and the way to add one. */
export function DevicesAdminPage() {
  const [adding, setAdding] = useState(false);
  const all = deviceList.value;
  return (
    <>
      <PageHead title={t("home.devices")} subtitle={t("devices.subtitle", { n: all.length })}>
        <Button look="primary" icon="plus" text={t("home.addDevice")} onClick={() => setAdding(true)} />
      </PageHead>
      <Tabs of="/system" here="/system/devices" />
      <Card>
        {all.length === 0 ? (
          <Empty icon="plug" text={t("home.noDevices")} />
        ) : (
          <ul class="list">
            {all.map((device) => (
              <li key={device.id}>
                <Icon name={device.online ? deviceIcon(device.type) : "wifiOff"} />
                <div class="grow">
                  <p>
                    <a href={`/devices/${encodeURIComponent(device.id)}`}>{device.name}</a>
                  </p>
                  <p class="soft small">
                    {[device.id, device.room, stateLine(device)].filter((part) => part !== null).join(" · ")}
                  </p>
                </div>
              </li>
            ))}
          </ul>
        )}
      </Card>
      {adding && <AddDevice onClose={() => setAdding(false)} />}
    </>
  );
}
