import type { BoundRoute } from "../../core/http/exchange.ts";
import type { Database } from "../../core/storage/database.ts";
import type { Access } from "../access/access.ts";
import { auditNote, auditRoutes } from "../access/routes/console-audit.ts";
import { keyRoutes } from "../access/routes/console-keys.ts";
import { ownAccountRoutes } from "../access/routes/console-me.ts";
import { passkeyRoutes } from "../access/routes/console-passkeys.ts";
import { personRoutes } from "../access/routes/console-persons.ts";
import { type HubEndpoints, sessionRoutes } from "../access/routes/console-session.ts";
import { siteRoutes } from "../access/routes/console-site.ts";
import { approvalRoutes, pairedAppRoutes } from "../access/routes/pairing.ts";
import { type BridgeManagement, bridgeManagementRoutes } from "../bridge/routes/console-bridge.ts";
import { type DeviceManagement, deviceManagementRoutes } from "../devices/routes/console-devices.ts";
import { type RoomManagement, roomManagementRoutes } from "../devices/routes/console-rooms.ts";
import { type SceneManagement, sceneManagementRoutes } from "../scenes/routes/console-scenes.ts";
import { type ListenService, listenRoutes } from "../webhooks/routes/console-listen.ts";
import { type WebhookManagement, webhookRoutes } from "../webhooks/routes/console-webhooks.ts";
import { type BoxService, boxRoutes } from "./routes/console-box.ts";
import { logRoutes } from "./routes/console-logs.ts";
import { overviewRoute } from "./routes/console-overview.ts";
import { consoleReferenceRoute, type SystemService, systemRoutes } from "./routes/console-system.ts";

/** Everything that the session-only API asks of the hub, joined in `hub.ts`. */
export interface ConsoleServices {
  readonly database: Database;
  readonly access: Access;
  readonly isTimeZone: (name: string) => boolean;
  readonly devices: Omit<DeviceManagement, "note">;
  readonly rooms: RoomManagement["rooms"];
  readonly scenes: SceneManagement["scenes"];
  readonly bridge: Omit<BridgeManagement, "note">;
  readonly webhooks: Omit<WebhookManagement, "note" | "siteIdOf"> & Pick<ListenService, "outbox">;
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
  const note = auditNote({ database, audit: access.audit, now: system.now });
  const routes = [
    ...sessionRoutes(access, services.endpoints),
    ...passkeyRoutes({ ...access, isOwnName: services.endpoints.isOwnName }),
    ...ownAccountRoutes(access),
    ...personRoutes(access),
    ...siteRoutes({ accounts: access.accounts, isTimeZone: services.isTimeZone }),
    ...deviceManagementRoutes({ ...services.devices, note }),
    ...roomManagementRoutes({ rooms: services.rooms, note }),
    ...sceneManagementRoutes({ scenes: services.scenes, note }),
    ...keyRoutes({ keys: access.keys, now: system.now }),
    ...approvalRoutes({ pairing: access.appPairing, note }),
    ...pairedAppRoutes({ keys: access.keys, now: system.now }),
    ...bridgeManagementRoutes({ ...services.bridge, note }),
    ...webhookRoutes({ ...services.webhooks, siteIdOf: access.accounts.siteIdOf, note }),
    ...listenRoutes({ ...services.webhooks, database, siteIdOf: access.accounts.siteIdOf, now: system.now, note }),
    ...auditRoutes(access.audit),
    ...systemRoutes({ ...system, note }),
    ...logRoutes(system.log),
    ...boxRoutes(services.box),
    ...services.further,
  ];
  routes.push(overviewRoute([...services.v1, ...routes]));
  return [...routes, consoleReferenceRoute(routes.map(({ spec }) => spec))];
}
