/**
 * The web application, in Koa. Every request passes the middleware of {@link openApp}; one for an operation goes on
 * through the router of its resource (router.ts) to that operation's stack, {@link checksOf}. The order of the checks is
 * part of the API.
 *
 * One thing is not as Koa has it: the answer is put into `context.state.answer` and written with one `writeHead`
 * (answer-writer.ts), and `context.respond` is false. With `context.set` and `context.body`, `npm run bench -- api` gave
 * 65 and 70 % of bare Koa's requests a second (2026-11-23); 75 % are wanted.
 */
import Koa from "koa";
import type { Clock } from "../kernel/clock.ts";
import type { Problem } from "../kernel/problem.ts";
import type { Connections } from "./connections.ts";
import { type ConsoleFiles, consoleFiles, type FirstSightOf } from "./console-files.ts";
import type { BoundRoute, Exchange, HubMiddleware } from "./exchange.ts";
import type { FairScheduler } from "./fair-scheduler.ts";
import { acceptable } from "./middleware/accept.ts";
import { type Credentials, identified, identify, owned, proven } from "./middleware/access.ts";
import type { Answers } from "./middleware/answers.ts";
import { body, bodyHeaders } from "./middleware/body.ts";
import type { BodyRoom } from "./middleware/body-room.ts";
import { otherMethods, registeredOrigins } from "./middleware/cors.ts";
import { type HostRule, hostNames } from "./middleware/host.ts";
import type { Idempotency } from "./middleware/idempotency.ts";
import { parameters } from "./middleware/parameters.ts";
import { encryption, type PlainHttp } from "./middleware/plain-http.ts";
import type { RateLimits } from "./middleware/rate-limit.ts";
import { inTurn } from "./middleware/turns.ts";
import { operationOf } from "./operation.ts";
import { mounted } from "./router.ts";

/** What the middleware works with. */
export interface AppParts {
  readonly routes: readonly BoundRoute[];
  readonly connections: Connections;
  /** For requests on connections that have presented no credential. */
  readonly scheduler: FairScheduler;
  readonly answers: Answers;
  readonly hosts: HostRule;
  readonly plainHttp: PlainHttp;
  readonly credentials: Credentials;
  readonly rates: RateLimits;
  readonly bodies: BodyRoom;
  readonly idempotency: Idempotency;
  readonly consoleFiles: ConsoleFiles | null;
  readonly firstSightOf: FirstSightOf;
  /** Why /v1 is closed now (a hub without an owner); null if it is open. */
  readonly closed: () => Problem | null;
  readonly clock: Clock;
}

/** What every request passes. */
export function openApp(parts: AppParts): Koa<Exchange> {
  const { routes, connections, scheduler, answers, hosts, plainHttp, credentials } = parts;
  return new Koa<Exchange>()
    .use(inTurn(connections, scheduler))
    .use(answers.middleware)
    .use(hostNames(hosts))
    .use(encryption(plainHttp))
    .use(registeredOrigins(credentials.keys))
    .use(
      mounted(
        routes,
        (route) => checksOf(route, parts),
        (specs) => otherMethods(specs, credentials.keys),
      ),
    )
    .use(consoleFiles(parts.consoleFiles, parts.firstSightOf));
}

/** What a request of one operation passes; what the operation does not need is left out. The handler comes last. */
function checksOf(route: BoundRoute, parts: AppParts): HubMiddleware[] {
  const { spec } = route;
  const { access, proof } = spec;
  const operation = operationOf(route);
  const isOfOwner = access.kind === "scope" && spec.path.startsWith("/v1");
  // answers of the console's own API hold secrets that are shown once: never keep them
  const isRepeatable = access.kind === "scope" && spec.method !== "GET";
  const again = (exchange: Exchange): void => identify(exchange, spec, parts);
  return [
    named(spec),
    ...(isOfOwner ? [owned(parts.closed)] : []),
    identified(spec, parts),
    parts.rates.of(spec),
    acceptable(operation.produces),
    ...(operation.body ? [bodyHeaders(operation.body.rule)] : []),
    parameters(operation),
    ...(operation.body ? [body(route, operation.body, { ...parts, again })] : []),
    ...(spec.body !== undefined && proof !== undefined && proof !== "none" ? [proven(proof, parts)] : []),
    ...(isRepeatable ? [parts.idempotency.once] : []),
    handler(route),
  ];
}

/** Names the operation for metrics. */
function named({ operationId }: BoundRoute["spec"]): HubMiddleware {
  return ({ state }, next) => {
    state.operationId = operationId;
    return next();
  };
}

function handler({ handle }: BoundRoute): HubMiddleware {
  return async ({ state }) => {
    state.answer = await handle(state);
  };
}
