import type { Clock, Timer } from "../kernel/clock.ts";

/** Speed of one device: `perSecond` messages on average (0 = no limit), `burst` at once. */
export interface Pace {
  readonly perSecond: number;
  readonly burst: number;
}

interface RateState<Item> {
  /** Monotonic time at which the saved-up allowance would be used up; before now: some is left. */
  paidUntil: number;
  readonly waiting: { readonly dueMono: number; readonly item: Item }[];
  timer: Timer | null;
}

const MAX_IDLE = 2_000;

/**
 * Passes messages of one device at its pace and holds back faster ones, in order. Holding back is kinder than
 * disconnecting: a device that sends its backlog after an outage would only reconnect and send it again.
 */
export class Pacer<Item> {
  readonly #pace: Pace;
  readonly #clock: Clock;
  readonly #run: (item: Item) => void;
  readonly #states = new Map<string, RateState<Item>>();
  #held = 0;

  /** `run` gets the passed messages. */
  constructor(pace: Pace, clock: Clock, run: (item: Item) => void) {
    this.#pace = pace;
    this.#clock = clock;
    this.#run = run;
  }

  /** Messages that were held back since start. */
  get held(): number {
    return this.#held;
  }

  /**
   * Lets `item` through at once while the device keeps to its pace, later otherwise. Those of one device keep their
   * order.
   */
  pass(deviceId: string, item: Item): void {
    if (this.#pace.perSecond === 0) {
      this.#run(item);
      return;
    }
    const state = this.#stateOf(deviceId);
    const now = this.#clock.mono();
    const eachMs = 1_000 / this.#pace.perSecond;
    state.paidUntil = Math.max(state.paidUntil, now - this.#pace.burst * eachMs) + eachMs;
    if (state.paidUntil <= now && state.waiting.length === 0) {
      this.#run(item);
      return;
    }
    this.#held += 1;
    state.waiting.push({ dueMono: state.paidUntil, item });
    this.#arm(state);
  }

  /** Lets everything through that is held back; for an orderly stop. */
  release(): void {
    for (const state of this.#states.values()) {
      state.timer?.stop();
      state.timer = null;
      for (const { item } of state.waiting.splice(0)) this.#run(item);
    }
  }

  #stateOf(deviceId: string): RateState<Item> {
    const known = this.#states.get(deviceId);
    if (known) return known;
    if (this.#states.size >= MAX_IDLE) this.#dropIdle();
    const state: RateState<Item> = { paidUntil: Number.NEGATIVE_INFINITY, waiting: [], timer: null };
    this.#states.set(deviceId, state);
    return state;
  }

  #dropIdle(): void {
    const now = this.#clock.mono();
    for (const [deviceId, state] of this.#states)
      if (state.waiting.length === 0 && state.paidUntil < now) this.#states.delete(deviceId);
  }

  #arm(state: RateState<Item>): void {
    const next = state.waiting[0];
    if (state.timer !== null || next === undefined) return;
    state.timer = this.#clock.at(next.dueMono, () => {
      state.timer = null;
      const now = this.#clock.mono();
      const due = state.waiting.findIndex((entry) => entry.dueMono > now);
      for (const { item } of state.waiting.splice(0, due === -1 ? state.waiting.length : due)) this.#run(item);
      this.#arm(state);
    });
  }
}
