/**
 * First run: the person with the claim code, which only the host shows, becomes the owner. The code is derived from the
 * hub's key (or given to the host before its first start): it is the same after a restart, and void once the hub is
 * owned.
 */

import { join } from "node:path";
import { shareOf } from "../../core/kernel/admission.ts";
import type { Clock } from "../../core/kernel/clock.ts";
import { withDeadline } from "../../core/kernel/deadline.ts";
import { equalsInConstantTime } from "../../core/kernel/ids.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { smallFileText } from "../../core/kernel/small-file.ts";
import { TokenBuckets } from "../../core/kernel/token-bucket.ts";
import type { HubKey } from "../../core/platform/hub-key.ts";
import { localAddresses } from "../../core/platform/network.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Language } from "../../core/text/render.ts";
import type { Accounts } from "./accounts.ts";
import type { Passwords } from "./password.ts";
import { checkPassword } from "./password-policy.ts";
import { isPrivateAddress } from "./private-address.ts";
import type { Proofs } from "./proof.ts";
import type { OpenedSession, SignIn, SignInSource } from "./sign-in.ts";

/** What the first owner submits. */
export interface ClaimRequest {
  readonly code: string;
  readonly email: string;
  readonly name: string;
  readonly password: string;
  readonly timeZone?: string | undefined;
  readonly language?: Language | undefined;
}

/** Crockford's base32: no I, L, O, U. */
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_LENGTH = 10;
const GIVEN_FILE = "claim-code";
const GIVEN_CODE = new RegExp(`^[${ALPHABET}]{8,20}$`);
const TRIES = 10;
const PERIOD_MS = 10 * 60_000;
/** Longest that the answer to a claim waits for what is made with it. */
const MADE_WITHIN_MS = 15_000;

/** The one-time way to own a hub. */
export class Claim {
  readonly #options: ConstructorParameters<typeof Claim>[0];
  readonly #tries = new TokenBuckets({ quota: TRIES, periodMs: PERIOD_MS, burst: TRIES });
  readonly #waitsFor: (() => Promise<unknown>)[] = [];

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly hubKey: HubKey;
    readonly accounts: Accounts;
    readonly passwords: Passwords;
    readonly signIn: SignIn;
    readonly proofs: Proofs;
    /** Take the code from public addresses too. */
    readonly fromAnywhere: boolean;
    /**
     * Whether this hub had an owner, although its database may not know one: then it cannot be claimed by the first
     * comer.
     */
    readonly hadOwner: () => boolean;
    /**
     * A code that an installer gave the host before its first start ({@link givenClaimCode}); null to use the derived
     * one.
     */
    readonly givenCode: string | null;
  }) {
    this.#options = options;
  }

  /**
   * Whether the hub has an owner, even if its accounts are lost. Until then no credential exists, so the API, the
   * broker and webhooks refuse everybody.
   */
  get claimed(): boolean {
    return this.#options.accounts.claimed || this.#options.hadOwner();
  }

  /** Whether the hub had an owner and its accounts are lost: sign-in is impossible until a backup is restored. */
  get isLost(): boolean {
    return !this.#options.accounts.claimed && this.#options.hadOwner();
  }

  /** The code to print at start, as `ABCDE-FGHJK`; null once the hub is owned. */
  code(): string | null {
    if (this.claimed) return null;
    return (
      this.#plainCode()
        .match(/.{1,5}/g)
        ?.join("-") ?? null
    );
  }

  /**
   * The answer to a claim waits some seconds for what `made` resolves with, so that the owner's first look finds it. It
   * is called once the account is there, and must not reject.
   */
  waitFor(made: () => Promise<unknown>): void {
    this.#waitsFor.push(made);
  }

  /**
   * Makes the first account and opens its session.
   * @throws Problem `conflict` when the hub is owned, `forbidden` from a public address, `invalid_code`,
   *   `rate_limited`, `weak_password`
   */
  async claim(request: ClaimRequest, from: SignInSource): Promise<OpenedSession> {
    const { accounts, passwords, database, clock, signIn, proofs } = this.#options;
    this.check(request.code, from);
    checkPassword(request.password, { hasTotp: false, known: [request.email, request.name] });
    const passwordHash = await passwords.hash(request.password);
    const opened = await database.write(() => {
      if (this.claimed) throw owned(); // two at once: the first wins
      const account = accounts.create(
        {
          email: request.email,
          name: request.name,
          passwordHash,
          timeZone: request.timeZone,
          language: request.language,
        },
        { accountId: null, actor: "claim" },
      );
      const session = signIn.openFor(account, from);
      proofs.claimed(session.sessionId, account.id);
      return session;
    });
    await withDeadline(clock, MADE_WITHIN_MS, () => Promise.all(this.#waitsFor.map((made) => made()))).answer;
    return opened;
  }

  /** Whether the code is taken from an address: of the home or the host itself, unless the settings say otherwise. */
  isTakenFrom(address: string): boolean {
    return this.#options.fromAnywhere || isPrivateAddress(address) || localAddresses().includes(address);
  }

  /**
   * Checks the claim code of a hub without an owner.
   * @throws Problem `conflict` when the hub is owned, `forbidden` from a public address, `invalid_code`, `rate_limited`
   */
  check(code: string, from: Pick<SignInSource, "address">): void {
    const { clock } = this.#options;
    if (this.isLost) throw lost();
    if (this.claimed) throw owned();
    if (!this.isTakenFrom(from.address)) throw new Problem("forbidden", { code: "forbidden.claimElsewhere" });
    const verdict = this.#tries.take(shareOf(from.address), clock.mono());
    if (!verdict.allowed) {
      const headers = { "Retry-After": String(verdict.retryAfterSeconds) };
      throw new Problem("rate_limited", "Too many wrong codes; wait a minute.", {
        fields: { retryAfterSeconds: verdict.retryAfterSeconds },
        headers,
      });
    }
    if (!equalsInConstantTime(readable(code), this.#plainCode())) {
      const message = "is not the code that the hub shows";
      throw new Problem("invalid_code", "The claim code is wrong.", {
        details: [{ field: "/code", code: "wrong_code", message }],
      });
    }
  }

  #plainCode(): string {
    if (this.#options.givenCode !== null) return this.#options.givenCode;
    const bytes = this.#options.hubKey.derive("claim code");
    return Array.from(bytes.subarray(0, CODE_LENGTH), (byte) => ALPHABET[byte & 31]).join("");
  }
}

/**
 * The claim code in the data folder's file `claim-code`, normalised; null if there is none or it does not have 8 to 20
 * characters. A shop that prepares hosts prints its own codes on their cards.
 */
export function givenClaimCode(dataFolder: string): string | null {
  const code = readable(smallFileText(join(dataFolder, GIVEN_FILE)) ?? "");
  return GIVEN_CODE.test(code) ? code : null;
}

/** A person's input, normalised to the letters of codes. */
function readable(code: string): string {
  return code.replace(/[\s-]/g, "").toUpperCase().replace(/O/g, "0").replace(/[IL]/g, "1");
}

function owned(): Problem {
  return new Problem("conflict", { code: "conflict.hasOwner" });
}

function lost(): Problem {
  return new Problem(
    "conflict",
    { code: "conflict.ownerLost" },
    {
      hint: "On the host: 'gatehouse restore FILE' brings a backup back; deleting the data folder begins anew.",
    },
  );
}
