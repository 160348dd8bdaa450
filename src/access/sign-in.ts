/**
 * Lets people in: checks e-mail address, password and second factor, slows guessing down, opens the session; changes
 * passwords; gives the hub back to an owner who lost theirs. An unknown address takes as long as a wrong password.
 */
import type { Clock } from "../kernel/clock.js";
import { Problem } from "../kernel/problem.js";
import type { Database } from "../storage/database.js";
import type { AccountRow } from "../storage/tables/account.js";
import type { Accounts } from "./accounts.js";
import type { Audit } from "./audit.js";
import { LoginThrottle } from "./login-throttle.js";
import type { Passkeys } from "./passkeys.js";
import type { Passwords } from "./password.js";
import { checkPassword, checkPasswordLength } from "./password-policy.js";
import type { Actor, RecordFeedItem } from "./ports.js";
import type { SecondFactor } from "./second-factor.js";
import type { Sessions } from "./sessions.js";

/** What {@link SignIn} works with. */
export interface SignInOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly secondFactor: SecondFactor;
  readonly passkeys: Pick<Passkeys, "removeAll">;
  readonly audit: Audit;
  readonly recordFeedItem: RecordFeedItem;
}

/** Where a person signs in from. */
export interface SignInSource {
  readonly address: string;
  readonly userAgent: string;
  /** Over TLS; in clear unless given. */
  readonly secure?: boolean;
}

/** What a person types to sign in. */
export interface LoginAttempt {
  readonly email: string;
  readonly password: string;
  /** Code of the authenticator app, or a recovery code. */
  readonly totp: string | null;
}

/** An open session; `token` goes into the cookie. */
export interface OpenedSession {
  readonly account: AccountRow;
  readonly sessionId: number;
  readonly token: string;
}

/** Failed sign-ins of one account appear in the feed at most this often. */
const FEED_GAP_MS = 60_000;

/** The door for people. */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #throttle: LoginThrottle;
  readonly #lastFeedMono = new Map<number, number>();

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#throttle = new LoginThrottle(options.clock);
  }

  /** Opens a session. @throws Problem `invalid_login`, `totp_required`, `rate_limited`, `unavailable` */
  async login(attempt: LoginAttempt, from: SignInSource): Promise<OpenedSession> {
    const { accounts, passwords, database } = this.#options;
    const email = attempt.email.trim().toLowerCase();
    this.#throttle.check(from.address, email);
    const account = accounts.byEmail(email);
    const verdict = await passwords.verify(attempt.password, account?.password_hash ?? null);
    if (account === null || !verdict.ok) throw await this.#refused(account, email, from);
    await this.#takeCode(account, attempt.totp, from);
    this.#throttle.succeeded(from.address, email);
    const renewed = verdict.outdated ? await passwords.hash(attempt.password) : null;
    if (renewed !== null) await database.write(() => accounts.setPassword(account.id, renewed));
    return this.openKnown(account.id, from);
  }

  /** Opens a session for a person who has proved who they are, by password or passkey, and tells the owner. */
  async openKnown(accountId: number, from: SignInSource): Promise<OpenedSession> {
    const { accounts, sessions, database, audit, clock, recordFeedItem } = this.#options;
    return database.write(() => {
      const account = accounts.get(accountId);
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
      recordFeedItem({
        siteId,
        kind: "security.login",
        deviceId: null,
        title: `${account.name} signed in`,
        body: `From ${from.address}`,
        words: { code: "security.login", name: account.name, address: from.address },
        at,
      });
      return { account, sessionId: id, token };
    });
  }

  /** Opens a session for an account that has just been made, inside a write job. */
  openFor(account: AccountRow, from: SignInSource): OpenedSession {
    const { id, token } = this.#options.sessions.open(account.id, from);
    return { account, sessionId: id, token };
  }

  /**
   * Changes the own password, after a fresh proof; every other session of the account ends.
   * @throws Problem `weak_password`
   */
  async changePassword(accountId: number, change: { readonly next: string; readonly sessionId: number }): Promise<void> {
    const { accounts, passwords } = this.#options;
    const account = accounts.get(accountId);
    checkPassword(change.next, { hasTotp: account.totp_secret !== null, known: [account.email, account.name] });
    const hash = await passwords.hash(change.next);
    await this.#storePassword(account, hash, { keepSession: change.sessionId, actor: `session:${change.sessionId}` });
  }

  /** Checks password and, where there is one, second factor of a person who is signed in. @throws Problem `invalid_login`, `totp_required`, `rate_limited` */
  async prove(accountId: number, { password, totp }: Omit<LoginAttempt, "email">, from: SignInSource): Promise<void> {
    const { accounts, passwords } = this.#options;
    const account = accounts.get(accountId);
    const email = account.email.toLowerCase();
    this.#throttle.check(from.address, email);
    const { ok } = await passwords.verify(password, account.password_hash);
    if (!ok) throw await this.#refused(account, email, from);
    await this.#takeCode(account, totp, from);
    this.#throttle.succeeded(from.address, email);
  }

  /** Sets a new password with a recovery code, for an owner who has lost the old one; second factor and passkeys go too. @throws Problem `invalid_login`, `weak_password`, `rate_limited` */
  async recover(attempt: { readonly email: string; readonly code: string; readonly password: string }, from: SignInSource): Promise<void> {
    const { accounts, passwords, secondFactor, database } = this.#options;
    const email = attempt.email.trim().toLowerCase();
    this.#throttle.check(from.address, email);
    const account = accounts.byEmail(email);
    checkPassword(attempt.password, { hasTotp: false, known: account ? [account.email, account.name] : [email] });
    const hash = await passwords.hash(attempt.password); // computed for unknown addresses too: equal time
    const used = account !== null && (await database.write(() => secondFactor.useRecoveryCode(account.id, attempt.code)));
    if (account === null || !used) throw await this.#refused(account, email, from);
    this.#throttle.succeeded(from.address, email);
    await this.#storePassword(account, hash, { keepSession: 0, actor: "hub" });
    if (account.totp_secret !== null) await secondFactor.disable(account.id, { accountId: account.id, actor: "hub" });
  }

  /** Sets an owner's password from the box itself; second factor off, passkeys removed, all sessions ended. @throws Problem `weak_password`, `not_found` */
  async reset(email: string | null, password: string, by: Actor): Promise<AccountRow> {
    const { accounts, passwords, secondFactor } = this.#options;
    const account = email === null ? accounts.owner() : accounts.byEmail(email);
    if (account === null) throw new Problem("not_found", email === null ? "Nobody owns this hub yet." : "There is no account with this e-mail address.");
    checkPasswordLength(password, false);
    await this.#storePassword(account, await passwords.hash(password), { keepSession: 0, actor: by.actor });
    if (account.totp_secret !== null) await secondFactor.disable(account.id, by);
    return accounts.get(account.id);
  }

  /** Asks for a code where the account has a second factor. @throws Problem `totp_required`, `invalid_login` */
  async #takeCode(account: AccountRow, code: string | null, from: SignInSource): Promise<void> {
    if (account.totp_secret === null) return;
    if (code === null) throw new Problem("totp_required", "A code of the authenticator app is needed too.");
    if (!(await this.#options.secondFactor.take(account, code))) throw await this.#refused(account, account.email.toLowerCase(), from);
  }

  async #storePassword(account: AccountRow, hash: string, { keepSession, actor }: { readonly keepSession: number; readonly actor: string }): Promise<void> {
    const { accounts, sessions, passkeys, database, audit, clock, recordFeedItem } = this.#options;
    await database.write(() => {
      const at = clock.now();
      accounts.setPassword(account.id, hash);
      if (keepSession === 0) passkeys.removeAll(account.id); // a person who starts anew: whatever was registered meanwhile goes
      const ended = sessions.endOthers(account.id, keepSession);
      audit.record({ accountId: account.id, actor, action: "password.changed", target: account.email, detail: { sessionsEnded: ended }, at });
      const siteId = accounts.siteIdOf(account.id, "live");
      recordFeedItem({
        siteId,
        kind: "security.password_changed",
        deviceId: null,
        title: "Password changed",
        body: `${account.name}; ${ended} other sessions ended`,
        words: { code: "security.password_changed", name: account.name, n: ended },
        at,
      });
    });
  }

  /** Counts a failure, tells the owner, and answers the one refusal that all failures share. */
  async #refused(account: AccountRow | null, email: string, from: SignInSource): Promise<Problem> {
    this.#throttle.failed(from.address, email);
    if (account !== null) await this.#tellOwner(account, from);
    return new Problem("invalid_login", "E-mail address, password or code is wrong.");
  }

  async #tellOwner(account: AccountRow, from: SignInSource): Promise<void> {
    const { clock, database, accounts, audit, recordFeedItem } = this.#options;
    const last = this.#lastFeedMono.get(account.id);
    if (last !== undefined && clock.mono() - last < FEED_GAP_MS) return;
    this.#lastFeedMono.set(account.id, clock.mono());
    await database.write(() => {
      const at = clock.now();
      audit.record({ accountId: account.id, actor: "hub", action: "login.failed", target: from.address, at });
      const siteId = accounts.siteIdOf(account.id, "live");
      recordFeedItem({
        siteId,
        kind: "security.login_failed",
        deviceId: null,
        title: "Sign-in refused",
        body: `Somebody at ${from.address} tried to sign in as ${account.email}`,
        words: { code: "security.login_failed", address: from.address, email: account.email },
        at,
      });
    });
  }
}
