import type { Clock } from "../../core/kernel/clock.ts";
import { evictionCandidate } from "../../core/kernel/fair-eviction.ts";

/** A message on its way out. */
export interface OutgoingMessage {
  readonly topic: string;
  readonly payload: string;
  /** Whose message it is, for a fair share of the room; empty: the hub's. */
  readonly from: string;
  /**
   * It needs a present receiver: not sent before this returns true, and sent again while nobody subscribes. Null: for
   * any subscriber.
   */
  readonly isThere: (() => boolean) | null;
  readonly onSent: (() => void) | null;
  /** Monotonic time after which it must no longer be sent. */
  readonly deadlineMono: number;
}

/**
 * The outcome of sending. `unheard`: the broker took it and nobody subscribes. `refused`: the broker does not take it;
 * sending it again would not help. `lost`: the connection ended before the answer.
 */
export type Outcome = "sent" | "unheard" | "refused" | "lost";

interface PendingMessage {
  readonly message: OutgoingMessage;
  /** In the current connection. */
  underWay: boolean;
  /** How often it was lost with a connection. */
  losses: number;
  notBeforeMono: number;
}

const MOST = 1_000;
/** How long to wait before trying an absent recipient again. */
const UNHEARD_MS = 2_000;

/**
 * A broker that is killed loses what it had not acknowledged, and one that is starting may go down again before it has
 * answered anything. But a message that makes the broker hang up each time must not block all others.
 */
const MOST_LOSSES = 4;

/** Messages waiting for the outside broker, oldest first, bounded, each with its expiry. */
export class Outbox {
  readonly #clock: Clock;
  readonly #entries = new Map<OutgoingMessage, PendingMessage>();
  #sent = 0;
  #expired = 0;
  #dropped = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Messages that are waiting now; sent, expired, and dropped for lack of room or after too many interruptions, since
   * the start.
   */
  get figures(): {
    readonly sent: number;
    readonly waiting: number;
    readonly expired: number;
    readonly dropped: number;
  } {
    return { sent: this.#sent, waiting: this.#entries.size, expired: this.#expired, dropped: this.#dropped };
  }

  /** Adds a message; if there are too many, the sender with most loses its oldest. */
  add(message: OutgoingMessage): void {
    this.#entries.set(message, { message, underWay: false, losses: 0, notBeforeMono: 0 });
    while (this.#entries.size > MOST) {
      const victim = evictionCandidate(this.#entries.keys(), ({ from }) => from);
      if (victim === undefined) return;
      this.#entries.delete(victim);
      this.#dropped += 1;
    }
  }

  /** The messages to be sent now; each counts as under way from here on. */
  due(): OutgoingMessage[] {
    const now = this.#clock.mono();
    const due = [...this.#entries.values()].filter(
      ({ underWay, notBeforeMono, message }) => !underWay && notBeforeMono <= now && (message.isThere?.() ?? true),
    );
    for (const entry of due) entry.underWay = true;
    return due.map(({ message }) => message);
  }

  /** Notes the outcome of a sending. */
  done(message: OutgoingMessage, outcome: Outcome): void {
    const entry = this.#entries.get(message);
    if (entry === undefined) return;
    entry.underWay = false;
    if (outcome === "unheard" && message.isThere !== null) entry.notBeforeMono = this.#clock.mono() + UNHEARD_MS;
    else if (outcome === "lost" && entry.losses < MOST_LOSSES) entry.losses += 1;
    else {
      this.#entries.delete(message);
      if (outcome === "lost") {
        this.#dropped += 1;
        return;
      }
      this.#sent += 1;
      message.onSent?.();
    }
  }

  /** The connection has ended: unheard messages may be tried at once in the next. */
  cut(): void {
    for (const entry of this.#entries.values()) entry.notBeforeMono = 0;
  }

  /** Drops expired messages. */
  sweep(): void {
    const now = this.#clock.mono();
    for (const [message] of this.#entries) {
      if (message.deadlineMono > now) continue;
      this.#entries.delete(message);
      this.#expired += 1;
    }
  }
}
