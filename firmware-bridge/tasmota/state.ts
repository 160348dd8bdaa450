import { isJsonObject, type JsonObject } from "../../src/core/kernel/json-object.ts";
import { hexOfRgb, type Rgb, reciprocalMegakelvin, rgbOfHueSaturation } from "../colours.ts";
import { member, numberOf, rounded } from "../json-values.ts";
import { type Announcement, powerField, shutterField } from "./announcement.ts";

/** Names of the schemes of a lamp, by number. */
export const SCHEMES: readonly string[] = ["solid", "wakeUp", "cycleUp", "cycleDown", "random"];

/** An event that a device reports. */
interface Occurrence {
  readonly kind: string;
  readonly title: string;
}

/** What a STATE, RESULT or STATUS11 object contains about a device. */
export interface DecodedState {
  readonly patch: JsonObject;
  readonly telemetry: Record<string, number>;
  readonly events: readonly Occurrence[];
}

/** Reads an object with the device's state: outputs, lamp, fan, shutters, inputs, buttons, radio. */
export function readState(announcement: Announcement, value: JsonObject): DecodedState {
  const patch: JsonObject = {};
  const telemetry: Record<string, number> = {};
  for (const [position, { index }] of announcement.outputs.entries()) {
    const on = isOn(announcement, value[`POWER${index + 1}`] ?? (index === 0 ? value.POWER : undefined));
    if (on !== null) patch[announcement.isFan && index === 0 ? "light" : powerField(announcement, position)] = on;
  }
  const speed = announcement.isFan ? numberOf(value.FanSpeed) : null;
  if (speed !== null) Object.assign(patch, { speed, power: speed > 0 });
  if (announcement.light > 0 || announcement.outputs.some(({ isLight }) => isLight))
    readLamp(announcement, value, patch);
  readShutters(announcement, value, patch);
  const events = readInputs(announcement, value, patch);
  const quality = numberOf(member(value.Wifi, "RSSI"));
  const dbm = numberOf(member(value.Wifi, "Signal"));
  if (quality !== null) telemetry.signal = quality;
  if (dbm !== null) telemetry.rssi = dbm;
  const battery = numberOf(value.BatteryPercentage);
  if (battery !== null) telemetry.battery = battery;
  return { patch, telemetry, events };
}

/** The word of a POWER message as a boolean; null for words that are neither, such as HOLD. */
function isOn({ words }: Announcement, value: unknown): boolean | null {
  if (value === words.on) return true;
  if (value === words.off) return false;
  const number = numberOf(value);
  return number === 1 ? true : number === 0 ? false : value === "ON" ? true : value === "OFF" ? false : null;
}

function readLamp(announcement: Announcement, value: JsonObject, patch: JsonObject): void {
  const { light, isSplit, isTuya, hasChannels } = announcement;
  if (hasChannels) {
    for (const [position, { index, isLight }] of announcement.outputs.entries()) {
      const level =
        numberOf(value[`Channel${index + 1}`]) ??
        (Array.isArray(value.Channel) ? numberOf(value.Channel[index]) : null);
      if (isLight && level !== null)
        patch[announcement.outputs.length === 1 ? "brightness" : `brightness${position + 1}`] = level;
    }
    return;
  }
  const brightness = numberOf(isSplit ? value.Dimmer1 : isTuya ? value.Dimmer3 : null) ?? numberOf(value.Dimmer);
  if (brightness !== null) patch.brightness = brightness;
  const white = numberOf(isSplit ? value.Dimmer2 : value.White);
  if (white !== null && light >= 4) patch.white = white;
  const color = light >= 3 ? colourOf(value) : null;
  if (color !== null) patch.color = color;
  const mired = light === 2 || light === 5 ? numberOf(value.CT) : null;
  const kelvin = mired === null ? null : reciprocalMegakelvin(mired);
  if (kelvin !== null) patch.colorTemperature = kelvin;
  const scheme = numberOf(value.Scheme);
  if (scheme !== null) patch.effect = SCHEMES[scheme] ?? `scheme${scheme}`;
}

/** The colour at full brightness, from hue and saturation; Color is scaled by the dimmer. */
function colourOf(value: JsonObject): string | null {
  const hsb = typeof value.HSBColor === "string" ? value.HSBColor.split(",").map(numberOf) : [];
  const [hue, saturation] = hsb;
  if (typeof hue === "number" && typeof saturation === "number") return hexOfRgb(rgbOfHueSaturation(hue, saturation));
  if (typeof value.Color !== "string") return null;
  const parts = value.Color.includes(",")
    ? value.Color.split(",").map(numberOf)
    : [0, 2, 4].map((at) => hexPair(String(value.Color).slice(at, at + 2)));
  const [red, green, blue] = parts;
  if (typeof red !== "number" || typeof green !== "number" || typeof blue !== "number") return null;
  const most = Math.max(red, green, blue);
  const full: Rgb = most === 0 ? [0, 0, 0] : [(red / most) * 255, (green / most) * 255, (blue / most) * 255];
  return hexOfRgb(full);
}

function hexPair(text: string): number | null {
  return /^[0-9a-f]{2}$/i.test(text) ? Number.parseInt(text, 16) : null;
}

function readShutters(announcement: Announcement, value: JsonObject, patch: JsonObject): void {
  for (const [position, { inverted }] of announcement.shutters.entries()) {
    const shutter = value[`Shutter${position + 1}`];
    if (!isJsonObject(shutter)) continue;
    const open = (name: string): number | null => {
      const number = numberOf(shutter[name]);
      return number === null ? null : rounded(inverted ? 100 - number : number);
    };
    const [at, target, direction, tilt] = [
      open("Position"),
      open("Target"),
      numberOf(shutter.Direction),
      numberOf(shutter.Tilt),
    ];
    if (at !== null) patch[shutterField(announcement, "position", position)] = at;
    if (target !== null) patch[shutterField(announcement, "target", position)] = target;
    if (tilt !== null) patch[shutterField(announcement, "tilt", position)] = tilt;
    const turned = direction === null ? null : inverted ? -direction : direction;
    if (turned !== null)
      patch[shutterField(announcement, "moving", position)] =
        turned > 0 ? "opening" : turned < 0 ? "closing" : "stopped";
  }
}

/** Switches have a state, buttons only act. */
function readInputs(announcement: Announcement, value: JsonObject, patch: JsonObject): Occurrence[] {
  const events: Occurrence[] = [];
  for (const [key, entry] of Object.entries(value)) {
    const named = announcement.switchNames.get(key);
    const [, kind, digits] =
      named === undefined ? (/^(Button|Switch)(\d{1,2})$/.exec(key) ?? []) : [key, "Switch", String(named)];
    const action = typeof entry === "string" ? entry : member(entry, "Action");
    if (kind === undefined || digits === undefined || typeof action !== "string") continue;
    const input = {
      name: named === undefined ? `switch ${digits}` : key,
      number: Number(digits),
      action,
      hasActed: isJsonObject(entry),
    };
    if (kind === "Switch") events.push(...switched(announcement, input, patch));
    else if (action !== "CLEAR" && action !== "NONE") {
      const press = action === "HOLD" ? "long" : action.toLowerCase();
      patch.action = input.number > 1 ? `${digits}_${press}` : press;
      events.push({ kind: `button.${press}`, title: `${announcement.name}: button ${digits} ${press}` });
    }
  }
  return events;
}

/** A switch input's reading. A motion detector counts only when it acts: other reports contain the level of a pin. */
function switched(
  announcement: Announcement,
  input: { readonly name: string; readonly number: number; readonly action: string; readonly hasActed: boolean },
  patch: JsonObject,
): Occurrence[] {
  const { name, number, action, hasActed } = input;
  const on = isOn(announcement, action);
  const meaning = announcement.switches.get(number);
  if (on !== null && (meaning === "state" || (meaning === "motion" && hasActed)))
    patch[switchField(announcement, number)] = on;
  return hasActed
    ? [{ kind: `switch.${action.toLowerCase()}`, title: `${announcement.name}: ${name} ${action.toLowerCase()}` }]
    : [];
}

/** The hub's word for an input: `motion` for the only motion detector, `switch1` … otherwise. */
export function switchField({ switches }: Announcement, number: number): string {
  const motions = [...switches].filter(([, meaning]) => meaning === "motion");
  return switches.get(number) === "motion" && motions.length === 1 ? "motion" : `switch${number}`;
}
