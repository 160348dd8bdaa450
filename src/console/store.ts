/**
 * What the console knows about the hub, kept up to date by the event stream. Pages read the signals; nothing else
 * fetches lists twice.
 */
import { computed, type Signal, signal } from "@preact/signals";
import type { Device } from "../features/devices/resources/device.ts";
import type { Room } from "../features/devices/resources/room.ts";
import { vitalsOf } from "../features/devices/rules/vitals.ts";
import type { EnergySettings } from "../features/energy/resources/energy.ts";
import type { ListedItem as FeedItem } from "../features/feed/resources/feed-item.ts";
import { isByItself } from "../features/feed/rules/activity.ts";
import type { GateQuestion } from "../features/gate/resources/gate-question.ts";
import type { GateRead } from "../features/gate/resources/gate-read.ts";
import type { Occupancy } from "../features/gate/resources/vehicle.ts";
import type { Scene } from "../features/scenes/resources/scene.ts";
import { get, post, put } from "./api.ts";
import { sayError } from "./components/toast.tsx";
import { houseZone } from "./i18n/translate.ts";
import type { AnswerTo } from "./operations.ts";
import { isOvertaken, nextMoment } from "./overtaken.ts";
import { paced } from "./paced.ts";
import { factsBefore } from "./session.ts";

export type { Device, FeedItem, GateRead, Occupancy, Room, Scene };

/** Vehicles that came in, and those that left unseen. */
export type Inside = AnswerTo<"GET", "/api/gate/inside">;

/** What is left to suggest. */
type Hints = AnswerTo<"GET", "/api/hints">["hints"];

/** How many feed items and reads are kept in the page: as many as the hub lists at once. */
const KEPT_ITEMS = 50;
/** In place of a room's id in addresses: the favourites, and the devices in no room. */
export const FAVOURITES = "favourites";
export const NO_ROOM = "none";
/** How long a tile stays optimistic when the device does not answer. */
const ANSWER_WAIT_MS = 8_000;

/** What the house is set to, and who of those whom this person may see is home. */
export type House = AnswerTo<"GET", "/api/house">["house"];

export const devices = signal<ReadonlyMap<string, Device>>(new Map());
export const rooms = signal<readonly Room[]>([]);
export const scenes = signal<readonly Scene[]>([]);
/** What happened last, without what devices and rules did by themselves. */
export const feed = signal<readonly FeedItem[]>([]);
export const reads = signal<readonly GateRead[]>([]);
export const inside = signal<Inside>({ inside: [], leftUnseen: [] });
/** Vehicles that wait at a gate for an answer. */
export const questions = signal<readonly GateQuestion[]>([]);
export const occupancy = signal<Occupancy | null>(null);
/** What each device measures for the house. */
export const energyRoles = signal<EnergySettings["roles"]>([]);
/** Null until the first lists are here. */
export const house = signal<House | null>(null);
/** What the console suggests to the signed-in person; null until the first lists are here. */
export const hints = signal<Hints | null>(null);
/** How many notifications are new to the signed-in person; 99 means that many or more. */
export const unread = signal(0);
/** True once the first lists are here. */
export const loaded = signal(false);
/** Devices that are expected to connect: for a minute after the hub's start they are not said to be away. */
export const awaited = signal<ReadonlySet<string>>(new Set());
/** Whether the event stream is open; false shows that the page may be out of date. */
export const live = signal(true);
/** Whether the hub has been away for long enough to say so: what is shown is how things last were. */
export const hubAway = signal(false);

/** Requested state that the device has not confirmed yet. */
interface Expectation {
  readonly state: Readonly<Record<string, unknown>>;
  readonly commandedAt: number;
}
const expected = signal<ReadonlyMap<string, Expectation>>(new Map());
/** Devices that did not answer the last command. */
export const silent = signal<ReadonlySet<string>>(new Set());

/** Natural order: 2 before 10. */
const inOrder = new Intl.Collator(undefined, { numeric: true });

/** Devices that were ordered by hand, by id; the others come after them, by name. */
const order = signal<readonly string[]>([]);

/** Whether somebody has ordered the devices by hand. */
export const isOrdered = computed(() => order.value.length > 0);

export const deviceList = computed(() => {
  const places = new Map(order.value.map((id, place) => [id, place]));
  const placeOf = ({ id }: Device): number => places.get(id) ?? Number.MAX_SAFE_INTEGER;
  return [...devices.value.values()].sort((a, b) => placeOf(a) - placeOf(b) || inOrder.compare(a.name, b.name));
});

/** Stores the household's order of devices. */
export async function saveOrder(ids: readonly string[]): Promise<void> {
  set(order, (await put("/api/device-order", { body: { ids: [...ids] } })).ids);
}

/** The state to show: the device's report, overlaid with requests that it has not confirmed yet. */
export function shownState(device: Device): Record<string, unknown> {
  return { ...device.state, ...expected.value.get(device.id)?.state };
}

/** Whether the device has not yet confirmed the last command. */
export function isPending(deviceId: string): boolean {
  return expected.value.has(deviceId);
}

/** Takes the house's location: from now on moments are shown by its clock, and nobody is asked where it is. */
export function knowSite({
  timeZone,
  timeZoneGiven,
  latitude,
}: {
  readonly timeZone: string;
  readonly timeZoneGiven: boolean;
  readonly latitude: number | null;
}): void {
  houseZone.value = timeZoneGiven ? timeZone : undefined;
  if (hints.value === null || latitude === null) return;
  const next = hints.value.next?.map((one) => (one.step === "place" ? { ...one, done: true } : one)) ?? null;
  hints.value = { ...hints.value, next };
}

/** The stream's latest members of a device. */
interface Streamed {
  readonly moment: number;
  readonly members: Partial<Device>;
}
/**
 * By device, one for each kind of fact. Includes devices that are not in the list yet: a new device may send before the
 * list with it has arrived.
 */
const streamed = new Map<string, { readonly [Kind in "state" | "presence"]?: Streamed }>();
/** When the stream said that a device was removed, by its id. */
const removed = new Map<string, number>();

/**
 * Sets a signal unless its value is equal, so that nothing is drawn again. An answer to a request made at the moment
 * `asked` is dropped if newer data was requested, or came with the answer to a change, since then.
 */
export function set<Value>(held: Signal<Value>, value: Value, asked = nextMoment()): void {
  if (isOvertaken(held, asked)) return;
  if (!isSame(held.value, value)) held.value = value;
}

/** Whether two values from the hub are equal. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Takes the list of devices, unless a later request's answer is here already. */
function takeDevices(asked: number, listed: readonly Device[]): void {
  if (isOvertaken(devices, asked)) return;
  const before = devices.value;
  const there = listed.filter(({ id }) => (removed.get(id) ?? 0) < asked);
  const now = there.map((device) => {
    const known = before.get(device.id);
    const current = notOlder(device, asked);
    return known !== undefined && isSame(known, current) ? known : current;
  });
  if (now.length === before.size && now.every((device) => before.get(device.id) === device)) return;
  devices.value = new Map(now.map((device) => [device.id, device]));
}

/** A device as the hub returned it, with the stream's changes since the request. */
function notOlder(device: Device, asked: number): Device {
  const since = Object.values(streamed.get(device.id) ?? {}).filter(({ moment }) => moment > asked);
  return Object.assign({}, device, ...since.sort((a, b) => a.moment - b.moment).map(({ members }) => members));
}

/** Applies the stream's members of a device; false if the device is not in the list. */
function takeFact(deviceId: string, kind: "state" | "presence", members: Partial<Device>): boolean {
  streamed.set(deviceId, { ...streamed.get(deviceId), [kind]: { moment: nextMoment(), members } });
  const device = devices.value.get(deviceId);
  if (device !== undefined) putDevice({ ...device, ...members });
  return device !== undefined;
}

/** Loads everything that Home shows. */
async function loadAll(): Promise<void> {
  const asked = nextMoment();
  const before = factsBefore.value;
  const overview = await get("/api/overview");
  takeDevices(asked, overview.devices.devices);
  set(reads, overview.reads.reads, asked);
  set(inside, overview.inside, asked);
  set(occupancy, overview.occupancy, asked);
  knowSite(overview.site.site);
  set(order, overview.deviceOrder.ids, asked);
  awaited.value = new Set(overview.awaited.ids);
  set(rooms, overview.rooms.rooms, asked);
  set(scenes, overview.scenes.scenes, asked);
  set(feed, overview.activity.activity.events, asked);
  set(energyRoles, overview.energy.settings.roles, asked);
  set(unread, overview.notifications.unread, asked);
  set(house, overview.house.house, asked);
  set(hints, overview.hints.hints, asked);
  loaded.value = true;
  // the overview may have been asked for before the hub said who is here: it is in the head of the page
  listsAt = before === overview.facts ? before : null;
  void refreshQuestions().catch(() => {});
}

let firstLoad: Promise<void> | null = null;
/** How far the household's facts had come before the lists were requested. */
let listsAt: string | null = null;

/** {@link loadAll} for the start of a page: a load that is under way already is the same one. */
export function loadFirst(): Promise<void> {
  firstLoad ??= loadAll().finally(() => {
    firstLoad = null;
  });
  return firstLoad;
}

/** {@link loadFirst} unless the lists are here and nothing has happened since they were requested. */
export async function loadOnce(): Promise<void> {
  if (listsAt === null || listsAt !== factsBefore.value) await loadFirst();
}

/** Loads everything again unless the lists are complete up to this position of the household's facts. */
export async function catchUp(position: string | null): Promise<void> {
  await firstLoad?.catch(() => {});
  if (position === null || position !== listsAt) await loadAll();
}

/** Loads the vehicles that wait at a gate again. */
export async function refreshQuestions(): Promise<void> {
  const asked = nextMoment();
  set(questions, (await get("/v1/gate-questions")).questions, asked);
}

/** Loads what the house is set to and who is home again. */
export async function refreshHouse(): Promise<void> {
  const asked = nextMoment();
  set(house, (await get("/api/house")).house, asked);
}

/** Loads the rooms again, and the devices, whose room may have gone. */
export async function refreshRooms(): Promise<void> {
  const asked = nextMoment();
  const [r, d] = await Promise.all([get("/v1/rooms"), get("/v1/devices")]);
  set(rooms, r.rooms, asked);
  takeDevices(asked, d.devices);
}

/** Devices that were added or edited and have not been requested again yet. */
const edited = new Set<string>();

/** Requests one device, or all of them where several were edited, and what the list lacks with them. */
const askForEdited = paced(async () => {
  const ids = [...edited];
  const [only] = ids;
  if (only === undefined) return;
  edited.clear();
  const asked = nextMoment();
  try {
    if (ids.length > 1) takeDevices(asked, (await get("/v1/devices")).devices);
    else {
      const { device } = await get("/v1/devices/{id}", { params: { id: only } });
      if ((removed.get(only) ?? 0) < asked) putDevice(notOlder(device, asked));
    }
  } catch (error) {
    for (const id of ids) edited.add(id);
    throw error;
  }
  const now = ids.flatMap((id) => devices.value.get(id) ?? []);
  // what is said first about a new device is only that it is not here
  if (now.some(({ online, lastSeen }) => !online && lastSeen === null)) askForAwaited();
  const known = new Set(rooms.value.map(({ name }) => name.toLowerCase()));
  if (now.some(({ room }) => room !== null && !known.has(room.toLowerCase())))
    set(rooms, (await get("/v1/rooms")).rooms, asked);
});

/** Asks which devices are expected to connect. */
const askForAwaited = paced(async () => {
  const { ids } = await get("/api/devices-awaited");
  awaited.value = new Set(ids.filter((id) => devices.value.get(id)?.online !== true));
});

/** Takes in from the stream that a device was added or edited: what it is now has to be requested. */
export function onEdited(id: string): void {
  edited.add(id);
  askForEdited();
}

/** Takes in from the stream that a device was removed. */
export function onRemoved(id: string): void {
  removed.set(id, nextMoment());
  edited.delete(id);
  const next = new Map(devices.value);
  if (next.delete(id)) devices.value = next;
}

/** Puts a device as the hub returned it into the list. */
export function putDevice(device: Device): void {
  devices.value = new Map(devices.value).set(device.id, device);
}

/**
 * Sends a command and shows `effect` at once. If the device's state has not confirmed it in 8 s, the tile returns to
 * the device's last reported state and shows a notice.
 */
export async function command(
  deviceId: string,
  body: Record<string, unknown>,
  effect: Record<string, unknown> = body,
): Promise<void> {
  const commandedAt = Date.now();
  expected.value = new Map(expected.value).set(deviceId, { state: effect, commandedAt });
  setSilent(deviceId, false);
  try {
    await post("/v1/devices/{id}/commands", { params: { id: deviceId }, body });
  } catch (error) {
    forget(deviceId, commandedAt);
    sayError(error);
    return;
  }
  setTimeout(() => {
    if (expected.value.get(deviceId)?.commandedAt !== commandedAt) return;
    forget(deviceId, commandedAt);
    setSilent(deviceId, true);
  }, ANSWER_WAIT_MS);
}

/** Takes in a state change from the stream. */
export function onState(deviceId: string, state: Record<string, unknown>, at: string): void {
  if (!takeFact(deviceId, "state", { state, ...vitalsOf(state), stateAt: at, lastSeen: at })) return;
  const wish = expected.value.get(deviceId);
  if (
    wish !== undefined &&
    Object.entries(wish.state).every(([key, value]) => JSON.stringify(state[key]) === JSON.stringify(value))
  )
    forget(deviceId, wish.commandedAt);
  setSilent(deviceId, false);
}

/** Takes in a presence change from the stream. */
export function onPresence(deviceId: string, online: boolean, at: string): void {
  takeFact(deviceId, "presence", { online, lastSeen: at });
  if (awaited.value.has(deviceId)) awaited.value = new Set([...awaited.value].filter((id) => id !== deviceId));
}

/** Takes in a feed item from the stream. */
export function onFeedItem(item: FeedItem): void {
  if (isByItself(item.kind) || feed.value.some((known) => known.id === item.id)) return;
  feed.value = [item, ...feed.value].slice(0, KEPT_ITEMS);
}

/** Puts a suggestion away for this person. @throws ApiError when the hub does not answer */
export async function hideHint(hint: keyof Hints): Promise<void> {
  set(hints, (await post("/api/hints/hide", { body: { hint } })).hints);
}

/** Loads the newest reads, who is inside and the occupancy again. */
export async function refreshGate(): Promise<void> {
  const asked = nextMoment();
  const [r, i, o] = await Promise.all([
    get("/api/reads", { query: { limit: KEPT_ITEMS } }),
    get("/api/gate/inside"),
    get("/v1/occupancy"),
  ]);
  set(reads, r.reads, asked);
  set(inside, i, asked);
  set(occupancy, o, asked);
}

function forget(deviceId: string, commandedAt: number): void {
  if (expected.value.get(deviceId)?.commandedAt !== commandedAt) return;
  const next = new Map(expected.value);
  next.delete(deviceId);
  expected.value = next;
}

function setSilent(deviceId: string, isSilent: boolean): void {
  if (silent.value.has(deviceId) === isSilent) return;
  const next = new Set(silent.value);
  if (isSilent) next.add(deviceId);
  else next.delete(deviceId);
  silent.value = next;
}
