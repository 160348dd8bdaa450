import { PROBLEMS, type ProblemCode } from "../contract/problems.js";
import type { Problem as ProblemError } from "../kernel/problem.js";
import { Problem } from "../kernel/problem.js";
import type { BoundRoute } from "./exchange.js";
import { type BodyRule, bodyRule } from "./middleware/body.js";
import { ParameterReader } from "./middleware/parameters.js";
import type { Check, SchemaChecks } from "./middleware/validate.js";

/** A bound route with everything that its requests are checked with. */
export interface CompiledRoute extends BoundRoute {
  readonly query: ParameterReader;
  readonly params: ParameterReader | null;
  readonly body: { readonly rule: BodyRule; readonly check: Check; readonly textFields: readonly string[] } | null;
  /** Media type of the successful answer. */
  readonly produces: string;
  readonly notFound: () => ProblemError;
}

/** What a path leads to. */
export interface Match {
  /** Route by method; never empty. */
  readonly methods: ReadonlyMap<string, CompiledRoute>;
  /** Path parameters as sent, still percent-encoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Value of the Allow header. */
  readonly allow: string;
}

interface Place {
  readonly segments: readonly string[];
  readonly methods: Map<string, CompiledRoute>;
  allow: string;
}

const NO_PARAMS: Readonly<Record<string, string>> = {};

/**
 * Finds routes by path: exact, case-sensitive, no trailing slash. Paths without parameters are one look-up; the
 * others are compared segment by segment, in the order they were given.
 */
export class RouteTable {
  readonly #exact = new Map<string, Place>();
  readonly #patterns = new Map<number, Place[]>();

  /** @throws Error when two routes share method and path. */
  constructor(routes: readonly BoundRoute[], checks: SchemaChecks) {
    for (const route of routes) this.#add(compile(route, checks));
  }

  find(path: string): Match | null {
    const exact = this.#exact.get(path);
    if (exact) return { methods: exact.methods, params: NO_PARAMS, allow: exact.allow };
    const segments = path.split("/");
    for (const place of this.#patterns.get(segments.length) ?? []) {
      const params = matchSegments(place.segments, segments);
      if (params) return { methods: place.methods, params, allow: place.allow };
    }
    return null;
  }

  #add(route: CompiledRoute): void {
    const { method, path } = route.spec;
    const place = this.#place(path);
    if (place.methods.has(method)) throw new Error(`two routes for ${method} ${path}`);
    place.methods.set(method, route);
    place.allow = [...place.methods.keys(), ...(place.methods.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  }

  #place(path: string): Place {
    const segments = path.split("/");
    if (!path.includes("{")) {
      const known = this.#exact.get(path) ?? { segments, methods: new Map<string, CompiledRoute>(), allow: "" };
      this.#exact.set(path, known);
      return known;
    }
    const places = this.#patterns.get(segments.length) ?? [];
    this.#patterns.set(segments.length, places);
    const known = places.find((place) => place.segments.join("/") === path) ?? { segments, methods: new Map<string, CompiledRoute>(), allow: "" };
    if (!places.includes(known)) places.push(known);
    return known;
  }
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (let i = 0; i < pattern.length; i++) {
    const expected = pattern[i] ?? "";
    const given = segments[i] ?? "";
    if (expected.startsWith("{")) {
      if (given === "") return null;
      params[expected.slice(1, -1)] = given;
    } else if (expected !== given) return null;
  }
  return params;
}

function compile(route: BoundRoute, checks: SchemaChecks): CompiledRoute {
  const { spec } = route;
  const success = Object.entries(spec.responses).find(([status]) => Number(status) < 300)?.[1];
  const notFoundCode: ProblemCode = spec.problems.find((code) => PROBLEMS[code].status === 404) ?? "not_found";
  return {
    ...route,
    query: new ParameterReader(spec.query ?? NO_PARAMETERS, spec.query ? checks.parameters(spec.query) : () => null),
    params: spec.params ? new ParameterReader(spec.params, checks.parameters(spec.params)) : null,
    body:
      spec.body || spec.bodyType ? { rule: bodyRule(spec), check: spec.body ? checks.body(spec.body) : () => null, textFields: textFields(spec.body) } : null,
    produces: success?.contentType ?? "application/json",
    notFound: () => new Problem(notFoundCode, PROBLEMS[notFoundCode].meaning),
  };
}

const NO_PARAMETERS = { type: "object", properties: {} };

/** Names of the body's own fields that hold text typed by a person (`x-text`): they are trimmed before they are checked. */
function textFields(schema: BoundRoute["spec"]["body"]): string[] {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, Record<string, unknown>> }; // TypeBox objects are plain JSON Schema
  return Object.entries(properties).flatMap(([name, property]) => (property["x-text"] === true ? [name] : []));
}
