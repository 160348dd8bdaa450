import { useState } from "preact/hooks";
import type { AnswerTo } from "../../contract/operations.js";
import { post } from "../api.js";
import { Card, Empty, Notice, PageHead } from "../components/basics.js";
import { ConnectionWait } from "../components/connection-wait.js";
import { Credential } from "../components/credential.js";
import { stateLine } from "../components/device-tile.js";
import { Dialog, Form } from "../components/dialog.js";
import { SelectField, TextField } from "../components/field.js";
import { deviceIcon, Icon } from "../components/icon.js";
import { SystemTabs } from "../components/system-tabs.js";
import { type TextKey, t } from "../i18n/translate.js";
import { deviceList, putDevice, rooms } from "../store.js";
import { JoinMatterDevice } from "./matter-join.js";

const TYPES: readonly (readonly [string, TextKey])[] = [
  ["smart-plug", "type.smart-plug"],
  ["light", "type.light"],
  ["dimmer", "type.dimmer"],
  ["switch", "type.switch"],
  ["home-hub", "type.home-hub"],
  ["fan", "type.fan"],
  ["sensor", "type.sensor"],
  ["gate", "type.gate"],
  ["camera", "type.camera"],
  ["cover", "type.cover"],
  ["lock", "type.lock"],
  ["thermostat", "type.thermostat"],
  ["energy-meter", "type.energy-meter"],
  ["sentinel", "type.sentinel"],
];

type Made = AnswerTo<"POST", "/api/devices">;

/** All devices in a list, and the way to add one. */
export function DevicesAdminPage() {
  const [adding, setAdding] = useState(false);
  const [joining, setJoining] = useState(false);
  const [made, setMade] = useState<Made | null>(null);
  const all = deviceList.value;
  return (
    <>
      <PageHead title={t("home.devices")} subtitle={t("devices.subtitle", { n: all.length })}>
        <a class="button" href="/system/bridge">
          {t("bridge.add")}
        </a>
        <button type="button" class="button" onClick={() => setJoining(true)}>
          {t("matterJoin.title")}
        </button>
        <button type="button" class="button primary" onClick={() => setAdding(true)}>
          <Icon name="plus" small />
          {t("home.addDevice")}
        </button>
      </PageHead>
      <SystemTabs here="/system/devices" />
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
      {adding && (
        <AddDevice
          onClose={() => setAdding(false)}
          onMade={(answer) => {
            setAdding(false);
            putDevice(answer.device);
            setMade(answer);
          }}
        />
      )}
      {joining && <JoinMatterDevice onClose={() => setJoining(false)} />}
      {made && <NewDevice made={made} onClose={() => setMade(null)} />}
    </>
  );
}

function AddDevice({ onClose, onMade }: { onClose: () => void; onMade: (made: Made) => void }) {
  const [name, setName] = useState("");
  const [type, setType] = useState("smart-plug");
  const [room, setRoom] = useState("");
  const [id, setId] = useState("");
  const send = async (): Promise<void> => {
    onMade(
      await post("/api/devices", {
        body: { name, type, ...(room === "" ? {} : { room }), ...(id === "" ? {} : { id }) },
      }),
    );
  };
  return (
    <Dialog title={t("home.addDevice")} onClose={onClose}>
      <Form submit={t("devices.add")} send={send} onCancel={onClose}>
        {(errors) => (
          <>
            <TextField
              label={t("device.name")}
              value={name}
              onInput={setName}
              error={errors.name}
              maxLength={120}
              required
            />
            <SelectField
              label={t("device.type")}
              value={type}
              onChange={setType}
              options={TYPES.map(([key, label]) => [key, t(label)] as const)}
            />
            <TextField
              label={t("device.room")}
              hint={t("device.roomHint", {
                count: rooms.value.length,
                rooms: rooms.value.map((known) => known.name).join(", "),
              })}
              value={room}
              onInput={setRoom}
              error={errors.room}
              maxLength={80}
            />
            <TextField
              label={t("devices.id")}
              hint={t("devices.idHint")}
              value={id}
              onInput={setId}
              error={errors.id}
              maxLength={64}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}

function NewDevice({ made, onClose }: { made: Made; onClose: () => void }) {
  return (
    <Dialog title={t("devices.madeTitle", { name: made.device.name })} onClose={onClose}>
      <Notice tone="good">{t("devices.madeText")}</Notice>
      <Credential deviceId={made.device.id} password={made.password} />
      <ConnectionWait deviceId={made.device.id} />
      <div class="actions">
        <a class="button" href={`/devices/${encodeURIComponent(made.device.id)}`}>
          {t("devices.show")}
        </a>
        <button type="button" class="button primary" onClick={onClose}>
          {t("action.done")}
        </button>
      </div>
    </Dialog>
  );
}
