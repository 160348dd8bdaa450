import type { HealthCheck } from "../../core/health/health.ts";
import type { Service } from "../../core/kernel/service.ts";
import type { MetricSource } from "../system/metrics.ts";
import type { MatterBridge } from "./bridge/bridge.ts";
import type { MatterController } from "./controller/build.ts";
import type { MatterHost } from "./host.ts";
import type { MatterService } from "./routes/console-matter.ts";

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
