/**
 * Identifies the author of a request: an API key, a console session, or none (401). The web server checks the caller's
 * rights (origin, scope, rate). In: header values. Out: a `Caller`, or a `Problem` that becomes the response. Must
 * never know koa or routes.
 */
import type { Caller, Env } from "../../core/api/caller.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { KeyMatch } from "./keys.ts";
import { type Role, scopesOf } from "./roles.ts";
import type { SessionMatch } from "./sessions.ts";

/** Header values of a request, null where absent. */
export interface CredentialHeaders {
  readonly authorization: string | null;
  readonly xApiKey: string | null;
  readonly cookie: string | null;
  /** Over TLS; in clear unless given. */
  readonly secure?: boolean;
}

const CHALLENGE = 'Bearer realm="gatehouse"';
const SESSION_PREFIX = "session:";
const KEY_PREFIX = "api_key:";
const BOX_ACTOR = "cli";

const KEY_ENDED = {
  expired: ["expired_credential", "The API key has expired."],
  revoked: ["revoked_credential", "The API key has been revoked."],
} as const;

const SESSION_ENDED = {
  unknown: ["invalid_credential", "The session is not known; sign in again."],
  expired: ["expired_credential", "The session has ended; sign in again."],
} as const;

/** Checks credentials. */
export class Authenticator {
  readonly #options: ConstructorParameters<typeof Authenticator>[0];

  constructor(options: {
    /** `Keys.match`. */
    readonly matchKey: (text: string) => KeyMatch;
    /** `Keys.callerOf`. */
    readonly keyCaller: (id: number) => Caller | null;
    /** `Sessions.match`. */
    readonly matchSession: (cookieHeader: string | null, secure: boolean) => SessionMatch;
    /** `Sessions.isAlive`. */
    readonly sessionIsAlive: (accountId: number, id: number) => boolean;
    /** The household of (account, env). */
    readonly siteIdOf: (accountId: number, env: Env) => number;
    /** Household and role of a person. */
    readonly personOf: (accountId: number) => { readonly householdId: number; readonly role: Role };
    /** The owner of the hub; null before it is claimed. */
    readonly ownerId: () => number | null;
  }) {
    this.#options = options;
  }

  /**
   * Identifies who makes the request. Authorization wins over X-API-Key, a key over a session; both headers with
   * different keys are refused.
   * @throws Problem 401 `missing_credential`, `invalid_credential`, `expired_credential`, `revoked_credential`
   */
  check(headers: CredentialHeaders): Caller {
    const key = keyIn(headers);
    return key === null ? this.#checkSession(headers) : this.#checkKey(key);
  }

  /** Who acts over the control socket: the owner, through the host; null before the hub is claimed. */
  boxCaller(): Caller | null {
    const ownerId = this.#options.ownerId();
    return ownerId === null ? null : this.#personCaller(ownerId, BOX_ACTOR);
  }

  /** A device that has presented its own credential: it may do what its route allows, and holds no scope. */
  deviceCaller({ id, siteId }: { readonly id: string; readonly siteId: number }): Caller | null {
    const ownerId = this.#options.ownerId();
    if (ownerId === null) return null;
    const { householdId } = this.#options.personOf(ownerId);
    const isLive = this.#options.siteIdOf(householdId, "live") === siteId;
    return {
      method: "device",
      accountId: ownerId,
      householdId,
      role: "member",
      siteId,
      env: isLive ? "live" : "test",
      scopes: [],
      keyName: id,
      actor: `device:${id}`,
      origins: [],
    };
  }

  /** Whether the credential behind `caller` is still valid, with the same rights: its open responses may stay open. */
  stands(caller: Caller): boolean {
    const now = this.#again(caller);
    return now !== null && rightsOf(now) === rightsOf(caller);
  }

  /** The present caller behind the same credential; null when that has ended. */
  #again({ actor, accountId }: Caller): Caller | null {
    if (actor.startsWith(KEY_PREFIX)) return this.#options.keyCaller(Number(actor.slice(KEY_PREFIX.length)));
    if (actor === BOX_ACTOR) return this.boxCaller();
    const isAlive =
      actor.startsWith(SESSION_PREFIX) &&
      this.#options.sessionIsAlive(accountId, Number(actor.slice(SESSION_PREFIX.length)));
    return isAlive ? this.#personCaller(accountId, actor) : null;
  }

  #checkKey(text: string): Caller {
    const match = this.#options.matchKey(text);
    if (match.kind === "unknown") throw unauthorised("invalid_credential", "The API key is not known.");
    if (match.kind === "active") return match.caller;
    const [code, message] = KEY_ENDED[match.kind];
    throw unauthorised(code, message);
  }

  #checkSession({ cookie, secure = false }: CredentialHeaders): Caller {
    const match = this.#options.matchSession(cookie, secure);
    if (match.kind === "active") return this.#personCaller(match.accountId, SESSION_PREFIX + match.id);
    if (match.kind === "none") {
      const message = "An API key is needed: 'Authorization: Bearer <key>' or 'X-API-Key: <key>'.";
      throw new Problem("missing_credential", message, { headers: { "WWW-Authenticate": CHALLENGE } });
    }
    const [code, message] = SESSION_ENDED[match.kind];
    throw unauthorised(code, message);
  }

  #personCaller(accountId: number, actor: string): Caller {
    const siteId = this.#options.siteIdOf(accountId, "live");
    const { householdId, role } = this.#options.personOf(accountId);
    return {
      method: "session",
      accountId,
      householdId,
      role,
      siteId,
      env: "live",
      scopes: scopesOf(role),
      keyName: "console",
      actor,
      origins: [],
    };
  }
}

/** Row id of the session behind a caller; 0 for API keys and for the host. */
export function sessionIdOf(caller: Caller): number {
  return caller.actor.startsWith(SESSION_PREFIX) ? Number(caller.actor.slice(SESSION_PREFIX.length)) : 0;
}

function rightsOf({ accountId, householdId, siteId, env, role, scopes, origins }: Caller): string {
  return JSON.stringify([accountId, householdId, siteId, env, role, scopes, origins]);
}

function keyIn({ authorization, xApiKey }: CredentialHeaders): string | null {
  const fromHeader = xApiKey?.trim() || null;
  if (authorization === null) return fromHeader;
  const [, bearer] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (bearer === undefined) throw unauthorised("invalid_credential", "Authorization must be 'Bearer' and an API key.");
  if (fromHeader !== null && fromHeader !== bearer)
    throw unauthorised("invalid_credential", "Authorization and X-API-Key carry different keys.");
  return bearer;
}

function unauthorised(code: string, message: string): Problem {
  return new Problem(code, message, { headers: { "WWW-Authenticate": `${CHALLENGE}, error="invalid_token"` } });
}
