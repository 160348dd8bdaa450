import { useEffect, useState } from "preact/hooks";
import { post } from "../../../console/api.ts";
import { Notice } from "../../../console/components/basics.tsx";
import { Button } from "../../../console/components/button.tsx";
import { controlsOf } from "../../../console/components/controls.ts";
import { DeviceField } from "../../../console/components/device-field.tsx";
import { Dialog, Form } from "../../../console/components/dialog.tsx";
import { SelectField, TextField } from "../../../console/components/field.tsx";
import { Icon, type IconName } from "../../../console/components/icon.tsx";
import { NameField, RoomField } from "../../../console/components/name-fields.tsx";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import type { AnswerTo } from "../../../console/operations.ts";
import { layOver } from "../../../console/router.ts";
import { deviceList, devices, putDevice } from "../../../console/store.ts";
import { callGate, isMover } from "../../gate/console/gate-devices.ts";
import { AfterGate } from "../../gate/console/set-up.tsx";
import { beginSetUp } from "../../gate/console/set-up-path.ts";
import { JoinMatterDevice } from "../../matter/console/matter-join.tsx";
import { ConnectionWait } from "./connection-wait.tsx";
import { Credential } from "./credential.tsx";

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

const CAMERA = "/gate/cameras/new";
const OTHER_MAKES = "/system/bridge?add";
/** The same, for what presses the button of a gate's motor. */
const RELAY = "/system/bridge?add=relay";

/** The ways of adding that have their own page. */
const PAGES = [
  { to: OTHER_MAKES, icon: "hub", label: "addDevice.otherMake", text: "addDevice.otherMakeText" },
  { to: CAMERA, icon: "camera", label: "addDevice.camera", text: "addDevice.cameraText" },
] as const satisfies readonly { to: string; icon: IconName; label: TextKey; text: TextKey }[];

/** Asks how to add a device, and leads through it. `type`: what is wanted, as far as a link said so. */
export function AddDevice({ type, onClose }: { type: string; onClose: () => void }) {
  const [way, setWay] = useState<"matter" | "byHand" | "here" | "buy" | null>(null);
  const [made, setMade] = useState<Made | null>(null);
  const isGate = type === "gate";
  useEffect(() => {
    if (isGate) beginSetUp(); // whatever it turns out to be, the next step is shown once it is there
  }, []);
  // the browser's back returns to the question
  useEffect(() => (way === null ? undefined : layOver(() => setWay(null))), [way]);
  if (made !== null) return <NewDevice made={made} onClose={onClose} />;
  if (way === "matter") return <JoinMatterDevice onClose={onClose} />;
  if (way === "byHand") {
    return (
      <ByHand
        wanted={type}
        onClose={onClose}
        onMade={(answer) => {
          putDevice(answer.device);
          setMade(answer);
        }}
      />
    );
  }
  if (way === "here") return <MovesTheGate onClose={onClose} />;
  if (way === "buy") return <WhatToBuy onBack={() => setWay(null)} onClose={onClose} />;
  return (
    <Dialog title={t(isGate ? "setUp.gate" : "home.addDevice")} onClose={onClose}>
      <p class="soft">{t(isGate ? "addGate.what" : "addDevice.what")}</p>
      <ul class="stack choices">
        {isGate && deviceList.value.some(isMover) && (
          <li>
            <button type="button" class="choice" onClick={() => setWay("here")}>
              <Way icon="check" label={t("addDevice.here")} text={t("addDevice.hereText")} />
            </button>
          </li>
        )}
        {isGate && (
          <li>
            <a class="choice" href={RELAY}>
              <Way icon="toggle" label={t("addGate.relay")} text={t("addGate.relayText")} />
            </a>
          </li>
        )}
        <li>
          <button type="button" class="choice" onClick={() => setWay("matter")}>
            {isGate ? (
              <Way icon="fence" label={t("addGate.app")} text={t("addGate.appText")} />
            ) : (
              <Way icon="plug" label={t("addDevice.matter")} text={t("addDevice.matterText")} />
            )}
          </button>
        </li>
        {!isGate &&
          PAGES.map(({ to, icon, label, text }) => (
            <li key={to}>
              <a class="choice" href={to}>
                <Way icon={icon} label={t(label)} text={t(text)} />
              </a>
            </li>
          ))}
        {isGate && (
          <li>
            <button type="button" class="choice" onClick={() => setWay("buy")}>
              <Way icon="help" label={t("addGate.nothing")} text={t("addGate.nothingText")} />
            </button>
          </li>
        )}
        <li>
          <button type="button" class="choice" onClick={() => setWay("byHand")}>
            <Way icon="plus" label={t("addDevice.byHand")} text={t("addDevice.byHandText")} />
          </button>
        </li>
      </ul>
      <div class="actions">
        <Button look="plain" text={t("action.cancel")} onClick={onClose} />
      </div>
    </Dialog>
  );
}

/** One way of adding: its name, and when to choose it. */
function Way({ icon, label, text }: { icon: IconName; label: string; text: string }) {
  return (
    <>
      <Icon name={icon} />
      <span class="grow">
        <strong>{label}</strong>
        <span class="soft small">{text}</span>
      </span>
      <Icon name="chevronRight" />
    </>
  );
}

/** A motor without anything that a hub can speak to: what makes it one. */
function WhatToBuy({ onBack, onClose }: { onBack: () => void; onClose: () => void }) {
  return (
    <Dialog title={t("addGate.nothing")} onClose={onClose}>
      <p>{t("addGate.buy")}</p>
      <ol class="numbered">
        <li>{t("addGate.buyRelay")}</li>
        <li>{t("addGate.buyWire")}</li>
        <li>{t("addGate.buyPulse")}</li>
        <li>{t("addGate.buyJoin")}</li>
      </ol>
      <Notice tone="warn">{t("addGate.buySafety")}</Notice>
      <div class="actions">
        <Button look="plain" text={t("addGate.back")} onClick={onBack} />
        <a class="button primary" href={RELAY}>
          {t("addGate.haveRelay")}
        </a>
      </div>
    </Dialog>
  );
}

/** What moves the gate is known already: a drive, a shutter or a relay of another make. */
function MovesTheGate({ onClose }: { onClose: () => void }) {
  const [id, setId] = useState("");
  const device = devices.value.get(id);
  const isRelay = device !== undefined && !controlsOf(device).some(({ kind }) => kind === "button");
  const send = async (): Promise<void> => {
    beginSetUp();
    await callGate(id);
    onClose();
  };
  return (
    <Dialog title={t("addDevice.here")} onClose={onClose}>
      <Form isPassing submit={t("addDevice.moves")} send={send} onCancel={onClose} disabled={device === undefined}>
        {() => (
          <>
            <DeviceField label={t("addDevice.which")} value={id} only={isMover} onChange={setId} />
            {isRelay && <Notice tone="warn">{t("addDevice.letsGo")}</Notice>}
          </>
        )}
      </Form>
    </Dialog>
  );
}

function ByHand({ wanted, onClose, onMade }: { wanted: string; onClose: () => void; onMade: (made: Made) => void }) {
  const known = TYPES.find(([key]) => key === wanted);
  const [name, setName] = useState(known === undefined ? "" : t(known[1]));
  const [type, setType] = useState(known?.[0] ?? "smart-plug");
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
    <Dialog title={t("addDevice.byHand")} onClose={onClose}>
      <Form submit={t("devices.add")} send={send} onCancel={onClose}>
        {(errors) => (
          <>
            <NameField value={name} onInput={setName} errors={errors} />
            <SelectField
              label={t("device.type")}
              value={type}
              onChange={setType}
              options={TYPES.map(([key, label]) => [key, t(label)] as const)}
            />
            <RoomField value={room} onInput={setRoom} errors={errors} />
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
  const ways = (
    <>
      <a class="button" href={`/devices/${encodeURIComponent(made.device.id)}`}>
        {t("devices.show")}
      </a>
      <Button look="primary" text={t("action.done")} onClick={onClose} />
    </>
  );
  return (
    <Dialog title={t("devices.madeTitle", { name: made.device.name })} onClose={onClose}>
      <Notice tone="good">{t("devices.madeText")}</Notice>
      <Credential deviceId={made.device.id} password={made.password}>
        <ConnectionWait deviceId={made.device.id} />
      </Credential>
      <div class="actions">{made.device.capabilities?.barrier === true ? <AfterGate otherwise={ways} /> : ways}</div>
    </Dialog>
  );
}
