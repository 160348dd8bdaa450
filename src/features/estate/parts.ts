import type { HealthCheck } from "../../core/health/health.ts";
import type { Service } from "../../core/kernel/service.ts";
import type { MetricSource } from "../system/metrics.ts";
import type { Estate } from "./estate.ts";

/** The estate that the hub has joined, from the rest of the hub's view. */
export interface EstateParts {
  /** Null if it belongs to none. */
  readonly estate: Estate | null;
  readonly services: readonly Service[];
  readonly checks: readonly HealthCheck[];
  readonly metrics: readonly MetricSource[];
}

/** The parts of a hub without an estate. */
export const NO_ESTATE: EstateParts = { estate: null, services: [], checks: [], metrics: [] };
