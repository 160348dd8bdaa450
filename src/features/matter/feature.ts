import { join } from "node:path";
import type { Base } from "../../core/base.ts";
import type { HubKey } from "../../core/platform/hub-key.ts";
import { ipv6Addresses } from "../../core/platform/network.ts";
import type { SettingsStore } from "../../core/settings/store.ts";
import { KEY_FOLDER, RESTORED_MARK } from "../backups/key-folder.ts";
import { MatterBridge } from "./bridge/bridge.ts";
import { buildMatterController, type MatterNeeds } from "./controller/build.ts";
import { matterCheck } from "./health.ts";
import { MatterHost } from "./host.ts";
import type { MatterParts } from "./parts.ts";
import { RestoredKeys } from "./restored-keys.ts";

/** Builds the Matter process's supervisor and the hub's side of its parts. */
export function buildMatter(
  base: Base,
  hub: MatterNeeds,
  { store, hubKey, version }: { readonly store: SettingsStore; readonly hubKey: HubKey; readonly version: string },
): MatterParts {
  const { dataFolder, clock, logger, settings } = base;
  const folder = join(dataFolder, KEY_FOLDER);
  const restored = new RestoredKeys(join(folder, RESTORED_MARK));
  const host = new MatterHost({
    dataFolder,
    folder,
    wanted: () => settings().matter.enabled && !restored.areHeld,
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
  const { registry, commands, scenes } = hub.devices;
  const bridge = new MatterBridge({
    host,
    database: base.database,
    bus: base.bus,
    ports: {
      siteId: () => hub.access.accounts.sites().find((site) => site.env === "live")?.id ?? null,
      // A device that came by Matter can join other homes itself: bridged too, it would appear in them twice.
      devices: (siteId) => registry.list(siteId).filter(({ id }) => !controller.devices.has(id)),
      scenes: (siteId) => scenes.list(siteId),
      send: (order) => commands.send({ ...order, source: "api" }),
      activate: (siteId, sceneId, actor) => scenes.activate(siteId, sceneId, actor),
      audit: ({ siteId, ...entry }) =>
        hub.access.audit.record({
          ...entry,
          accountId: hub.access.accounts.site(siteId).accountId,
          personId: null, // the household's account does not stand for a person whose session has ended
          at: clock.now(),
        }),
    },
    pinKey: hubKey.derive("PIN of Matter"),
    clock,
    logger: logger.child({ part: "matter" }),
  });
  return {
    host,
    bridge,
    controller,
    service: {
      bridge,
      process: () => host.state,
      enabled: () => settings().matter.enabled,
      changeable: () => store.describe().find(({ key }) => key === "matter.enabled")?.changeable ?? false,
      switchTo: async (enabled) => {
        await store.change({ "matter.enabled": enabled });
        await host.refresh();
      },
      restored: () => restored.areHeld,
      takeOver: async () => {
        await restored.takeOver();
        await host.refresh();
      },
      addresses: () => ipv6Addresses(settings().matter.networkInterface),
    },
    services: [...controller.services, bridge, host],
    checks: [
      matterCheck(() => ({
        ...host.state,
        isHeld: restored.areHeld && settings().matter.enabled,
        hasIpv6: ipv6Addresses(settings().matter.networkInterface).length > 0,
        trouble: bridge.trouble,
      })),
    ],
    metrics: [
      {
        name: "matter_running",
        help: "1 while the Matter process runs.",
        read: () => (host.state.state === "running" ? 1 : 0),
      },
      {
        name: "matter_memory_bytes",
        help: "What the system holds in memory for the Matter process.",
        read: () => host.state.rssBytes,
      },
      {
        name: "matter_restarts",
        help: "How often the Matter process ended by itself since it was switched on.",
        read: () => host.state.restarts,
      },
    ],
  };
}
