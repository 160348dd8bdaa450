import type { Clock } from "../kernel/clock.js";
import { Problem } from "../kernel/problem.js";

/** Wrong sign-ins that cost nothing. */
const FREE_TRIES = 5;
const LONGEST_DELAY_MS = 60_000;
/** A quiet time after which everything is forgotten. */
const FORGET_MS = 15 * 60_000;
const MAX_KEYS = 5_000;

interface Tries {
  failures: number;
  lastMono: number;
  freeAtMono: number;
}

/**
 * Slows down guessing at the sign-in, per address and per account: five free tries, then 1, 2, 4 … 60 s between tries. Nobody is
 * ever banned. An address from which the owner has signed in is not held up by what strangers do to the account.
 */
export class LoginThrottle {
  readonly #clock: Clock;
  readonly #tries = new Map<string, Tries>();
  readonly #trusted = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @throws Problem `rate_limited` with Retry-After while the address or the account has to wait */
  check(address: string, account: string): void {
    const now = this.#clock.mono();
    const waitMs = Math.max(...this.#keys(address, account).map((key) => (this.#tries.get(key)?.freeAtMono ?? 0) - now));
    if (waitMs <= 0) return;
    const seconds = Math.ceil(waitMs / 1000);
    throw new Problem("rate_limited", `Too many wrong sign-ins; try again in ${seconds} s.`, {
      fields: { retryAfterSeconds: seconds },
      headers: { "Retry-After": String(seconds) },
    });
  }

  /** Counts a wrong sign-in. */
  failed(address: string, account: string): void {
    const now = this.#clock.mono();
    for (const key of this.#keys(address, account)) {
      const known = this.#tries.get(key);
      const failures = known !== undefined && now - known.lastMono < FORGET_MS ? known.failures + 1 : 1;
      const delayMs = failures < FREE_TRIES ? 0 : Math.min(LONGEST_DELAY_MS, 1000 * 2 ** (failures - FREE_TRIES));
      this.#tries.delete(key);
      this.#tries.set(key, { failures, lastMono: now, freeAtMono: now + delayMs });
    }
    this.#trim();
  }

  /** Forgets the failures of a pair that has signed in, and trusts the address for this account from now on. */
  succeeded(address: string, account: string): void {
    for (const key of this.#keys(address, account)) this.#tries.delete(key);
    this.#trusted.add(`${address} ${account}`);
    if (this.#trusted.size > MAX_KEYS) this.#trusted.delete(this.#trusted.values().next().value ?? "");
  }

  #keys(address: string, account: string): string[] {
    return this.#trusted.has(`${address} ${account}`) ? [`address ${address}`] : [`address ${address}`, `account ${account}`];
  }

  #trim(): void {
    for (const key of this.#tries.keys()) {
      if (this.#tries.size <= MAX_KEYS) return;
      this.#tries.delete(key);
    }
  }
}
