import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../../core/kernel/clock.ts";
import { Problem } from "../../../core/kernel/problem.ts";

/** Wrong PINs in a row before a home has to pause. */
const MOST_WRONG = 5;
const PAUSE_MS = 5 * 60_000;
const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** Wrong PINs of all homes together before every home has to pause: homes join only when an owner lets them. */
const MOST_WRONG_OF_ALL = 4 * MOST_WRONG;

/** One home's guesses so far. */
export interface Guesses {
  readonly count: number;
  readonly pauses: number;
  /** When the last pause ends (epoch ms). */
  readonly until: number;
}

/** Keeps the guesses at a household's PIN over restarts, by home; {@link ALL} counts those of all homes together. */
export interface GuessStore {
  read(siteId: number): Readonly<Record<string, Guesses>>;
  write(siteId: number, guesses: Readonly<Record<string, Guesses>>): void;
}

const ALL = "all";

/** A household's guesses, with pauses by the monotonic clock. */
type Standing = Map<string, { readonly count: number; readonly pauses: number; readonly untilMono: number }>;

/**
 * The household's PIN for opening by Matter. It is short, so guesses count: after five wrong ones from a home, no PIN
 * from it is checked for five minutes, and twice as long after each further five; after twenty from all homes together,
 * none from anybody. So a home that guesses does not lock the others out before that. A restart of the hub forgets
 * nothing.
 */
export class MatterPin {
  readonly #key: Buffer;
  readonly #clock: Clock;
  readonly #store: GuessStore;
  readonly #begunMono: number;
  readonly #wrong = new Map<number, Standing>();

  constructor(options: { readonly key: Buffer; readonly clock: Clock; readonly store: GuessStore }) {
    this.#key = options.key;
    this.#clock = options.clock;
    this.#store = options.store;
    this.#begunMono = options.clock.mono();
  }

  /**
   * The stored form of a PIN. @throws Problem `invalid_body` unless it is 4 to 8 digits, not all alike and not in a row
   */
  hash(siteId: number, pin: string): string {
    const code = /^\d{4,8}$/.test(pin) ? (isEasy(pin) ? "too_easy" : null) : "bad_format";
    if (code !== null) {
      const message = code === "bad_format" ? "a PIN has 4 to 8 digits" : "this PIN is guessed first";
      throw new Problem("invalid_body", `/pin: ${message}.`, { details: [{ field: "/pin", code, message }] });
    }
    return this.#hashed(siteId, pin);
  }

  /**
   * Checks a PIN typed in a home.
   * @throws Problem `forbidden` if it is missing or wrong, `rate_limited` after too many wrong ones
   */
  check(siteId: number, stored: string, pin: string | null, home: string): void {
    const wrong = this.#standing(siteId);
    const now = this.#clock.mono();
    if (pin === null || pin === "") throw new Problem("forbidden", { code: "forbidden.matterPinNeeded" });
    if ([home, ALL].some((who) => now < (wrong.get(who)?.untilMono ?? 0)))
      throw new Problem("rate_limited", "Too many wrong PINs; nobody opens by Matter for a while.");
    if (timingSafeEqual(Buffer.from(stored, "hex"), Buffer.from(this.#hashed(siteId, pin), "hex"))) {
      if (wrong.delete(home)) this.#keep(siteId, wrong); // others' guesses still count
      return;
    }
    counted(wrong, home, MOST_WRONG, now);
    counted(wrong, ALL, MOST_WRONG_OF_ALL, now);
    this.#keep(siteId, wrong);
    throw new Problem("forbidden", { code: "forbidden.matterPinWrong" });
  }

  /**
   * The last stored attempts. The host's clock may have been set since: that lengthens no pause, and an attacker who
   * gains from it still has only five tries before a longer pause.
   */
  #standing(siteId: number): Standing {
    const known = this.#wrong.get(siteId);
    if (known !== undefined) return known;
    const standing: Standing = new Map();
    const begunAt = this.#clock.now() - (this.#clock.mono() - this.#begunMono);
    for (const [who, { count, pauses, until }] of Object.entries(this.#store.read(siteId))) {
      const longestMs = pauses === 0 ? 0 : pauseMs(pauses - 1);
      standing.set(who, { count, pauses, untilMono: this.#begunMono + Math.min(until - begunAt, longestMs) });
    }
    this.#wrong.set(siteId, standing);
    return standing;
  }

  #keep(siteId: number, standing: Standing): void {
    const { now, mono } = { now: this.#clock.now(), mono: this.#clock.mono() };
    const guesses = [...standing].map(([who, { untilMono, ...rest }]) => [
      who,
      { ...rest, until: Math.round(now + untilMono - mono) },
    ]);
    this.#store.write(siteId, Object.fromEntries(guesses));
  }

  #hashed(siteId: number, pin: string): string {
    return createHmac("sha256", this.#key).update(`${siteId}:${pin}`).digest("hex");
  }
}

function counted(standing: Standing, who: string, most: number, now: number): void {
  const { count, pauses, untilMono } = standing.get(who) ?? { count: 0, pauses: 0, untilMono: now };
  const isPaused = (count + 1) % most === 0;
  standing.set(who, {
    count: count + 1,
    pauses: isPaused ? pauses + 1 : pauses,
    untilMono: isPaused ? now + pauseMs(pauses) : untilMono,
  });
}

function pauseMs(before: number): number {
  return Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** before);
}

/** All digits alike, or each one more or one less than the last. */
function isEasy(pin: string): boolean {
  const steps = new Set([...pin].slice(1).map((digit, index) => Number(digit) - Number(pin[index])));
  return steps.size === 1 && [-1, 0, 1].includes([...steps][0] ?? 0);
}
