import { useState } from "preact/hooks";
import { number, type TextKey, t } from "../i18n/translate.js";
import { command, type Device, isPending, shownState, silent } from "../store.js";
import { Switch } from "./basics.js";
import { Confirm } from "./dialog.js";
import { deviceIcon, Icon } from "./icon.js";

/** Keys that a single tap on the tile turns on and off, by type; types that are not here have none. */
const POWER_KEY: Readonly<Record<string, string>> = {
  "smart-plug": "power",
  light: "power",
  dimmer: "power",
  fan: "power",
  switch: "power",
  thermostat: "power",
};

/** Whether the tile is lit: something in the device runs. */
function isOn(device: Device, state: Record<string, unknown>): boolean {
  if (device.type === "home-hub") return ["power", "power2", "power3", "power4"].some((key) => state[key] === true);
  if (device.type === "gate" || device.type === "lock" || device.type === "cover") return openWord(state) === "device.open";
  return state[POWER_KEY[device.type] ?? "power"] === true;
}

function openWord(state: Record<string, unknown>): TextKey | null {
  const position = state.gate ?? state.cover ?? state.door ?? state.state ?? state.position;
  if (state.locked === true) return "device.locked";
  if (state.locked === false) return "device.unlocked";
  if (position === "open" || position === true || (typeof position === "number" && position > 0)) return "device.open";
  if (position === "opening") return "device.opening";
  if (position === "closing") return "device.closing";
  if (position === "closed" || position === false || position === 0) return "device.closed";
  return null;
}

/** What the device does, in a few words. */
export function stateLine(device: Device): string {
  if (!device.online) return t("device.offline");
  if (silent.value.has(device.id)) return t("device.noAnswer");
  const state = shownState(device);
  const parts: string[] = [];
  const word = openWord(state);
  if (word !== null) parts.push(t(word));
  else if (device.type === "home-hub")
    parts.push(t("device.channelsOn", { n: ["power", "power2", "power3", "power4"].filter((key) => state[key] === true).length }));
  else if (typeof state.power === "boolean") parts.push(state.power ? t("device.on") : t("device.off"));
  if (typeof state.brightness === "number" && state.power !== false) parts.push(`${number(state.brightness, 0)} %`);
  if (typeof state.speed === "number" && state.power !== false) parts.push(t("device.speed", { n: state.speed }));
  if (typeof state.watts === "number") parts.push(`${number(state.watts, 0)} W`);
  if (typeof state.temperature === "number") parts.push(`${number(state.temperature)} °C`);
  if (typeof state.humidity === "number") parts.push(`${number(state.humidity, 0)} %`);
  return parts.length > 0 ? parts.join(" · ") : t("device.online");
}

/** A device on Home: its name leads to its page, its switch acts at once. */
export function DeviceTile({ device }: { device: Device }) {
  const [asking, setAsking] = useState(false);
  const state = shownState(device);
  const powerKey = POWER_KEY[device.type];
  return (
    <li class="tile" data-on={device.online && isOn(device, state)} data-offline={!device.online}>
      <div class="tile-top">
        <span class="tile-icon">
          <Icon name={device.online ? deviceIcon(device.type) : "wifiOff"} />
        </span>
        {powerKey !== undefined && typeof state[powerKey] === "boolean" && (
          <Switch
            label={device.name}
            on={state[powerKey]}
            pending={isPending(device.id)}
            disabled={!device.online}
            onToggle={(on) => void command(device.id, { [powerKey]: on })}
          />
        )}
        {device.type === "gate" && (
          <button type="button" class="button" onClick={() => setAsking(true)} disabled={!device.online}>
            {t("gate.open")}
          </button>
        )}
      </div>
      <div>
        <div class="tile-name">
          <a href={`/devices/${encodeURIComponent(device.id)}`}>{device.name}</a>
        </div>
        <div class="tile-state">{stateLine(device)}</div>
      </div>
      {asking && <OpenGate device={device} onClose={() => setAsking(false)} />}
    </li>
  );
}

/** Asks before a gate opens: a tap in a pocket must not let anybody in. */
export function OpenGate({ device, onClose }: { device: Device; onClose: () => void }) {
  return (
    <Confirm
      title={t("gate.openTitle", { name: device.name })}
      text={t("gate.openText")}
      action={t("gate.openNow")}
      onYes={() => command(device.id, { open: true }, {})}
      onClose={onClose}
    />
  );
}
