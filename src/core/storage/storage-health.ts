import type { Clock } from "../kernel/clock.ts";
import type { Logger } from "../kernel/logger.ts";
import { Problem } from "../kernel/problem.ts";
import type { PlaceTrouble } from "./file-place.ts";
import { refusalOf, type StorageState, stateAfter, stateAtOpen, unconfirmed } from "./storage-state.ts";

/** How often a disk that takes no writes is tried again. */
const PROBE_MS = 5_000;

/** What is wrong with the database's file now, and the error that a writer receives. */
export class StorageHealth {
  readonly #options: ConstructorParameters<typeof StorageHealth>[0];
  #state: StorageState = "ok";
  #reason: string | null = null;
  #sinceMono = 0;
  /** Whether the hub runs: from then on damage is reported. */
  isStarted = false;

  constructor(options: {
    readonly file: string;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly onDamage?: (reason: string) => void;
  }) {
    this.#options = options;
  }

  get state(): StorageState {
    return this.#state;
  }

  /** In SQLite's or the system's words; null while all is well. */
  get reason(): string | null {
    return this.#reason;
  }

  /**
   * The refusal for a writer now; null if trying is worthwhile. `isTried`: whether a full or unwritable disk is tried
   * again now and then.
   */
  refusal(isTried: boolean): Problem | null {
    const isPassing = this.#state === "full" || this.#state === "unwritable";
    if (isTried && isPassing && this.#options.clock.mono() - this.#sinceMono >= PROBE_MS) return null;
    return refusalOf(this.#state);
  }

  /** Has the next write tried at once. */
  tryNow(): void {
    this.#sinceMono = Number.NEGATIVE_INFINITY;
  }

  /** A write succeeded: every passing trouble is over. */
  worked(): void {
    if (this.#state === "full" || this.#state === "unwritable") this.recovered();
  }

  /** Takes the findings about the file's place; null: nothing is wrong with it. */
  found(trouble: PlaceTrouble | null): void {
    if (trouble !== null) this.misplaced(trouble);
    else if (this.state === "gone") this.recovered();
  }

  recovered(): void {
    this.#state = "ok";
    this.#reason = null;
    this.#options.logger.info({}, "the disk accepts writes again");
  }

  /** Notes what a statement's error reveals about the file, if anything. */
  failed(error: unknown): void {
    const state = stateAfter(error, this.#options.file);
    if (state !== null) this.#failedWith(state, error);
  }

  /** Notes that the disk did not confirm a commit. Returns the error for its writers. */
  unconfirmed(error: unknown): Problem {
    this.#failedWith(stateAtOpen(error, this.#options.file) ?? "unwritable", error);
    return unconfirmed(error);
  }

  /** Notes that the files are no longer where they were, and returns the error for a writer. */
  misplaced({ state, reason }: PlaceTrouble): Problem {
    this.become(state, reason);
    return refusalOf(state, new Error(reason)) ?? new Problem("unavailable", { code: "unavailable.diskRefuses" });
  }

  /** An error as a writer receives it. */
  asProblem(error: unknown): unknown {
    if (error instanceof Problem) return error;
    return refusalOf(this.#state, error) ?? error;
  }

  /** Changes the state; a damaged file stays damaged until the next start, regardless of later findings. */
  become(state: StorageState, reason: string, error?: unknown): void {
    this.#sinceMono = this.#options.clock.mono();
    if (this.#state === state || this.#state === "damaged") return;
    this.#state = state;
    this.#reason = reason;
    this.#options.logger.error(
      { storage: state, reason, ...(error === undefined ? {} : { err: error }) },
      "the database cannot be written",
    );
  }

  #failedWith(state: StorageState, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (state === "damaged" && this.isStarted && this.#state !== "damaged") this.#options.onDamage?.(reason);
    this.become(state, reason, error);
  }
}
