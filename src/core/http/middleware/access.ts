import type { Caller } from "../../api/caller.ts";
import { lessThan } from "../../api/role-refusal.ts";
import { isAtLeast } from "../../api/roles.ts";
import type { Access, ProofAge, RouteSpec } from "../../api/route.ts";
import type { Clock } from "../../kernel/clock.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Connections } from "../connections.ts";
import type { Exchange, HubMiddleware, RequestFacts } from "../exchange.ts";
import { allowAnyReading, allowReading, checkKeyOrigin, type RegisteredOrigins } from "./cors.ts";
import { checkSameOrigin } from "./csrf.ts";
import type { RateLimits } from "./rate-limit.ts";

/** How credentials are checked; `access/` does it. */
export interface Credentials {
  /** @throws Problem missing_, invalid_, expired_ or revoked_credential. */
  check(facts: RequestFacts): Caller;
  readonly authenticator: {
    /** Whether the credential behind a caller is still valid, with the same rights. */
    stands(caller: Caller): boolean;
    /** The identity of the host on session routes (control socket); null while the hub has no owner. */
    boxCaller(): Caller | null;
  };
  readonly watch: {
    /** Calls `listener` whenever rights have changed; returns what ends it. */
    onChange(listener: () => void): () => void;
  };
  readonly keys: RegisteredOrigins;
  /**
   * Lets a session pass whose person has just proved who they are; for `set-up` also the one in which this hub was just
   * claimed. @throws Problem fresh_proof_required
   */
  checkProof(caller: Caller, facts: RequestFacts, age: ProofAge): void;
  /** The device behind an MQTT user name and password; null when they do not fit. */
  deviceCaller(id: string, password: string): Caller | null;
}

/** What {@link identify} works with. */
interface Identification {
  readonly credentials: Credentials;
  readonly connections: Connections;
  readonly rates: RateLimits;
}

/** Refuses everything under /v1 while the hub has no owner. */
export function owned(closed: () => Problem | null): HubMiddleware {
  return (_context, next) => {
    const refusal = closed();
    if (refusal) throw refusal;
    return next();
  };
}

/** Determines the caller of an operation: {@link identify}. */
export function identified(spec: RouteSpec, parts: Identification): HubMiddleware {
  return ({ state }, next) => {
    identify(state, spec, parts);
    return next();
  };
}

/**
 * Checks credential, origin, scope and, if the operation always requires it and has no body, fresh proof of one request;
 * sets `exchange.caller`. A wrong credential counts against its address; a missing or expired one is not a guess.
 */
export function identify(
  exchange: Exchange,
  spec: RouteSpec,
  { credentials, connections, rates }: Identification,
): void {
  try {
    checkAccess(exchange, spec.access, credentials);
    if (exchange.caller !== null) connections.recognised(exchange.request.socket);
    if (isAlways(spec.proof) && spec.body === undefined) checkProof(exchange, credentials, spec.proof);
  } catch (error) {
    const isWrong = error instanceof Problem && error.code === "invalid_credential";
    throw isWrong ? rates.failedCredential(exchange, error) : error;
  }
}

/**
 * Requires fresh proof for those bodies for which the operation does, once they have been validated: nobody is asked who
 * they are for a form that is refused afterwards. @throws Problem `fresh_proof_required` */
export function proven(
  proof: Exclude<NonNullable<RouteSpec["proof"]>, "none">,
  { credentials, clock }: { readonly credentials: Credentials; readonly clock: Clock },
): HubMiddleware {
  return ({ state }, next) => {
    if (isAlways(proof)) checkProof(state, credentials, proof);
    // the body has been validated
    else if (proof.needed(state.body as never, clock.now())) checkProof(state, credentials, "fresh");
    return next();
  };
}

/** Whether a proof is needed whatever the body says. */
function isAlways(proof: RouteSpec["proof"]): proof is ProofAge {
  return proof === "fresh" || proof === "set-up";
}

function checkProof({ caller, facts }: Exchange, credentials: Credentials, age: ProofAge): void {
  if (caller !== null) credentials.checkProof(caller, facts, age);
}

/**
 * Checks credential (401), then origin (403), then scope (403) of one request; sets `exchange.caller`. Routes of the
 * host do not exist for the network. A device, whose id is in the path, may act for itself.
 */
function checkAccess(exchange: Exchange, access: Access, credentials: Credentials): void {
  const { facts } = exchange;
  if (access.kind === "box") {
    if (!facts.box) throw routeNotFound();
    return;
  }
  exchange.headers.Vary = "Origin";
  if (facts.headers.origin !== undefined) allowReading(exchange, credentials.keys);
  if (access.kind === "public") {
    if (access.anyOrigin === true) allowAnyReading(exchange);
    // signing a user in is a forgery too
    if (facts.method !== "GET" && facts.method !== "HEAD") checkSameOrigin(facts);
    return;
  }
  if (access.kind === "session" && access.device === true && BASIC.test(facts.headers.authorization ?? "")) {
    exchange.caller = deviceIn(facts, credentials, exchange.rawParams.id ?? "");
    return;
  }
  const caller = callerOf(facts, credentials);
  exchange.caller = caller;
  if (caller.method === "session") checkSameOrigin(facts);
  else checkKeyOrigin(facts.headers.origin, caller.origins);
  if (access.kind === "session") {
    if (caller.method !== "session") throw new Problem("forbidden", { code: "forbidden.sessionOnly" });
    const { least = "owner" } = access;
    if (!isAtLeast(caller.role, least)) throw lessThan(least);
    return;
  }
  if (access.scope !== undefined && !caller.scopes.includes(access.scope)) {
    throw new Problem("insufficient_scope", `The credential lacks the scope ${access.scope}.`, {
      fields: { requiredScope: access.scope, keyScopes: caller.scopes },
    });
  }
}

const BASIC = /^basic /i;

/**
 * The device that the path names, by its own credential; a page of a browser has none.
 * @throws Problem `invalid_credential`, `origin_not_allowed`
 */
function deviceIn({ headers }: RequestFacts, credentials: Credentials, target: string): Caller {
  const [id = "", ...rest] = Buffer.from((headers.authorization ?? "").slice("basic ".length).trim(), "base64")
    .toString("utf8")
    .split(":");
  const caller = id === target ? credentials.deviceCaller(id, rest.join(":")) : null;
  if (caller === null) throw new Problem("invalid_credential", "User name and password are not those of this device.");
  checkKeyOrigin(headers.origin, caller.origins);
  return caller;
}

function callerOf(facts: RequestFacts, credentials: Credentials): Caller {
  const isBare = facts.headers.authorization === undefined && facts.headers["x-api-key"] === undefined;
  if (!facts.box || !isBare) return credentials.check(facts);
  const caller = credentials.authenticator.boxCaller();
  if (caller === null) throw new Problem("missing_credential", "Nobody owns this hub yet.");
  return caller;
}

/** The answer for paths that do not exist. */
export function routeNotFound(): Problem {
  return new Problem("route_not_found", "There is no such path.");
}

/** The header values that a credential check looks at; null where absent. */
export interface CredentialHeaders {
  readonly authorization: string | null;
  readonly xApiKey: string | null;
  readonly cookie: string | null;
  readonly secure: boolean;
  readonly address: string;
  readonly origin: string | null;
  readonly host: string | null;
  readonly secFetchSite: string | null;
}

/** Picks them out of a request. A repeated X-API-Key is joined by Node and so can never be a key. */
export function credentialHeaders(facts: RequestFacts): CredentialHeaders {
  const { headers, secure, address, host } = facts;
  const one = (value: string | string[] | undefined): string | null => (value === undefined ? null : String(value));
  return {
    authorization: headers.authorization ?? null,
    xApiKey: one(headers["x-api-key"]),
    cookie: headers.cookie ?? null,
    secure,
    address,
    origin: headers.origin ?? null,
    host,
    secFetchSite: one(headers["sec-fetch-site"]),
  };
}
