import type { Access } from "../access/access.js";
import type { Database } from "../storage/database.js";
import type { BoundRoute } from "./exchange.js";
import { auditedJobs, auditNote, auditRoutes } from "./routes/console-audit.js";
import { type BoxService, boxRoutes } from "./routes/console-box.js";
import { type BridgeManagement, bridgeManagementRoutes } from "./routes/console-bridge.js";
import { type DeviceManagement, deviceManagementRoutes } from "./routes/console-devices.js";
import { keyRoutes } from "./routes/console-keys.js";
import { type ListenService, listenRoutes } from "./routes/console-listen.js";
import { logRoutes } from "./routes/console-logs.js";
import { ownAccountRoutes } from "./routes/console-me.js";
import { overviewRoute } from "./routes/console-overview.js";
import { passkeyRoutes } from "./routes/console-passkeys.js";
import { personRoutes } from "./routes/console-persons.js";
import { type RoomManagement, roomManagementRoutes } from "./routes/console-rooms.js";
import { type SceneManagement, sceneManagementRoutes } from "./routes/console-scenes.js";
import { type HubEndpoints, sessionRoutes } from "./routes/console-session.js";
import { siteRoutes } from "./routes/console-site.js";
import { consoleReferenceRoute, type SystemService, systemRoutes } from "./routes/console-system.js";
import { type WebhookManagement, webhookRoutes } from "./routes/console-webhooks.js";
import { approvalRoutes, pairedAppRoutes } from "./routes/pairing.js";

/** Everything that the session-only API asks of the hub, joined in `hub.ts`. */
export interface ConsoleServices {
  readonly database: Database;
  readonly access: Access;
  readonly isTimeZone: (name: string) => boolean;
  readonly devices: Omit<DeviceManagement, "audited">;
  readonly rooms: RoomManagement["rooms"];
  readonly scenes: SceneManagement["scenes"];
  readonly bridge: Omit<BridgeManagement, "note" | "audited">;
  readonly webhooks: Omit<WebhookManagement, "audited" | "siteIdOf"> & Pick<ListenService, "outbox">;
  readonly system: Omit<SystemService, "note">;
  readonly box: BoxService;
  readonly endpoints: HubEndpoints;
  /** Management of plates, cameras and automations. */
  readonly further: readonly BoundRoute[];
  /** The operations of /v1, some of which the overview is made of. */
  readonly v1: readonly BoundRoute[];
}

/** The session-only API beside /v1, with its OpenAPI file made from the same definitions. */
export function consoleRoutes(services: ConsoleServices): BoundRoute[] {
  const { access, database, system } = services;
  const parts = { database, audit: access.audit, now: system.now };
  const [note, audited] = [auditNote(parts), auditedJobs(parts)];
  const routes = [
    ...sessionRoutes(access, services.endpoints),
    ...passkeyRoutes({ ...access, isOwnName: services.endpoints.isOwnName }),
    ...ownAccountRoutes(access),
    ...personRoutes(access),
    ...siteRoutes({ accounts: access.accounts, isTimeZone: services.isTimeZone }),
    ...deviceManagementRoutes({ ...services.devices, audited }),
    ...roomManagementRoutes({ rooms: services.rooms, audited }),
    ...sceneManagementRoutes({ scenes: services.scenes, audited }),
    ...keyRoutes({ keys: access.keys, now: system.now }),
    ...approvalRoutes({ pairing: access.appPairing, note }),
    ...pairedAppRoutes({ keys: access.keys, now: system.now }),
    ...bridgeManagementRoutes({ ...services.bridge, note, audited }),
    ...webhookRoutes({ ...services.webhooks, siteIdOf: access.accounts.siteIdOf, audited }),
    ...listenRoutes({ ...services.webhooks, siteIdOf: access.accounts.siteIdOf, now: system.now, audited }),
    ...auditRoutes(access.audit),
    ...systemRoutes({ ...system, note }),
    ...logRoutes(system.log),
    ...boxRoutes(services.box),
    ...services.further,
  ];
  routes.push(overviewRoute([...services.v1, ...routes]));
  return [...routes, consoleReferenceRoute(routes.map(({ spec }) => spec))];
}
