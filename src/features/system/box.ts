import type { HealthCheck } from "../../core/health/health.ts";
import type { BoundRoute } from "../../core/http/exchange.ts";
import type { Job } from "../../core/jobs/jobs.ts";
import type { Service } from "../../core/kernel/service.ts";
import type { MdnsResponder } from "../../core/platform/mdns.ts";
import type { Backups } from "../backups/backups.ts";
import type { Updates } from "../updates/updates.ts";
import type { MetricSource } from "./metrics.ts";

/** The box beneath the hub: backups, updates, the network's name, the card. */
export interface BoxParts {
  readonly backups: Backups;
  readonly updates: Updates;
  /** Null while announcing is switched off. */
  readonly mdns: MdnsResponder | null;
  /**
   * Creates a new authority of the hub, which everybody has to trust anew. @throws Problem `conflict` without one of
   * its own
   */
  readonly renewAuthority: () => Promise<void>;
  readonly services: readonly Service[];
  readonly jobs: readonly Job[];
  readonly checks: readonly HealthCheck[];
  readonly routes: () => readonly BoundRoute[];
  readonly metrics: readonly MetricSource[];
}
