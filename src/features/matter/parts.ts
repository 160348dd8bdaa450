import type { HealthCheck } from "../../core/health/health.js";
import type { MatterService } from "./routes/console-matter.js";
import type { Service } from "../../core/kernel/service.js";
import type { MatterBridge } from "./bridge/bridge.js";
import type { MatterHost } from "./host.js";
import type { MatterController } from "./controller/build.js";
import type { MetricSource } from "../system/metrics.js";

/** Matter, from the rest of the hub's view. Everything is quiet while it is switched off. */
export interface MatterParts {
  readonly host: MatterHost;
  readonly bridge: MatterBridge;
  readonly controller: MatterController;
  /** For the console. */
  readonly service: Omit<MatterService, "note">;
  readonly services: readonly Service[];
  readonly checks: readonly HealthCheck[];
  readonly metrics: readonly MetricSource[];
}
