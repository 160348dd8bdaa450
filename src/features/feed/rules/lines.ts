/** Items of the feed as lines: one for one event, whatever it recorded, and however many devices it was about. */

/** What decides where an item belongs. */
export interface LineItem {
  readonly id: number;
  readonly kind: string;
  readonly deviceId: string | null;
  /** In ISO form, or epoch milliseconds. */
  readonly at: string | number;
  /** The plate read that it is about, if the list has it. */
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
/** Of these a household has a line a day: a battery can wait, and the hub looks at each in its own time. */
const ALL_DAY = "device.battery_low";
/** From this many devices on, one line stands for all. */
const MANY = 3;

/** Items of one day, newest first, as lines. */
export function linesOf<One extends LineItem>(items: readonly One[]): Line<One>[] {
  const lines: Line<One>[] = [];
  const used = new Set<number>();
  const index = indexOf(items);
  for (const item of items) {
    if (used.has(item.id)) continue;
    const alike = index.alike.get(item.id) ?? [];
    if (alike.length >= MANY) {
      for (const { id } of alike) used.add(id);
      lines.push({ item, more: [], alike: alike.slice(1) });
      continue;
    }
    const near = (of: One): One[] => relatedTo(of, index).filter(({ id }) => !used.has(id));
    const about = near(item).find((other) => isOutcome(item, other, index)) ?? item;
    const group = near(about).filter((other) => isSameEvent(about, other, index));
    for (const { id } of group) used.add(id);
    const [first = item, ...more] = group.toSorted((one, other) => rank(one) - rank(other) || other.id - one.id);
    lines.push({ item: first, more, alike: [] });
  }
  return lines;
}

/** Where the items are that may belong to one of them, so that none is compared with all others. */
interface Index<One extends LineItem> {
  readonly byId: ReadonlyMap<number, One>;
  readonly byRead: ReadonlyMap<number, readonly One[]>;
  /** What happened at a device, and what rules did because of it; newest first. */
  readonly byDevice: ReadonlyMap<string, readonly One[]>;
  /** The same of several devices, by the newest of them. */
  readonly alike: ReadonlyMap<number, readonly One[]>;
}

function indexOf<One extends LineItem>(items: readonly One[]): Index<One> {
  const byRead = new Map<number, One[]>();
  const byDevice = new Map<string, One[]>();
  const alike = new Map<number, One[]>();
  const latest = new Map<string, One[]>();
  for (const item of items) {
    if (item.readId != null) put(byRead, item.readId, item);
    for (const device of new Set([item.deviceId, item.becauseOf])) if (device != null) put(byDevice, device, item);
    if (!isOfMany(item.kind)) continue;
    const run = latest.get(item.kind);
    const before = run?.at(-1);
    if (run !== undefined && before !== undefined && follows(item, before)) run.push(item);
    else {
      const begun = [item];
      latest.set(item.kind, begun);
      alike.set(item.id, begun);
    }
  }
  return { byId: new Map(items.map((item) => [item.id, item])), byRead, byDevice, alike };
}

function put<Key, One>(map: Map<Key, One[]>, key: Key, one: One): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [one]);
  else known.push(one);
}

/** Whether an item belongs to what many devices recorded, whose next one is `after`. */
function follows(item: LineItem, after: LineItem): boolean {
  return item.kind === ALL_DAY || timeOf(after.at) - timeOf(item.at) <= TOGETHER_MS;
}

function isOfMany(kind: string): boolean {
  return OF_MANY.some((one) => one === kind);
}

/** The item itself, and all that may belong to the same event, newest first. */
function relatedTo<One extends LineItem>(item: One, { byId, byRead, byDevice }: Index<One>): One[] {
  const beside = [byId.get(item.id - 1), byId.get(item.id + 1)].filter((one) => one !== undefined);
  const ofRead = item.readId == null ? [] : (byRead.get(item.readId) ?? []);
  const ofDevices = [item.deviceId, item.becauseOf].flatMap((id) => (id == null ? [] : (byDevice.get(id) ?? [])));
  return [...new Set([item, ...ofRead, ...ofDevices, ...beside])];
}

function isSameEvent<One extends LineItem>(one: One, other: One, index: Index<One>): boolean {
  if (one.id === other.id) return true;
  if (isOfDanger(one, other, index) || isOfDanger(other, one, index)) return true;
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

/** Whether one reports the outcome of the event that the other reports. */
function isOutcome<One extends LineItem>(one: One, other: One, index: Index<One>): boolean {
  return isOfDanger(one, other, index) || (isAbout(one, other) && areClose(one, other));
}

function areClose(one: LineItem, other: LineItem): boolean {
  return Math.abs(timeOf(one.at) - timeOf(other.at)) <= TOGETHER_MS;
}

/** Whether one reports the outcome of the danger that the other reports: that it is over, or what a rule did. */
function isOfDanger<One extends LineItem>(one: One, danger: One, { byDevice }: Index<One>): boolean {
  if (danger.kind !== "device.danger" || danger.deviceId === null) return false;
  if (one.kind === "device.danger_over")
    return danger === byDevice.get(danger.deviceId)?.find((other) => isBefore(other, one));
  const isOfRule = one.becauseOf === danger.deviceId && one.kind.startsWith("automation.");
  return isOfRule && areClose(one, danger);
}

/** Whether an item reports that a danger began at the same device. */
function isBefore(item: LineItem, over: LineItem): boolean {
  return item.kind === "device.danger" && item.deviceId === over.deviceId && timeOf(item.at) <= timeOf(over.at);
}

/** Whether one is the message or the run of a rule that was triggered by the opening or the vehicle of the other. */
function isAbout(one: LineItem, other: LineItem): boolean {
  const isOfRule = one.kind === "automation.notify" || one.kind === "automation.fired";
  const setsOff = OPENING.includes(other.kind) || (isOfCar(other) && other.id < one.id);
  return isOfRule && other.deviceId !== null && one.becauseOf === other.deviceId && setsOff;
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
