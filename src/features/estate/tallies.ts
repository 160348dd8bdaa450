import { Backoff } from "./backoff.ts";
import { isEstateName } from "./config.ts";
import type { EstateBase } from "./ports.ts";
import type { ReadBook } from "./read-book.ts";
import type { ReadPublisher } from "./read-publisher.ts";
import { EstateTable } from "./tables/estate.ts";
import type { ReadTally } from "./tables/estate-read.ts";
import { isCount } from "./wire.ts";

/** A hub's count of its reads whose numbers lie in one range. */
export interface Tally extends ReadTally {
  /** The first number of the range. */
  readonly from: number;
  /** The number after the last one counted; at most the range's end. */
  readonly to: number;
}

/** A range of a hub's reads in which another hub differs from their owner. */
export interface Lack {
  readonly hub: string;
  readonly from: number;
}

/** A difference between this hub and the owner of some reads. */
interface Difference {
  readonly hub: string;
  readonly reported: Tally;
  readonly by: string;
  /** It was the same the last time. */
  readonly isSure: boolean;
  readonly sinceMono: number;
}

const NONE = "0 0";
/** Numbers of reads are the milliseconds at which they were first noted: this many to a range. */
const STRETCH = 600_000;
/** Anything newer may still be on its way. */
const FRESH_MS = 15_000;
/** How far back ranges are compared, one after another. */
const REACH_MS = 7 * 86_400_000;
/** How often a range of earlier days is sent: the others need two observations before they act on it. */
const TIMES = 2;
/** A difference that its hub has not repeated for this long is discarded: that hub may be gone for good. */
const FORGET_MS = 300_000;
const MOST_LISTED = 10;
const MOST_KNOWN = 2_000;
/** How long to wait before sending the same range again. */
const BACKOFF = { firstMs: 30_000, most: MOST_KNOWN };

/**
 * Checks that every hub has every read. The servers of a cluster that is killed and cut off at the wrong moments may
 * end up with different messages under the same number, each sure of its own; a hub connected to one of them notices
 * nothing. So every hub includes in its heartbeat how many reads of its own lie in a range of numbers, the others count
 * theirs, and where they differ, the hub that owns the reads sends them once more.
 */
export class Tallies {
  readonly #base: EstateBase;
  readonly #book: ReadBook;
  readonly #table: EstateTable;
  readonly #publisher: ReadPublisher;
  readonly #ports: ConstructorParameters<typeof Tallies>[3];
  #rounds = 0;
  /** What differed when it was last compared, by hub and range. */
  readonly #differing = new Map<string, Difference>();
  readonly #backoff: Backoff<number>;

  constructor(
    base: EstateBase,
    book: ReadBook,
    publisher: ReadPublisher,
    ports: {
      /** For how long the estate keeps reads. */
      readonly keepMs: () => number;
      /** Whether what the servers offer was taken in here, except for the last seconds. */
      readonly isNearlyCurrent: () => boolean;
    },
  ) {
    this.#base = base;
    this.#book = book;
    this.#table = new EstateTable(base.database);
    this.#publisher = publisher;
    this.#ports = ports;
    this.#backoff = new Backoff(base.clock, BACKOFF);
  }

  /** This hub's own reads: the current range, the one before, and one of earlier days in turn. */
  own(): Tally[] {
    const { reads } = this.#book;
    const until = this.#base.clock.now() - FRESH_MS;
    const [oldest] = reads.unsent(0, 1);
    if (oldest !== undefined && oldest.version < until) return []; // others have not received it yet
    const present = startOf(until);
    const reach = Math.max(1, Math.floor(Math.min(REACH_MS, this.#ports.keepMs()) / STRETCH) - 3);
    const earlier = present - STRETCH * (2 + (Math.floor(this.#rounds / TIMES) % reach));
    this.#rounds += 1;
    return [present, present - STRETCH, earlier].map((from) => {
      const to = Math.min(from + STRETCH, until);
      return { from, to, ...reads.tally(this.#base.config.hub, from, to) };
    });
  }

  /** This hub's confirmed gaps. */
  lacks(): Lack[] {
    const sure = [...this.#differing].filter(([, { isSure }]) => isSure).slice(0, MOST_LISTED);
    return sure.flatMap(([key, { hub, reported, sinceMono }]) => {
      const isStill = differenceOf(this.#book.reads.tally(hub, reported.from, reported.to), reported) !== NONE;
      if (isStill && this.#base.clock.mono() - sinceMono < FORGET_MS) return [{ hub, from: reported.from }];
      this.#differing.delete(key);
      return [];
    });
  }

  /** Another hub has counted its own reads, and reports what it lacks. */
  heard(
    hub: string,
    { tallies, lacks }: { readonly tallies: readonly Tally[]; readonly lacks: readonly Lack[] },
  ): void {
    if (this.#ports.isNearlyCurrent()) this.#compare(hub, tallies);
    for (const { hub: owner, from } of lacks) if (owner === this.#base.config.hub) this.#sendAgain(from);
  }

  #compare(hub: string, tallies: readonly Tally[]): void {
    for (const reported of tallies) {
      const key = `${hub} ${reported.from}`;
      const by = differenceOf(this.#book.reads.tally(hub, reported.from, reported.to), reported);
      const known = this.#differing.get(key);
      if (by === NONE) this.#differing.delete(key);
      else {
        if (this.#differing.size >= MOST_KNOWN) this.#differing.clear();
        this.#differing.set(key, { hub, reported, by, isSure: known?.by === by, sinceMono: this.#base.clock.mono() });
      }
    }
  }

  #sendAgain(from: number): void {
    const { database, logger, config } = this.#base;
    if (!this.#backoff.isDue(from)) return;
    this.#backoff.tried(from);
    logger.warn({ from: new Date(from) }, "another hub of the estate lacks reads of this one; they are sent again");
    database
      .write(() => {
        this.#book.reads.markStretchUnsent(config.hub, from, from + STRETCH);
        this.#table.tellAgain(from);
        database.committed(() => this.#publisher.beginAgain());
      })
      .catch((error: unknown) =>
        logger.debug({ err: error }, "resending reads failed; they are sent on the next request"),
      );
  }
}

function differenceOf(here: ReadTally, reported: ReadTally): string {
  return `${here.count - reported.count} ${here.sum - reported.sum}`;
}

/** The tallies in a hub's message; anything else is left out. */
export function talliesIn(value: unknown): Tally[] {
  return listed(value, ({ from, to, count, sum }) =>
    isCount(from) && from === startOf(from) && isCount(to) && to <= from + STRETCH && isCount(count) && isCount(sum)
      ? { from, to, count, sum }
      : null,
  );
}

/** The ranges that a hub's message reports as missing. */
export function lacksIn(value: unknown): Lack[] {
  return listed(value, ({ hub, from }) =>
    isEstateName(hub) && isCount(from) && from === startOf(from) ? { hub, from } : null,
  );
}

function listed<Item>(value: unknown, read: (item: Record<string, unknown>) => Item | null): Item[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MOST_LISTED).flatMap((item: unknown) => {
    const found = typeof item === "object" && item !== null ? read({ ...item }) : null;
    return found === null ? [] : [found];
  });
}

function startOf(number: number): number {
  return number - (number % STRETCH);
}
