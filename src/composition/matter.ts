import type { HealthCheck } from "../health/health.js";
import type { MatterService } from "../http/routes/console-matter.js";
import type { Service } from "../kernel/service.js";
import type { MatterBridge } from "../matter/bridge/bridge.js";
import type { MatterHost } from "../matter/host.js";
import type { MatterController } from "./matter-controller.js";
import type { MetricSource } from "./metrics.js";

/** Matter, from the rest of the hub's view. Everything is quiet while it is switched off. */
export interface MatterParts {
  readonly host: MatterHost;
  readonly bridge: MatterBridge;
  readonly controller: MatterController;
  /** For the console. */
  readonly service: Omit<MatterService, "note" | "audited">;
  readonly services: readonly Service[];
  readonly checks: readonly HealthCheck[];
  readonly metrics: readonly MetricSource[];
}
