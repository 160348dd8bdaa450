import type { Clock } from "./clock.js";

/** Stands for an answer that did not come in time. */
export const NO_ANSWER = Symbol("no answer");

/** What {@link inTime} gives. */
export interface Limited<Answer> {
  /** The answer, or {@link NO_ANSWER} once the limit has passed. Rejects with what `run` rejects with before that. */
  readonly answer: Promise<Answer | typeof NO_ANSWER>;
  /** Resolves when `run` has really come to its end, which may be never. */
  readonly ended: Promise<void>;
}

/** Runs something that may never end; its signal is aborted once `limitMs` of monotonic time have passed. */
export function inTime<Answer>(clock: Clock, limitMs: number, run: (signal: AbortSignal) => Promise<Answer>): Limited<Answer> {
  const abort = new AbortController();
  const running = run(abort.signal);
  const answer = new Promise<Answer | typeof NO_ANSWER>((resolve, reject) => {
    const timer = clock.after(limitMs, () => {
      resolve(NO_ANSWER);
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

/** Questions to what may never answer, such as a share whose box is off. Each key has one open question at most, however often it is asked. */
export class Patience<Answer> {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #open = new Map<string, Promise<Answer | typeof NO_ANSWER>>();

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** The answer, shared with whoever asks the same meanwhile; {@link NO_ANSWER} after the limit, and at once while that question is still open. */
  ask(key: string, run: (signal: AbortSignal) => Promise<Answer>): Promise<Answer | typeof NO_ANSWER> {
    const open = this.#open.get(key);
    if (open !== undefined) return open;
    const { answer, ended } = inTime(this.#clock, this.#limitMs, run);
    this.#open.set(key, answer);
    void ended.then(() => this.#open.delete(key));
    return answer;
  }
}
