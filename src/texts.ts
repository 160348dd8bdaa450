import { texts as core } from "./core/text/texts.ts";
import { texts as access } from "./features/access/texts.ts";
import { texts as automations } from "./features/automations/texts.ts";
import { texts as backups } from "./features/backups/texts.ts";
import { texts as bridge } from "./features/bridge/texts.ts";
import { texts as cameras } from "./features/cameras/texts.ts";
import { texts as devices } from "./features/devices/texts.ts";
import { texts as energy } from "./features/energy/texts.ts";
import { texts as estate } from "./features/estate/texts.ts";
import { texts as feed } from "./features/feed/texts.ts";
import { texts as gate } from "./features/gate/texts.ts";
import { texts as homeAssistant } from "./features/home-assistant/texts.ts";
import { texts as house } from "./features/house/texts.ts";
import { texts as matter } from "./features/matter/texts.ts";
import { texts as mqtt } from "./features/mqtt/texts.ts";
import { texts as notifications } from "./features/notifications/texts.ts";
import { texts as outsideBroker } from "./features/outside-broker/texts.ts";
import { texts as recognition } from "./features/recognition/texts.ts";
import { texts as scenes } from "./features/scenes/texts.ts";
import { texts as series } from "./features/series/texts.ts";
import { texts as system } from "./features/system/texts.ts";
import { texts as telemetry } from "./features/telemetry/texts.ts";
import { texts as updates } from "./features/updates/texts.ts";
import { texts as webhooks } from "./features/webhooks/texts.ts";

/**
 * Everything that the hub records, reports or refuses, as ICU messages in English and Hindi: one line a feature. The
 * files hold data only, so core may read them (`core/text`).
 */
export const texts = {
  ...core,
  ...access,
  ...automations,
  ...backups,
  ...bridge,
  ...cameras,
  ...devices,
  ...energy,
  ...estate,
  ...feed,
  ...gate,
  ...homeAssistant,
  ...house,
  ...matter,
  ...mqtt,
  ...notifications,
  ...outsideBroker,
  ...recognition,
  ...scenes,
  ...series,
  ...system,
  ...telemetry,
  ...updates,
  ...webhooks,
} as const;
