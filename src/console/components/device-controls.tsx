import { useState } from "preact/hooks";
import { t } from "../i18n/translate.js";
import { command, type Device, isPending, shownState } from "../store.js";
import { Switch } from "./basics.js";
import { OpenGate } from "./device-tile.js";

/** The controls that a device's type and state call for; each acts at once and shows what is not yet confirmed. */
export function DeviceControls({ device }: { device: Device }) {
  const state = shownState(device);
  const booleans = Object.entries(state).filter((entry): entry is [string, boolean] => typeof entry[1] === "boolean" && entry[0] !== "simulated");
  return (
    <div class="stack">
      {device.type === "home-hub" && <HubChannels device={device} state={state} />}
      {device.type !== "home-hub" && typeof state.power === "boolean" && <PowerRow device={device} on={state.power} />}
      {typeof state.brightness === "number" && (
        <Level device={device} label={t("control.brightness")} value={state.brightness} max={100} send={(n) => ({ power: n > 0, brightness: n })} />
      )}
      {device.type === "fan" && typeof state.speed === "number" && (
        <Level device={device} label={t("control.speed")} value={state.speed} max={5} send={(n) => ({ speed: n })} />
      )}
      {device.type === "cover" && typeof state.position === "number" && (
        <Level device={device} label={t("control.position")} value={state.position} max={100} send={(n) => ({ position: n })} />
      )}
      {device.type === "thermostat" && typeof state.target === "number" && (
        <Level device={device} label={t("control.target")} value={state.target} min={5} max={35} send={(n) => ({ target: n })} />
      )}
      {device.type === "gate" && <GateRow device={device} />}
      {device.type === "lock" && typeof state.locked === "boolean" && <LockRow device={device} locked={state.locked} />}
      {booleans.length === 0 && Object.keys(state).length === 0 && <p class="soft">{t("device.noState")}</p>}
    </div>
  );
}

function PowerRow({ device, on }: { device: Device; on: boolean }) {
  return (
    <div class="row between">
      <strong>{on ? t("device.on") : t("device.off")}</strong>
      <Switch
        label={t("control.power")}
        on={on}
        pending={isPending(device.id)}
        disabled={!device.online}
        onToggle={(next) => void command(device.id, { power: next })}
      />
    </div>
  );
}

function HubChannels({ device, state }: { device: Device; state: Record<string, unknown> }) {
  const channels = ["power", "power2", "power3", "power4"].filter((key) => typeof state[key] === "boolean");
  return (
    <ul class="list">
      {channels.map((key, index) => (
        <li key={key}>
          <span class="grow">{t("control.channel", { n: index + 1 })}</span>
          <Switch
            label={t("control.channel", { n: index + 1 })}
            on={state[key] === true}
            pending={isPending(device.id)}
            disabled={!device.online}
            onToggle={(on) => void command(device.id, { ch: index + 1, on }, { [key]: on })}
          />
        </li>
      ))}
    </ul>
  );
}

function Level({
  device,
  label,
  value,
  min = 0,
  max,
  send,
}: {
  device: Device;
  label: string;
  value: number;
  min?: number;
  max: number;
  send: (n: number) => Record<string, unknown>;
}) {
  const [shown, setShown] = useState<number | null>(null);
  const now = shown ?? value;
  return (
    <label class="field">
      <span class="row between">
        <span class="label">{label}</span>
        <span class="numbers">{now}</span>
      </span>
      <input
        class="range"
        type="range"
        min={min}
        max={max}
        value={now}
        disabled={!device.online}
        onInput={(event) => setShown(Number(event.currentTarget.value))}
        onChange={(event) => {
          void command(device.id, send(Number(event.currentTarget.value)));
          setShown(null);
        }}
      />
    </label>
  );
}

function GateRow({ device }: { device: Device }) {
  const [asking, setAsking] = useState(false);
  return (
    <div class="row">
      <button type="button" class="button primary" disabled={!device.online} onClick={() => setAsking(true)}>
        {t("gate.open")}
      </button>
      <button type="button" class="button" disabled={!device.online} onClick={() => void command(device.id, { open: false }, {})}>
        {t("gate.close")}
      </button>
      {asking && <OpenGate device={device} onClose={() => setAsking(false)} />}
    </div>
  );
}

function LockRow({ device, locked }: { device: Device; locked: boolean }) {
  return (
    <div class="row between">
      <strong>{locked ? t("device.locked") : t("device.unlocked")}</strong>
      <button type="button" class="button" disabled={!device.online} onClick={() => void command(device.id, { locked: !locked })}>
        {locked ? t("control.unlock") : t("control.lock")}
      </button>
    </div>
  );
}
