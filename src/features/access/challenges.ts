import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "../../core/kernel/clock.ts";
import { equalsInConstantTime } from "../../core/kernel/ids.ts";

/** How long a person may take to answer. */
const OPEN_MS = 5 * 60_000;
const NONCE_BYTES = 16;
const TIME_BYTES = 8;
const MAC_BYTES = 32;
/** Answered challenges that are remembered until they would have ended anyway. */
const MAX_SPENT = 10_000;

/**
 * Challenges that are good for one purpose, once, for five minutes. A challenge carries its end and a MAC over purpose
 * and end, so that asking for many costs no memory; only those that were answered rightly are remembered. All of them
 * end with the process.
 */
export class Challenges {
  readonly #clock: Clock;
  readonly #key = randomBytes(32);
  /** Challenge → monotonic end, in the order of use. */
  readonly #spent = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A new challenge for `purpose`, which names all that it is bound to. */
  issue(purpose: string): Buffer {
    const head = Buffer.concat([randomBytes(NONCE_BYTES), Buffer.alloc(TIME_BYTES)]);
    head.writeDoubleBE(this.#clock.mono() + OPEN_MS, NONCE_BYTES);
    return Buffer.concat([head, this.#mac(head, purpose)]);
  }

  /** Whether a challenge (base64url) was issued for `purpose`, has not ended and was not answered. */
  isOpen(challenge: string, purpose: string): boolean {
    const bytes = Buffer.from(challenge, "base64url");
    if (bytes.length !== NONCE_BYTES + TIME_BYTES + MAC_BYTES || bytes.toString("base64url") !== challenge)
      return false;
    const head = bytes.subarray(0, NONCE_BYTES + TIME_BYTES);
    const isOurs = equalsInConstantTime(
      this.#mac(head, purpose).toString("hex"),
      bytes.subarray(head.length).toString("hex"),
    );
    return isOurs && head.readDoubleBE(NONCE_BYTES) > this.#clock.mono() && !this.#spent.has(challenge);
  }

  /** Uses up an open challenge; false if it was used meanwhile. Of several simultaneous answers one counts. */
  spend(challenge: string): boolean {
    const now = this.#clock.mono();
    for (const [known, endMono] of this.#spent) {
      if (endMono > now) break;
      this.#spent.delete(known);
    }
    if (this.#spent.has(challenge) || this.#spent.size >= MAX_SPENT) return false;
    this.#spent.set(challenge, now + OPEN_MS);
    return true;
  }

  #mac(head: Buffer, purpose: string): Buffer {
    return createHmac("sha256", this.#key).update(head).update(purpose).digest();
  }
}
