import type { Clock, Timer } from "../kernel/clock.js";

/** Speed of one device: `perSecond` messages on average (0 = no limit), `burst` at once. */
export interface Pace {
  readonly perSecond: number;
  readonly burst: number;
}

interface Lane<Item> {
  /** Monotonic time at which the saved-up allowance would be used up; before now: some is left. */
  paidUntil: number;
  readonly waiting: { readonly dueMono: number; readonly item: Item }[];
  timer: Timer | null;
}

const MAX_IDLE_LANES = 2_000;

/**
 * Lets messages of one device through at its pace and holds back what comes faster, in order. Holding back is kinder
 * than disconnecting: a device that sends what it saved up during an outage would only come back and send it again.
 */
export class Pacer<Item> {
  readonly #pace: Pace;
  readonly #clock: Clock;
  readonly #run: (item: Item) => void;
  readonly #lanes = new Map<string, Lane<Item>>();
  #held = 0;

  /** `run` gets what is let through. */
  constructor(pace: Pace, clock: Clock, run: (item: Item) => void) {
    this.#pace = pace;
    this.#clock = clock;
    this.#run = run;
  }

  /** Messages that were held back since start. */
  get held(): number {
    return this.#held;
  }

  /** Lets `item` through at once while the device keeps to its pace, later otherwise. Those of one device keep their order. */
  pass(deviceId: string, item: Item): void {
    if (this.#pace.perSecond === 0) {
      this.#run(item);
      return;
    }
    const lane = this.#lane(deviceId);
    const now = this.#clock.mono();
    const eachMs = 1_000 / this.#pace.perSecond;
    lane.paidUntil = Math.max(lane.paidUntil, now - this.#pace.burst * eachMs) + eachMs;
    if (lane.paidUntil <= now && lane.waiting.length === 0) {
      this.#run(item);
      return;
    }
    this.#held += 1;
    lane.waiting.push({ dueMono: lane.paidUntil, item });
    this.#arm(lane);
  }

  /** Lets everything through that is held back; for an orderly stop. */
  release(): void {
    for (const lane of this.#lanes.values()) {
      lane.timer?.stop();
      lane.timer = null;
      for (const { item } of lane.waiting.splice(0)) this.#run(item);
    }
  }

  #lane(deviceId: string): Lane<Item> {
    const known = this.#lanes.get(deviceId);
    if (known) return known;
    if (this.#lanes.size >= MAX_IDLE_LANES) this.#dropIdle();
    const lane: Lane<Item> = { paidUntil: Number.NEGATIVE_INFINITY, waiting: [], timer: null };
    this.#lanes.set(deviceId, lane);
    return lane;
  }

  #dropIdle(): void {
    const now = this.#clock.mono();
    for (const [deviceId, lane] of this.#lanes) if (lane.waiting.length === 0 && lane.paidUntil < now) this.#lanes.delete(deviceId);
  }

  #arm(lane: Lane<Item>): void {
    const next = lane.waiting[0];
    if (lane.timer !== null || next === undefined) return;
    lane.timer = this.#clock.after(next.dueMono - this.#clock.mono(), () => {
      lane.timer = null;
      const now = this.#clock.mono();
      const due = lane.waiting.findIndex((entry) => entry.dueMono > now);
      for (const { item } of lane.waiting.splice(0, due === -1 ? lane.waiting.length : due)) this.#run(item);
      this.#arm(lane);
    });
  }
}
