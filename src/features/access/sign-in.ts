/**
 * Lets people in: checks e-mail address, password and second factor, slows guessing down, opens the session; changes
 * passwords; restores access for an owner who lost theirs. An unknown e-mail address gets the response of a wrong
 * password, equally late.
 */

import { randomInt } from "node:crypto";
import type { RecordFeedItem } from "../../core/api/feed-kinds.ts";
import { type Clock, isoTime } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Problem } from "../../core/kernel/problem.ts";
import { TokenBuckets } from "../../core/kernel/token-bucket.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Accounts } from "./accounts.ts";
import type { Audit } from "./audit.ts";
import type { DeviceCookies } from "./device-cookie.ts";
import type { Grants } from "./grants.ts";
import { type Attempt, LoginThrottle } from "./login-throttle.ts";
import type { Passkeys } from "./passkeys.ts";
import type { Caller, Passwords, PasswordVerdict } from "./password.ts";
import { checkPassword, checkPasswordLength } from "./password-policy.ts";
import type { Actor } from "./ports.ts";
import type { SecondFactor } from "./second-factor.ts";
import type { Sessions } from "./sessions.ts";
import type { AccountRow } from "./tables/account.ts";

/** The source of a sign-in. */
export interface SignInSource {
  readonly address: string;
  readonly userAgent: string;
  /** Over TLS; in clear unless given. */
  readonly secure?: boolean;
  /** Its Cookie header, which may show that the account signed in from this browser before. */
  readonly cookie?: string | null;
}

/** A person's input for signing in. */
export interface LoginAttempt {
  readonly email: string;
  readonly password: string;
  /** Code of the authenticator app, or a recovery code. */
  readonly totp: string | null;
}

/** An open session; `token` goes into the session's cookie, `deviceToken` into the one of {@link DeviceCookies}. */
export interface OpenedSession {
  readonly account: AccountRow;
  readonly sessionId: number;
  readonly token: string;
  readonly deviceToken: string;
}

/** Failed sign-ins of one account appear in the feed at most this often. */
const FEED_GAP_MS = 60_000;
/**
 * A failed sign-in is reported after a random delay: the write for a known account must not show in the time of any
 * answer.
 */
const TELL_AFTER_MS = { least: 200, most: 1_200 };
/** Wrong codes of a second factor beside the right password: six digits do not bear many guesses. */
const CODE_GUESSES = { quota: 10, periodMs: 3_600_000, burst: 10 };

/** The door for people. */
export class SignIn {
  readonly #options: ConstructorParameters<typeof SignIn>[0];
  readonly #throttle: LoginThrottle;
  readonly #codeGuesses = new TokenBuckets(CODE_GUESSES);
  readonly #lastFeedMono = new Map<number, number>();

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly accounts: Accounts;
    readonly sessions: Sessions;
    readonly passwords: Passwords;
    readonly secondFactor: SecondFactor;
    readonly passkeys: Pick<Passkeys, "removeAll">;
    readonly grants: Pick<Grants, "settle" | "endKind">;
    readonly devices: DeviceCookies;
    readonly audit: Audit;
    readonly recordFeedItem: RecordFeedItem;
    readonly logger: Logger;
  }) {
    this.#options = options;
    this.#throttle = new LoginThrottle(options.clock);
  }

  /** Opens a session. @throws Problem `invalid_login`, `totp_required`, `forbidden`, `rate_limited`, `unavailable` */
  async login(attempt: LoginAttempt, from: SignInSource): Promise<OpenedSession> {
    const { accounts, passwords } = this.#options;
    const { account, verdict, caller } = await this.#checked(
      attempt,
      accounts.byEmail(attempt.email.trim().toLowerCase()),
      from,
    );
    const renewed = verdict.outdated ? await passwords.hash(attempt.password, caller) : null;
    return this.openKnown(account.id, from, { judged: account.passwordHash, renewed });
  }

  /**
   * Opens a session for a person who has proved who they are, by password or passkey, and notifies the owner. While
   * storage refuses writes, the session is in memory and only logged: to free space or restore a backup, somebody has
   * to get in. `password`: the hash that theirs was compared with, which may have changed meanwhile, and the one to
   * store instead.
   * @throws Problem `invalid_login` when it was changed, `forbidden` when the person's access has ended
   */
  async openKnown(
    accountId: number,
    from: SignInSource,
    password: { readonly judged: string; readonly renewed: string | null } | null = null,
  ): Promise<OpenedSession> {
    const { accounts, sessions, database, audit, clock, recordFeedItem, devices, logger } = this.#options;
    const current = (): AccountRow => {
      const account = accounts.get(accountId);
      if (password !== null && account.passwordHash !== password.judged) throw wrongLogin();
      this.#refuseEnded(account);
      return account;
    };
    const stored = await database.writeIfPossible(() => {
      const account = current();
      if (password !== null && password.renewed !== null) accounts.setHash(accountId, password.renewed);
      const { id, token } = sessions.open(account.id, from);
      const at = clock.now();
      audit.record({
        accountId: account.id,
        actor: `session:${id}`,
        action: "session.opened",
        target: from.address,
        detail: { userAgent: from.userAgent.slice(0, 200) },
        at,
      });
      const siteId = accounts.siteIdOf(account.id, "live");
      const isKnown = devices.match(from.cookie ?? null, account) !== null;
      recordFeedItem({
        siteId,
        kind: "security.login",
        deviceId: null,
        text: {
          code: isKnown ? "security.login" : "security.loginNew",
          name: account.name,
          address: from.address,
        },
        by: account.id,
        at,
      });
      return { account, sessionId: id, token, deviceToken: devices.issue(account) };
    });
    if (stored !== null) return stored;
    const account = current();
    const { id, token } = sessions.openUnstored(accountId, from);
    logger.warn({ accountId, address: from.address }, "signed in without a record: the storage refuses writes");
    return { account, sessionId: id, token, deviceToken: devices.issue(account) };
  }

  /** Opens a session for an account that has just been made, inside a write job. */
  openFor(account: AccountRow, from: SignInSource): OpenedSession {
    const { id, token } = this.#options.sessions.open(account.id, from);
    return { account, sessionId: id, token, deviceToken: this.#options.devices.issue(account) };
  }

  /**
   * Changes one's own password, after a fresh proof; every other session of the account ends, and its invitations.
   * `sessionId`: 0 for the host; `endGrants`: also ends the person's issued grants and every other way in: somebody who
   * knew the password may have made passkeys and recovery codes.
   * @throws Problem `weak_password`, `expired_credential` when the session ended meanwhile
   */
  async changePassword(
    accountId: number,
    change: { readonly next: string; readonly sessionId: number; readonly endGrants?: boolean },
  ): Promise<void> {
    const { accounts, passwords, sessions, database, grants } = this.#options;
    const { next, sessionId, endGrants = false } = change;
    const account = accounts.get(accountId);
    checkPassword(next, { hasTotp: account.totpSecret !== null, known: [account.email, account.name] });
    const hash = await passwords.hash(next);
    await database.write(() => {
      // a hash takes its time, and so does waiting for one
      if (sessionId !== 0 && !sessions.isAlive(accountId, sessionId))
        throw new Problem("expired_credential", "The session has ended; sign in again.");
      const actor = `session:${sessionId}`;
      this.#putPassword(account, hash, { keepSession: sessionId, actor, startsAnew: endGrants });
      if (endGrants) grants.settle(accountId, {}, { accountId, actor }, "asked");
    });
  }

  /**
   * Checks password and, where there is one, second factor of a person who is signed in.
   * @throws Problem `invalid_login`, `totp_required`, `rate_limited`, `unavailable`
   */
  async prove(accountId: number, { password, totp }: Omit<LoginAttempt, "email">, from: SignInSource): Promise<void> {
    const account = this.#options.accounts.get(accountId);
    await this.#checked({ email: account.email, password, totp }, account, from);
  }

  /**
   * Sets a new password with a recovery code, for an owner who has lost the old one; second factor and passkeys go too.
   * The password is neither judged nor hashed before the code was right.
   * @throws Problem `invalid_login`, `weak_password`, `forbidden`, `rate_limited`, `unavailable`
   */
  async recover(
    attempt: { readonly email: string; readonly code: string; readonly password: string },
    from: SignInSource,
  ): Promise<void> {
    const { accounts, passwords, secondFactor, database } = this.#options;
    const account = accounts.byEmail(attempt.email.trim().toLowerCase());
    const { tried, caller } = this.#begin(attempt.email, account, from);
    if (!secondFactor.hasRecoveryCode(account?.id ?? null, attempt.code) || account === null)
      throw this.#refused(account, from, tried);
    tried.withdrawn();
    this.#refuseEnded(account);
    checkPassword(attempt.password, { hasTotp: false, known: [account.email, account.name] });
    const hash = await passwords.hash(attempt.password, caller);
    if (!(await database.write(() => secondFactor.useRecoveryCode(account.id, attempt.code))))
      throw this.#refused(account, from, tried); // used meanwhile
    tried.succeeded();
    await database.write(() => this.resetTo(account.id, hash, { accountId: account.id, actor: "hub" }));
  }

  /**
   * Sets an owner's password from the host itself; second factor off, passkeys removed, all sessions ended.
   * @throws Problem `weak_password`, `not_found`
   */
  async reset(email: string | null, password: string, by: Actor): Promise<AccountRow> {
    const { accounts, passwords, database } = this.#options;
    const account = email === null ? accounts.owner() : accounts.byEmail(email);
    if (account === null)
      throw new Problem(
        "not_found",
        email === null ? "Nobody owns this hub yet." : "There is no account with this e-mail address.",
      );
    checkPasswordLength(password, false);
    const hash = await passwords.hash(password);
    await database.write(() => this.resetTo(account.id, hash, by));
    return accounts.get(account.id);
  }

  /** As {@link reset}, inside a write job and with the password's hash. */
  resetTo(accountId: number, hash: string, by: Actor): void {
    const { accounts, secondFactor } = this.#options;
    const account = accounts.get(accountId);
    this.#putPassword(account, hash, { keepSession: 0, actor: by.actor, startsAnew: true });
    if (account.totpSecret !== null) secondFactor.remove(account.id, by);
  }

  /**
   * Checks password and, where there is one, second factor.
   * @throws Problem `invalid_login`, `totp_required`, `rate_limited`, `unavailable`
   */
  async #checked(
    attempt: LoginAttempt,
    account: AccountRow | null,
    from: SignInSource,
  ): Promise<{ account: AccountRow; verdict: PasswordVerdict; caller: Caller }> {
    const { verdict, caller, tried } = await this.#judged(attempt, account, from);
    if (account === null || !verdict.ok) throw this.#refused(account, from, tried);
    if (account.totpSecret !== null) {
      if (attempt.totp === null) {
        tried.withdrawn();
        throw new Problem("totp_required", "A code of the authenticator app is needed too.");
      }
      await this.#takeCode(account, attempt.totp, { caller, tried, from });
    }
    tried.succeeded();
    return { account, verdict, caller };
  }

  /**
   * Inside a write job. `startsAnew`: also removes everything else that would let somebody in or set the password
   * again.
   */
  #putPassword(
    account: AccountRow,
    hash: string,
    {
      keepSession,
      actor,
      startsAnew,
    }: { readonly keepSession: number; readonly actor: string; readonly startsAnew: boolean },
  ): void {
    const { accounts, sessions, passkeys, secondFactor, grants, audit, clock, recordFeedItem } = this.#options;
    const at = clock.now();
    accounts.setPassword(account.id, hash);
    if (startsAnew) {
      passkeys.removeAll(account.id);
      secondFactor.voidCodes(account.id);
    }
    const ended = sessions.endOthers(account.id, keepSession);
    grants.endKind(account.id, "invitation", { accountId: account.id, actor });
    audit.record({
      accountId: account.id,
      actor,
      action: "password.changed",
      target: account.email,
      detail: { sessionsEnded: ended },
      at,
    });
    const siteId = accounts.siteIdOf(account.id, "live");
    recordFeedItem({
      siteId,
      kind: "security.password_changed",
      deviceId: null,
      text: { code: "security.password_changed", name: account.name, n: ended },
      at,
    });
  }

  /** Counts a try before it is judged. @throws Problem `rate_limited` */
  #begin(email: string, account: AccountRow | null, from: SignInSource): { tried: Attempt; caller: Caller } {
    const device = this.#options.devices.match(from.cookie ?? null, account);
    const tried = this.#throttle.begin({ address: from.address, device }, email.trim().toLowerCase());
    return { tried, caller: device === null ? { name: from.address, known: false } : { name: device, known: true } };
  }

  /**
   * Compares a password; one that could not be compared does not count as a try.
   * @throws Problem `rate_limited`, `unavailable`
   */
  async #judged(
    { email, password }: Pick<LoginAttempt, "email" | "password">,
    account: AccountRow | null,
    from: SignInSource,
  ): Promise<{ verdict: PasswordVerdict; tried: Attempt; caller: Caller }> {
    const { tried, caller } = this.#begin(email, account, from);
    try {
      return {
        verdict: await this.#options.passwords.verify(password, account?.passwordHash ?? null, caller),
        tried,
        caller,
      };
    } catch (error) {
      tried.withdrawn();
      throw error;
    }
  }

  /**
   * Takes a code of the second factor; wrong ones are counted before they are judged.
   * @throws Problem `invalid_login`, `rate_limited`
   */
  async #takeCode(
    account: AccountRow,
    code: string,
    { caller, tried, from }: { readonly caller: Caller; readonly tried: Attempt; readonly from: SignInSource },
  ): Promise<void> {
    const { secondFactor, clock } = this.#options;
    const key = `${account.id} ${caller.known ? caller.name : ""}`;
    const { allowed, retryAfterSeconds } = this.#codeGuesses.take(key, clock.mono());
    if (!allowed) {
      throw new Problem(
        "rate_limited",
        "Too many wrong codes; try again later, or from a browser that you have used before.",
        {
          fields: { retryAfterSeconds },
          headers: { "Retry-After": String(retryAfterSeconds) },
        },
      );
    }
    if (!(await secondFactor.take(account, code))) throw this.#refused(account, from, tried);
    this.#codeGuesses.giveBack(key);
  }

  /** For a person who has proved who they are. @throws Problem `forbidden` */
  #refuseEnded(account: AccountRow): void {
    const { endsAt } = account;
    if (endsAt === null || !this.#options.accounts.hasEnded(account)) return;
    throw new Problem("forbidden", { code: "forbidden.accessEnded", at: isoTime(endsAt) });
  }

  /** Has the owner notified of a failure, and returns the one refusal that all failures share. */
  #refused(account: AccountRow | null, from: SignInSource, tried: Attempt): Problem {
    tried.failed();
    if (account !== null) this.#tellOwner(account, from);
    return wrongLogin();
  }

  #tellOwner(account: AccountRow, from: SignInSource): void {
    const { clock, database, accounts, audit, recordFeedItem, logger } = this.#options;
    const last = this.#lastFeedMono.get(account.id);
    if (last !== undefined && clock.mono() - last < FEED_GAP_MS) return;
    this.#lastFeedMono.set(account.id, clock.mono());
    const at = clock.now();
    const tell = (): void => {
      audit.record({ accountId: account.id, actor: "hub", action: "login.failed", target: from.address, at });
      recordFeedItem({
        siteId: accounts.siteIdOf(account.id, "live"),
        kind: "security.login_failed",
        deviceId: null,
        text: { code: "security.login_failed", address: from.address, email: account.email },
        at,
      });
    };
    clock.after(randomInt(TELL_AFTER_MS.least, TELL_AFTER_MS.most), () => {
      database
        .write(tell)
        .catch((error: unknown) => logger.warn({ err: error }, "a refused sign-in could not be reported"));
    });
  }
}

function wrongLogin(): Problem {
  return new Problem("invalid_login", "E-mail address, password or code is wrong.");
}
