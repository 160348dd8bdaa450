import { join } from "node:path";
import type { HubKey } from "../access/hub-key.js";
import type { HealthCheck } from "../health/health.js";
import { matterCheck } from "../health/matter.js";
import type { Service } from "../kernel/service.js";
import { MatterHost } from "../matter/host.js";
import type { SettingsStore } from "../settings/store.js";
import type { Base } from "./base.js";
import { buildMatterController, type MatterController, type MatterNeeds } from "./matter-controller.js";
import type { MetricSource } from "./metrics.js";

/** Matter, from the rest of the hub's view. Everything is quiet while it is switched off. */
export interface MatterParts {
  readonly host: MatterHost;
  readonly controller: MatterController;
  readonly services: readonly Service[];
  readonly checks: readonly HealthCheck[];
  readonly metrics: readonly MetricSource[];
}

/** Builds the Matter process's supervisor and the hub's side of its parts. */
export function buildMatter(
  base: Base,
  hub: MatterNeeds,
  { store, hubKey, version }: { readonly store: SettingsStore; readonly hubKey: HubKey; readonly version: string },
): MatterParts {
  const { dataFolder, clock, logger, settings } = base;
  const host = new MatterHost({
    dataFolder,
    folder: join(dataFolder, "matter"),
    wanted: () => settings().matter.enabled,
    start: () => {
      const { matter, log } = settings();
      const serial = hubKey.derive("Matter serial number").toString("hex").slice(0, 16);
      return { port: matter.port, networkInterface: matter.networkInterface, logLevel: log.level, version, serial };
    },
    clock,
    logger: logger.child({ part: "matter" }),
  });
  const controller = buildMatterController(base, hub, host);
  store.onChange(() => {
    void host.refresh();
    if (!settings().matter.enabled) controller.devices.away();
  });
  return {
    host,
    controller,
    services: [...controller.services, host],
    checks: [matterCheck(() => host.state)],
    metrics: [
      { name: "matter_running", help: "1 while the Matter process runs.", read: () => (host.state.state === "running" ? 1 : 0) },
      { name: "matter_memory_bytes", help: "What the system holds in memory for the Matter process.", read: () => host.state.rssBytes },
      { name: "matter_restarts", help: "How often the Matter process ended by itself since it was switched on.", read: () => host.state.restarts },
    ],
  };
}
