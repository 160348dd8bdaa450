import type { Base } from "../../core/base.ts";
import type { Feature } from "../../core/feature.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import type { SettingsStore } from "../../core/settings/store.ts";
import type { Database } from "../../core/storage/database.ts";
import type { AccessFeature } from "../access/feature.ts";
import type { AutomationsFeature } from "../automations/feature.ts";
import type { BackupsFeature } from "../backups/feature.ts";
import type { BridgeFeature } from "../bridge/feature.ts";
import type { DevicesFeature } from "../devices/feature.ts";
import { estateEntry } from "../estate/entry.ts";
import type { GateFeature } from "../gate/feature.ts";
import type { ScenesFeature } from "../scenes/feature.ts";
import type { WebhooksFeature } from "../webhooks/feature.ts";
import { writeSettings } from "./provision.ts";
import { boxRoutes } from "./routes/console-box.ts";
import type { ProvisionServices } from "./services.ts";
import { UnprintedResults } from "./unprinted.ts";

/** The features that a set-up document is applied to. */
interface Siblings {
  readonly access: AccessFeature;
  readonly webhooks: WebhooksFeature;
  readonly devices: DevicesFeature;
  readonly scenes: ScenesFeature;
  readonly gate: GateFeature;
  readonly automations: AutomationsFeature;
  readonly bridge: BridgeFeature;
  readonly backups: BackupsFeature;
}

/** Set-up documents, and other operations on the control socket. */
export class ProvisionFeature implements Feature {
  readonly #services: ProvisionServices;

  constructor(base: Base, { access, webhooks, devices, scenes, gate, automations, bridge, backups }: Siblings) {
    const { database, store, clock } = base;
    this.#services = {
      database,
      access,
      clock,
      devices: devices.registry,
      rooms: devices.rooms,
      scenes: scenes.scenes,
      webhooks: webhooks.registry,
      cameras: gate.cameras,
      plateRules: gate.rules,
      gateChoices: gate.choices,
      automations: automations.automations,
      clients: bridge.clients,
      expected: bridge.expected,
      settings: store,
      backups: backups.backups,
      unprinted: new UnprintedResults(database, access.hubKey),
      estate: estateEntry(base),
    };
  }

  get console() {
    return boxRoutes(this.#services);
  }
}

/** After a start: writes the settings of a set-up document if the hub ended before they were in their file. */
export async function takeUpSettings(
  { database, access }: { readonly database: Database; readonly access: AccessFeature },
  settings: SettingsStore,
  logger: Logger,
): Promise<void> {
  if (database.state !== "ok") return;
  try {
    await writeSettings({ database, settings, unprinted: new UnprintedResults(database, access.hubKey) });
  } catch (error) {
    logger.error({ err: error }, "the settings of a set-up document could not be written");
  }
}
