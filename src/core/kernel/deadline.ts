import type { Clock } from "./clock.ts";

/** Stands for an answer that timed out. */
export const TIMED_OUT = Symbol("timed out");

/** What {@link withDeadline} returns. */
export interface Limited<Result> {
  /** The answer, or {@link TIMED_OUT} once the limit has passed. Rejects with what `run` rejects with before that. */
  readonly answer: Promise<Result | typeof TIMED_OUT>;
  /** Resolves when `run` has really ended, which may be never. */
  readonly ended: Promise<void>;
}

/** Runs something that may never end; its signal is aborted once `limitMs` of monotonic time have passed. */
export function withDeadline<Result>(
  clock: Clock,
  limitMs: number,
  run: (signal: AbortSignal) => Promise<Result>,
): Limited<Result> {
  const abort = new AbortController();
  const running = run(abort.signal);
  const answer = new Promise<Result | typeof TIMED_OUT>((resolve, reject) => {
    const timer = clock.after(limitMs, () => {
      resolve(TIMED_OUT);
      abort.abort();
    });
    const settled = (): void => timer.stop();
    running.then(resolve, reject).finally(settled);
  });
  const ended = running.then(
    () => {},
    () => {},
  );
  return { answer, ended };
}

/**
 * Requests to something that may never answer, such as a share whose server is off. Each key has at most one open
 * request, however often it is asked.
 */
export class SingleFlight<Result> {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #open = new Map<string, Promise<Result | typeof TIMED_OUT>>();

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /**
   * The answer, shared by all callers with the same key meanwhile; {@link TIMED_OUT} after the limit, and at once while
   * that request is still open.
   */
  ask(key: string, run: (signal: AbortSignal) => Promise<Result>): Promise<Result | typeof TIMED_OUT> {
    const open = this.#open.get(key);
    if (open !== undefined) return open;
    const { answer, ended } = withDeadline(this.#clock, this.#limitMs, run);
    this.#open.set(key, answer);
    void ended.then(() => this.#open.delete(key));
    return answer;
  }
}
