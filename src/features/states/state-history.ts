/**
 * Owns when each state of a device changed, and by whom. In: changes of states and of presence. Out: the stretches of a
 * device or of the whole house. What changed waits in memory for the next quiet write; only changes are stored, and of a
 * state that flutters no more than its share. Must never know what a state means, or who is asking.
 */
import { setImmediate } from "node:timers/promises";
import type { Base } from "../../core/base.ts";
import type { AgedHistory } from "../../core/kernel/aged-history.ts";
import { DAY_MS, HOUR_MS } from "../../core/kernel/clock.ts";
import type { JsonObject } from "../../core/kernel/json-object.ts";
import { TokenBuckets } from "../../core/kernel/token-bucket.ts";
import { storedJson } from "../../core/storage/stored-json.ts";
import type { DeviceRegistry } from "../devices/registry.ts";
import { isTelling, MOST_WORDS, ONLINE, type StateValue, statesOf } from "./rules/states.ts";
import { StateChangeTable } from "./tables/state-change.ts";

/** What is recorded of a device. */
export interface RecordedDevice {
  readonly id: string;
  readonly type: string;
  readonly state: JsonObject;
  readonly stateAt: number | null;
  readonly online: boolean;
  /** Its presence is not known yet: what was recorded last stands. */
  readonly awaited?: boolean;
  readonly lastSeen: number | null;
}

/** One change; `at` in epoch ms, `sender` as `kind:id:name`, null if nobody sent a command for it. */
export interface StateChange {
  readonly at: number;
  readonly value: StateValue;
  readonly sender: string | null;
}

/** A state over a stretch of time. */
interface StateLine {
  readonly deviceId: string;
  readonly key: string;
  /** Its value at the beginning, and since when (epoch ms); null if nothing was recorded before. */
  readonly before: { readonly value: StateValue; readonly since: number } | null;
  /** Oldest first. */
  readonly changes: readonly StateChange[];
}

/** The states of some devices over a stretch of time. */
export interface StateStretch {
  readonly lines: readonly StateLine[];
  /** When the hub was off and recorded nothing; `to` is null if it has not come back within the stretch. */
  readonly off: readonly { readonly from: number; readonly to: number | null }[];
  /** There were more changes than one answer has: the stretch ends here (epoch ms). */
  readonly cutAt: number | null;
}

interface Series {
  readonly id: number;
  readonly deviceId: string;
  readonly key: string;
  readonly words: string[];
  /** Code of the last recorded value, and when it began. */
  last: readonly [value: number, since: number] | null;
  isNew: boolean;
}

interface Waiting {
  readonly at: number;
  readonly series: Series;
  readonly value: number;
  readonly sender: string | null;
}

const UNKNOWN = -1;
const FIRST_WORD = 2;
/** What stands for the hub itself among devices: 1 from a start, 0 from a stop. */
const HUB = { deviceId: "", key: "hub" };
/** Changes of one device: so many at once, then so many an hour. A state that flutters faster loses some. */
const SHARE = { quota: 240, periodMs: HOUR_MS, burst: 500 };
/** Changes that wait for the disk; beyond it, the oldest are lost. */
const MOST_WAITING = 50_000;
const MOST_CHANGES = 2_000_000;
/** Changes in one answer. */
const MOST_ANSWERED = 20_000;
/** Changes removed in one write job. */
const BATCH = 5_000;

/** When states changed. A Service. */
export class StateHistory {
  readonly name = "states";
  readonly aged: AgedHistory;
  readonly #base: Base;
  readonly #registry: DeviceRegistry;
  readonly #maxChanges: number;
  readonly #table: StateChangeTable;
  readonly #series = new Map<string, Map<string, Series>>();
  readonly #byId = new Map<number, Series>();
  readonly #shares = new TokenBuckets(SHARE);
  /** Devices with a change that was not taken: the clock was not known, or the device's share was used up. */
  readonly #behind = new Set<string>();
  #waiting: Waiting[] = [];
  /** What is on its way to the disk. */
  #writing: readonly Waiting[] = [];
  #flushed: Promise<void> = Promise.resolve();
  #lastId = 0;
  /** The newest day whose beginning is stored. */
  #day = 0;
  #quiet: { stop(): void } | null = null;
  #isRunning = false;

  constructor(base: Base, registry: DeviceRegistry, maxChanges = MOST_CHANGES) {
    const { database, clock, settings } = base;
    this.#base = base;
    this.#registry = registry;
    this.#maxChanges = maxChanges;
    this.#table = new StateChangeTable(database);
    const keepDays = (): number => settings().devices.stateDays;
    const before = (days: number): number => clock.certain() - days * DAY_MS;
    this.aged = {
      kind: "states",
      setting: "devices.stateDays",
      keepDays,
      held: () => this.#count(Number.MAX_SAFE_INTEGER),
      due: (days) => this.#count(before(days)),
      remove: (most) => this.#remove(before(keepDays()), most),
    };
  }

  /** Loads the last states and takes in what changed since they were written. */
  async start(): Promise<void> {
    const { clock, quietWrites } = this.#base;
    this.#load();
    this.#isRunning = true;
    const now = clock.now();
    const hub = this.#seriesOf(HUB.deviceId, HUB.key);
    let aliveAt = this.#table.newestAt() ?? now;
    for (const { lastSeen } of this.#registry.records()) aliveAt = Math.max(aliveAt, Math.min(lastSeen ?? 0, now));
    // It did not stop in order: off from when it last heard of anything.
    if (hub.last?.[0] === 1) this.#take(hub, 0, Math.min(aliveAt + 1, now - 1), null);
    this.#take(hub, 1, now, null);
    const here = new Set([HUB.deviceId]);
    for (const device of this.#registry.records()) {
      here.add(device.id);
      this.#compare(device, device.stateAt ?? now, null);
    }
    for (const id of [...this.#series.keys()])
      if (!here.has(id))
        this.removeDevice(id).catch((error: unknown) =>
          this.#base.logger.warn({ deviceId: id, err: error }, "the states of a removed device stay for now"),
        );
    this.#quiet = quietWrites.add(() => void this.flush());
  }

  /** Writes what is waiting. */
  async stop(): Promise<void> {
    if (!this.#isRunning) return;
    this.#quiet?.stop();
    this.#isRunning = false;
    this.#take(this.#seriesOf(HUB.deviceId, HUB.key), 0, this.#base.clock.now(), null);
    await this.flush();
  }

  /** Takes in the device's present states; `sender` caused the change. Costs no write if none of them changed. */
  note(device: RecordedDevice, at: number, sender: string | null): void {
    if (this.#isRunning) this.#compare(device, at, sender);
  }

  /** Writes what has changed since the last time, one commit for all; on failure it is kept for the next time. */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.then(() => this.#flush());
    return this.#flushed;
  }

  async #flush(): Promise<void> {
    const { database, logger } = this.#base;
    if (this.#behind.size > 0 && this.#isRunning && this.#clockTrusted) {
      const behind = new Set(this.#behind);
      this.#behind.clear();
      for (const device of this.#registry.records())
        if (behind.has(device.id)) this.#compare(device, this.#base.clock.now(), null);
    }
    const batch = this.#waiting;
    if (batch.length === 0) return;
    this.#waiting = [];
    this.#writing = batch;
    try {
      await database.write(() => this.#store(batch));
    } catch (error) {
      this.#waiting = [...batch, ...this.#waiting].slice(-MOST_WAITING);
      logger.warn({ changes: batch.length, err: error }, "changes of states wait for the disk");
    }
    this.#writing = [];
  }

  /** The states of `deviceIds` from `from` up to before `to` (epoch ms), including what waits for the disk. */
  async read(deviceIds: readonly string[], from: number, to: number): Promise<StateStretch> {
    const hub = this.#seriesOf(HUB.deviceId, HUB.key);
    const wanted = [
      hub,
      ...deviceIds.flatMap((id) => [...(this.#series.get(id)?.values() ?? [])].filter(({ words }) => isTelling(words))),
    ];
    const ids = JSON.stringify(wanted.map(({ id }) => id));
    const standing = this.#table.dayBefore(Math.floor(from / DAY_MS));
    const before = new Map<number, readonly [number, number]>(
      Object.entries(standing === null ? {} : storedJson<Record<string, [number, number]>>(standing.standing, {})).map(
        ([id, value]) => [Number(id), value],
      ),
    );
    const changes = new Map<number, (readonly [at: number, value: number, sender: string | null])[]>();
    const unwritten = [...this.#writing, ...this.#waiting]; // some may be on disk by the time that is read
    let count = 0;
    let cutAt: number | null = null;
    const take = (at: number, id: number, value: number, sender: string | null): void => {
      if (at < from) before.set(id, [value, at]);
      else if (count < MOST_ANSWERED) {
        count += id === hub.id ? 0 : 1;
        const list = changes.get(id);
        if (list === undefined) changes.set(id, [[at, value, sender]]);
        else list.push([at, value, sender]);
      } else cutAt ??= at;
    };
    const begin = standing === null ? Math.min(from, this.#table.oldestAt() ?? from) : standing.day * DAY_MS;
    for (let at = begin; at < to && cutAt === null; at += DAY_MS) {
      for (const cells of this.#table.between(at, Math.min(to, at + DAY_MS), ids)) take(...cells);
      await setImmediate(); // others have their turn between two days
    }
    const asked = new Set(wanted);
    for (const { at, series, value, sender } of unwritten) {
      const isRead = (changes.get(series.id)?.at(-1)?.[0] ?? before.get(series.id)?.[1] ?? -1) >= at;
      if (asked.has(series) && at < to && !isRead) take(at, series.id, value, sender);
    }
    const off: { from: number; to: number | null }[] = [];
    for (const [at, value] of changes.get(hub.id) ?? []) {
      const open = off.at(-1);
      if (value === 0) off.push({ from: at, to: null });
      else if (open?.to === null) open.to = at;
      else if (off.length === 0 && before.get(hub.id)?.[0] === 0) off.push({ from, to: at });
    }
    const lines = wanted.slice(1).flatMap((series): StateLine[] => {
      const known = before.get(series.id);
      const its = changes.get(series.id) ?? [];
      if (known === undefined && its.length === 0) return [];
      const valueAs = (code: number): StateValue =>
        code === UNKNOWN ? null : code < FIRST_WORD ? code === 1 : (series.words[code - FIRST_WORD] ?? null);
      return [
        {
          deviceId: series.deviceId,
          key: series.key,
          before: known === undefined ? null : { value: valueAs(known[0]), since: known[1] },
          changes: its.map(([at, value, sender]) => ({ at, value: valueAs(value), sender })),
        },
      ];
    });
    return { lines, off, cutAt };
  }

  /**
   * Stores changes from before the first that is known of these devices; the beginnings of the days are made again.
   * For simulated households. Inside a job, after {@link flush}.
   */
  addPast(
    past: readonly { readonly deviceId: string; readonly key: string; readonly changes: readonly StateChange[] }[],
  ): void {
    const { database, clock } = this.#base;
    for (const { deviceId, key, changes } of past) {
      const series = this.#seriesOf(deviceId, key);
      for (const { at, value, sender } of changes) {
        const code = this.#codeOf(series, value);
        if (code !== null) this.#table.add({ at, seriesId: series.id, value: code, sender });
      }
      this.#putSeries(series);
    }
    const standing = new Map<number, readonly [number, number]>();
    const oldest = this.#table.oldestAt();
    if (oldest === null) return;
    const today = Math.floor(clock.now() / DAY_MS);
    for (let day = Math.floor(oldest / DAY_MS); day <= today; day += 1) {
      this.#table.putDay({ day, standing: JSON.stringify(Object.fromEntries(standing)) });
      for (const [at, id, value] of this.#table.all(day * DAY_MS, (day + 1) * DAY_MS)) standing.set(id, [value, at]);
    }
    database.committed(() => {
      this.#day = today;
    });
  }

  /** Removes everything recorded of a device, day by day; nobody sees it from now on. */
  async removeDevice(deviceId: string): Promise<void> {
    const series = [...(this.#series.get(deviceId)?.values() ?? [])];
    if (series.length === 0 || deviceId === HUB.deviceId) return;
    this.#series.delete(deviceId);
    for (const { id } of series) this.#byId.delete(id);
    this.#waiting = this.#waiting.filter((change) => change.series.deviceId !== deviceId);
    const { database } = this.#base;
    const ids = JSON.stringify(series.map(({ id }) => id));
    const newest = this.#table.newestAt() ?? 0;
    for (let at = this.#table.oldestAt() ?? newest + 1; at <= newest; at += DAY_MS)
      await database.write(() => this.#table.removeBetween(at, at + DAY_MS, ids));
    await database.write(() => {
      for (const { id } of series) this.#table.forget(`$."${id}"`);
      this.#table.removeSeries(ids); // last: until then, the next start finds what is left
    });
  }

  /** Keeps only the newest changes, up to the limit; run hourly. Returns how many were deleted. */
  async sweep(): Promise<number> {
    const { database } = this.#base;
    const surplus = (await this.#count(Number.MAX_SAFE_INTEGER)) - this.#maxChanges;
    const gone = surplus > 0 ? await this.#remove(Number.MAX_SAFE_INTEGER, surplus) : 0;
    const oldest = this.#table.oldestAt();
    if (oldest !== null) await database.write(() => this.#table.purgeDays(Math.floor(oldest / DAY_MS)));
    return gone;
  }

  #load(): void {
    this.#series.clear();
    this.#byId.clear();
    this.#waiting = [];
    for (const { id, deviceId, key, words } of this.#table.series()) {
      this.#lastId = Math.max(this.#lastId, id);
      this.#known({ id, deviceId, key, words: storedJson<string[]>(words, []), last: null, isNew: false });
    }
    const newest = this.#table.dayBefore(Number.MAX_SAFE_INTEGER);
    this.#day = newest?.day ?? 0;
    const standing = newest === null ? {} : storedJson<Record<string, [number, number]>>(newest.standing, {});
    for (const [id, last] of Object.entries(standing)) {
      const series = this.#byId.get(Number(id));
      if (series !== undefined) series.last = last;
    }
    for (const [at, id, value] of this.#table.all(this.#day * DAY_MS, Number.MAX_SAFE_INTEGER)) {
      const series = this.#byId.get(id);
      if (series !== undefined) series.last = [value, at];
    }
  }

  #known(series: Series): Series {
    const own = this.#series.get(series.deviceId) ?? new Map<string, Series>();
    this.#series.set(series.deviceId, own.set(series.key, series));
    this.#byId.set(series.id, series);
    return series;
  }

  #seriesOf(deviceId: string, key: string): Series {
    return (
      this.#series.get(deviceId)?.get(key) ??
      this.#known({ id: ++this.#lastId, deviceId, key, words: [], last: null, isNew: true })
    );
  }

  /** False while nothing confirms the time: what changes meanwhile counts from when it is known. */
  get #clockTrusted(): boolean {
    return this.#base.trust.state() !== "unknown";
  }

  #compare(device: RecordedDevice, at: number, sender: string | null): void {
    if (!this.#clockTrusted) {
      this.#behind.add(device.id);
      return;
    }
    const states: Map<string, StateValue> = statesOf(device.type, device.state);
    if (device.lastSeen !== null && device.awaited !== true) states.set(ONLINE, device.online);
    for (const series of this.#series.get(device.id)?.values() ?? [])
      if (!states.has(series.key) && series.last !== null && !(series.key === ONLINE && device.awaited === true))
        states.set(series.key, null);
    for (const [key, value] of states) {
      const known = this.#series.get(device.id)?.get(key);
      if (known?.last && known.last[0] === this.#codeIfKnown(known, value)) continue;
      if (!this.#shares.take(device.id, this.#base.clock.mono()).allowed) {
        this.#behind.add(device.id);
        return;
      }
      const series = known ?? this.#seriesOf(device.id, key);
      const code = this.#codeOf(series, value);
      if (code !== null) this.#take(series, code, at, key === ONLINE ? null : sender);
    }
  }

  #take(series: Series, value: number, at: number, sender: string | null): void {
    if (series.last?.[0] === value) return;
    series.last = [value, at];
    this.#waiting.push({ at, series, value, sender });
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
  }

  #codeIfKnown({ words }: Series, value: StateValue): number {
    if (value === null) return UNKNOWN;
    if (typeof value === "boolean") return value ? 1 : 0;
    const index = words.indexOf(value);
    return index < 0 ? Number.NaN : FIRST_WORD + index;
  }

  /** The stored form of a value; null: a text with more words than a state has, which is recorded no further. */
  #codeOf(series: Series, value: StateValue): number | null {
    const known = this.#codeIfKnown(series, value);
    if (!Number.isNaN(known)) return known;
    if (series.words.length >= MOST_WORDS) return series.last === null ? null : UNKNOWN;
    series.words.push(String(value));
    series.isNew = true;
    return FIRST_WORD + series.words.length - 1;
  }

  #store(batch: readonly Waiting[]): void {
    const { database } = this.#base;
    const ordered = [...batch].sort((one, other) => one.at - other.at);
    let newest = this.#day;
    for (const { at, series, value, sender } of ordered) {
      if (this.#byId.get(series.id) !== series) continue; // its device was removed meanwhile
      const day = Math.floor(at / DAY_MS);
      if (day > newest) {
        newest = day;
        this.#putDay(day);
      }
      if (series.isNew) this.#putSeries(series);
      this.#table.add({ at, seriesId: series.id, value, sender });
    }
    database.committed(() => {
      this.#day = newest;
    });
  }

  #putSeries(series: Series): void {
    const { id, deviceId, key, words } = series;
    this.#table.putSeries({ id, deviceId, key, words: JSON.stringify(words) });
    this.#base.database.committed(() => {
      series.isNew = false;
    });
  }

  /** Inside a job: stores how everything stood at the beginning of a day, from the day before and its changes. */
  #putDay(day: number): void {
    const begin = this.#table.dayBefore(day - 1);
    const standing = begin === null ? {} : storedJson<Record<string, [number, number]>>(begin.standing, {});
    for (const [at, id, value] of this.#table.all((begin?.day ?? 0) * DAY_MS, day * DAY_MS)) standing[id] = [value, at];
    for (const id of Object.keys(standing)) if (!this.#byId.has(Number(id))) delete standing[id];
    this.#table.putDay({ day, standing: JSON.stringify(standing) });
  }

  /** Counted day by day, with other work in between. */
  async #count(before: number): Promise<number> {
    const newest = Math.min(before, (this.#table.newestAt() ?? -1) + 1);
    let count = 0;
    for (let at = this.#table.oldestAt() ?? newest; at < newest; at += DAY_MS) {
      count += this.#table.count(at, Math.min(newest, at + DAY_MS));
      await setImmediate();
    }
    return count;
  }

  async #remove(before: number, most: number): Promise<number> {
    let gone = 0;
    while (gone < most) {
      const batch = await this.#base.database.write(() => this.#table.purge(before, Math.min(BATCH, most - gone)));
      if (batch === 0) break;
      gone += batch;
    }
    return gone;
  }
}
