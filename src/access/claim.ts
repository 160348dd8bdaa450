/**
 * First run: whoever holds the claim code, which only the box itself shows, becomes the owner. The code is derived from
 * the hub's key: it is stored nowhere, is the same after a restart, and is void once the hub is owned.
 */
import type { Clock } from "../kernel/clock.js";
import { equalsInConstantTime } from "../kernel/ids.js";
import { Problem } from "../kernel/problem.js";
import { TokenBuckets } from "../kernel/token-bucket.js";
import type { Database } from "../storage/database.js";
import type { Accounts } from "./accounts.js";
import type { HubKey } from "./hub-key.js";
import type { Passwords } from "./password.js";
import { checkPassword } from "./password-policy.js";
import { isPrivateAddress } from "./private-address.js";
import type { OpenedSession, SignIn, SignInSource } from "./sign-in.js";

/** What {@link Claim} works with. */
export interface ClaimOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly hubKey: HubKey;
  readonly accounts: Accounts;
  readonly passwords: Passwords;
  readonly signIn: SignIn;
  /** Take the code from public addresses too. */
  readonly fromAnywhere: boolean;
}

/** What the first owner says. */
export interface ClaimRequest {
  readonly code: string;
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/** Crockford's base32: no I, L, O, U. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_LENGTH = 10;
const TRIES = 10;
const PERIOD_MS = 10 * 60_000;

/** The one-time way to own a hub. */
export class Claim {
  readonly #options: ClaimOptions;
  readonly #tries = new TokenBuckets({ quota: TRIES, periodMs: PERIOD_MS, burst: TRIES });

  constructor(options: ClaimOptions) {
    this.#options = options;
  }

  /** Whether somebody owns the hub. Until then no credential exists, so the API, the broker and webhooks answer nobody. */
  get claimed(): boolean {
    return this.#options.accounts.claimed;
  }

  /** The code to print at start, as `ABCDE-FGHJK`; null once the hub is owned. */
  code(): string | null {
    if (this.claimed) return null;
    const plain = this.#plainCode();
    return `${plain.slice(0, 5)}-${plain.slice(5)}`;
  }

  /**
   * Makes the first account and opens its session.
   * @throws Problem `conflict` when the hub is owned, `forbidden` from a public address, `invalid_code`, `rate_limited`, `weak_password`
   */
  async claim(request: ClaimRequest, from: SignInSource): Promise<OpenedSession> {
    const { accounts, passwords, database, signIn, clock, fromAnywhere } = this.#options;
    if (this.claimed) throw owned();
    if (!fromAnywhere && !isPrivateAddress(from.address)) throw new Problem("forbidden", "A hub can be claimed from its own network only.");
    const verdict = this.#tries.take(from.address, clock.mono());
    if (!verdict.allowed) {
      const headers = { "Retry-After": String(verdict.retryAfterSeconds) };
      throw new Problem("rate_limited", "Too many wrong codes; wait a minute.", { fields: { retryAfterSeconds: verdict.retryAfterSeconds }, headers });
    }
    if (!equalsInConstantTime(readable(request.code), this.#plainCode())) {
      const message = "is not the code that the hub shows";
      throw new Problem("invalid_code", "The claim code is wrong.", { details: [{ field: "/code", code: "invalid", message }] });
    }
    checkPassword(request.password, { hasTotp: false, known: [request.email, request.name] });
    const passwordHash = await passwords.hash(request.password);
    return database.write(() => {
      if (this.claimed) throw owned(); // two at once: the first wins
      const account = accounts.create({ email: request.email, name: request.name, passwordHash }, { accountId: null, actor: "claim" });
      return signIn.openFor(account, from);
    });
  }

  #plainCode(): string {
    const bytes = this.#options.hubKey.derive("claim code");
    return Array.from(bytes.subarray(0, CODE_LENGTH), (byte) => ALPHABET[byte & 31]).join("");
  }
}

/** What a person typed, in the code's own letters. */
function readable(code: string): string {
  return code.replace(/[\s-]/g, "").toUpperCase().replace(/O/g, "0").replace(/[IL]/g, "1");
}

function owned(): Problem {
  return new Problem("conflict", "This hub has an owner already.");
}
