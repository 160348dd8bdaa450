/**
 * The operations as routers of @koa/router, one for each resource (`/v1/devices`), mounted under its path. The routers
 * register and match. Their own middleware (`router.routes()`) is not used: for each request it composes the stack anew
 * and puts ten properties onto the context. On one busy machine, `npm run bench -- api` gave 57, 57 and 61 % of bare
 * Koa's requests a second with it, 67 to 80 % without (2026-11-28). 75 % are wanted.
 */
import { type Layer, Router } from "@koa/router";
import compose from "koa-compose";
import type { RouteSpec } from "../api/route.ts";
import type { BoundRoute, Exchange, HubMiddleware } from "./exchange.ts";

const EXACT = { sensitive: true, strict: true } as const;

/**
 * Mounts the operations. `stackOf` gives the middleware of one; `others` answers the methods that no operation of a
 * path has. Paths are exact, case-sensitive and without a trailing slash; those without parameters win over patterns. A
 * path of no operation goes on to the next middleware.
 * @throws Error when two routes share method and path
 */
export function mounted(
  routes: readonly BoundRoute[],
  stackOf: (route: BoundRoute) => HubMiddleware[],
  others: (specs: readonly RouteSpec[]) => HubMiddleware,
): HubMiddleware {
  const routers = new Map<string, Router<Exchange>>();
  const rest = new Map<Layer["path"], HubMiddleware>();
  for (const [path, own] of byPath(routes)) {
    const prefix = prefixOf(path);
    const router = routers.get(prefix) ?? new Router<Exchange>(EXACT);
    const pattern = patternOf(path);
    for (const route of own) router.register(pattern, [route.spec.method], compose(stackOf(route)));
    routers.set(prefix, router);
    rest.set(pattern, others(own.map(({ spec }) => spec)));
  }
  return (context, next) => {
    const { state } = context;
    const { method, path } = state.facts;
    const found = routers.get(prefixOf(path))?.match(path, method);
    const place = found?.path[0];
    if (!found || !place) return next();
    const layer = found.pathAndMethod.find((one) => one.path === place.path);
    if (layer?.paramNames.length) state.rawParams = paramsIn(layer, path);
    const run = layer ? (layer.stack[0] as HubMiddleware) : rest.get(place.path);
    return run?.(context, next);
  };
}

/** The operation of a method and path with its parameters as sent, for a call without a request; null if none. */
export function findRoute(
  routes: readonly BoundRoute[],
  method: string,
  path: string,
): { readonly route: BoundRoute; readonly params: Readonly<Record<string, string>> } | null {
  const router = new Router<Exchange>(EXACT);
  const places = new Map<Layer["path"], BoundRoute[]>();
  for (const [template, own] of byPath(routes)) {
    router.register(patternOf(template), [], compose([]));
    places.set(patternOf(template), own);
  }
  const [layer] = router.match(path, method).path;
  const route = layer && places.get(layer.path)?.find(({ spec }) => spec.method === method);
  return layer && route ? { route, params: paramsIn(layer, path) } : null;
}

/** A path of a route as @koa/router writes it. */
function patternOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Path parameters as sent: the router's own are decoded as far as they can be. */
function paramsIn(layer: Layer<Exchange>, path: string): Record<string, string> {
  const values = layer.captures(path);
  return Object.fromEntries(layer.paramNames.map(({ name }, at) => [name, values[at] ?? ""]));
}

/** Routes by path, those of paths without parameters first: the router's first layer that fits is taken. */
function byPath(routes: readonly BoundRoute[]): Map<string, BoundRoute[]> {
  const paths = new Map<string, BoundRoute[]>();
  const isPattern = ({ spec }: BoundRoute): boolean => spec.path.includes("{");
  for (const route of [...routes.filter((one) => !isPattern(one)), ...routes.filter(isPattern)]) {
    const { method, path } = route.spec;
    const own = paths.get(path) ?? [];
    if (own.some(({ spec }) => spec.method === method)) throw new Error(`two routes for ${method} ${path}`);
    paths.set(path, [...own, route]);
  }
  return paths;
}

/** The first two parts of a path. */
function prefixOf(path: string): string {
  const second = path.indexOf("/", 1);
  const third = second === -1 ? -1 : path.indexOf("/", second + 1);
  return third === -1 ? path : path.slice(0, third);
}
