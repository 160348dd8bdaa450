/** Commands to a camera of Frigate: its switches, and turning it. */
import type { JsonObject } from "../../src/core/kernel/json-object.ts";
import type { Outgoing, Translation } from "../family.ts";
import { booleanOf, camelCase, numberOf } from "../json-values.ts";
import { SWITCHES, TOPIC_OF_WORD } from "./switches.ts";

const MOVES: ReadonlyMap<string, string> = new Map(
  ["left", "right", "up", "down"].map((way) => [way, `MOVE_${way.toUpperCase()}`]),
);
const ZOOMS: ReadonlyMap<string, string> = new Map([
  ["in", "ZOOM_IN"],
  ["out", "ZOOM_OUT"],
]);
const PTZ = /^(preset_[A-Za-z0-9_-]{1,32}|MOVE_(LEFT|RIGHT|UP|DOWN)|ZOOM_(IN|OUT)|STOP)$/;
const NUMBERS: readonly string[] = ["motion_threshold", "motion_contour_area"];

/** Messages below `topics.camera`, the camera's own topic, and `topics.all`, Frigate's. */
export function cameraCommand(
  topics: { readonly all: string; readonly camera: string },
  command: JsonObject,
  settings: ReadonlySet<string>,
): Translation {
  const publish: Outgoing[] = [];
  const expects: JsonObject = {};
  for (const [key, value] of Object.entries(command)) {
    const done =
      key === "allNotifications" ? everywhere(topics.all, value) : one(topics.camera, { key, value }, settings);
    if (typeof done === "string") return { unsupported: done };
    publish.push(done.message);
    Object.assign(expects, done.expects);
  }
  if (publish.length === 0) return { unsupported: "the command says nothing" };
  return { publish, expects: Object.keys(expects).length > 0 ? expects : null };
}

/** Notifications of all cameras together. */
function everywhere(base: string, value: unknown): { message: Outgoing; expects: JsonObject } | string {
  const wanted = booleanOf(value);
  return wanted === null
    ? "allNotifications takes true or false"
    : { message: { topic: `${base}/notifications/set`, payload: wanted ? "ON" : "OFF" }, expects: {} };
}

function one(
  base: string,
  { key, value }: { key: string; value: unknown },
  settings: ReadonlySet<string>,
): { message: Outgoing; expects: JsonObject } | string {
  const turned = turning(key, value);
  if (turned !== null)
    return PTZ.test(turned)
      ? { message: { topic: `${base}/ptz`, payload: turned }, expects: {} }
      : `${key} is nothing that turns a camera`;
  const word = TOPIC_OF_WORD.has(key) ? key : (SWITCHES.get(key) ?? null);
  const wanted = booleanOf(value);
  if (word !== null) {
    if (wanted === null) return `${key} takes true or false`;
    const isTold = [...settings].some((name) => SWITCHES.get(name) === word);
    return {
      message: { topic: `${base}/${TOPIC_OF_WORD.get(word)}/set`, payload: wanted ? "ON" : "OFF" },
      expects: isTold ? { [word]: wanted } : {},
    };
  }
  const number = NUMBERS.find((known) => known === key || camelCase(known) === key);
  const amount = numberOf(value);
  if (number === undefined) return `the camera knows no ${key.slice(0, 40)}`;
  if (amount === null || amount < 1 || amount > 10_000) return `${key} takes a number`;
  return { message: { topic: `${base}/${number}/set`, payload: String(Math.round(amount)) }, expects: {} };
}

/** `ptz` in Frigate's words, or `move`, `zoom`, `preset`, `stop` in the hub's; null for anything else. */
function turning(key: string, value: unknown): string | null {
  const text = typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
  if (key === "ptz") return text;
  if (key === "move") return MOVES.get(text.toLowerCase()) ?? "?";
  if (key === "zoom") return ZOOMS.get(text.toLowerCase()) ?? "?";
  if (key === "preset") return text.startsWith("preset_") ? text : `preset_${text}`;
  if (key === "stop") return value === true ? "STOP" : "?";
  return null;
}
