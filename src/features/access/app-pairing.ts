/**
 * Pairing of apps (RFC 8628, device authorization grant). Owns the pending pairings, in memory only: an app's request,
 * the code that a person types, and the approval. The key itself is made when the app fetches it, for the person who
 * approved, if that person still may; it is stored nowhere until then. A member's app belongs to the member's account
 * and ends with it.
 */

import { createHash, randomBytes, randomInt } from "node:crypto";
import type { Caller } from "../../core/api/caller.ts";
import type { Scope } from "../../core/api/scopes.ts";
import { shareOf } from "../../core/kernel/admission.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { TokenBuckets } from "../../core/kernel/token-bucket.ts";
import type { Authenticator } from "./authenticator.ts";
import type { NewKey } from "./keys.ts";

/** An app's request. */
export interface AppRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly address: string;
}

/** The codes of a pairing; times in seconds. */
export interface PairingCodes {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly expiresIn: number;
  readonly interval: number;
}

/** A pairing that waits, as a person sees it; times are epoch milliseconds. */
export interface WaitingApp extends AppRequest {
  readonly startedAt: number;
  readonly expiresAt: number;
}

/** RFC 8628 §6.1: no vowels, so that no words arise; 20^8 are 34 bits. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const LETTERS_IN_CODE = 8;
const LIFE_MS = 600_000;
const INTERVAL_S = 2;
/** RFC 8628 §3.5. */
const SLOWER_BY_S = 5;
/** A question a little early is not held against a clock that is a little fast. */
const GRACE_MS = 200;
const MOST_OF_ADDRESS = 5;
const MOST_IN_ALL = 200;
/** Wrong codes of one person. */
const GUESSES = { quota: 10, periodMs: 600_000, burst: 10 };

interface Pairing {
  readonly deviceHash: string;
  readonly userCode: string;
  readonly app: WaitingApp;
  readonly endsMono: number;
  intervalS: number;
  askedMono: number;
  verdict: "waiting" | "denied" | Approval;
}

interface Approval {
  readonly caller: Caller;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** When the person was given the role with which they approved. */
  readonly roleAt: number | null;
}

/** The pairings that wait. */
export class AppPairing {
  readonly #options: ConstructorParameters<typeof AppPairing>[0];
  readonly #byDevice = new Map<string, Pairing>();
  readonly #guesses = new TokenBuckets(GUESSES);

  constructor(options: {
    readonly clock: Clock;
    readonly authenticator: Pick<Authenticator, "stands">;
    /** When a person was given their role; an approval with an earlier one is void. */
    readonly roleAt?: (accountId: number) => number | null;
    /** Makes the key; returns its text. @throws Problem `limit_reached` */
    readonly makeKey: (caller: Caller, key: NewKey) => Promise<string>;
  }) {
    this.#options = options;
  }

  /** Pairings that are kept now. */
  get waiting(): number {
    return this.#byDevice.size;
  }

  /** Begins a pairing. @throws Problem `rate_limited` where five of the address wait */
  begin(app: AppRequest): PairingCodes {
    this.#forgetOld();
    const { clock } = this.#options;
    const own = [...this.#byDevice.values()].filter(
      ({ app: { address } }) => shareOf(address) === shareOf(app.address),
    );
    if (own.length >= MOST_OF_ADDRESS) {
      const seconds = Math.max(1, Math.ceil((Math.min(...own.map(({ endsMono }) => endsMono)) - clock.mono()) / 1_000));
      throw tooMany("So many apps of this address wait for approval that no more are taken.", seconds);
    }
    if (this.#byDevice.size >= MOST_IN_ALL) this.#makeRoom(own.length);
    const deviceCode = randomBytes(32).toString("base64url");
    const startedAt = clock.now();
    const pairing: Pairing = {
      deviceHash: hashOf(deviceCode),
      userCode: this.#newUserCode(),
      app: { ...app, startedAt, expiresAt: startedAt + LIFE_MS },
      endsMono: clock.mono() + LIFE_MS,
      intervalS: INTERVAL_S,
      askedMono: Number.NEGATIVE_INFINITY,
      verdict: "waiting",
    };
    this.#byDevice.set(pairing.deviceHash, pairing);
    const shown = `${pairing.userCode.slice(0, 4)}-${pairing.userCode.slice(4)}`;
    return { deviceCode, userCode: shown, expiresIn: LIFE_MS / 1_000, interval: INTERVAL_S };
  }

  /**
   * When all places are taken, the address with most of them loses its latest; earlier ones stay.
   * @throws Problem `rate_limited` if no address has more than the newcomer, which already has `own`, would have
   */
  #makeRoom(own: number): void {
    const shares = new Map<string, Pairing[]>();
    for (const pairing of this.#byDevice.values()) {
      const share = shareOf(pairing.app.address);
      shares.set(share, [...(shares.get(share) ?? []), pairing]);
    }
    const most = [...shares.values()].reduce((a, b) => (b.length > a.length ? b : a));
    const latest = most.at(-1);
    if (latest === undefined || most.length <= own + 1)
      throw tooMany("So many apps wait for approval that no more are taken.", 60);
    this.#byDevice.delete(latest.deviceHash);
  }

  /** The app that shows a code. @throws Problem `invalid_code`, `rate_limited` after ten wrong ones */
  look(userCode: string, caller: Caller): WaitingApp {
    return this.#waitingFor(userCode, caller).app;
  }

  /**
   * Approves an app; the key is made when it comes for it. Its scopes are at most those that it asked for and that the
   * person has.
   * @throws Problem `invalid_code`, `rate_limited`, `insufficient_scope`
   */
  approve(
    userCode: string,
    caller: Caller,
    { name, scopes }: { readonly name: string; readonly scopes: readonly Scope[] },
  ): WaitingApp {
    const pairing = this.#waitingFor(userCode, caller);
    const beyond = scopes.find((scope) => !caller.scopes.includes(scope) || !pairing.app.scopes.includes(scope));
    if (beyond !== undefined) {
      const message = caller.scopes.includes(beyond)
        ? `The app did not ask for ${beyond}.`
        : `You do not have the scope ${beyond} yourself.`;
      throw new Problem("insufficient_scope", message, { fields: { requiredScope: beyond, keyScopes: caller.scopes } });
    }
    pairing.verdict = { caller, name, scopes, roleAt: this.#roleAt(caller) };
    return pairing.app;
  }

  /** Refuses an app. @throws Problem `invalid_code`, `rate_limited` */
  deny(userCode: string, caller: Caller): WaitingApp {
    const pairing = this.#waitingFor(userCode, caller);
    pairing.verdict = "denied";
    return pairing.app;
  }

  /**
   * The app fetches its key, which is returned only once.
   * @throws Problem `authorization_pending`, `slow_down`, `access_denied`, `expired_token`; `limit_reached` when the
   *   household has too many keys
   */
  async fetch(deviceCode: string): Promise<{ readonly secret: string; readonly scopes: readonly Scope[] }> {
    this.#forgetOld();
    const { clock, authenticator, makeKey } = this.#options;
    const pairing = this.#byDevice.get(hashOf(deviceCode));
    if (pairing === undefined) throw new Problem("expired_token", "The pairing is over, or there never was one.");
    const now = clock.mono();
    const isEarly = now - pairing.askedMono < pairing.intervalS * 1_000 - GRACE_MS;
    pairing.askedMono = now;
    if (isEarly) {
      pairing.intervalS += SLOWER_BY_S;
      throw new Problem("slow_down", `Ask every ${pairing.intervalS} seconds.`, {
        fields: { interval: pairing.intervalS },
      });
    }
    const { verdict } = pairing;
    if (verdict === "waiting")
      throw new Problem("authorization_pending", "Nobody has approved the app yet.", {
        fields: { interval: pairing.intervalS },
      });
    this.#byDevice.delete(pairing.deviceHash); // delivered at most once from here on
    const holds =
      verdict !== "denied" && authenticator.stands(verdict.caller) && verdict.roleAt === this.#roleAt(verdict.caller);
    if (!holds) throw new Problem("access_denied", "The app was not approved.");
    const { caller, name, scopes } = verdict;
    return { secret: await makeKey(caller, { name, env: "live", scopes, origins: [], expiresAt: null }), scopes };
  }

  #roleAt({ accountId }: Caller): number | null {
    return this.#options.roleAt?.(accountId) ?? null;
  }

  /** A guess is counted before it is judged. */
  #waitingFor(userCode: string, caller: Caller): Pairing {
    this.#forgetOld();
    const plain = userCode.replace(/[^a-z]/gi, "").toUpperCase();
    const found = [...this.#byDevice.values()].find(
      (pairing) => pairing.verdict === "waiting" && pairing.userCode === plain,
    );
    const guesser = String(caller.accountId);
    const { clock } = this.#options;
    const verdict = this.#guesses.take(guesser, clock.mono());
    if (!verdict.allowed) throw tooMany("Too many wrong codes.", verdict.retryAfterSeconds);
    if (found !== undefined) {
      this.#guesses.giveBack(guesser);
      return found;
    }
    throw new Problem("invalid_code", "No app shows this code, or its ten minutes are over.", {
      details: [{ field: "/userCode", code: "wrong_code", message: "is shown by no app" }],
    });
  }

  #newUserCode(): string {
    const taken = new Set([...this.#byDevice.values()].map(({ userCode }) => userCode));
    for (;;) {
      const code = Array.from({ length: LETTERS_IN_CODE }, () => LETTERS[randomInt(LETTERS.length)]).join("");
      if (!taken.has(code)) return code;
    }
  }

  #forgetOld(): void {
    const now = this.#options.clock.mono();
    for (const [hash, { endsMono }] of this.#byDevice) if (endsMono <= now) this.#byDevice.delete(hash);
  }
}

/** Looked up by its hash, so that the time of a comparison reveals nothing. */
function hashOf(deviceCode: string): string {
  return createHash("sha256").update(deviceCode).digest("hex");
}

function tooMany(message: string, seconds: number): Problem {
  return new Problem("rate_limited", message, {
    fields: { retryAfterSeconds: seconds },
    headers: { "Retry-After": String(seconds) },
  });
}
