import { texts as access } from "../../features/access/console/texts.ts";
import { texts as automations } from "../../features/automations/console/texts.ts";
import { texts as backups } from "../../features/backups/console/texts.ts";
import { texts as bridge } from "../../features/bridge/console/texts.ts";
import { texts as cameras } from "../../features/cameras/console/texts.ts";
import { texts as devices } from "../../features/devices/console/texts.ts";
import { texts as energy } from "../../features/energy/console/texts.ts";
import { texts as estate } from "../../features/estate/console/texts.ts";
import { texts as feed } from "../../features/feed/console/texts.ts";
import { texts as gate } from "../../features/gate/console/texts.ts";
import { texts as house } from "../../features/house/console/texts.ts";
import { texts as matter } from "../../features/matter/console/texts.ts";
import { texts as mqtt } from "../../features/mqtt/console/texts.ts";
import { texts as notifications } from "../../features/notifications/console/texts.ts";
import { texts as scenes } from "../../features/scenes/console/texts.ts";
import { texts as series } from "../../features/series/console/texts.ts";
import { texts as states } from "../../features/states/console/texts.ts";
import { texts as system } from "../../features/system/console/texts.ts";
import { texts as telemetry } from "../../features/telemetry/console/texts.ts";
import { texts as updates } from "../../features/updates/console/texts.ts";
import { texts as webhooks } from "../../features/webhooks/console/texts.ts";
import { texts as shell } from "../texts.ts";

/**
 * The texts of all pages, as ICU messages in English and Hindi: one line a feature. Only the build reads them
 * (`src/console/vite-declared.ts`), which gives browsers one language.
 */
export const texts = {
  ...shell,
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
  ...house,
  ...matter,
  ...mqtt,
  ...notifications,
  ...scenes,
  ...series,
  ...states,
  ...system,
  ...telemetry,
  ...updates,
  ...webhooks,
} as const;
