import { CLI_ACTOR } from "../access/ports.js";
import { type ProvisionServices, provision } from "../cli/provision.js";
import type { BoxService } from "../http/routes/console-box.js";
import { isTimeZone } from "../settings/load.js";
import type { Base } from "./base.js";
import type { HubParts } from "./parts.js";

/** The parts of a hub that a set-up document is applied to. */
function provisionServices(base: Base, hub: HubParts): ProvisionServices {
  const { database, access, devices, webhooks, plates } = hub;
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
  };
}

/** What the control socket offers. */
export function boxService(base: Base, hub: HubParts): BoxService {
  return {
    provision: (document) => provision(document, provisionServices(base, hub)),
    resetOwner: (email, password) => hub.access.signIn.reset(email, password, CLI_ACTOR),
    backup: (file) => hub.box.backups.writeTo(file),
  };
}
