/** States over time as people read them: pieces of a bar, their tone, words, sums and who was behind them. */

import { isSwitched } from "../../../console/components/state-values.ts";
import { keyedText } from "../../../console/i18n/hub-texts.ts";
import { measureName } from "../../../console/i18n/measures.ts";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import type { Device } from "../../../console/store.ts";
import type { StateLine, StateStretch } from "../resources/states.ts";

/** A value from one moment to another (epoch ms). */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly value: boolean | string | null;
  readonly by: StateLine["changes"][number]["by"];
  /** It was so before the stretch, or is still so at its end. */
  readonly isCutAtStart: boolean;
  readonly isOngoing: boolean;
}

/** How a piece looks: at rest, open, moving, on, a fault, or not known. */
export type Tone = "rest" | "open" | "moving" | "on" | "bad" | "none";

/** What a state is about. */
export type LineKind = "doors" | "motion" | "on" | "online" | "other";

/** A state to draw. */
export interface Row {
  readonly id: string;
  readonly device: Device;
  readonly line: StateLine;
  readonly kind: LineKind;
  readonly name: string;
  readonly pieces: readonly Piece[];
}

const BARRIERS = new Set(["gate", "garage-door", "door", "lock", "cover"]);
const DOOR_KEYS = /^(open|opened|door|window|contact|locked|lock_state|position|gate|cover|state)$/;
const MOTION_KEYS = /^(motion|occupancy|occupied|presence|moving|vibration)$/;
/** What says the same as another state of the device. */
const REPEATS: Readonly<Record<string, readonly string[]>> = { position: ["open", "moving", "target"] };
const MOVING_WORDS = new Set(["opening", "closing", "locking", "unlocking"]);
const REST_WORDS = new Set("closed locked off idle stopped disarmed away normal none ok".split(" "));
const OPEN_WORDS = new Set(["open", "unlocked", "jammed"]);
/** Yes at rest. */
const RESTS_AT_YES = new Set(["locked", "contact"]);

/** The states of these devices that are worth a bar, those of doors first. */
export function rowsOf(stretch: StateStretch, devices: ReadonlyMap<string, Device>): Row[] {
  const [from, to] = [Date.parse(stretch.from), Date.parse(stretch.to)];
  const keys = new Map<string, string[]>();
  for (const { deviceId, key } of stretch.states) keys.set(deviceId, [...(keys.get(deviceId) ?? []), key]);
  const order: readonly LineKind[] = ["doors", "motion", "on", "other", "online"];
  return stretch.states
    .flatMap((line): Row[] => {
      const device = devices.get(line.deviceId);
      if (device === undefined) return [];
      const own = keys.get(line.deviceId) ?? [];
      if (own.some((key) => REPEATS[key]?.includes(line.key) === true)) return [];
      const kind = kindOf(device, line.key);
      const isAlone = own.filter((key) => key !== "online").length === 1;
      const name = kind === "online" || !(isAlone || isPlain(line.key)) ? measureName(line.key) : "";
      return [{ id: `${line.deviceId} ${line.key}`, device, line, kind, name, pieces: piecesOf(line, from, to) }];
    })
    .sort(
      (one, other) =>
        order.indexOf(one.kind) - order.indexOf(other.kind) ||
        Number(other.device.type === "gate") - Number(one.device.type === "gate") ||
        one.device.name.localeCompare(other.device.name),
    );
}

/** Whether anything changed in the stretch. */
export function hasChanged({ pieces }: Row): boolean {
  return pieces.length > 1;
}

function isPlain(key: string): boolean {
  return isSwitched(key) || key === "position" || key === "locked";
}

function kindOf(device: Device, key: string): LineKind {
  if (key === "online") return "online";
  if (MOTION_KEYS.test(key) && !(BARRIERS.has(device.type) && key === "moving")) return "motion";
  if (DOOR_KEYS.test(key) && (key !== "state" || BARRIERS.has(device.type))) return "doors";
  return isSwitched(key) ? "on" : "other";
}

function piecesOf(line: StateLine, from: number, to: number): Piece[] {
  const end = Math.min(to, Date.now());
  const starts = [
    ...(line.before === null ? [] : [{ at: from, value: line.before.value, by: null }]),
    ...line.changes.map(({ at, value, by }) => ({ at: Date.parse(at), value, by })),
  ];
  return starts.flatMap(({ at, value, by }, index) => {
    const next = starts[index + 1]?.at ?? end;
    if (next <= at && index < starts.length - 1) return [];
    return [
      {
        from: at,
        to: Math.max(at, next),
        value,
        by,
        isCutAtStart: index === 0 && line.before !== null,
        isOngoing: index === starts.length - 1,
      },
    ];
  });
}

/** How a value looks. */
export function toneOf(key: string, value: Piece["value"]): Tone {
  if (value === null) return "none";
  if (key === "online") return value === true ? "rest" : "bad";
  if (typeof value === "string")
    return MOVING_WORDS.has(value) ? "moving" : REST_WORDS.has(value) ? "rest" : OPEN_WORDS.has(value) ? "open" : "on";
  if (value === RESTS_AT_YES.has(key)) return "rest";
  return DOOR_KEYS.test(key) ? "open" : "on";
}

/** Whether a value is what one looks for: open, on, moving, away. */
export function isActive(key: string, value: Piece["value"]): boolean {
  const tone = toneOf(key, value);
  return tone !== "rest" && tone !== "none";
}

const YES_NO: Readonly<Record<string, readonly [yes: TextKey, no: TextKey]>> = {
  locked: ["states.locked", "states.unlocked"],
  contact: ["states.closed", "states.open"],
  open: ["states.open", "states.closed"],
  door: ["states.open", "states.closed"],
  window: ["states.open", "states.closed"],
  online: ["states.online", "states.offline"],
  motion: ["states.motion", "states.still"],
  occupancy: ["states.motion", "states.still"],
  presence: ["states.motion", "states.still"],
  armed: ["states.armed", "states.disarmed"],
  alarm: ["states.alarm", "states.quiet"],
  leak: ["states.wet", "states.dry"],
  water_leak: ["states.wet", "states.dry"],
};

/** A value in one word, as it stands alone. */
export function wordOf(key: string, value: Piece["value"]): string {
  const word = plainWord(key, value);
  return word.charAt(0).toLocaleUpperCase() + word.slice(1);
}

function plainWord(key: string, value: Piece["value"]): string {
  if (value === null) return t("value.unknown");
  if (typeof value === "string") return keyedText(`choice.${value}`, value);
  const words = YES_NO[key];
  if (words !== undefined) return t(words[value ? 0 : 1]);
  return t(isSwitched(key) ? (value ? "device.on" : "device.off") : value ? "value.yes" : "value.no");
}

/** The active stretches of a row, such as a gate's from opening to closed, oldest first. */
export function activeTimes(
  row: Row,
): { from: number; to: number; by: Piece["by"]; isOngoing: boolean; isCut: boolean }[] {
  const times: ReturnType<typeof activeTimes> = [];
  for (const piece of row.pieces) {
    const last = times.at(-1);
    if (!isActive(row.line.key, piece.value)) continue;
    if (last !== undefined && last.to === piece.from) {
      last.to = piece.to;
      last.isOngoing = piece.isOngoing;
      last.by ??= piece.by;
    } else
      times.push({
        from: piece.from,
        to: piece.to,
        by: piece.by,
        isOngoing: piece.isOngoing,
        isCut: piece.isCutAtStart,
      });
  }
  return times;
}

/** The piece at a moment. */
export function pieceAt({ pieces }: Row, at: number): Piece | undefined {
  return pieces.findLast((piece) => piece.from <= at && at <= piece.to);
}

/** Who sent the command. */
export function byText({ kind, name }: { readonly kind: string; readonly name: string | null }): string {
  if (kind === "automation") return t("states.by.automation", { name: name ?? "" });
  if (kind === "scene") return t("states.by.scene", { name: name ?? "" });
  if (kind === "plate") return t("states.by.plate");
  return name ?? t("states.by.other");
}
