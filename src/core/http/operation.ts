import { PROBLEMS, type ProblemCode } from "../api/problems.ts";
import { Problem } from "../kernel/problem.ts";
import type { BoundRoute } from "./exchange.ts";
import { bodyRule, type TakenBody } from "./middleware/body.ts";
import { ParameterReader, type Parameters } from "./middleware/parameters.ts";
import { API_CHECKS, type Check } from "./middleware/validate.ts";

/** A bound route with everything that its requests are checked with. */
export interface Operation extends BoundRoute, Parameters {
  readonly body: TakenBody | null;
  /** Media type of the successful answer. */
  readonly produces: string;
}

/** Prepares a route's checks; schemas are compiled when they are first needed. */
export function operationOf(route: BoundRoute): Operation {
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

/** Names of fields with `x-text`. */
function textFields(schema: BoundRoute["spec"]["body"]): string[] {
  // TypeBox objects are plain JSON Schema
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, Record<string, unknown>> };
  return Object.entries(properties).flatMap(([name, property]) => (property["x-text"] === true ? [name] : []));
}
