import type { RouteSpec } from "../../api/route.ts";
import { Problem } from "../../kernel/problem.ts";
import type { Exchange, HubMiddleware, RequestFacts } from "../exchange.ts";
import { nameOf } from "./plain-http.ts";

/** Headers that a page of another origin may read. */
const EXPOSED =
  "ETag, Link, Location, Idempotency-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Ignored-Query, X-Request-Id";
const REQUEST_HEADERS =
  "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, X-API-Key, X-Request-Id";
const PREFLIGHT_SECONDS = "600";

/** Whether any active key lists the exact origin. */
export interface RegisteredOrigins {
  listsOrigin(origin: string): boolean;
}

const IS_V1 = /^\/v1(\/|$)/;

/** Registered origins may read error bodies under /v1, including 404 and 405. */
export function registeredOrigins(registered: RegisteredOrigins): HubMiddleware {
  return ({ state }, next) => {
    if (state.facts.headers.origin !== undefined && IS_V1.test(state.facts.path)) {
      state.headers.Vary = "Origin";
      allowReading(state, registered);
    }
    return next();
  };
}

/**
 * Answers what no operation of a path does: OPTIONS with their methods, and a browser's preflight; any other method with
 * 405.
 * @throws Problem `origin_not_allowed`, `method_not_allowed`
 */
export function otherMethods(operations: readonly RouteSpec[], registered: RegisteredOrigins): HubMiddleware {
  const methods: string[] = operations.map(({ method }) => method);
  const Allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  const access = operations.find(({ method }) => method === "GET")?.access;
  const isPublic = access?.kind === "public" && access.anyOrigin === true;
  return ({ state }) => {
    const { method, path, headers } = state.facts;
    if (method !== "OPTIONS")
      throw new Problem("method_not_allowed", `${path} does not take ${method}.`, { headers: { Allow } });
    if (headers.origin !== undefined && headers["access-control-request-method"] !== undefined)
      preflightHeaders(state, Allow, isPublic ? "any" : registered);
    state.answer = { status: 204, headers: { Allow } };
  };
}

/**
 * Headers of a preflight response. It carries no credential, so the union of all active keys' origins decides; the
 * request itself is then held to its own key's list. Any origin may request public resources.
 * @throws Problem `origin_not_allowed`
 */
function preflightHeaders(exchange: Exchange, allow: string, registered: RegisteredOrigins | "any"): void {
  const origin = exchange.facts.headers.origin ?? "";
  exchange.headers.Vary = "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";
  if (registered !== "any" && (origin === "null" || !registered.listsOrigin(origin))) throw originNotAllowed(origin);
  exchange.headers["Access-Control-Allow-Origin"] = registered === "any" ? "*" : origin;
  exchange.headers["Access-Control-Allow-Methods"] = allow;
  exchange.headers["Access-Control-Allow-Headers"] = REQUEST_HEADERS;
  exchange.headers["Access-Control-Max-Age"] = PREFLIGHT_SECONDS;
}

/** Lets a registered origin read the answer, errors included; never with credentials, so no cookies are involved. */
export function allowReading(exchange: Exchange, registered: RegisteredOrigins): void {
  const { origin } = exchange.facts.headers;
  if (origin === undefined || origin === "null" || !registered.listsOrigin(origin)) return;
  exchange.headers["Access-Control-Allow-Origin"] = origin;
  exchange.headers["Access-Control-Expose-Headers"] = EXPOSED;
}

/** Lets every page read responses without household data: the service's identity, and its description. */
export function allowAnyReading(exchange: Exchange): void {
  exchange.headers["Access-Control-Allow-Origin"] = "*";
  exchange.headers["Access-Control-Expose-Headers"] = EXPOSED;
}

/**
 * Lets the hub's own page under http read a response over https, to see whether the browser trusts the hub. Same host
 * name only, and never with credentials; for responses without household data.
 */
export function readableInClear({ headers, host, secure }: RequestFacts): Record<string, string> {
  const { origin } = headers;
  const page = secure && origin !== undefined ? /^http:\/\/([^/]+)$/.exec(origin)?.[1] : undefined;
  return page !== undefined && nameOf(page).toLowerCase() === nameOf(host).toLowerCase()
    ? { "Access-Control-Allow-Origin": origin ?? "" }
    : {};
}

/** Holds a request from a browser page to the origins of its own key. @throws Problem `origin_not_allowed` */
export function checkKeyOrigin(origin: string | undefined, origins: readonly string[]): void {
  if (origin !== undefined && !origins.includes(origin)) throw originNotAllowed(origin);
}

/** The refusal of a browser origin. */
export function originNotAllowed(origin: string): Problem {
  return new Problem("origin_not_allowed", "The browser origin is not registered on the key.", { fields: { origin } });
}
