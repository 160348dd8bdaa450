import { PROBLEMS, type ProblemCode } from "../api/problems.ts";
import type { RouteSpec } from "../api/route.ts";

const EVERYWHERE: readonly ProblemCode[] = [
  "invalid_request",
  "invalid_query",
  "not_acceptable",
  "host_not_allowed",
  "https_required",
  "rate_limited",
  "internal",
  "unavailable",
];
const WITH_CREDENTIAL: readonly ProblemCode[] = [
  "missing_credential",
  "invalid_credential",
  "expired_credential",
  "revoked_credential",
  "origin_not_allowed",
];
const WITH_BODY: readonly ProblemCode[] = [
  "invalid_json",
  "invalid_body",
  "body_too_large",
  "unsupported_media_type",
  "request_timeout",
];
const REPEATABLE: readonly ProblemCode[] = ["idempotency_in_progress", "idempotency_key_reused"];

/** Every problem that an operation can answer with: its own, and those that the engine's checks bring. */
function problemsOf(spec: RouteSpec): readonly ProblemCode[] {
  const { access, method } = spec;
  const isChange = method !== "GET";
  const codes = [
    ...EVERYWHERE,
    ...(access.kind === "scope" || access.kind === "session" ? WITH_CREDENTIAL : []),
    ...(access.kind === "scope" ? (["insufficient_scope"] as const) : []),
    ...(access.kind === "session" ? (["forbidden"] as const) : []),
    ...(spec.proof === undefined || spec.proof === "none" ? [] : (["fresh_proof_required"] as const)),
    ...(access.kind === "public" && isChange ? (["origin_not_allowed"] as const) : []),
    ...(spec.params ? (["invalid_path"] as const) : []),
    ...(spec.body || spec.bodyType ? WITH_BODY : []),
    ...(isChange ? (["storage_full", "conflict"] as const) : []),
    ...(isChange && access.kind === "scope" ? REPEATABLE : []),
    ...(spec.ifMatch ? (["precondition_failed"] as const) : []),
    ...(spec.problems ?? []),
  ];
  return [...new Set(codes)];
}

/** The problems of an operation by HTTP status, ascending. */
export function problemsByStatus(spec: RouteSpec): ReadonlyMap<number, readonly ProblemCode[]> {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of problemsOf(spec))
    byStatus.set(PROBLEMS[code].status, [...(byStatus.get(PROBLEMS[code].status) ?? []), code]);
  return new Map([...byStatus].sort(([left], [right]) => left - right));
}
