import type { Estate } from "../estate/estate.js";
import type { HealthCheck } from "../health/health.js";
import type { Service } from "../kernel/service.js";
import type { MetricSource } from "./metrics.js";

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
