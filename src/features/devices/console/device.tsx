import { useRef, useState } from "preact/hooks";
import { get, patch } from "../../../console/api.ts";
import { Notice, PageHead } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { controlsOf } from "../../../console/components/controls.ts";
import { isAway } from "../../../console/components/device-tile.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { CheckField } from "../../../console/components/field.tsx";
import { Gone } from "../../../console/components/gone.tsx";
import { NameField, RoomField } from "../../../console/components/name-fields.tsx";
import { keyedText } from "../../../console/i18n/hub-texts.ts";
import { t } from "../../../console/i18n/translate.ts";
import type { PageProps } from "../../../console/pages/page.ts";
import { isOwner } from "../../../console/session.ts";
import { type Device, devices, loaded, putDevice, rooms, set } from "../../../console/store.ts";
import { DeviceEnergy } from "../../energy/console/device-energy.tsx";
import { GateContact } from "../../gate/console/gate-contact.tsx";
import { SetUpBar } from "../../gate/console/set-up.tsx";
import { DeviceHistory } from "../../telemetry/console/device-history.tsx";
import { ConnectionWait } from "./connection-wait.tsx";
import { DeviceAdmin } from "./device-admin.tsx";
import { CommandLog, Refusals } from "./device-commands.tsx";
import { DeviceLead, figureKeys } from "./device-lead.tsx";
import { FurtherState } from "./further-state.tsx";
import "../../../console/components/page-actions.css";

/** One device: what it is for at the top, then its history and energy, beside them commands, settings and details. */
export function DevicePage({ params }: PageProps) {
  const id = params.id ?? "";
  const device = devices.value.get(id);
  const [editing, setEditing] = useState(false);
  const cameNow = useFirstSight(device);
  if (!loaded.value) return <p aria-busy="true">{t("state.loading")}</p>;
  if (device === undefined) return <Gone text={t("device.gone")} />;
  const isNew = device.lastSeen === null && isAway(device);
  const room = rooms.value.find(({ name }) => name.toLowerCase() === device.room?.toLowerCase());
  return (
    <>
      <PageHead
        title={device.name}
        {...(room === undefined ? {} : { back: { to: `/rooms/${room.id}`, text: room.name } })}
        subtitle={[keyedText(`type.${device.type}`, device.type), device.room]
          .filter((part) => part !== null)
          .join(" · ")}
      >
        {isOwner.value && (
          <div class="page-actions">
            <Button icon="pencil" text={t("action.edit")} onClick={() => setEditing(true)} />
          </div>
        )}
      </PageHead>
      {(device.capabilities?.barrier === true || device.type === "camera") && <SetUpBar />}
      {isOwner.value && (cameNow || isNew) && <ConnectionWait deviceId={device.id} />}
      {!isOwner.value && isNew && <Notice tone="warn">{t("device.neverSeen")}</Notice>}
      <DeviceLead device={device} />
      <div class="columns">
        <div class="stack home-main">
          <DeviceHistory device={device} />
          <DeviceEnergy device={device} />
        </div>
        <div class="stack home-side">
          <FurtherState device={device} without={figureKeys(device)} />
          {isOwner.value && <CommandLog deviceId={device.id} />}
          {isOwner.value && device.capabilities?.barrier === true && <GateContact key={device.id} gate={device} />}
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

/** Whether the device was offline or unknown when this page was opened: then the page reports when it has connected. */
function useFirstSight(device: Device | undefined): boolean {
  const wasNew = useRef<boolean | null>(null);
  if (device !== undefined) wasNew.current ??= device.lastSeen === null && isAway(device);
  return wasNew.current === true;
}

function EditDevice({ device, onClose }: { device: Device; onClose: () => void }) {
  const [name, setName] = useState(device.name);
  const [room, setRoom] = useState(device.room ?? "");
  const [favorite, setFavorite] = useState(device.favorite);
  const isGate = device.type === "gate";
  const [movesGate, setMovesGate] = useState(isGate);
  const send = async (): Promise<void> => {
    const params = { id: device.id };
    let answer = await patch("/v1/devices/{id}", { params, body: { name, room, favorite } });
    if (movesGate !== isGate)
      answer = await patch("/api/devices/{id}", { params, body: { type: movesGate ? "gate" : typeByMake(device) } });
    putDevice(answer.device);
    set(rooms, (await get("/v1/rooms")).rooms);
    onClose();
  };
  return (
    <Dialog title={t("device.editTitle")} onClose={onClose}>
      <Form submit={t("action.save")} send={send} onCancel={onClose}>
        {(errors) => (
          <>
            <NameField value={name} onInput={setName} errors={errors} />
            <RoomField value={room} onInput={setRoom} errors={errors} />
            <CheckField label={t("device.favourite")} checked={favorite} onChange={setFavorite} />
            {isOwner.value && device.capabilities?.movesGates === true && (
              <CheckField
                label={t("device.movesGate")}
                hint={t("device.movesGateHint")}
                checked={movesGate}
                onChange={setMovesGate}
              />
            )}
          </>
        )}
      </Form>
    </Dialog>
  );
}

/** What a gate is that its people no longer call one: a shutter can be closed, a relay only switched. */
function typeByMake(device: Device): string {
  return controlsOf(device).some((control) => control.kind === "button" && control.name === "close")
    ? "cover"
    : "switch";
}
