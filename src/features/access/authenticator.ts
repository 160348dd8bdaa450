/**
 * Identifies the author of a request: an API key, a console session, or none (401). The web server checks the caller's
 * rights (origin, scope, rate). In: header values. Out: a `Caller`, or a `Problem` that becomes the response. Must
 * never know koa or routes.
 */
import type { Caller } from "../../core/api/caller.ts";
import { lessThan } from "../../core/api/role-refusal.ts";
import { isAtLeast, type Role } from "../../core/api/roles.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Accounts } from "./accounts.ts";
import type { Keys } from "./keys.ts";
import { scopesOf } from "./roles.ts";
import type { Sessions } from "./sessions.ts";

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
    readonly accounts: Accounts;
    readonly keys: Keys;
    readonly sessions: Sessions;
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
    const owner = this.#options.accounts.owner();
    return owner === null ? null : this.#personCaller(owner.id, BOX_ACTOR);
  }

  /** A device that has presented its own credential: it may do what its route allows, and holds no scope. */
  deviceCaller({ id, siteId }: { readonly id: string; readonly siteId: number }): Caller | null {
    const { accounts } = this.#options;
    const owner = accounts.owner();
    if (owner === null) return null;
    const { householdId } = accounts.personOf(owner.id);
    const isLive = accounts.siteIdOf(householdId, "live") === siteId;
    return {
      method: "device",
      accountId: owner.id,
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

  /**
   * Inside the write job of an act, asks again whether the caller may still do what the route let pass: since the request,
   * the person may have been removed or lowered, and a key ended or narrowed. @throws Problem `forbidden`
   */
  askAgain(caller: Caller, least: Role): void {
    const now = this.#again(caller);
    const holds =
      now?.method === "session"
        ? isAtLeast(now.role, least)
        : caller.scopes.every((scope) => now?.scopes.includes(scope));
    if (now === null || !holds) throw lessThan(least);
  }

  /** The present caller behind the same credential; null when that has ended. */
  #again({ actor, accountId }: Caller): Caller | null {
    if (actor.startsWith(KEY_PREFIX)) return this.#options.keys.callerOf(Number(actor.slice(KEY_PREFIX.length)));
    if (actor === BOX_ACTOR) return this.boxCaller();
    const isAlive =
      actor.startsWith(SESSION_PREFIX) &&
      this.#options.sessions.isAlive(accountId, Number(actor.slice(SESSION_PREFIX.length)));
    return isAlive ? this.#personCaller(accountId, actor) : null;
  }

  #checkKey(text: string): Caller {
    const match = this.#options.keys.match(text);
    if (match.kind === "unknown") throw unauthorised("invalid_credential", "The API key is not known.");
    if (match.kind === "active") return match.caller;
    const [code, message] = KEY_ENDED[match.kind];
    throw unauthorised(code, message);
  }

  #checkSession({ cookie, secure = false }: CredentialHeaders): Caller {
    const match = this.#options.sessions.match(cookie, secure);
    if (match.kind === "active") return this.#personCaller(match.accountId, SESSION_PREFIX + match.id);
    if (match.kind === "none") {
      const message = "An API key is needed: 'Authorization: Bearer <key>' or 'X-API-Key: <key>'.";
      throw new Problem("missing_credential", message, { headers: { "WWW-Authenticate": CHALLENGE } });
    }
    const [code, message] = SESSION_ENDED[match.kind];
    throw unauthorised(code, message);
  }

  #personCaller(accountId: number, actor: string): Caller {
    const { accounts } = this.#options;
    const siteId = accounts.siteIdOf(accountId, "live");
    const { householdId, role, limits } = accounts.personOf(accountId);
    return {
      method: "session",
      accountId,
      householdId,
      role,
      ...(limits === null ? {} : { limits }),
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

function rightsOf({ accountId, householdId, siteId, env, role, scopes, origins, limits }: Caller): string {
  return JSON.stringify([accountId, householdId, siteId, env, role, scopes, origins, limits]);
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
