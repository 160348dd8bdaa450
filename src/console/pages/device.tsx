import { useState } from "preact/hooks";
import { get, patch } from "../api.js";
import { Card, Gone, Notice, PageHead } from "../components/basics.js";
import { controlsOf } from "../components/controls.js";
import { DeviceControls } from "../components/device-controls.js";
import { stateLine } from "../components/device-tile.js";
import { Dialog, Form } from "../components/dialog.js";
import { CheckField, TextField } from "../components/field.js";
import { Icon } from "../components/icon.js";
import { measured, measureName } from "../i18n/measures.js";
import { ago, t } from "../i18n/translate.js";
import { isOwner } from "../session.js";
import { type Device, devices, loaded, putDevice, rooms } from "../store.js";
import { DeviceAdmin } from "./device-admin.js";
import { CommandLog, Refusals } from "./device-commands.js";
import { DeviceEnergy } from "./device-energy.js";
import { DeviceHistory } from "./device-history.js";
import type { PageProps } from "./pages.js";

/** One device: what it does, its controls, its history and energy, and what was sent to it. */
export function DevicePage({ params }: PageProps) {
  const id = params.id ?? "";
  const device = devices.value.get(id);
  const [editing, setEditing] = useState(false);
  if (!loaded.value) return <p aria-busy="true">{t("state.loading")}</p>;
  if (device === undefined) return <Gone text={t("device.gone")} />;
  return (
    <>
      <PageHead title={device.name} subtitle={[device.room, stateLine(device)].filter((part) => part !== null).join(" · ")}>
        {isOwner.value && (
          <button type="button" class="button" onClick={() => setEditing(true)}>
            <Icon name="pencil" small />
            {t("action.edit")}
          </button>
        )}
      </PageHead>
      {!device.online && (
        <Notice tone="warn">{device.lastSeen === null ? t("device.neverSeen") : t("device.offlineSince", { ago: ago(device.lastSeen) })}</Notice>
      )}
      <div class="columns">
        <div class="stack home-main">
          {controlsOf(device).length > 0 && (
            <Card title={t("device.controls")}>
              <DeviceControls device={device} />
            </Card>
          )}
          <DeviceHistory device={device} />
          <DeviceEnergy device={device} />
          {isOwner.value && <CommandLog deviceId={device.id} />}
        </div>
        <div class="stack home-side">
          <Card title={t("device.state")}>
            <StateTable state={device.state} />
          </Card>
          {isOwner.value && (
            <>
              <DeviceAdmin device={device} />
              <Refusals deviceId={device.id} />
            </>
          )}
        </div>
      </div>
      {editing && <EditDevice device={device} onClose={() => setEditing(false)} />}
    </>
  );
}

function StateTable({ state }: { state: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(state);
  if (entries.length === 0) return <p class="soft">{t("device.noState")}</p>;
  return (
    <div class="table-wrap">
      <table class="table">
        <thead class="sr-only">
          <tr>
            <th>{t("device.key")}</th>
            <th>{t("device.value")}</th>
          </tr>
        </thead>
        <tbody>
          {entries.map(([key, value]) => (
            <tr key={key}>
              <td>
                {measureName(key)} {measureName(key) !== key && <code class="soft small">{key}</code>}
              </td>
              <td class="numbers">{measured(key, value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function EditDevice({ device, onClose }: { device: Device; onClose: () => void }) {
  const [name, setName] = useState(device.name);
  const [room, setRoom] = useState(device.room ?? "");
  const [favorite, setFavorite] = useState(device.favorite);
  const send = async (): Promise<void> => {
    const answer = await patch("/v1/devices/{id}", { params: { id: device.id }, body: { name, room, favorite } });
    putDevice(answer.device);
    rooms.value = (await get("/v1/rooms")).rooms;
    onClose();
  };
  return (
    <Dialog title={t("device.editTitle")} onClose={onClose}>
      <Form submit={t("action.save")} send={send} onCancel={onClose}>
        {(errors) => (
          <>
            <TextField label={t("device.name")} value={name} onInput={setName} error={errors.name} maxLength={120} required />
            <TextField
              label={t("device.room")}
              hint={t("device.roomHint", { rooms: rooms.value.map((known) => known.name).join(", ") })}
              value={room}
              onInput={setRoom}
              error={errors.room}
              maxLength={80}
            />
            <CheckField label={t("device.favourite")} checked={favorite} onChange={setFavorite} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
