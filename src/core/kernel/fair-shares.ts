import type { Clock } from "./clock.ts";

/** An amount that has decayed to this is forgotten. */
const NOTHING = 0.5;

/**
 * Decides who is next when several share one resource in turns, such as a thread: the sender that used it least lately.
 * A rare sender is served at once, however much others ask for; constant senders get equal parts; none waits forever.
 * Past use counts half after `halfLifeMs`.
 */
export class FairShares {
  readonly #halfLifeMs: number;
  readonly #clock: Pick<Clock, "mono">;
  readonly #taken = new Map<string, { readonly amount: number; readonly mono: number }>();

  constructor(halfLifeMs: number, clock: Pick<Clock, "mono">) {
    this.#halfLifeMs = halfLifeMs;
    this.#clock = clock;
  }

  /** Notes that `sender` took `amount`, in the unit used throughout. */
  charge(sender: string, amount: number): void {
    this.#taken.set(sender, { amount: this.of(sender) + amount, mono: this.#clock.mono() });
    for (const other of this.#taken.keys()) if (this.of(other) < NOTHING) this.#taken.delete(other);
  }

  /** What `sender` took lately. */
  of(sender: string): number {
    const taken = this.#taken.get(sender);
    return taken === undefined ? 0 : taken.amount * 0.5 ** ((this.#clock.mono() - taken.mono) / this.#halfLifeMs);
  }

  /** The sender that used least; of equal ones the first. Null without senders. */
  least(senders: Iterable<string>): string | null {
    let least: { readonly sender: string; readonly amount: number } | null = null;
    for (const sender of new Set(senders)) {
      const amount = this.of(sender);
      if (least === null || amount < least.amount) least = { sender, amount };
    }
    return least?.sender ?? null;
  }
}
