import { type BoundRoute, bindOpen } from "../../../core/http/exchange.ts";
import { readableInClear } from "../../../core/http/middleware/cors.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { getHealthz, getMetrics, getReadyz } from "../api/health.ts";

/** How the hub is, check by check. */
export interface HealthView {
  readonly status: "ok" | "degraded" | "failed";
  readonly checks: readonly {
    readonly code: string;
    readonly level: "ok" | "degraded" | "failed";
    readonly title: string;
    readonly text: string;
    readonly words?: Readonly<Record<string, unknown>>;
  }[];
}

/** `/healthz`, `/readyz` and `/metrics`, for supervisors and monitoring; no credential. */
export function healthRoutes(service: {
  readonly health: () => HealthView;
  readonly version: string;
  /** Prometheus text; null while the setting is off. */
  readonly metrics: () => Promise<string | null>;
}): BoundRoute[] {
  return [
    bindOpen(getHealthz, ({ facts }) => ({ ...shown(service), headers: readableInClear(facts) })),
    bindOpen(getReadyz, () => {
      const failed = service.health().checks.find((check) => check.level === "failed");
      if (failed !== undefined)
        throw new Problem("unavailable", { code: "unavailable.check", what: `${failed.title}: ${failed.text}` });
      return shown(service);
    }),
    bindOpen(getMetrics, async () => {
      const text = await service.metrics();
      if (text === null) throw new Problem("not_found", "Metrics are switched off (setting metrics.enabled).");
      return { status: 200, bytes: Buffer.from(text), contentType: "text/plain; version=0.0.4; charset=utf-8" };
    }),
  ];
}

function shown(service: Parameters<typeof healthRoutes>[0]) {
  const { status, checks } = service.health();
  return {
    status: 200 as const,
    body: { status, version: service.version, checks: checks.map(({ code, level, text }) => ({ code, level, text })) },
  };
}
