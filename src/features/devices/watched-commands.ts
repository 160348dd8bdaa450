import type { ChangeSource } from "../../core/api/facts.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import { evictionCandidate } from "../../core/kernel/fair-eviction.ts";
import type { CommandRow } from "./tables/command.ts";

/** A state change this long after a command still counts as its answer: a gate takes its time. */
const ANSWER_WINDOW_MS = 10_000;
/** Unfinished commands of one device that are watched; the oldest one of the sender with the most is dropped first. */
const MAX_WATCHED = 32;

/** The possible sources of a command. */
export type CommandSource = Exclude<ChangeSource, "device">;

/** A command that may still get an answer. */
export interface WatchedCommand {
  readonly row: { -readonly [Key in keyof CommandRow]: CommandRow[Key] };
  /** What the device got: not what was asked where it has other words for it. */
  readonly payload: string;
  readonly source: CommandSource;
  /** Whose share of the device's commands it takes. */
  readonly from: string;
  /** The keys it sets. */
  readonly keys: readonly string[];
  /** What it leads to opens nothing. */
  readonly isBound: boolean;
  answerUntilMono: number;
  /** A later acknowledgement does not count. */
  readonly endsMono: number;
  /** Whether the row is on disk; earlier progress is written with it. */
  written: boolean;
}

/** The commands of each device for which an acknowledgement or an answer may still come, oldest first. */
export class WatchedCommands {
  readonly #clock: Clock;
  readonly #byDevice = new Map<string, WatchedCommand[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Watches a command; also answers those of its device that are to be let go for it, or are over. */
  add(
    command: Pick<WatchedCommand, "row" | "payload" | "source" | "from" | "keys" | "isBound">,
    ttlMs: number,
  ): { readonly watched: WatchedCommand; readonly over: readonly WatchedCommand[] } {
    const now = this.#clock.mono();
    const watched = { ...command, answerUntilMono: now + ANSWER_WINDOW_MS, endsMono: now + ttlMs, written: false };
    const { deviceId } = watched.row;
    const all = [...this.of(deviceId), watched];
    this.#byDevice.set(deviceId, all);
    const over = all.filter((entry) => !isAwaited(entry, now));
    if (all.length - over.length <= MAX_WATCHED) return { watched, over };
    const surplus = evictionCandidate(
      all.filter((entry) => !over.includes(entry)),
      ({ from }) => from,
    );
    return { watched, over: surplus === undefined ? over : [...over, surplus] };
  }

  of(deviceId: string): readonly WatchedCommand[] {
    return this.#byDevice.get(deviceId) ?? [];
  }

  /** The command that most likely caused a state change: the oldest that names a changed key, else the oldest. */
  cause(deviceId: string, changed: readonly string[]): WatchedCommand | undefined {
    const now = this.#clock.mono();
    const waiting = this.of(deviceId).filter((entry) => entry.row.answeredAt === null && now <= entry.answerUntilMono);
    return waiting.find((entry) => entry.keys.some((key) => changed.includes(key))) ?? waiting[0];
  }

  /** An answer may come from now on as late as any, plus `laterMs`. */
  awaitAnswer(watched: WatchedCommand, laterMs = 0): void {
    watched.answerUntilMono = this.#clock.mono() + laterMs + ANSWER_WINDOW_MS;
  }

  /**
   * Whether something would still count as an answer to a command: not if the command is not watched (after a restart
   * no earlier one is) or too old.
   */
  isAnswerable(row: CommandRow): boolean {
    const watched = this.of(row.deviceId).find((entry) => entry.row.id === row.id);
    return watched !== undefined && this.#clock.mono() <= watched.endsMono;
  }

  /** Those that can no longer get an answer. */
  over(): WatchedCommand[] {
    const now = this.#clock.mono();
    return [...this.#byDevice.values()].flat().filter((entry) => !isAwaited(entry, now));
  }

  remove(watched: WatchedCommand): void {
    const others = this.of(watched.row.deviceId).filter((entry) => entry !== watched);
    if (others.length === 0) this.#byDevice.delete(watched.row.deviceId);
    else this.#byDevice.set(watched.row.deviceId, others);
  }
}

/** Whether something may still come for a command. */
function isAwaited({ row, answerUntilMono, endsMono }: WatchedCommand, now: number): boolean {
  if (row.status !== "delivered") return now <= Math.max(answerUntilMono, endsMono);
  return row.answeredAt === null && now <= answerUntilMono;
}
