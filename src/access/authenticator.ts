/**
 * Decides who makes a request: an API key, a console session, or nobody (401). It then holds the caller to the origin
 * rules (403). Scopes are checked by {@link requireScope} once the route is known.
 * In: header values and the client's address. Out: a `Caller`, or a `Problem` that becomes the answer.
 * Knows nothing of koa, routes or bodies.
 */
import type { Caller, Env } from "../contract/caller.js";
import { ALL_SCOPES, type Scope } from "../contract/scopes.js";
import type { Clock } from "../kernel/clock.js";
import { Problem } from "../kernel/problem.js";
import { TokenBuckets } from "../kernel/token-bucket.js";
import type { KeyMatch } from "./keys.js";
import { isSameOrigin, type RequestOrigin } from "./origins.js";
import type { SessionMatch } from "./sessions.js";

/** Header values of a request, null where absent, and the client's address. */
export interface Credentials extends RequestOrigin {
  readonly authorization: string | null;
  readonly xApiKey: string | null;
  readonly cookie: string | null;
  readonly address: string;
}

/** What {@link Authenticator} works with. */
export interface AuthenticatorOptions {
  readonly clock: Clock;
  /** `Keys.match`. */
  readonly matchKey: (text: string) => KeyMatch;
  /** `Sessions.match`. */
  readonly matchSession: (cookieHeader: string | null) => SessionMatch;
  /** The household of (account, env). */
  readonly siteIdOf: (accountId: number, env: Env) => number;
  /** Wrong keys per minute and address before the answer is 429; 0 = no limit. */
  readonly failedPerMinute: number;
}

const CHALLENGE = 'Bearer realm="gatehouse"';

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
  readonly #options: AuthenticatorOptions;
  readonly #failures: TokenBuckets;

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
    this.#failures = new TokenBuckets({ quota: options.failedPerMinute, periodMs: 60_000, burst: Math.max(1, options.failedPerMinute) });
  }

  /**
   * Says who makes the request. Authorization wins over X-API-Key, a key over a session; both headers with different keys are refused.
   * @throws Problem 401 `missing_credential`, `invalid_credential`, `expired_credential`, `revoked_credential`; 403 `origin_not_allowed`; 429 `rate_limited` after too many wrong keys
   */
  check(credentials: Credentials): Caller {
    const key = this.#keyIn(credentials);
    return key === null ? this.#checkSession(credentials) : this.#checkKey(key, credentials);
  }

  #keyIn({ authorization, xApiKey, address }: Credentials): string | null {
    const fromHeader = xApiKey?.trim() || null;
    if (authorization === null) return fromHeader;
    const [, bearer] = /^bearer +(\S+) *$/i.exec(authorization) ?? [];
    if (bearer === undefined) throw this.#wrong(address, "Authorization must be 'Bearer' and an API key.");
    if (fromHeader !== null && fromHeader !== bearer) throw this.#wrong(address, "Authorization and X-API-Key carry different keys.");
    return bearer;
  }

  #checkKey(text: string, { address, origin }: Credentials): Caller {
    const match = this.#options.matchKey(text);
    if (match.kind === "unknown") throw this.#wrong(address, "The API key is not known.");
    if (match.kind !== "active") {
      const [code, message] = KEY_ENDED[match.kind];
      throw unauthorised(code, message);
    }
    if (origin !== null && !match.caller.origins.includes(origin)) throw foreignOrigin(origin, "The browser origin is not registered on the API key.");
    return match.caller;
  }

  #checkSession(credentials: Credentials): Caller {
    const match = this.#options.matchSession(credentials.cookie);
    if (match.kind === "none") {
      throw new Problem("missing_credential", "An API key is needed: 'Authorization: Bearer <key>' or 'X-API-Key: <key>'.", {
        headers: { "WWW-Authenticate": CHALLENGE },
      });
    }
    if (match.kind !== "active") {
      const [code, message] = SESSION_ENDED[match.kind];
      throw unauthorised(code, message);
    }
    if (!isSameOrigin(credentials)) throw foreignOrigin(credentials.origin, "A session may be used by the hub's own pages only.");
    const { accountId, id } = match;
    return {
      method: "session",
      accountId,
      siteId: this.#options.siteIdOf(accountId, "live"),
      env: "live",
      scopes: ALL_SCOPES,
      keyName: "console",
      actor: `session:${id}`,
      origins: [],
    };
  }

  /** Counts a wrong credential; past the limit of the address the answer is 429, while right keys go on working. */
  #wrong(address: string, message: string): Problem {
    const verdict = this.#failures.take(address, this.#options.clock.mono());
    if (verdict.allowed) return unauthorised("invalid_credential", message);
    return new Problem("rate_limited", "Too many wrong credentials from this address.", {
      fields: { retryAfterSeconds: verdict.retryAfterSeconds },
      headers: { "Retry-After": String(verdict.retryAfterSeconds) },
    });
  }
}

/** Holds a caller to a scope. @throws Problem 403 `insufficient_scope`, naming the scope and those the key has */
export function requireScope(caller: Caller, scope: Scope): void {
  if (caller.scopes.includes(scope)) return;
  throw new Problem("insufficient_scope", `The key lacks the scope ${scope}.`, {
    fields: { requiredScope: scope, keyScopes: caller.scopes },
    headers: { "WWW-Authenticate": `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
  });
}

/** Holds a caller to being a signed-in person. @throws Problem 403 `forbidden` for API keys */
export function requireSession(caller: Caller): void {
  if (caller.method !== "session") throw new Problem("forbidden", "This is for a console session; API keys work under /v1.");
}

/** Row id of the session behind a caller; 0 for API keys. */
export function sessionIdOf(caller: Caller): number {
  return caller.method === "session" ? Number(caller.actor.slice("session:".length)) : 0;
}

function unauthorised(code: string, message: string): Problem {
  return new Problem(code, message, { headers: { "WWW-Authenticate": `${CHALLENGE}, error="invalid_token"` } });
}

function foreignOrigin(origin: string | null, message: string): Problem {
  return new Problem("origin_not_allowed", message, { fields: { origin } });
}
