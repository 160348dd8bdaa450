import { randomInt } from "node:crypto";
import type { Clock } from "../../core/kernel/clock.ts";
import { sha256Hex } from "../../core/kernel/ids.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { HubKey } from "../../core/platform/hub-key.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Accounts } from "./accounts.ts";
import type { Audit } from "./audit.ts";
import type { Actor } from "./ports.ts";
import type { AccountRow } from "./tables/account.ts";
import { RecoveryCodeTable } from "./tables/recovery-code.ts";
import { base32, matchTotp, newTotpSecret, otpauthUri } from "./totp.ts";

/** Codes of one set. */
const RECOVERY_CODES = 10;
/** A secret that was shown and not confirmed by then is forgotten. */
const ENROL_MS = 15 * 60_000;
const MAX_ENROLLING = 100;
/** Letters and digits that cannot be mistaken for each other: 32 of them, so ten make 50 bits. */
const CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";

/** Second factors of the accounts: codes of an authenticator app, and one-time recovery codes. */
export class SecondFactor {
  readonly #options: ConstructorParameters<typeof SecondFactor>[0];
  readonly #codes: RecoveryCodeTable;
  readonly #enrolling = new Map<number, { readonly secret: Buffer; readonly untilMono: number }>();

  /** The last step of each account whose use could not be stored. */
  readonly #unstoredSteps = new Map<number, number>();

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly accounts: Accounts;
    readonly audit: Audit;
    readonly hubKey: HubKey;
  }) {
    this.#options = options;
    this.#codes = new RecoveryCodeTable(options.database);
  }

  /** Makes a secret to be put into an authenticator app; it counts only once {@link confirm} has seen a code of it. */
  begin(accountId: number): { readonly secret: string; readonly uri: string } {
    const { accounts, clock } = this.#options;
    const { email } = accounts.get(accountId);
    const secret = newTotpSecret();
    if (this.#enrolling.size >= MAX_ENROLLING) this.#enrolling.clear();
    this.#enrolling.set(accountId, { secret, untilMono: clock.mono() + ENROL_MS });
    return { secret: base32(secret), uri: otpauthUri(secret, email, "Gatehouse") };
  }

  /**
   * Switches the second factor on and returns fresh recovery codes.
   * @throws Problem `invalid_code`, `conflict` when nothing was begun
   */
  async confirm(accountId: number, code: string, by: Actor): Promise<readonly string[]> {
    const { database, clock, accounts, audit, hubKey } = this.#options;
    const begun = this.#enrolling.get(accountId);
    if (begun === undefined || begun.untilMono < clock.mono())
      throw new Problem("conflict", { code: "conflict.secondFactorAgain" });
    const step = matchTotp(begun.secret, code, clock.now());
    if (step === null) throw invalidCode();
    const codes = newRecoveryCodes();
    await database.write(() => {
      accounts.setTotp(accountId, hubKey.seal(begun.secret, contextOf(accountId)));
      accounts.useTotpStep(accountId, step);
      this.#codes.replace(accountId, codes.map(hashOf));
      audit.record({
        accountId,
        actor: by.actor,
        action: "totp.enabled",
        target: accounts.get(accountId).email,
        at: clock.now(),
      });
    });
    this.#enrolling.delete(accountId);
    return codes;
  }

  /** Switches the second factor off; recovery codes go with it. */
  async disable(accountId: number, by: Actor): Promise<void> {
    await this.#options.database.write(() => this.remove(accountId, by));
  }

  /** As {@link disable}, inside a write job. */
  remove(accountId: number, by: Actor): void {
    const { clock, accounts, audit } = this.#options;
    accounts.setTotp(accountId, null);
    this.voidCodes(accountId);
    audit.record({
      accountId,
      actor: by.actor,
      action: "totp.disabled",
      target: accounts.get(accountId).email,
      at: clock.now(),
    });
  }

  /** A fresh set of recovery codes; all earlier ones are void. */
  async renewCodes(accountId: number, by: Actor): Promise<readonly string[]> {
    const { database, clock, accounts, audit } = this.#options;
    const codes = newRecoveryCodes();
    await database.write(() => {
      this.#codes.replace(accountId, codes.map(hashOf));
      audit.record({
        accountId,
        actor: by.actor,
        action: "recovery_codes.renewed",
        target: accounts.get(accountId).email,
        at: clock.now(),
      });
    });
    return codes;
  }

  /** Inside a write job: voids all recovery codes. */
  voidCodes(accountId: number): void {
    this.#codes.replace(accountId, []);
  }

  /** Recovery codes that have not been used. */
  codesLeft(accountId: number): number {
    return this.#codes.countUnused(accountId);
  }

  /** Takes a code of the app or a recovery code; each works once. False when it is neither. */
  async take(account: AccountRow, code: string): Promise<boolean> {
    const { database, clock, accounts, hubKey, audit } = this.#options;
    if (account.totpSecret === null) return true;
    const step = matchTotp(hubKey.open(account.totpSecret, contextOf(account.id)), code, clock.now());
    if (step !== null)
      return (
        (await database.writeIfPossible(() => accounts.useTotpStep(account.id, step))) ??
        this.#useUnstored(account, step)
      );
    if (!isRecoveryCode(code)) return false;
    return database.write(() => {
      if (!this.#codes.use(account.id, hashOf(code), clock.now())) return false;
      const left = this.#codes.countUnused(account.id);
      audit.record({
        accountId: account.id,
        actor: "hub",
        action: "recovery_code.used",
        target: account.email,
        detail: { left },
        at: clock.now(),
      });
      return true;
    });
  }

  /** Each code of the app works once also while the storage takes nothing. */
  #useUnstored({ id, totpStep }: AccountRow, step: number): boolean {
    if (step <= Math.max(totpStep, this.#unstoredSteps.get(id) ?? 0)) return false;
    this.#unstoredSteps.set(id, step);
    return true;
  }

  /**
   * Whether an account has this recovery code to use; null stands for an account that does not exist and costs the same
   * time.
   */
  hasRecoveryCode(accountId: number | null, code: string): boolean {
    return this.#codes.isUnused(accountId ?? 0, hashOf(code)) && isRecoveryCode(code);
  }

  /** Uses up a recovery code instead of a password, inside a write job. False when it is not one. */
  useRecoveryCode(accountId: number, code: string): boolean {
    return isRecoveryCode(code) && this.#codes.use(accountId, hashOf(code), this.#options.clock.now());
  }
}

function contextOf(accountId: number): string {
  return `totp ${accountId}`;
}

function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const code = Array.from({ length: 10 }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join("");
    return `${code.slice(0, 5)}-${code.slice(5)}`;
  });
}

function plainOf(code: string): string {
  return code.replace(/[\s-]/g, "").toUpperCase();
}

function isRecoveryCode(code: string): boolean {
  return /^[2-9A-HJ-NP-Z]{10}$/.test(plainOf(code));
}

function hashOf(code: string): string {
  return sha256Hex(plainOf(code));
}

function invalidCode(): Problem {
  return new Problem("invalid_code", "The code is wrong or was used before.", {
    details: [{ field: "/code", code: "wrong_code", message: "is wrong or was used before" }],
  });
}
