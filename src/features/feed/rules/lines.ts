/** Items of the feed as lines: one for one event, whatever it recorded, and however many devices it was about. */

/** What decides where an item belongs. */
export interface LineItem {
  readonly id: number;
  readonly kind: string;
  readonly deviceId: string | null;
  /** In ISO form, or epoch milliseconds. */
  readonly at: string | number;
  /** The plate read that it tells of, where the list has it. */
  readonly readId?: number | null;
  /** The device that set off the rule whose message it is, where the list has it. */
  readonly becauseOf?: string | null;
}

/** One line: what happened, and what else belongs to it. */
export interface Line<One extends LineItem> {
  readonly item: One;
  /** What else the same event recorded, newest first, as all. */
  readonly more: readonly One[];
  /** The same of other devices, if it happened to several. */
  readonly alike: readonly One[];
}

/** What belongs to one event comes this close together, ms. */
const TOGETHER_MS = 60_000;
/** Kinds that tell of one opening. The first of them is the line. */
const OPENING = ["gate.opened", "gate.not_opened", "device.event"];
/** Kinds that tell of one vehicle at the gate, from the question to its end. The first of them is the line. */
const OF_ONE_CAR = [
  "gate.not_opened",
  "gate.kept_shut",
  "gate.asked",
  "plate.watch",
  "plate.denied",
  "plate.unknown",
  "plate.allowed",
  "gate.opened",
];
/** Kinds that many devices record at once: after a power cut, or when a gateway brings its devices along. */
const OF_MANY = [
  "device.added",
  "device.removed",
  "device.online",
  "device.offline",
  "device.firmware",
  "device.battery_low",
] as const;
/** From so many devices on, one line stands for them. */
const MANY = 3;

/** Items of one day, newest first, as lines. */
export function linesOf<One extends LineItem>(items: readonly One[]): Line<One>[] {
  const lines: Line<One>[] = [];
  const used = new Set<number>();
  for (const item of items) {
    if (used.has(item.id)) continue;
    const alike = alikeFrom(item, items);
    const left = items.filter(({ id }) => !used.has(id));
    const about = alike.length >= MANY ? item : (left.find((other) => isOutcome(item, other, items)) ?? item);
    const group = alike.length >= MANY ? [] : left.filter((other) => isSameEvent(about, other, items));
    for (const one of alike.length >= MANY ? alike : group) used.add(one.id);
    const [first = item, ...more] = group.toSorted((one, other) => rank(one) - rank(other) || other.id - one.id);
    lines.push({ item: first, more, alike: alike.length >= MANY ? alike.slice(1) : [] });
  }
  return lines;
}

/** The same of several devices, each close to the one before; the item itself is the first. */
function alikeFrom<One extends LineItem>(item: One, items: readonly One[]): One[] {
  if (!OF_MANY.some((kind) => kind === item.kind)) return [];
  const found = [item];
  for (const other of items) {
    const last = found.at(-1) ?? item;
    if (other.kind !== item.kind || other.id >= last.id) continue;
    if (timeOf(last.at) - timeOf(other.at) > TOGETHER_MS) break;
    found.push(other);
  }
  return found;
}

function isSameEvent(one: LineItem, other: LineItem, all: readonly LineItem[]): boolean {
  if (one.id === other.id) return true;
  if (isOfDanger(one, other, all) || isOfDanger(other, one, all)) return true;
  if (one.readId != null && one.readId === other.readId) return isOfCar(one) && isOfCar(other);
  if (!areClose(one, other)) return false;
  const kinds = [one.kind, other.kind].sort().join(" ");
  // a rule that sends a message records both
  if (kinds === "automation.fired automation.notify") return Math.abs(one.id - other.id) === 1;
  if (isAbout(one, other) || isAbout(other, one)) return true;
  return (
    one.deviceId !== null &&
    one.deviceId === other.deviceId &&
    one.kind !== other.kind &&
    OPENING.includes(one.kind) &&
    OPENING.includes(other.kind)
  );
}

/** Whether one tells what came of the event that the other tells of. */
function isOutcome(one: LineItem, other: LineItem, all: readonly LineItem[]): boolean {
  return isOfDanger(one, other, all) || (isAbout(one, other) && areClose(one, other));
}

function areClose(one: LineItem, other: LineItem): boolean {
  return Math.abs(timeOf(one.at) - timeOf(other.at)) <= TOGETHER_MS;
}

/** Whether one tells what came of the danger that the other tells of: that it is over, or what a rule did. */
function isOfDanger(one: LineItem, danger: LineItem, all: readonly LineItem[]): boolean {
  if (danger.kind !== "device.danger" || danger.deviceId === null) return false;
  if (one.kind === "device.danger_over") return danger === all.find((other) => isBefore(other, one));
  const isOfRule = one.becauseOf === danger.deviceId && one.kind.startsWith("automation.");
  return isOfRule && areClose(one, danger);
}

/** Whether an item tells that at the same device a danger began. */
function isBefore(item: LineItem, over: LineItem): boolean {
  return item.kind === "device.danger" && item.deviceId === over.deviceId && timeOf(item.at) <= timeOf(over.at);
}

/** Whether one is a rule's message, or its run, that the opening has set off which the other tells of. */
function isAbout(one: LineItem, other: LineItem): boolean {
  const isOfRule = one.kind === "automation.notify" || one.kind === "automation.fired";
  return isOfRule && other.deviceId !== null && one.becauseOf === other.deviceId && OPENING.includes(other.kind);
}

function timeOf(at: string | number): number {
  return typeof at === "number" ? at : Date.parse(at);
}

function isOfCar({ kind }: LineItem): boolean {
  return OF_ONE_CAR.includes(kind);
}

function rank({ kind, becauseOf, readId }: LineItem): number {
  if (kind === "device.danger") return -1;
  if (kind === "automation.fired") return 99;
  if (readId != null && OF_ONE_CAR.includes(kind)) return OF_ONE_CAR.indexOf(kind);
  const place = OPENING.indexOf(kind);
  return place >= 0 ? 10 + place : becauseOf == null ? 0 : 50;
}
