import { Router } from "@koa/router";
import { PROBLEMS, type ProblemCode } from "../api/problems.ts";
import type { Problem as ProblemError } from "../kernel/problem.ts";
import { Problem } from "../kernel/problem.ts";
import type { BoundRoute } from "./exchange.ts";
import { type BodyRule, bodyRule } from "./middleware/body.ts";
import { ParameterReader } from "./middleware/parameters.ts";
import { API_CHECKS, type Check } from "./middleware/validate.ts";

/** A bound route with everything that its requests are checked with. */
export interface CompiledRoute extends BoundRoute {
  readonly query: ParameterReader;
  readonly params: ParameterReader | null;
  readonly body: { readonly rule: BodyRule; readonly check: Check; readonly textFields: readonly string[] } | null;
  /** Media type of the successful answer. */
  readonly produces: string;
  readonly notFound: () => ProblemError;
}

/** The target of a path. */
export interface Match {
  /** Route by method; never empty. */
  readonly methods: ReadonlyMap<string, CompiledRoute>;
  /** Path parameters as sent, still percent-encoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Value of the Allow header. */
  readonly allow: string;
}

interface Place {
  readonly methods: Map<string, CompiledRoute>;
  allow: string;
}

const NO_PARAMS: Readonly<Record<string, string>> = {};

/** The router only finds routes; the pipeline runs them, after its checks (why: the head of pipeline.ts). */
const neverRun = (): void => {};

/**
 * Finds routes by path: exact, case-sensitive, no trailing slash. Paths without parameters are one look-up before any
 * router; they win over patterns. Each kind (see {@link kindOf}) has its own router, since a router tries all of its
 * patterns for each path.
 */
export class RouteTable {
  readonly #routers = new Map<string, Router>();
  readonly #exact = new Map<string, Place>();
  /** By the router's normalised form of the path. */
  readonly #patterns = new Map<string, Place>();

  /** @throws Error when two routes share method and path. */
  constructor(routes: readonly BoundRoute[]) {
    for (const route of routes) this.#add(compile(route));
  }

  find(path: string): Match | null {
    const exact = this.#exact.get(path);
    if (exact) return { methods: exact.methods, params: NO_PARAMS, allow: exact.allow };
    const layer = this.#routers.get(kindOf(path))?.match(path, "GET").path[0];
    const place = layer && typeof layer.path === "string" ? this.#patterns.get(layer.path) : undefined;
    if (!layer || !place) return null;
    const given = layer.captures(path);
    const params = Object.fromEntries(layer.paramNames.map(({ name }, index) => [name, given[index] ?? ""]));
    return { methods: place.methods, params, allow: place.allow };
  }

  #add(route: CompiledRoute): void {
    const { method, path } = route.spec;
    const place = this.#place(path);
    if (place.methods.has(method)) throw new Error(`two routes for ${method} ${path}`);
    place.methods.set(method, route);
    place.allow = [...place.methods.keys(), ...(place.methods.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  }

  #place(path: string): Place {
    const isPattern = path.includes("{");
    const places = isPattern ? this.#patterns : this.#exact;
    const key = path.replaceAll(/\{(\w+)\}/g, ":$1");
    const known = places.get(key);
    if (known) return known;
    const place: Place = { methods: new Map(), allow: "" };
    places.set(key, place);
    if (isPattern) this.#routerOf(key).register(key, ["GET"], neverRun);
    return place;
  }

  #routerOf(pattern: string): Router {
    const kind = kindOf(pattern);
    if (kind.includes(":")) throw new Error(`a parameter comes too early in ${pattern}`);
    const router = this.#routers.get(kind) ?? new Router({ sensitive: true, strict: true });
    this.#routers.set(kind, router);
    return router;
  }
}

/**
 * A path's first two parts, which hold no parameter, and how many it has: `/v1/devices/plug/commands` is of the kind
 * `/v1/devices 4`.
 */
function kindOf(path: string): string {
  let parts = 0;
  let named = path.length;
  for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) {
    parts += 1;
    if (parts === NAMED_PARTS + 1) named = at;
  }
  return `${path.slice(0, named)} ${parts}`;
}

const NAMED_PARTS = 2;

function compile(route: BoundRoute): CompiledRoute {
  const { spec } = route;
  const success = Object.entries(spec.responses).find(([status]) => Number(status) < 300)?.[1];
  const notFoundCode: ProblemCode = spec.problems?.find((code) => PROBLEMS[code].status === 404) ?? "not_found";
  return {
    ...route,
    query: new ParameterReader(
      spec.query ?? NO_PARAMETERS,
      spec.query ? API_CHECKS.parameters(spec.query) : NOTHING_TO_CHECK,
    ),
    params: spec.params ? new ParameterReader(spec.params, API_CHECKS.parameters(spec.params)) : null,
    body:
      spec.body || spec.bodyType
        ? {
            rule: bodyRule(spec),
            check: spec.body ? API_CHECKS.body(spec.body, spec.definitions) : NOTHING_TO_CHECK,
            textFields: textFields(spec.body),
          }
        : null,
    produces: success?.contentType ?? "application/json",
    notFound: () => new Problem(notFoundCode, PROBLEMS[notFoundCode].meaning),
  };
}

const NOTHING_TO_CHECK: Check = Object.assign(() => null, { ready: () => null });
const NO_PARAMETERS = { type: "object", properties: {} };

/**
 * Names of the body's own fields that hold text typed by a person (`x-text`): they are trimmed before they are checked.
 */
function textFields(schema: BoundRoute["spec"]["body"]): string[] {
  // TypeBox objects are plain JSON Schema
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, Record<string, unknown>> };
  return Object.entries(properties).flatMap(([name, property]) => (property["x-text"] === true ? [name] : []));
}
