/** States over time as people read them: pieces of a bar, their tone, words, sums and who was behind them. */

import { controlName, controlsOf } from "../../../console/components/controls.ts";
import { isSwitched } from "../../../console/components/state-values.ts";
import { choiceWord, measureName } from "../../../console/i18n/measures.ts";
import { type TextKey, t } from "../../../console/i18n/translate.ts";
import type { Device } from "../../../console/store.ts";
import type { StateLine, StateStretch } from "../resources/states.ts";

/** A value from one moment to another (epoch ms). */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly value: boolean | string | null;
  readonly by: StateLine["changes"][number]["by"];
  /** It was so before the stretch. */
  readonly isCutAtStart: boolean;
  /** It is so now. */
  readonly isOngoing: boolean;
  /** It still held at the end of the time shown: {@link Row.later} says when it ended, if that is known. */
  readonly isCutAtEnd: boolean;
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
  /** What is known from after the stretch, oldest first. */
  readonly later: StateLine["changes"];
}

/** A time in which the answer to a question about a state stayed the same. */
export interface Time {
  readonly from: number;
  /** Within the stretch. */
  readonly to: number;
  /** When it ended, perhaps after the stretch; null: not known, or still so. */
  readonly end: number | null;
  readonly by: Piece["by"];
  /** It is so now. */
  readonly isOngoing: boolean;
  /** Its beginning was not seen: it was so before, or the hub did not know yet how it was. */
  readonly isCut: boolean;
}

const BARRIERS = new Set(["gate", "garage-door", "door", "lock", "cover"]);
const DOOR_KEYS = /^(open|opened|door|window|contact|locked|lock_state|position|gate|cover|state)$/;
const MOTION_KEYS = /^(motion|occupancy|occupied|presence|moving|vibration)$/;
/** The states of a thermostat that become one: what it does, or that it is off. */
const CLIMATE = { key: "climate", parts: ["cooling", "heating", "mode"] } as const;
/** What says the same as another state of the device. */
const REPEATS: Readonly<Record<string, readonly string[]>> = { position: ["open", "moving", "target"] };
const MOVING_WORDS = new Set(["opening", "closing", "locking", "unlocking"]);
const REST_WORDS = new Set("closed locked off idle stopped disarmed away normal none ok".split(" "));
/** What is drawn warm: open, or heated. */
const OPEN_WORDS = new Set(["open", "unlocked", "jammed", "heating"]);
/** Yes at rest. */
const RESTS_AT_YES = new Set(["locked", "contact"]);

/**
 * The states of these devices that are worth a bar, those of doors first. `isNow`: the stretch reaches the present, as it
 * was when it was asked for. Changes after the stretch are allowed: they tell when something ended.
 */
export function rowsOf(
  stretch: StateStretch,
  devices: ReadonlyMap<string, Device>,
  isNow = Date.parse(stretch.to) >= Date.now(),
): Row[] {
  const [from, to] = [Date.parse(stretch.from), Date.parse(stretch.to)];
  const keys = new Map<string, string[]>();
  const states = withClimates(stretch.states);
  for (const { deviceId, key } of states) keys.set(deviceId, [...(keys.get(deviceId) ?? []), key]);
  const order: readonly LineKind[] = ["doors", "motion", "on", "other", "online"];
  return states
    .flatMap((line): Row[] => {
      const device = devices.get(line.deviceId);
      if (device === undefined || isPulse(device, line.key)) return [];
      const own = keys.get(line.deviceId) ?? [];
      if (own.some((key) => REPEATS[key]?.includes(line.key) === true)) return [];
      const kind = kindOf(device, line.key);
      const isAlone = own.filter((key) => key !== "online").length === 1;
      const isOneOfMany = isSwitched(line.key) && own.filter(isSwitched).length > 1;
      const name =
        kind === "online" || isOneOfMany || isYesOrNo(line) || !(isAlone || isPlain(line.key))
          ? nameOfState(device, line.key)
          : "";
      const later = line.changes.filter(({ at }) => Date.parse(at) >= to);
      const pieces = piecesOf(line, from, to, isNow);
      return [{ id: `${line.deviceId} ${line.key}`, device, line, kind, name, pieces, later }];
    })
    .sort(
      (one, other) =>
        order.indexOf(one.kind) - order.indexOf(other.kind) ||
        Number(other.device.type === "gate") - Number(one.device.type === "gate") ||
        one.device.name.localeCompare(other.device.name),
    );
}

/** Whether a state is only the contact of the relay that moves a gate: it says nothing of how the gate stands. */
function isPulse({ type, capabilities }: Device, key: string): boolean {
  return type === "gate" && capabilities?.movesGates === true && isSwitched(key);
}

/** What a state is called: as its switch is on the device's own page, such as "Channel 2". */
export function nameOfState(device: Device, key: string): string {
  if (key === CLIMATE.key) return t("states.climate");
  const control = controlsOf(device).find((one) => one.kind === "toggle" && one.field === key);
  return control === undefined ? measureName(key) : controlName(control);
}

/** Mode, heating and cooling of a device as one state: `cooling`, `heating`, `idle` or `off`. */
function withClimates(states: StateStretch["states"]): readonly StateLine[] {
  const climates = new Map<string, StateLine[]>();
  for (const line of states)
    if (CLIMATE.parts.some((key) => key === line.key))
      climates.set(line.deviceId, [...(climates.get(line.deviceId) ?? []), line]);
  for (const [id, parts] of climates) if (parts.every(({ key }) => key === "mode")) climates.delete(id);
  const rest = states.filter(
    ({ deviceId, key }) => !climates.has(deviceId) || !CLIMATE.parts.some((one) => one === key),
  );
  return [...rest, ...[...climates].map(([deviceId, parts]) => climateOf(deviceId, parts))];
}

function climateOf(deviceId: string, parts: readonly StateLine[]): StateLine {
  const now = new Map(parts.map(({ key, before }) => [key, before?.value ?? null]));
  const value = (): string | null =>
    now.get("cooling") === true
      ? "cooling"
      : now.get("heating") === true
        ? "heating"
        : now.get("mode") === "off"
          ? "off"
          : [...now.values()].every((one) => one === null)
            ? null
            : "idle";
  const begins = parts.flatMap(({ before }) => before?.since ?? []).sort();
  const before = begins.length === 0 ? null : { value: value(), since: begins.at(-1) ?? "" };
  const changes: StateLine["changes"] = [];
  const all = parts
    .flatMap(({ key, changes: own }) => own.map((change) => ({ key, ...change })))
    .sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  let last = before?.value;
  for (const { key, at, value: next, by } of all) {
    now.set(key, next);
    const word = value();
    if (word === last) continue;
    if (changes.at(-1)?.at === at) changes.pop(); // one report changes several of them
    changes.push({ at, value: word, by });
    last = word;
  }
  return { deviceId, key: CLIMATE.key, before, changes };
}

/** Whether a device was away in the stretch. */
export function wasAway({ kind, pieces }: Row): boolean {
  return kind === "online" && pieces.some(({ value }) => value === false);
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

function piecesOf(line: StateLine, from: number, to: number, isNow: boolean): Piece[] {
  const end = Math.min(to, Date.now());
  const starts = [
    ...(line.before === null ? [] : [{ at: from, value: line.before.value, by: null }]),
    ...line.changes.map(({ at, value, by }) => ({ at: Date.parse(at), value, by })),
  ].filter(({ at }) => isNow || at < to);
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
        isOngoing: isNow && index === starts.length - 1,
        isCutAtEnd: !isNow && index === starts.length - 1,
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

const CLIMATE_WORDS: Readonly<Record<string, TextKey>> = {
  cooling: "states.cooling",
  heating: "states.heating",
  idle: "states.idle",
};
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

/** Whether a state has no other words than yes and no, which say nothing without its name. */
function isYesOrNo({ key, before, changes }: StateLine): boolean {
  return (
    YES_NO[key] === undefined &&
    !isSwitched(key) &&
    [before?.value, ...changes.map(({ value }) => value)].some((value) => typeof value === "boolean")
  );
}

/** A value in one word, as it stands alone. */
export function wordOf(key: string, value: Piece["value"]): string {
  const word = plainWord(key, value);
  return word.charAt(0).toLocaleUpperCase() + word.slice(1);
}

function plainWord(key: string, value: Piece["value"]): string {
  if (value === null) return t("value.unknown");
  const climate = key === CLIMATE.key ? CLIMATE_WORDS[String(value)] : undefined;
  if (climate !== undefined) return t(climate);
  if (typeof value === "string") return choiceWord(value);
  const words = YES_NO[key];
  if (words !== undefined) return t(words[value ? 0 : 1]);
  return t(isSwitched(key) ? (value ? "device.on" : "device.off") : value ? "value.yes" : "value.no");
}

/** The active stretches of a row, such as a gate's from opening to closed, oldest first. */
export function activeTimes(row: Row): Time[] {
  const times: { -readonly [key in keyof Time]: Time[key] }[] = [];
  const isOver = (value: Piece["value"]): boolean => !isActive(row.line.key, value);
  for (const [place, piece] of row.pieces.entries()) {
    const last = times.at(-1);
    const before = row.pieces[place - 1];
    if (isOver(piece.value)) continue;
    if (last !== undefined && last.to === piece.from) {
      last.to = piece.to;
      last.end = endOf(row, piece, isOver);
      last.isOngoing = piece.isOngoing;
      last.by ??= piece.by;
    } else
      times.push({
        from: piece.from,
        to: piece.to,
        end: endOf(row, piece, isOver),
        by: piece.by,
        isOngoing: piece.isOngoing,
        isCut: before === undefined || before.value === null,
      });
  }
  return times;
}

/** When a piece ended, which may be after the stretch; null if that is not known. */
function endOf({ later }: Row, piece: Piece, isOver: (value: Piece["value"]) => boolean): number | null {
  if (piece.isOngoing) return null;
  if (!piece.isCutAtEnd) return piece.to;
  const change = later.find(({ value }) => isOver(value));
  return change === undefined ? null : Date.parse(change.at);
}

/**
 * The active stretches with those that follow each other within `gapMs` joined: movement is one coming and going, not a
 * line for each step.
 */
export function joinedTimes(row: Row, gapMs: number): (Time & { readonly count: number })[] {
  const joined: ({ -readonly [key in keyof Time]: Time[key] } & { count: number })[] = [];
  for (const time of activeTimes(row)) {
    const last = joined.at(-1);
    if (last !== undefined && time.from - last.to <= gapMs) {
      last.to = time.to;
      last.end = time.end;
      last.isOngoing = time.isOngoing;
      last.count += 1;
    } else joined.push({ ...time, count: 1 });
  }
  return joined;
}

/** The value of an active stretch: not that it moves, but what it became. */
export function wordAt(row: Row, from: number, to: number): string {
  const within = row.pieces.filter((piece) => piece.from >= from && piece.from < Math.max(to, from + 1));
  const piece = within.find(({ value }) => !MOVING_WORDS.has(String(value))) ?? within[0];
  return wordOf(row.line.key, piece?.value ?? null);
}

/**
 * The stretch that is meant by a moment: the active one there or within `reachMs`, otherwise the piece there; null where
 * nothing is known.
 */
export function stretchAt(row: Row, at: number, reachMs: number): (Time & { readonly word: string }) | null {
  const away = ({ from, to }: Time): number => (at < from ? from - at : at > to ? at - to : 0);
  const near = activeTimes(row)
    .filter((time) => away(time) <= reachMs)
    .sort((one, other) => away(one) - away(other))[0];
  if (near !== undefined) {
    // "Recording", not "Yes"
    const isYes = row.pieces.some(({ from, value }) => from === near.from && value === true) && isYesOrNo(row.line);
    return { ...near, word: isYes ? nameOfState(row.device, row.line.key) : wordAt(row, near.from, near.to) };
  }
  const piece = pieceAt(row, at);
  if (piece === undefined) return null;
  const { from, to, by, isOngoing, isCutAtStart: isCut, value } = piece;
  const word = wordOf(row.line.key, value);
  return {
    from,
    to,
    end: endOf(row, piece, (next) => next !== value),
    by,
    isOngoing,
    isCut,
    word: value === false && isYesOrNo(row.line) ? `${nameOfState(row.device, row.line.key)}: ${word}` : word,
  };
}

/** What is hatched in bars from one moment to another: times of which nothing is known, and those that are still to come. */
export function hatchedIn(rows: readonly Row[], from: number, to: number): "notKnown" | "notYet" | null {
  const slack = (to - from) / 200; // narrower than anybody sees
  if (to > Date.now() + slack) return "notYet";
  const known = ({ pieces }: Row): number =>
    pieces.reduce(
      (sum, piece) => sum + (piece.value === null ? 0 : Math.min(to, piece.to) - Math.max(from, piece.from)),
      0,
    );
  return rows.some((row) => to - from - known(row) > slack) ? "notKnown" : null;
}

/** The piece at a moment. */
export function pieceAt({ pieces }: Row, at: number): Piece | undefined {
  return pieces.findLast((piece) => piece.from <= at && at <= piece.to);
}

/** Who sent the command. */
export function byText({ kind, name }: { readonly kind: string; readonly name: string | null }): string {
  if (kind === "automation") return t("states.by.automation", { name: name ?? "" });
  if (kind === "scene") return t("states.by.scene", { name: name ?? "" });
  if (kind === "plate") return name === null ? t("states.by.plate") : t("states.forCar", { car: name });
  return name ?? t("states.by.other");
}
