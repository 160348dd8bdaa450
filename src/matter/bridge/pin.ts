import { createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../kernel/clock.js";
import { Problem } from "../../kernel/problem.js";

/** Wrong PINs in a row before nobody may try for a while. */
const MOST_WRONG = 5;
const PAUSE_MS = 5 * 60_000;
const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** Wrong ones of all homes together before nobody may try: homes join only where an owner lets them. */
const MOST_WRONG_OF_ALL = 4 * MOST_WRONG;

/** How somebody's guesses stand. */
interface Guesses {
  count: number;
  pauses: number;
  untilMono: number;
}

/**
 * The household's PIN for opening by Matter. It is short, so guesses count: after five wrong ones of a home none of its
 * is looked at for five minutes, and twice as long after each further five; after twenty of all homes together none of
 * anybody's. So a home that guesses does not keep the others out before that.
 */
export class MatterPin {
  readonly #key: Buffer;
  readonly #clock: Clock;
  readonly #wrong = new Map<string, Guesses>();

  constructor(options: { readonly key: Buffer; readonly clock: Clock }) {
    this.#key = options.key;
    this.#clock = options.clock;
  }

  /**
   * What is stored of a PIN. @throws Problem `invalid_body` unless it is 4 to 8 digits, not all alike and not in a row
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
   * Judges what somebody of a home typed.
   * @throws Problem `forbidden` where it is missing or wrong, `rate_limited` where too many were wrong before
   */
  check(siteId: number, stored: string, pin: string | null, home: string): void {
    const own = `${siteId} ${home}`;
    const all = `${siteId}`;
    const now = this.#clock.mono();
    if (pin === null || pin === "") throw new Problem("forbidden", "Opening needs the PIN.");
    if ([own, all].some((key) => now < (this.#wrong.get(key)?.untilMono ?? 0)))
      throw new Problem("rate_limited", "Too many wrong PINs; nobody opens by Matter for a while.");
    if (timingSafeEqual(Buffer.from(stored, "hex"), Buffer.from(this.#hashed(siteId, pin), "hex"))) {
      this.#wrong.delete(own); // what others guess goes on being counted
      return;
    }
    this.#count(own, MOST_WRONG, now);
    this.#count(all, MOST_WRONG_OF_ALL, now);
    throw new Problem("forbidden", "The PIN is wrong.");
  }

  #count(key: string, most: number, now: number): void {
    const state = this.#wrong.get(key) ?? { count: 0, pauses: 0, untilMono: 0 };
    state.count += 1;
    if (state.count % most === 0) {
      state.untilMono = now + Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** state.pauses);
      state.pauses += 1;
    }
    this.#wrong.set(key, state);
  }

  #hashed(siteId: number, pin: string): string {
    return createHmac("sha256", this.#key).update(`${siteId}:${pin}`).digest("hex");
  }
}

/** All digits alike, or each one more or one less than the one before. */
function isEasy(pin: string): boolean {
  const steps = new Set([...pin].slice(1).map((digit, index) => Number(digit) - Number(pin[index])));
  return steps.size === 1 && [-1, 0, 1].includes([...steps][0] ?? 0);
}
