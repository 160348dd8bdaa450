import type { Clock } from "../kernel/clock.ts";
import type { Database } from "../storage/database.ts";
import { type WriteCause, WriteDayTable } from "../storage/tables/write-day.ts";

/** Where the figures come from; each counts up from some start, null where it is not reported. */
interface WriteCounters {
  /** Everything that the hub's process caused to be written. */
  readonly process: () => number | null;
  /** Pictures, by the sum of their sizes. */
  readonly pictures: () => number;
  readonly backups: () => number;
  /** The whole device, by all processes. */
  readonly device: () => number | null;
}

/** What was written on one day. */
export interface WrittenDay {
  /** `2026-03-01`, UTC. */
  readonly day: string;
  readonly hubBytes: number;
  readonly deviceBytes: number | null;
}

const FLUSH_MS = 3_600_000;
const KEEP_DAYS = 60;
const DAY_MS = 86_400_000;
/** A card's assumed endurance: full writes of its size. Good ones endure ten times as much, the cheapest less. */
export const FULL_WRITES = 300;

/**
 * Accounts for writes to the card, by cause and day. At most one row per cause and hour: it must not wear out what it
 * watches.
 */
export class WriteBudget {
  readonly #options: ConstructorParameters<typeof WriteBudget>[0];
  readonly #table: WriteDayTable;
  readonly #seen = new Map<string, number>();
  #pending = new Map<WriteCause, number>();
  #flushedMono: number;
  #day: string;

  constructor(options: {
    readonly database: Database;
    readonly counters: WriteCounters;
    readonly clock: Clock;
  }) {
    this.#options = options;
    this.#table = new WriteDayTable(options.database);
    this.#flushedMono = options.clock.mono();
    this.#day = dayOf(options.clock.now());
  }

  /** Takes the counters down; call it every few minutes. */
  async tick(): Promise<void> {
    const { clock, counters } = this.#options;
    const whole = this.#gain("process", counters.process());
    const [pictures, backups] = [
      this.#gain("pictures", counters.pictures()),
      this.#gain("backups", counters.backups()),
    ];
    this.#add("pictures", pictures);
    this.#add("backups", backups);
    this.#add("database", Math.max(0, whole - pictures - backups));
    const device = counters.device();
    if (device !== null) this.#add("device", this.#gain("device", device));
    const today = dayOf(clock.now());
    if (today !== this.#day || clock.mono() - this.#flushedMono >= FLUSH_MS) await this.flush();
    this.#day = today;
  }

  /** Writes down what was counted since the last time. */
  async flush(): Promise<void> {
    const { clock, database } = this.#options;
    const pending = this.#pending;
    this.#pending = new Map();
    this.#flushedMono = clock.mono();
    const day = this.#day;
    await database.write(() => {
      for (const [cause, bytes] of pending) if (bytes > 0) this.#table.add({ day, cause, bytes });
      this.#table.deleteBefore(dayOf(clock.now() - KEEP_DAYS * DAY_MS));
    });
  }

  /** Today's bytes by cause, including those not yet recorded. */
  today(): { readonly cause: Exclude<WriteCause, "device" | "other">; readonly bytes: number }[] {
    const rows = this.#table.since(this.#day).filter(({ day }) => day === this.#day);
    return (["database", "pictures", "backups"] as const).map((cause) => ({
      cause,
      bytes: (rows.find((row) => row.cause === cause)?.bytes ?? 0) + (this.#pending.get(cause) ?? 0),
    }));
  }

  /** The last thirty days, newest first. */
  days(): WrittenDay[] {
    const byDay = new Map<string, { hubBytes: number; deviceBytes: number | null }>();
    const note = (day: string, cause: WriteCause, bytes: number): void => {
      const sums = byDay.get(day) ?? { hubBytes: 0, deviceBytes: null };
      if (cause === "device") sums.deviceBytes = (sums.deviceBytes ?? 0) + bytes;
      else sums.hubBytes += bytes;
      byDay.set(day, sums);
    };
    for (const [cause, bytes] of this.#pending) note(this.#day, cause, bytes);
    for (const { day, cause, bytes } of this.#table.since(dayOf(this.#options.clock.now() - 30 * DAY_MS)))
      note(day, cause, bytes);
    return [...byDay].map(([day, sums]) => ({ day, ...sums })).sort((a, b) => b.day.localeCompare(a.day));
  }

  /**
   * Years that a card of this size would last at the pace of the whole days that were seen; null before there is one.
   */
  lifetimeYears(cardBytes: number | null): number | null {
    const whole = this.days().slice(1, 15);
    if (cardBytes === null || whole.length === 0) return null;
    const mean =
      whole.reduce((sum, { hubBytes, deviceBytes }) => sum + Math.max(hubBytes, deviceBytes ?? 0), 0) / whole.length;
    return mean === 0 ? null : (cardBytes * FULL_WRITES) / mean / 365;
  }

  /** A counter's growth; one that went back has restarted. */
  #gain(name: string, value: number | null): number {
    if (value === null) return 0;
    const before = this.#seen.get(name);
    this.#seen.set(name, value);
    if (before === undefined) return 0;
    return value >= before ? value - before : value;
  }

  #add(cause: WriteCause, bytes: number): void {
    this.#pending.set(cause, (this.#pending.get(cause) ?? 0) + bytes);
  }
}

/** The target share of the budget: the hub checks only every few minutes. */
const AIM = 0.95;
/** The part of the budget that may be used at any pace. */
const FIRST = 0.1;
/**
 * How long samples wait, the furthest ahead first: after a backup, or when devices report often. Fifty meters that
 * report once a minute share a commit by twos, and by fives.
 */
const WAITS = [
  { aheadOver: 0.15, ms: 6_000 },
  { aheadOver: 0.05, ms: 3_000 },
  { aheadOver: 0, ms: 1_000 },
] as const;

/**
 * How long samples wait for others to share a commit with, in ms, by how far a day's writes run ahead of their budget.
 * Days are those of UTC, as in the books.
 */
export function patienceMs(writtenBytes: number, budgetBytes: number, now: number): number {
  const share = Math.max(FIRST, (now % DAY_MS) / DAY_MS);
  const ahead = writtenBytes / budgetBytes - AIM * share;
  return WAITS.find(({ aheadOver }) => ahead > aheadOver)?.ms ?? 0;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
