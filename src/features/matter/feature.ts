import { join } from "node:path";
import type { Base } from "../../core/base.ts";
import type { Feature, PlacedService } from "../../core/feature.ts";
import { ipv6Addresses } from "../../core/platform/network.ts";
import type { AccessFeature } from "../access/feature.ts";
import { KEY_FOLDER, RESTORED_MARK } from "../backups/key-folder.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import type { ScenesFeature } from "../scenes/feature.ts";
import type { TelemetryFeature } from "../telemetry/feature.ts";
import { MatterBridge } from "./bridge/bridge.ts";
import { buildMatterController, type MatterController } from "./controller/build.ts";
import { matterCheck } from "./health.ts";
import { MatterHost } from "./host.ts";
import { RestoredKeys } from "./restored-keys.ts";
import { matterRoutes } from "./routes/console-matter.ts";
import { matterJoinRoutes } from "./routes/console-matter-joins.ts";

/** The features that Matter works with. */
interface Siblings {
  readonly access: AccessFeature;
  readonly devices: DevicesFeature;
  readonly scenes: ScenesFeature;
  readonly telemetry: TelemetryFeature;
}

/** Matter: homes that join the hub, and devices that do. Everything is quiet while it is switched off. */
export class MatterFeature implements Feature {
  readonly host: MatterHost;
  readonly bridge: MatterBridge;
  readonly controller: MatterController;
  readonly services: readonly PlacedService[];
  readonly #base: Base;
  readonly #access: AccessFeature;
  readonly #restored: RestoredKeys;

  constructor(base: Base, siblings: Siblings) {
    const { access, devices, scenes } = siblings;
    const { dataFolder, clock, logger, settings } = base;
    const folder = join(dataFolder, KEY_FOLDER);
    const restored = new RestoredKeys(join(folder, RESTORED_MARK));
    const host = new MatterHost({
      dataFolder,
      folder,
      wanted: () => settings().matter.enabled && !restored.areHeld,
      start: () => {
        const { matter, log } = settings();
        const serial = base.hubKey.derive("Matter serial number").toString("hex").slice(0, 16);
        return {
          port: matter.port,
          networkInterface: matter.networkInterface,
          logLevel: log.level,
          version: base.version,
          serial,
        };
      },
      clock,
      logger: logger.child({ part: "matter" }),
    });
    const controller = buildMatterController(base, siblings, host);
    base.store.onChange(() => {
      void host.refresh();
      if (!settings().matter.enabled) controller.devices.away();
    });
    const { registry, commands } = devices;
    const bridge = new MatterBridge({
      host,
      database: base.database,
      bus: base.bus,
      ports: {
        siteId: () => access.accounts.household()?.id ?? null,
        // A device that came by Matter can join other homes itself: if bridged too, it would appear in them twice.
        devices: (siteId) => registry.list(siteId).filter(({ id }) => !controller.devices.has(id)),
        commands,
        scenes: scenes.scenes,
        limits: access.limits,
        send: (order) => commands.send({ ...order, source: "api" }),
        audit: ({ siteId, ...entry }) =>
          access.audit.record({
            ...entry,
            accountId: access.accounts.site(siteId).accountId,
            personId: null, // the household's account does not stand for a person whose session has ended
            at: clock.now(),
          }),
      },
      pinKey: base.hubKey.derive("PIN of Matter"),
      clock,
      logger: logger.child({ part: "matter" }),
    });
    this.#base = base;
    this.#access = access;
    this.#restored = restored;
    this.host = host;
    this.bridge = bridge;
    this.controller = controller;
    this.services = [
      ...controller.services.map((service) => ({ service, start: "serve" as const, stop: "intake" as const })),
      { service: bridge, start: "serve", stop: "intake" },
      { service: host, start: "serve", stop: "intake" },
    ];
    devices.commands.carriedBy(controller.devices);
    access.grants.endsBy("matter_home", ({ row, id }) => {
      access.grants.disown("matter_home", id); // its orders are refused from now on
      base.database.committed(() => {
        bridge
          .removeFabric(row)
          .catch((error: unknown) => logger.error({ row, err: error }, "a home's Matter fabric could not be removed"));
      });
    });
  }

  get console() {
    const { store, settings } = this.#base;
    const { host, bridge, controller } = this;
    const { note, audited } = this.#access;
    return [
      ...matterRoutes({
        bridge,
        process: () => host.state,
        enabled: () => settings().matter.enabled,
        changeable: () => store.describe().find(({ key }) => key === "matter.enabled")?.changeable ?? false,
        switchTo: async (enabled) => {
          await store.change({ "matter.enabled": enabled });
          await host.refresh();
        },
        restored: () => this.#restored.areHeld,
        takeOver: async () => {
          await this.#restored.takeOver();
          await host.refresh();
        },
        addresses: () => ipv6Addresses(settings().matter.networkInterface),
        note,
        audited,
      }),
      ...matterJoinRoutes({ joins: controller.joins, note }),
    ];
  }

  get checks() {
    const { settings } = this.#base;
    return [
      matterCheck(() => ({
        ...this.host.state,
        isHeld: this.#restored.areHeld && settings().matter.enabled,
        hasIpv6: ipv6Addresses(settings().matter.networkInterface).length > 0,
        trouble: this.bridge.trouble,
      })),
    ];
  }

  get metrics() {
    return [
      {
        name: "matter_running",
        help: "1 while the Matter process runs.",
        read: () => (this.host.state.state === "running" ? 1 : 0),
      },
      {
        name: "matter_memory_bytes",
        help: "What the system holds in memory for the Matter process.",
        read: () => this.host.state.rssBytes,
      },
      {
        name: "matter_restarts",
        help: "How often the Matter process ended by itself since it was switched on.",
        read: () => this.host.state.restarts,
      },
    ];
  }
}
