/**
 * Leads each request to its operation's own stack of middleware. @koa/router is not used: for each request it composes
 * the stack anew and puts ten properties onto the context. On one busy machine, `npm run bench -- api` gave 57, 57 and
 * 61 % of bare Koa's requests a second with it, 67 to 80 % with stacks that are composed once (2026-11-28).
 */
import compose from "koa-compose";
import type { RouteSpec } from "../api/route.ts";
import type { BoundRoute, HubMiddleware } from "./exchange.ts";

/**
 * Mounts the operations. `stackOf` gives the middleware of one; `others` answers the methods that no operation of a
 * path has. A path of no operation goes on to the next middleware.
 * @throws Error when two routes share method and path
 */
export function mounted(
  routes: readonly BoundRoute[],
  stackOf: (route: BoundRoute) => HubMiddleware[],
  others: (specs: readonly RouteSpec[]) => HubMiddleware,
): HubMiddleware {
  const paths = new Paths(routes, (own) => {
    const stacks = new Map(own.map((route) => [String(route.spec.method), compose(stackOf(route))]));
    const ofGet = stacks.get("GET");
    if (ofGet !== undefined) stacks.set("HEAD", ofGet);
    return { stacks, others: others(own.map(({ spec }) => spec)) };
  });
  return (context, next) => {
    const { state } = context;
    const found = paths.find(state.facts.path);
    if (found === null) return next();
    state.rawParams = found.params;
    const { stacks, others } = found.leadsTo;
    return (stacks.get(state.facts.method) ?? others)(context, next);
  };
}

/** Where a path leads, and its parameters as sent. */
interface Found<Place> {
  readonly leadsTo: Place;
  readonly params: Readonly<Record<string, string>>;
}

const NO_PARAMS: Found<unknown>["params"] = {};

/**
 * The paths of operations: exact, case-sensitive and without a trailing slash. Those without parameters win over
 * patterns.
 */
export class Paths<Place> {
  readonly #literal = new Map<string, Found<Place>>();
  /** By the resource that they begin with. */
  readonly #patterns = new Map<string, { readonly pattern: RegExp; readonly leadsTo: Place }[]>();

  /** `placeOf` makes of a path's operations what it leads to. @throws Error when two routes share method and path */
  constructor(routes: readonly BoundRoute[], placeOf: (own: readonly BoundRoute[]) => Place) {
    for (const [path, own] of Map.groupBy(routes, ({ spec }) => spec.path)) {
      const methods = own.map(({ spec }) => spec.method);
      const twice = methods.find((method, at) => methods.indexOf(method) !== at);
      if (twice !== undefined) throw new Error(`two routes for ${twice} ${path}`);
      const leadsTo = placeOf(own);
      if (!path.includes("{")) {
        this.#literal.set(path, { leadsTo, params: NO_PARAMS });
        continue;
      }
      const resource = resourceOf(path);
      const known = this.#patterns.get(resource) ?? [];
      this.#patterns.set(resource, [...known, { pattern: patternOf(path), leadsTo }]);
    }
  }

  /** Null if no operation has the path. */
  find(path: string): Found<Place> | null {
    const literal = this.#literal.get(path);
    if (literal !== undefined) return literal;
    for (const { pattern, leadsTo } of this.#patterns.get(resourceOf(path)) ?? []) {
      const match = pattern.exec(path);
      if (match !== null) return { leadsTo, params: match.groups ?? NO_PARAMS };
    }
    return null;
  }
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(".", "\\.").replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
}

/** The first two parts of a path. */
function resourceOf(path: string): string {
  const second = path.indexOf("/", 1);
  const third = second === -1 ? -1 : path.indexOf("/", second + 1);
  return third === -1 ? path : path.slice(0, third);
}
