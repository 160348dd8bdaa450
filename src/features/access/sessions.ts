/**
 * Owns the console sessions: a random token in a cookie, its hash in the database.
 * A session ends after 14 idle days, after 90 days in any case (both settings), at sign-out, when it is revoked, or with
 * the access of its person.
 * Sessions of plain and of encrypted connections are kept apart (docs/decisions/0001-first-hour-and-tls.md).
 */
import { randomBytes } from "node:crypto";
import type { Clock } from "../../core/kernel/clock.ts";
import { sha256Hex } from "../../core/kernel/ids.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Audit } from "./audit.ts";
import type { Proofs } from "./proof.ts";
import type { RightsWatch } from "./rights-watch.ts";
import { type SessionRow, SessionTable } from "./tables/session.ts";

/** A session as its owner sees it. Times are epoch milliseconds. */
export interface SessionInfo {
  readonly id: number;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  readonly address: string;
  readonly userAgent: string;
}

/** The result of reading a cookie header. */
export type SessionMatch =
  | { readonly kind: "none" }
  | { readonly kind: "unknown" | "expired" }
  | { readonly kind: "active"; readonly id: number; readonly accountId: number };

/** Cookie name on plain http. */
const PLAIN_COOKIE = "gatehouse_session";
/**
 * Cookie name under TLS: the prefix makes browsers refuse it from anywhere else
 * (https://datatracker.ietf.org/doc/html/draft-ietf-httpbis-rfc6265bis §4.1.3.2).
 */
const SECURE_COOKIE = "__Host-gatehouse_session";
/**
 * Begins the token of a session that was opened over TLS. It is hashed with the rest: an eavesdropper on a plain-text
 * token cannot turn it into one of these.
 */
const SECURE_MARK = "tls.";
const DAY_MS = 86_400_000;
/** The last use is written at most this often for each session. */
const LAST_USE_STEP_MS = 60_000;
/** Sessions of one account; the least recently used go first. */
const MAX_SESSIONS = 50;
/** Ids of sessions that no row has begin here: actors are named by them, and no row will ever have one. */
const FIRST_UNSTORED_ID = 2 ** 40;
/** They end by themselves after a day, and with the process. */
const UNSTORED_MS = DAY_MS;
const MAX_UNSTORED = 20;

/** All console sessions of the hub. */
export class Sessions {
  readonly #options: ConstructorParameters<typeof Sessions>[0];
  readonly #table: SessionTable;
  /** Sessions opened while the storage took nothing, by token hash; oldest first. */
  readonly #unstored = new Map<string, SessionRow>();
  #nextUnstoredId = FIRST_UNSTORED_ID;

  constructor(options: {
    readonly database: Database;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly audit: Audit;
    readonly proofs: Proofs;
    readonly watch: RightsWatch;
    /** Whether a person's access has ended, and their sessions with it. */
    readonly isEnded: (accountId: number) => boolean;
    readonly idleDays: number;
    readonly maxDays: number;
  }) {
    this.#options = options;
    this.#table = new SessionTable(options.database);
  }

  /**
   * Looks the session of a Cookie header up; `secure`: it came over TLS, where a session that was opened in clear does
   * not count.
   */
  match(cookieHeader: string | null, secure = false): SessionMatch {
    const token = tokenIn(cookieHeader, secure);
    if (token === null) return { kind: "none" };
    const hash = sha256Hex(token);
    const unstored = this.#unstored.get(hash);
    const row = unstored ?? this.#table.byHash(hash);
    if (row === undefined) return { kind: "unknown" };
    const now = this.#options.clock.now();
    if (!this.#isAlive(row)) return { kind: "expired" };
    if (unstored === undefined && now - row.lastUsedAt >= LAST_USE_STEP_MS) this.#noteUse(row.id, now);
    return { kind: "active", id: row.id, accountId: row.accountId };
  }

  /** Whether this session of an account is alive. */
  isAlive(accountId: number, id: number): boolean {
    const row = this.#unstoredRows().find((unstored) => unstored.id === id) ?? this.#table.find(id);
    return row !== undefined && row.accountId === accountId && this.#isAlive(row);
  }

  /** The person of a session; null: there is none of this id. */
  personOf(id: number): number | null {
    return (this.#unstoredRows().find((unstored) => unstored.id === id) ?? this.#table.find(id))?.accountId ?? null;
  }

  /**
   * Opens a session inside a write job, for somebody who has just proved their identity; in clear unless `from` states
   * otherwise. `token` goes into the cookie and is stored nowhere.
   */
  open(
    accountId: number,
    from: { readonly address: string; readonly userAgent: string; readonly secure?: boolean },
  ): { readonly id: number; readonly token: string } {
    const token = `${from.secure === true ? SECURE_MARK : ""}${randomBytes(32).toString("base64url")}`;
    const now = this.#options.clock.now();
    const surplus = this.#table.ofAccount(accountId).slice(MAX_SESSIONS - 1);
    for (const row of surplus) this.#table.remove(accountId, row.id);
    const id = this.#table.insert({
      accountId,
      tokenHash: sha256Hex(token),
      createdAt: now,
      lastUsedAt: now,
      expiresAt: this.#options.clock.certain() + this.#options.maxDays * DAY_MS,
      address: from.address,
      userAgent: from.userAgent.slice(0, 300),
    });
    this.#options.proofs.proved(id, accountId);
    return { id, token };
  }

  /**
   * Opens a session that only this process knows, for when storage refuses writes: the person who is to repair it must
   * get in.
   */
  openUnstored(
    accountId: number,
    from: { readonly address: string; readonly userAgent: string; readonly secure?: boolean },
  ): { readonly id: number; readonly token: string } {
    const token = `${from.secure === true ? SECURE_MARK : ""}${randomBytes(32).toString("base64url")}`;
    const { clock, proofs } = this.#options;
    const now = clock.now();
    const id = this.#nextUnstoredId++;
    const userAgent = from.userAgent.slice(0, 300);
    const hash = sha256Hex(token);
    const times = { createdAt: now, lastUsedAt: now, expiresAt: clock.certain() + UNSTORED_MS };
    this.#unstored.set(hash, { id, accountId, tokenHash: hash, ...times, address: from.address, userAgent });
    for (const oldest of [...this.#unstored.keys()].slice(0, -MAX_UNSTORED)) this.#unstored.delete(oldest);
    proofs.proved(id, accountId);
    return { id, token };
  }

  /** Living sessions of an account, most recently used first. */
  list(accountId: number): SessionInfo[] {
    return [...this.#unstoredRows().filter((row) => row.accountId === accountId), ...this.#table.ofAccount(accountId)]
      .filter((row) => this.#isAlive(row))
      .map((row) => ({
        id: row.id,
        createdAt: row.createdAt,
        lastUsedAt: row.lastUsedAt,
        expiresAt: row.expiresAt,
        address: row.address,
        userAgent: row.userAgent,
      }));
  }

  /** Ends one session of an account. @throws Problem `not_found` */
  async revoke(accountId: number, id: number, actor: string): Promise<void> {
    const { database, audit, clock } = this.#options;
    const unstored = this.#unstoredRows().find((row) => row.id === id && row.accountId === accountId);
    if (unstored !== undefined) {
      this.#unstored.delete(unstored.tokenHash);
      this.#options.watch.changed();
      return;
    }
    await database.write(() => {
      // Before the row goes: it may be the actor's own, which names the person.
      audit.record({ accountId, actor, action: "session.ended", target: `session ${id}`, at: clock.now() });
      if (!this.#table.remove(accountId, id)) throw new Problem("not_found", "There is no such session.");
    });
  }

  /** Ends all sessions of an account but one (0: all), inside a write job. Returns how many. */
  endOthers(accountId: number, keepId: number): number {
    for (const row of this.#unstoredRows())
      if (row.accountId === accountId && row.id !== keepId) this.#unstored.delete(row.tokenHash);
    return this.#table.removeOthers(accountId, keepId);
  }

  /** Forgets dead sessions, inside a write job. Returns how many. */
  purge(): number {
    const now = this.#options.clock.certain();
    return this.#table.purge(now, now - this.#options.idleDays * DAY_MS);
  }

  /** The Set-Cookie value that hands `token` to a browser. */
  cookie(token: string, secure: boolean): string {
    const maxAge = this.#options.maxDays * (DAY_MS / 1000);
    return `${secure ? SECURE_COOKIE : PLAIN_COOKIE}=${token}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
  }

  /** The Set-Cookie value that takes the session from a browser. */
  clearedCookie(secure: boolean): string {
    return `${secure ? SECURE_COOKIE : PLAIN_COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict${secure ? "; Secure" : ""}`;
  }

  #unstoredRows(): SessionRow[] {
    return [...this.#unstored.values()];
  }

  #isAlive(row: SessionRow): boolean {
    const now = this.#options.clock.certain();
    const isFresh = row.expiresAt > now && now - row.lastUsedAt < this.#options.idleDays * DAY_MS;
    return isFresh && !this.#options.isEnded(row.accountId);
  }

  #noteUse(id: number, now: number): void {
    const { database, logger } = this.#options;
    database
      .write(() => this.#table.used(id, now))
      .catch((error: unknown) => logger.debug({ err: error, session: id }, "last use of a session not stored"));
  }
}

/** The token of the cookie that belongs to the connection; a token of the other kind under its name is ignored. */
function tokenIn(cookieHeader: string | null, secure: boolean): string | null {
  const wanted = secure ? SECURE_COOKIE : PLAIN_COOKIE;
  for (const pair of (cookieHeader ?? "").split(";")) {
    const [name = "", value = ""] = pair.split("=", 2).map((part) => part.trim());
    if (name === wanted && value !== "" && value.startsWith(SECURE_MARK) === secure) return value;
  }
  return null;
}
