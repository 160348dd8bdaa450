import type { Base } from "../../core/base.ts";
import { Slices } from "../../core/kernel/slices.ts";
import type { RecentMessages } from "../../core/mqtt/redelivery.ts";
import { BLOCK_SAMPLES, blockRow, cutIntoBlocks, type PackedBlock, packBlock, unpackBlock } from "./block-format.ts";
import { DevicePower, inOrder, type LastPowers } from "./device-power.ts";
import { Generation, METRICS_PER_DEVICE, type PowerPoints, ROLLUP_COLUMNS, type Rollups } from "./generation.ts";
import { packJournal } from "./journal-format.ts";
import { Overlaps } from "./overlaps.ts";
import type { Reports } from "./reports.ts";
import { HOUR_MS } from "./rules/energy.ts";
import type { Sample } from "./sample.ts";
import type { TelemetryTables } from "./tables.ts";
import type { Unreadable } from "./unreadable.ts";

/** A device's new blocks and the block they replace. */
interface Prepared {
  readonly ref: number;
  readonly blocks: readonly PackedBlock[];
  readonly replaces: number | null;
  /** Cannot be unpacked, and so not be filled up. */
  readonly unreadable: number | null;
  readonly power: DevicePower;
  /** All new samples are later than those in blocks, so nothing overlaps: nearly always. */
  readonly isLater: boolean;
}

/** The result of a compaction. */
export interface CompactionResult {
  /** Blocks that were merged into new ones and deleted. */
  readonly replaced: readonly number[];
  /** Newest time in the blocks, per device touched. */
  readonly newest: ReadonlyMap<number, number>;
}

/** A span of recorded times (epoch ms, both ends included) and by how much it moves. */
export interface MovedSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly shiftMs: number;
}

const EMPTY = { times: Buffer.alloc(0), samples: Buffer.alloc(0) };
/** Blocks with fewer samples than this are filled up instead of getting a new one beside them. */
const FILL_UP_BELOW = BLOCK_SAMPLES / 2;
/** For an hour without samples but with energy, between the samples before and after it. */
const NO_SAMPLES = new Float64Array(4 * ROLLUP_COLUMNS);

/**
 * Moves a frozen generation from the journal into blocks and roll-ups, in one write job: a stop at any moment leaves
 * either all of it in the journal or all of it in blocks. Packing happens before, off the main thread.
 */
export class Compaction {
  readonly #base: Base;
  readonly #tables: TelemetryTables;
  readonly #reports: Reports;
  readonly #unreadable: Unreadable;
  readonly #recents: ReadonlyMap<number, RecentMessages>;
  /** Numbers of the series, by device and metric. */
  readonly #series = new Map<number, Map<string, number>>();
  /** Per device, the newest samples of its powers that are in the roll-ups. */
  readonly #powers = new Map<number, LastPowers>();

  /** `recents`: the remembered messages of devices. */
  constructor(
    base: Base,
    {
      tables,
      reports,
      unreadable,
      recents,
    }: {
      readonly tables: TelemetryTables;
      readonly reports: Reports;
      readonly unreadable: Unreadable;
      readonly recents: ReadonlyMap<number, RecentMessages>;
    },
  ) {
    this.#base = base;
    this.#tables = tables;
    this.#reports = reports;
    this.#unreadable = unreadable;
    this.#recents = recents;
  }

  /** Reads which series there are. */
  start(): void {
    for (const row of this.#tables.devices.allSeries()) this.#learn(row.device, row.metric, row.id);
  }

  /** The numbers of the series of one device, or of all. */
  seriesIds(ref?: number): number[] {
    const maps = ref === undefined ? [...this.#series.values()] : [this.#series.get(ref) ?? new Map<string, number>()];
    return maps.flatMap((series) => [...series.values()]);
  }

  /** The metrics of a device that have roll-ups. */
  metrics(ref: number): string[] {
    return [...(this.#series.get(ref)?.keys() ?? [])];
  }

  /** The newest samples of a device's powers whose energy is in the roll-ups. */
  lastPowers(ref: number): LastPowers {
    let known = this.#powers.get(ref);
    if (known === undefined) {
      const { blocks } = this.#tables;
      const tail = blocks.last(ref);
      const content = tail === null ? null : blocks.content(tail.id);
      const read = new DevicePower(new Map());
      read.add(content === null ? [] : (samplesOf(content) ?? []));
      known = read.last;
      this.#powers.set(ref, known);
    }
    return known;
  }

  /** Forgets a device that was removed, and its series. */
  forget(ref: number): void {
    this.#powers.delete(ref);
    this.#series.delete(ref);
  }

  /**
   * Runs to the commit; `committed` is called at that moment, before any read. Then merges overlapping blocks, and
   * calls it with each of these commits.
   * @throws the error of the first write job; then nothing has changed
   */
  async run(frozen: Generation, committed: (result: CompactionResult) => void): Promise<void> {
    const { database } = this.#base;
    const prepared: Prepared[] = [];
    for (const [ref, list] of frozen.lists)
      prepared.push(await this.#prepare(ref, list.samples, frozen.powers.get(ref) ?? new Map()));
    const newest = new Map<number, number>();
    const replaced: number[] = [];
    const learned: [number, string, number][] = [];
    const moveOver = (): boolean => {
      // A report in the same transaction: carried over after it, its samples would be delivered again after a crash.
      if (this.#reports.isHandingOver) return false;
      for (const device of prepared) {
        if (device.replaces !== null) {
          this.#tables.blocks.remove(device.replaces);
          replaced.push(device.replaces);
        }
        if (device.unreadable !== null) this.#unreadable.block(device.unreadable);
        for (const block of device.blocks) this.#tables.blocks.insert(blockRow(device.ref, block));
        newest.set(device.ref, Math.max(...device.blocks.map((block) => block.toAt)));
        const recent = this.#recents.get(device.ref);
        if (recent !== undefined) this.#tables.devices.setRecent(device.ref, recent.pack());
        learned.push(...this.#writeRollups(device.ref, frozen.rollups.get(device.ref) ?? new Map(), device.power));
      }
      const carried = this.#reports.carryOver(frozen.lastRow);
      const carriedRow = carried.length > 0 ? this.#tables.journal.append(packJournal(carried)) : null;
      this.#tables.journal.removeUpTo(frozen.lastRow);
      database.committed(() => {
        for (const [ref, metric, id] of learned) this.#learn(ref, metric, id);
        for (const { ref, power } of prepared) this.#powers.set(ref, power.last);
        if (carriedRow !== null) this.#reports.carried(frozen.lastRow, carriedRow);
        committed({ replaced, newest });
      });
      return true;
    };
    while (!(await database.write(moveOver))); // in the next transaction, then
    await this.#mergeOverlaps(prepared, (gone) => committed({ replaced: gone, newest: new Map() }));
  }

  /** All samples are in blocks already: blocks that cannot be merged now stay and are merged another time. */
  async #mergeOverlaps(prepared: readonly Prepared[], replaced: (blockIds: readonly number[]) => void): Promise<void> {
    const { database, logger } = this.#base;
    const overlaps = new Overlaps(database, this.#tables.blocks, {
      unreadable: this.#unreadable,
      replaced,
    });
    try {
      for (const { ref, blocks, isLater } of prepared) if (!isLater) await overlaps.merge(ref, blocks);
    } catch (error) {
      logger.warn({ err: error }, "overlapping sample blocks could not be merged; they stay");
    }
  }

  /**
   * Moves a device's samples within the span, which are all in blocks, and their part of the roll-ups, in one write
   * job. Returns how many. @throws the error of the write job; then nothing has changed
   */
  async move(ref: number, { fromMs, toMs, shiftMs }: MovedSpan): Promise<number> {
    const { database } = this.#base;
    const isMoved = ({ at }: Sample): boolean => at >= fromMs && at <= toMs;
    const read = this.#tables.blocks
      .overlapping(ref, hourOf(fromMs) * HOUR_MS, (hourOf(toMs) + 1) * HOUR_MS - 1)
      .flatMap(({ id }) => {
        const samples = samplesOf(this.#tables.blocks.content(id) ?? EMPTY);
        return samples === null ? [] : [{ id, samples }];
      });
    const before = read.flatMap(({ samples }) => samples);
    const left = new Set(before.filter(isMoved).map(({ at }) => hourOf(at)));
    if (left.size === 0) return 0;
    // Hours that lose samples are recomputed from the rest; in other hours, the arriving samples are added.
    const sums = new Generation();
    const after = before.map((sample) =>
      isMoved(sample) ? { ...sample, at: Math.max(0, Math.round(sample.at + shiftMs)) } : sample,
    );
    for (const [n, sample] of after.entries())
      if (left.has(hourOf(sample.at)) || sample !== before[n]) sums.add(ref, sample);
    const blocks: PackedBlock[] = [];
    for (const run of cutIntoBlocks([...after].sort((one, other) => one.at - other.at)))
      blocks.push(await packBlock(run));
    const power = new DevicePower(new Map());
    power.add(sums.lists.get(ref)?.samples ?? []);
    await database.write(() => {
      for (const { id } of read) this.#tables.blocks.remove(id);
      for (const block of blocks) this.#tables.blocks.insert(blockRow(ref, block));
      for (const series of this.seriesIds(ref)) for (const hour of left) this.#tables.hours.remove(series, hour);
      const learned = this.#writeRollups(ref, sums.rollups.get(ref) ?? new Map(), power);
      database.committed(() => {
        this.#powers.delete(ref);
        for (const [device, metric, id] of learned) this.#learn(device, metric, id);
      });
    });
    return before.filter(isMoved).length;
  }

  async #prepare(ref: number, fresh: readonly Sample[], powers: ReadonlyMap<string, PowerPoints>): Promise<Prepared> {
    const { blocks } = this.#tables;
    const tail = blocks.last(ref);
    const content = tail !== null && tail.count < FILL_UP_BELOW ? blocks.content(tail.id) : null;
    const earlier = content === null ? [] : samplesOf(content);
    const samples =
      earlier === null || earlier.length === 0
        ? fresh
        : [...earlier, ...fresh].sort((left, right) => left.at - right.at);
    const packed: PackedBlock[] = [];
    for (const run of cutIntoBlocks(samples)) packed.push(await packBlock(run));
    const taken = content === null || tail === null ? null : tail.id;
    const power = new DevicePower(this.lastPowers(ref));
    const slices = new Slices();
    for (const [metric, came] of powers) {
      const points = inOrder(came);
      for (let from = 0; from < points.times.length; from += BLOCK_SAMPLES) {
        power.addPoints(metric, points, from, Math.min(points.times.length, from + BLOCK_SAMPLES));
        await slices.next();
      }
    }
    return {
      ref,
      blocks: packed,
      replaces: earlier === null ? null : taken,
      unreadable: earlier === null ? taken : null,
      power,
      isLater: tail === null || fresh.every(({ at }) => at > tail.toAt),
    };
  }

  /** Returns the series that are new. */
  #writeRollups(ref: number, rollups: Rollups, power: DevicePower): [number, string, number][] {
    const fresh: [number, string, number][] = [];
    for (const [metric, hours] of rollups) {
      let series = this.#series.get(ref)?.get(metric);
      if (series === undefined) {
        if ((this.#series.get(ref)?.size ?? 0) + fresh.length >= METRICS_PER_DEVICE) continue;
        series = this.#tables.devices.seriesOf(ref, metric);
        fresh.push([ref, metric, series]);
      }
      const wattHours = power.wattHours.get(metric);
      for (const [hour, quarters] of hours) this.#tables.hours.add(series, hour, quarters, wattHours?.get(hour));
      for (const [hour, energy] of wattHours ?? [])
        if (!hours.has(hour)) this.#tables.hours.add(series, hour, NO_SAMPLES, energy);
    }
    return fresh;
  }

  #learn(ref: number, metric: string, id: number): void {
    const known = this.#series.get(ref);
    if (known === undefined) this.#series.set(ref, new Map([[metric, id]]));
    else known.set(metric, id);
  }
}

function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS);
}

/** Null: it cannot be unpacked. */
function samplesOf(content: { times: Buffer; samples: Buffer }): Sample[] | null {
  try {
    return unpackBlock(content);
  } catch {
    return null;
  }
}
