import { FAMILIES } from "../../../firmware-bridge/families.ts";
import type { Base } from "../../core/base.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { isTimeZone } from "../../core/settings/load.ts";
import type { SettingsStore } from "../../core/settings/store.ts";
import { CLI_ACTOR } from "../access/ports.ts";
import { estateEntry } from "../estate/entry.ts";
import type { HubParts } from "../system/parts.ts";
import { exportDocument } from "./export.ts";
import { provision, writeSettings } from "./provision.ts";
import type { BoxService } from "./routes/console-box.ts";
import type { ProvisionServices } from "./services.ts";
import { UnprintedResults } from "./unprinted.ts";

/** The parts of a hub to which a set-up document is applied. */
function provisionServices(base: Base, hub: HubParts, settings: SettingsStore): ProvisionServices {
  const { database, access, devices, webhooks, plates, automations, bridge, box } = hub;
  return {
    database,
    access,
    isTimeZone,
    now: () => base.clock.now(),
    devices: devices.registry,
    rooms: devices.rooms,
    scenes: devices.scenes,
    webhooks: webhooks.registry,
    cameras: plates.cameras,
    plateRules: plates.rules,
    gateChoices: plates.choices,
    automations,
    clients: bridge.clients,
    expected: bridge.expected,
    families: FAMILIES.map(({ name }) => name),
    settings,
    backups: box.backups,
    unprinted: new UnprintedResults(database, access.hubKey),
    estate: estateEntry(base),
  };
}

/** What the control socket offers. */
export function boxService(base: Base, hub: HubParts, settings: SettingsStore): BoxService {
  const services = provisionServices(base, hub, settings);
  return {
    provision: (document, how) => provision(document, services, how),
    provisionPrinted: () => hub.database.write(() => services.unprinted.clear()),
    export: () => exportDocument(services),
    resetOwner: (email, password) => hub.access.signIn.reset(email, password, CLI_ACTOR),
    backup: (file) => hub.box.backups.writeTo(file),
  };
}

/** After a start: writes the settings of a set-up document if the hub ended before they were in their file. */
export async function takeUpSettings(
  { database, access }: Pick<HubParts, "database" | "access">,
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
