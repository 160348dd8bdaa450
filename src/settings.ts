import { Type } from "typebox";
import { http, log, rates, storage, tls } from "./core/settings/settings.ts";
import { access } from "./features/access/settings.ts";
import { notify } from "./features/automations/settings.ts";
import { backups } from "./features/backups/settings.ts";
import { bridge } from "./features/bridge/settings.ts";
import { devices } from "./features/devices/settings.ts";
import { feed } from "./features/feed/settings.ts";
import { gate, plates } from "./features/gate/settings.ts";
import { house } from "./features/house/settings.ts";
import { matter } from "./features/matter/settings.ts";
import { mqtt } from "./features/mqtt/settings.ts";
import { outsideBroker } from "./features/outside-broker/settings.ts";
import { recognition } from "./features/recognition/settings.ts";
import { demo } from "./features/sandbox/settings.ts";
import { box, discovery, metrics, site, sntp } from "./features/system/settings.ts";
import { telemetry } from "./features/telemetry/settings.ts";
import { updates } from "./features/updates/settings.ts";
import { webhooks } from "./features/webhooks/settings.ts";

/** All settings in their groups, one line a group, in the order of docs/settings.md. */
export const SETTINGS = Type.Object({
  storage,
  http,
  tls,
  mqtt,
  devices,
  bridge,
  outsideBroker,
  telemetry,
  feed,
  notify,
  house,
  webhooks,
  plates,
  recognition,
  gate,
  rates,
  access,
  site,
  log,
  metrics,
  discovery,
  sntp,
  matter,
  backups,
  updates,
  box,
  demo,
});
