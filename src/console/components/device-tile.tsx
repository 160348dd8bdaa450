import { refusedLever } from "../../features/gate/console/opening.tsx";
import { number, type TextKey, t } from "../i18n/translate.ts";
import { withUnit } from "../i18n/unbroken.ts";
import { awaited, type Device, shownState, silent } from "../store.ts";
import { deviceIcon, Icon } from "./icon.tsx";
import { Name } from "./name.tsx";
import { isOpenStanding, opens, standsOf } from "./standing.ts";
import { TilePicture, TileRow, TileSwitch } from "./tile-controls.tsx";

/** Whether something in a connected device is running, as it is shown. */
export function isLit(device: Device): boolean {
  return device.online && isOn(device, shownState(device));
}

function isOn(device: Device, state: Record<string, unknown>): boolean {
  if (device.type === "home-hub") return ["power", "power2", "power3", "power4"].some((key) => state[key] === true);
  if (opens(device)) return ["open", "unlocked"].includes(standsOf(device) ?? "");
  return state.power === true || state.armed === true;
}

const STANDING_WORDS = {
  open: "device.open",
  opening: "device.opening",
  closing: "device.closing",
  stopped: "device.stopped",
  closed: "device.closed",
  locked: "device.locked",
  unlocked: "device.unlocked",
} as const satisfies Record<string, TextKey>;

/** How a device stands, where it can be open; that nobody knows it, of a gate or a lock that does not say so. */
function standingWord(device: Device): TextKey | null {
  const standing = standsOf(device);
  if (standing !== null) return STANDING_WORDS[standing];
  if (device.capabilities?.barrier !== true) return null;
  return device.type === "lock" ? "device.lockUnknown" : "device.gateUnknown";
}

/**
 * Whether it should be connected and is not. A camera that posts its pictures, or is looked through, never connects; what
 * was connected before the hub's start has a minute to come back.
 */
export function isAway({ id, online, type, lastSeen }: Device): boolean {
  return !online && !awaited.value.has(id) && (type !== "camera" || lastSeen !== null);
}

/** What a sensor or a sentinel says, in a word: the first of these that it reports, an alarm before all. */
const SAID = [
  ["smoke", "device.smoke", "device.noSmoke"],
  ["gas", "device.gas", "device.noGas"],
  ["leak", "device.wet", "device.dry"],
  ["water_leak", "device.wet", "device.dry"],
  ["armed", "device.armed", "device.disarmed"],
  ["motion", "device.motion", "device.still"],
  ["occupancy", "device.motion", "device.still"],
  ["contact", "device.closed", "device.open"],
  ["open", "device.open", "device.closed"],
  ["window", "device.open", "device.closed"],
] as const satisfies readonly (readonly [key: string, yes: TextKey, no: TextKey])[];

function saidWord(state: Record<string, unknown>): TextKey | null {
  if (state.alarm === true) return "device.alarm";
  if (state.tamper === true) return "device.tampered";
  const [key, yes, no] = SAID.find(([key]) => typeof state[key] === "boolean") ?? [];
  return key === undefined || yes === undefined || no === undefined ? null : state[key] === true ? yes : no;
}

/** What the device does, in a few words. */
export function stateLine(device: Device): string {
  return stateParts(device).join(" · ");
}

/** {@link stateLine} in its parts; the first says most. */
export function stateParts(device: Device): readonly string[] {
  if (!device.online && awaited.value.has(device.id)) return [t("device.connecting")];
  if (!device.online && !isAway(device)) return [t("type.camera")];
  if (!device.online) return [t(device.lastSeen === null ? "device.notYet" : "device.offline")];
  if (silent.value.has(device.id)) return [t("device.noAnswer")];
  const state = shownState(device);
  const parts: string[] = [];
  const word = standingWord(device);
  if (word !== null) parts.push(t(word));
  else if (device.type === "home-hub")
    parts.push(
      t("device.channelsOn", {
        n: ["power", "power2", "power3", "power4"].filter((key) => state[key] === true).length,
      }),
    );
  else if (typeof state.power === "boolean") parts.push(state.power ? t("device.on") : t("device.off"));
  const said = word === null ? saidWord(state) : null;
  if (said !== null) parts.push(t(said));
  if (typeof state.brightness === "number" && state.power !== false)
    parts.push(withUnit(number(state.brightness, 0), "%"));
  if (typeof state.speed === "number" && state.power !== false) parts.push(t("device.speed", { n: state.speed }));
  if (typeof state.watts === "number") parts.push(withUnit(number(state.watts, 0), "W"));
  if (typeof state.temperature === "number") parts.push(withUnit(number(state.temperature), "°C"));
  if (typeof state.humidity === "number") parts.push(withUnit(number(state.humidity, 0), "%"));
  return parts.length > 0 ? parts : [t("device.online")];
}

/** Whether something is open that can be closed: a gate, a shutter, a door, a lock. */
export function isOpen(device: Device): boolean {
  return isOpenStanding(standsOf(device));
}

/** Whether the device is known to be switched on; being open is not being on. */
export function runs(device: Device): boolean {
  return !isOpen(device) && isLit(device);
}

/** Words that need the name of the room before them: "Living room of the guests" is no "Of the guests". */
const LEANING = /^(of|in|for|and|की|का|के|में|और)\s/i;

/** What a device is called within its room: "Living room climate" is "Climate" there. */
export function nameIn(name: string, room: string | undefined): string {
  if (room === undefined || !name.toLowerCase().startsWith(`${room.toLowerCase()} `)) return name;
  const rest = name.slice(room.length).trim();
  return rest === "" || LEANING.test(rest) ? name : rest.charAt(0).toLocaleUpperCase() + rest.slice(1);
}

/**
 * A device on Home: its name leads to its page, its controls act at once. `room`: it stands under this room's name;
 * `isInDanger`: it needs somebody now.
 */
export function DeviceTile({
  device,
  room,
  isInDanger = false,
}: {
  device: Device;
  room?: string | undefined;
  isInDanger?: boolean;
}) {
  const state = shownState(device);
  const name = nameIn(device.name, room);
  const isUnlocked = device.type === "lock" && standsOf(device) === "unlocked";
  return (
    <li class="tile" data-on={isLit(device)} data-offline={isAway(device)} data-danger={isInDanger}>
      <span class="tile-icon">
        <Icon name={isAway(device) ? "wifiOff" : isUnlocked ? "lockOpen" : deviceIcon(device.type)} />
      </span>
      <div class="tile-words">
        <div class="tile-name">
          <a
            href={`/devices/${encodeURIComponent(device.id)}`}
            title={device.name}
            {...(name === device.name ? {} : { "aria-label": device.name })}
          >
            <Name text={name} />
          </a>
        </div>
        <div class="tile-state">
          {room === undefined && device.room !== null && `${device.room} · `}
          {stateLine(device)}
        </div>
      </div>
      <div class="tile-act" title={refusedLever({ deviceId: device.id }) ?? undefined}>
        <TileSwitch device={device} state={state} next={nextSteps(device)} />
      </div>
      <TileRow device={device} state={state} />
      {device.type === "camera" && <TilePicture device={device} />}
    </li>
  );
}

/** What a door or a lock can do next. */
function nextSteps(device: Device): readonly string[] {
  switch (standsOf(device)) {
    case "opening":
    case "closing":
      return ["stop"];
    case "open":
    case "stopped":
      return ["close"];
    case "unlocked":
      return ["lock"];
    case "locked":
      return ["unlock"];
    default:
      return ["open"];
  }
}
