import { Slices } from "../../core/kernel/slices.ts";
import type { Database } from "../../core/storage/database.ts";
import { blockRow, cutIntoBlocks, type PackedBlock, packBlock, unpackBlock } from "./block-format.ts";
import type { Sample } from "./sample.ts";
import type { TelemetryBlockSpan, TelemetryBlockTable } from "./tables/telemetry-block.ts";
import type { Unreadable } from "./unreadable.ts";

/** From the first to the last sample of a block, epoch ms. */
type Span = Pick<PackedBlock, "fromAt" | "toAt">;

/** Most blocks of one device that may cover one moment: reading around it unpacks all of them. */
const MOST_OVER_A_MOMENT = 8;
/** Blocks merged in one write job. */
const MOST_AT_ONCE = 32;
/** Blocks merged after one compaction; the rest waits for the next one. */
const MOST_IN_ALL = 256;

/**
 * Merges the overlapping blocks of a device, so that reading around a moment costs the same however a device dates its
 * samples: one that dates them at random adds blocks across all of its old ones with each compaction. Small steps, one
 * write job each, with everything else served in between.
 */
export class Overlaps {
  readonly #database: Database;
  readonly #blocks: TelemetryBlockTable;
  readonly #unreadable: Pick<Unreadable, "block">;
  readonly #replaced: (blockIds: readonly number[]) => void;
  readonly #slices = new Slices();
  #left = MOST_IN_ALL;

  /**
   * `unreadable` sets a block aside that cannot be unpacked; `replaced` is called with the removed blocks, at the commit.
   */
  constructor(
    database: Database,
    blocks: TelemetryBlockTable,
    {
      unreadable,
      replaced,
    }: {
      readonly unreadable: Pick<Unreadable, "block">;
      readonly replaced: (blockIds: readonly number[]) => void;
    },
  ) {
    this.#database = database;
    this.#blocks = blocks;
    this.#unreadable = unreadable;
    this.#replaced = replaced;
  }

  /**
   * Merges blocks that overlap new ones.
   * @throws the error of a write job; earlier merges stay
   */
  async merge(ref: number, added: readonly Span[]): Promise<void> {
    for (const { fromAt, toAt } of added) {
      while (this.#left > 0) {
        const over = deepest(this.#blocks.overlapping(ref, fromAt, toAt));
        if (over.length <= MOST_OVER_A_MOMENT) break;
        await this.#mergeAll(ref, over.slice(0, MOST_AT_ONCE));
      }
      await this.#slices.next();
    }
  }

  /** Afterwards no two of them overlap: each step leaves less to do. */
  async #mergeAll(ref: number, spans: readonly TelemetryBlockSpan[]): Promise<void> {
    this.#left -= spans.length;
    const samples: Sample[] = [];
    const broken = new Set<number>();
    for (const { id } of spans) {
      const content = this.#blocks.content(id);
      try {
        if (content !== null) for (const sample of unpackBlock(content)) samples.push(sample);
      } catch {
        broken.add(id);
      }
      await this.#slices.next();
    }
    samples.sort((left, right) => left.at - right.at); // stable: samples with the same time stay in order of arrival
    const packed: PackedBlock[] = [];
    for (const run of cutIntoBlocks(samples)) packed.push(await packBlock(run));
    await this.#database.write(() => {
      for (const { id } of spans)
        if (broken.has(id)) this.#unreadable.block(id);
        else this.#blocks.remove(id);
      for (const block of packed) this.#blocks.insert(blockRow(ref, block));
      this.#database.committed(() => this.#replaced(spans.map(({ id }) => id)));
    });
  }
}

/**
 * Those over the moment that most of them cover, in the given order. One that begins and ends with the same time does
 * not count: merging makes no fewer of them.
 */
function deepest(spans: readonly TelemetryBlockSpan[]): TelemetryBlockSpan[] {
  const edges = spans.flatMap(({ fromAt, toAt }) => (fromAt < toAt ? [fromAt, toAt] : []));
  const sides = edges.map((at, index) => ({ at, step: index % 2 === 0 ? 1 : -1 }));
  sides.sort((left, right) => left.at - right.at || left.step - right.step); // at the same time, ends come first
  let [depth, most, moment] = [0, 0, 0];
  for (const { at, step } of sides) {
    depth += step;
    if (depth > most) [most, moment] = [depth, at];
  }
  return spans.filter(({ fromAt, toAt }) => fromAt <= moment && moment < toAt);
}
