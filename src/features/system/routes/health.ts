import type { Health } from "../../../core/health/health.ts";
import { type BoundRoute, bindOpen } from "../../../core/http/exchange.ts";
import { readableInClear } from "../../../core/http/middleware/cors.ts";
import { Problem } from "../../../core/kernel/problem.ts";
import { getHealthz, getMetrics, getReadyz } from "../api/health.ts";
import type { Metrics } from "../metrics.ts";

/** The hub itself. */
export interface Self {
  /** How it is, check by check. */
  health(): Health;
  /** Its text for Prometheus is null while the setting is off. */
  readonly figures: Metrics;
}

/** `/healthz`, `/readyz` and `/metrics`, for supervisors and monitoring; no credential. */
export function healthRoutes(hub: Self, version: string): BoundRoute[] {
  return [
    bindOpen(getHealthz, ({ facts }) => ({ ...shown(hub.health(), version), headers: readableInClear(facts) })),
    bindOpen(getReadyz, () => {
      const health = hub.health();
      const failed = health.checks.find((check) => check.level === "failed");
      if (failed !== undefined)
        throw new Problem("unavailable", { code: "unavailable.check", what: `${failed.title}: ${failed.text}` });
      return shown(health, version);
    }),
    bindOpen(getMetrics, async () => {
      const text = await hub.figures.text();
      if (text === null) throw new Problem("not_found", "Metrics are switched off (setting metrics.enabled).");
      return { status: 200, bytes: Buffer.from(text), contentType: "text/plain; version=0.0.4; charset=utf-8" };
    }),
  ];
}

function shown({ status, checks }: Health, version: string) {
  return {
    status: 200 as const,
    body: { status, version, checks: checks.map(({ code, level, text }) => ({ code, level, text })) },
  };
}
