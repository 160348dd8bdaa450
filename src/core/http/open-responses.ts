import type { Caller } from "../api/caller.ts";
import type { Clock, Timer } from "../kernel/clock.ts";

/** How soon a response ends after its credential has expired; revoking a credential ends its responses at once. */
const LOOK_EVERY_MS = 5_000;

/**
 * The responses that stay open: event streams, downloads, anything that is read slowly. Each is bound to the credential
 * that it was opened with, and ends when the credential ends or its rights change (the client then reconnects with its
 * new rights).
 */
export class OpenResponses {
  readonly #options: ConstructorParameters<typeof OpenResponses>[0];
  readonly #open = new Set<{ readonly caller: Caller; readonly end: () => void }>();
  #timer: Timer | null = null;

  constructor(options: {
    /** Knows whether the caller's credential is still valid, with the same rights. */
    readonly authenticator: { stands(caller: Caller): boolean };
    readonly clock: Clock;
  }) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Binds an answer to its caller; `end` breaks it off. Returns a function to call when it ends by itself. */
  bind(caller: Caller, end: () => void): () => void {
    const response = { caller, end };
    this.#open.add(response);
    this.#timer ??= this.#options.clock.every(LOOK_EVERY_MS, () => this.recheck());
    return () => {
      this.#open.delete(response);
      if (this.#open.size === 0) this.stop();
    };
  }

  /** Ends every response whose caller has lost the right to it. Call it when rights have changed. */
  recheck(): void {
    for (const response of [...this.#open]) {
      if (this.#options.authenticator.stands(response.caller)) continue;
      this.#open.delete(response);
      response.end();
    }
  }

  /** Stops checking periodically. */
  stop(): void {
    this.#timer?.stop();
    this.#timer = null;
  }
}
