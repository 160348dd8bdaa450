/**
 * Owns the quota of deletions by age. In: each part's overdue rows. Out: a daily share of them, oldest first; the rest
 * stays for the following days, or is deleted at once by the owner's override. A clock that is wrong although every
 * source vouches for it costs a twentieth of the history, not all. Making room on a full disk is another matter
 * (core/jobs/make-room.ts).
 */
import { setImmediate } from "node:timers/promises";
import type { AgedHistory, AgedKind } from "../kernel/aged-history.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";
import type { Database } from "../storage/database.ts";
import { type AgeingRow, AgeingTable } from "../storage/tables/ageing.ts";

/** The state of one kind of history. */
export interface AgeState {
  readonly kind: AgedKind;
  readonly setting: string;
  readonly keepDays: number;
  /** How many may go in a day. */
  readonly dayShare: number;
  /** How many are too old and stay for now. */
  readonly waiting: number;
  /** More rows than another day removes: the owner is notified. */
  readonly isBehind: boolean;
}

/** A number of rows of one kind. */
export interface AgedCount {
  readonly kind: AgedKind;
  readonly count: number;
}

const DAY_MS = 86_400_000;
/** A day's share: days of the mean, or this part of the total, and never fewer than this many. */
const DAYS_WORTH = 2;
const PART = 20;
const FEWEST = 50;

/** See the head of the file. */
export class AgeLimits {
  readonly #options: ConstructorParameters<typeof AgeLimits>[0];
  readonly #table: AgeingTable;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly logger: Logger;
    /** Every kind there is, once the hub runs. */
    readonly histories: () => readonly AgedHistory[];
    /** Notifies the household, once, that more rows are overdue than a day removes; called inside a write job. */
    readonly notify: (waiting: AgedCount) => void;
  }) {
    this.#options = options;
    this.#table = new AgeingTable(options.database);
  }

  /**
   * Removes what is overdue and may be removed now, kind by kind. Returns how many rows were removed.
   * @throws the error of the last kind that could not be swept
   */
  sweep(): Promise<number> {
    const run = this.#last.then(() => this.#sweepAll());
    this.#last = run.catch(() => {});
    return run;
  }

  /** Each kind's state since its last sweep. */
  states(): AgeState[] {
    return this.#options.histories().map((history) => {
      const { kind, setting } = history;
      const row = this.#table.get(kind);
      return {
        kind,
        setting,
        keepDays: history.keepDays(),
        dayShare: row?.dayShare ?? 0,
        waiting: row?.waiting ?? 0,
        isBehind: row?.told === 1,
      };
    });
  }

  /** What would be overdue if the setting were this many days; empty for a setting without an age limit. */
  async dueAfter(setting: string, keepDays: number): Promise<AgedCount[]> {
    const counts: AgedCount[] = [];
    for (const history of this.#options.histories())
      if (history.setting === setting) counts.push({ kind: history.kind, count: await history.due(keepDays) });
    return counts;
  }

  /**
   * Owner override: delete everything overdue of these kinds now, ignoring the daily quota. Returns how many rows that
   * is; {@link AgeLimits.sweep} removes them.
   */
  allow(kinds: readonly AgedKind[], beside: (allowed: AgedCount) => void = () => {}): Promise<AgedCount[]> {
    return this.#options.database.write(() =>
      this.#table.all().flatMap((row) => {
        if (!kinds.includes(row.kind) || row.waiting === 0) return [];
        this.#table.put({ ...row, allowed: row.waiting });
        const allowed = { kind: row.kind, count: row.waiting };
        beside(allowed);
        return [allowed];
      }),
    );
  }

  async #sweepAll(): Promise<number> {
    let gone = 0;
    let failure: { readonly error: unknown } | null = null;
    for (const history of this.#options.histories()) {
      try {
        gone += await this.#sweep(history);
      } catch (error) {
        failure = { error };
      }
    }
    if (failure !== null) throw failure.error;
    return gone;
  }

  /** The quota is recorded before anything is deleted: a hub that restarts again and again uses its share once. */
  async #sweep(history: AgedHistory): Promise<number> {
    const { database, clock, logger, notify } = this.#options;
    const { kind } = history;
    const known = this.#table.get(kind);
    const counts = await counted(history, known);
    if (counts.due === 0 && known?.waiting === 0 && known.keepDays === counts.keepDays) return 0;
    const { row, go, isNewlyBehind } = await database.write(() => {
      const before = this.#table.get(kind); // the owner may have given the word meanwhile
      const plan = planned(kind, { before, counts, now: clock.certain() });
      this.#table.put(plan.row);
      const isNewlyBehind = plan.row.told === 1 && before?.told !== 1;
      if (isNewlyBehind) notify({ kind, count: plan.row.waiting });
      return { ...plan, isNewlyBehind };
    });
    if (isNewlyBehind) logger.warn({ ...row }, "more history is overdue than one day's quota removes: the rest waits");
    return go === 0 ? 0 : history.remove(go);
  }
}

/** The state of a history, by its own count. */
interface Counts {
  readonly keepDays: number;
  readonly held: number;
  readonly due: number;
  /** How many became due by lowering a setting since the last sweep. */
  readonly shortened: number;
}

/** Counts one thing after the other, with other work served in between: over many rows each takes its milliseconds. */
async function counted(history: AgedHistory, before: AgeingRow | null): Promise<Counts> {
  const keepDays = history.keepDays();
  const due = await history.due(keepDays);
  await setImmediate();
  // By lowering the setting, the household agreed to delete what lies between.
  const shortened =
    before !== null && keepDays < before.keepDays ? Math.max(0, due - (await history.due(before.keepDays))) : 0;
  await setImmediate();
  const held = await history.held();
  await setImmediate();
  return { keepDays, held, due, shortened };
}

/** How many may go now, and the books after that. */
function planned(
  kind: AgedKind,
  { before, counts, now }: { before: AgeingRow | null; counts: Counts; now: number },
): { row: AgeingRow; go: number } {
  const { keepDays, due, shortened } = counts;
  const isSameDay = before !== null && now >= before.dayFrom && now < before.dayFrom + DAY_MS;
  const day = isSameDay ? before : { dayFrom: now, dayShare: dayShare(counts, before), taken: 0 };
  const allowed = (before?.allowed ?? 0) + shortened;
  const fromShare = Math.min(due, Math.max(0, day.dayShare - day.taken));
  const atWord = Math.min(due - fromShare, allowed);
  const waiting = due - fromShare - atWord;
  const isBehind = waiting > day.dayShare || (before?.told === 1 && waiting > 0);
  const row: AgeingRow = {
    kind,
    keepDays,
    dayFrom: day.dayFrom,
    dayShare: day.dayShare,
    taken: day.taken + fromShare,
    allowed: waiting === 0 ? 0 : allowed - atWord,
    waiting,
    told: isBehind ? 1 : 0,
  };
  return { row, go: fromShare + atWord };
}

/**
 * Two days' worth by the mean of what is kept, or a twentieth. It shrinks more slowly than a history that no longer
 * grows, so that rows from busier times are not held up.
 */
function dayShare({ keepDays, held }: Counts, before: AgeingRow | null): number {
  const days = Math.max(1, keepDays);
  const kept = (before?.dayShare ?? 0) * (1 - 1 / (2 * days));
  return Math.max(FEWEST, Math.ceil((DAYS_WORTH * held) / days), Math.ceil(held / PART), Math.floor(kept));
}
