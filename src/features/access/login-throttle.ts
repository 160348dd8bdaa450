import { shareOf } from "../../core/kernel/admission.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import { Problem } from "../../core/kernel/problem.ts";

/** Wrong sign-ins that cost nothing. */
const FREE_TRIES = 5;
const LONGEST_DELAY_MS = 60_000;
/** A quiet time after which everything is forgotten. */
const FORGET_MS = 15 * 60_000;
/** Counters of one kind; the least recently used one is dropped first. */
const MAX_KEYS = 5_000;

/** The client that tries to sign in. */
export interface Guesser {
  readonly address: string;
  /**
   * The browser's own id, once it has shown that this very account signed in from it before (device-cookie.ts); null
   * for unknown browsers.
   */
  readonly device: string | null;
}

/** One try, counted as wrong from the moment it began, so that tries at the same moment see each other. */
export interface Attempt {
  /** The try was right: this account's failures at this address are forgotten, and nothing else. */
  succeeded(): void;
  /** It was wrong: the wait runs from now, however long the judging took. */
  failed(): void;
  /** It was not judged: it does not count. */
  withdrawn(): void;
}

/**
 * Slows down guessing at the sign-in: five free tries, then 1, 2, 4 … 60 s between tries. Nobody is ever banned.
 * Unknown clients are counted per address and per account. On an address that a person has signed in from before, only
 * that address's own tries delay them; a browser known to the account has an allowance of its own (device-cookie.ts),
 * so that nobody can lock an owner out.
 */
export class LoginThrottle {
  readonly #clock: Clock;
  readonly #addresses: Counters;
  readonly #accounts: Counters;
  readonly #devices: Counters;
  /** Failures of one account at one address: the part of both counters that a success resets. */
  readonly #pairs: Counters;
  readonly #trusted = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#addresses = new Counters();
    this.#accounts = new Counters();
    this.#devices = new Counters();
    this.#pairs = new Counters();
  }

  /**
   * Counts a try and lets it be judged.
   * @throws Problem `rate_limited` with Retry-After while the address, the account or the device has to wait
   */
  begin({ address: from, device }: Guesser, account: string): Attempt {
    const address = shareOf(from);
    const now = this.#clock.mono();
    const pair = `${address} ${account}`;
    const places: [Counters, string][] =
      device !== null
        ? [[this.#devices, `${device} ${account}`]]
        : [
            [this.#addresses, address],
            ...(this.#trusted.has(pair) ? [] : [[this.#accounts, account] as [Counters, string]]),
          ];
    const waitMs = Math.max(...places.map(([counters, key]) => counters.waitMs(key, now)));
    if (waitMs > 0) throw tooMany(Math.ceil(waitMs / 1000));
    for (const [counters, key] of places) counters.add(key, now);
    if (device === null) this.#pairs.add(pair, now);
    return {
      succeeded: () => {
        const wrong = device === null ? this.#pairs.count(pair) : Number.POSITIVE_INFINITY;
        for (const [counters, key] of places) counters.takeBack(key, wrong);
        if (device === null) this.#pairs.takeBack(pair, wrong);
        this.#trust(pair);
      },
      failed: () => {
        for (const [counters, key] of places) counters.waitFrom(key, this.#clock.mono());
      },
      withdrawn: () => {
        for (const [counters, key] of places) counters.takeBack(key, 1);
        if (device === null) this.#pairs.takeBack(pair, 1);
      },
    };
  }

  #trust(pair: string): void {
    this.#trusted.delete(pair);
    this.#trusted.add(pair);
    if (this.#trusted.size > MAX_KEYS) this.#trusted.delete(this.#trusted.values().next().value ?? "");
  }
}

interface Tries {
  failures: number;
  lastMono: number;
  freeAtMono: number;
}

/** Wrong tries by key, forgotten after a quiet time. */
class Counters {
  readonly #tries = new Map<string, Tries>();

  count(key: string): number {
    return this.#tries.get(key)?.failures ?? 0;
  }

  waitMs(key: string, nowMono: number): number {
    return (this.#tries.get(key)?.freeAtMono ?? 0) - nowMono;
  }

  add(key: string, nowMono: number): void {
    const known = this.#tries.get(key);
    const failures = known !== undefined && nowMono - known.lastMono < FORGET_MS ? known.failures + 1 : 1;
    this.#tries.delete(key);
    this.#tries.set(key, { failures, lastMono: nowMono, freeAtMono: nowMono + delayMs(failures) });
    const [oldest] = this.#tries.size > MAX_KEYS ? this.#tries.keys() : [];
    if (oldest !== undefined) this.#tries.delete(oldest);
  }

  waitFrom(key: string, nowMono: number): void {
    const known = this.#tries.get(key);
    if (known !== undefined) known.freeAtMono = Math.max(known.freeAtMono, nowMono + delayMs(known.failures));
  }

  takeBack(key: string, failures: number): void {
    const known = this.#tries.get(key);
    if (known === undefined) return;
    known.failures -= failures;
    known.freeAtMono = 0; // a try that could begin has already waited for the earlier failures
    if (known.failures <= 0) this.#tries.delete(key);
  }
}

function delayMs(failures: number): number {
  return failures < FREE_TRIES ? 0 : Math.min(LONGEST_DELAY_MS, 1000 * 2 ** (failures - FREE_TRIES));
}

function tooMany(seconds: number): Problem {
  return new Problem("rate_limited", `Too many wrong sign-ins; try again in ${seconds} s.`, {
    fields: { retryAfterSeconds: seconds },
    headers: { "Retry-After": String(seconds) },
  });
}
