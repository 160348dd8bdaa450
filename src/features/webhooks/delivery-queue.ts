import type { Timer } from "../../core/kernel/clock.ts";
import type { Poster } from "../../core/kernel/post.ts";

/** The deliverer's state of one webhook while it runs: its position in the order, and when it may continue. */
export class DeliveryQueue {
  readonly webhookId: number;
  readonly poster: Poster;
  /** Everything up to this position has been delivered, or is of a device that is in the retry queue. */
  cursor = 0;
  /** Devices in the retry queue at the last check. */
  aside: ReadonlySet<string> = new Set();
  /** Failed attempts in a row. */
  failures = 0;
  /** Monotonic time before which nothing is sent; the same as wall time, for people. */
  resumeMono = Number.NEGATIVE_INFINITY;
  resumeAt: number | null = null;
  /** Whether it is among those served side by side, or waits for that. */
  queued = false;
  /** Whether a delivery arrived while it was queued: then it is checked again. */
  woken = false;
  /** Probes made since it was disabled, and when the next one is due (wall time). */
  probes = 0;
  probeAt: number | null = null;
  readonly #timers = new Map<"resume" | "slow" | "probe", Timer>();

  constructor(webhookId: number, poster: Poster) {
    this.webhookId = webhookId;
    this.poster = poster;
  }

  /** Sets the only timer of this kind; an earlier one is stopped. */
  arm(kind: "resume" | "slow" | "probe", timer: Timer): void {
    this.#timers.get(kind)?.stop();
    this.#timers.set(kind, timer);
  }

  /** Stops the timer of this kind. */
  disarm(kind: "probe"): void {
    this.#timers.get(kind)?.stop();
    this.#timers.delete(kind);
  }

  /** Starts from the oldest one: after it was enabled, or when something old is to be sent again. */
  rewind(): void {
    this.cursor = 0;
  }

  close(): void {
    for (const timer of this.#timers.values()) timer.stop();
    this.#timers.clear();
    this.poster.close();
  }
}
