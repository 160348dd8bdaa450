/**
 * Every operation of the hub by method and path, as types: the basis of a typed client (`console/api.ts`). None of it
 * exists at run time, so that no schema gets into a browser's bundle.
 */
import type { Static, TSchema } from "typebox";
import type { Json, Method, RouteSpec } from "../core/api/route.ts";
import type * as account from "../features/access/api/account.ts";
import type * as audit from "../features/access/api/audit.ts";
import type * as authority from "../features/access/api/authority.ts";
import type * as consoleKeys from "../features/access/api/console-keys.ts";
import type * as consoleMe from "../features/access/api/console-me.ts";
import type * as consolePasskeys from "../features/access/api/console-passkeys.ts";
import type * as consolePersons from "../features/access/api/console-persons.ts";
import type * as consoleReset from "../features/access/api/console-reset.ts";
import type * as consoleSession from "../features/access/api/console-session.ts";
import type * as consoleSite from "../features/access/api/console-site.ts";
import type * as pairing from "../features/access/api/pairing.ts";
import type * as automations from "../features/automations/api/automations.ts";
import type * as consoleAutomations from "../features/automations/api/console-automations.ts";
import type * as consoleBackups from "../features/backups/api/console-backups.ts";
import type * as consoleBridge from "../features/bridge/api/console-bridge.ts";
import type * as commands from "../features/devices/api/commands.ts";
import type * as consoleDevices from "../features/devices/api/console-devices.ts";
import type * as consoleRooms from "../features/devices/api/console-rooms.ts";
import type * as devices from "../features/devices/api/devices.ts";
import type * as rooms from "../features/devices/api/rooms.ts";
import type * as consoleEnergy from "../features/energy/api/console-energy.ts";
import type * as consoleEstate from "../features/estate/api/console-estate.ts";
import type * as estate from "../features/estate/api/estate.ts";
import type * as events from "../features/feed/api/events.ts";
import type * as consoleCameraView from "../features/gate/api/console-camera-view.ts";
import type * as consoleCameras from "../features/gate/api/console-cameras.ts";
import type * as consoleGate from "../features/gate/api/console-gate.ts";
import type * as consolePlates from "../features/gate/api/console-plates.ts";
import type * as gateQuestions from "../features/gate/api/gate-questions.ts";
import type * as plateRules from "../features/gate/api/plate-rules.ts";
import type * as plates from "../features/gate/api/plates.ts";
import type * as vehicles from "../features/gate/api/vehicles.ts";
import type * as consoleMatter from "../features/matter/api/console-matter.ts";
import type * as consoleMatterJoins from "../features/matter/api/console-matter-joins.ts";
import type * as consoleMqtt from "../features/mqtt/api/console-mqtt.ts";
import type * as consoleNotificationChannels from "../features/notifications/api/console-notification-channels.ts";
import type * as consoleNotifications from "../features/notifications/api/console-notifications.ts";
import type * as consoleBox from "../features/provision/api/console-box.ts";
import type * as consoleScenes from "../features/scenes/api/console-scenes.ts";
import type * as scenes from "../features/scenes/api/scenes.ts";
import type * as consoleSeries from "../features/series/api/console-series.ts";
import type * as consoleStates from "../features/states/api/console-states.ts";
import type * as consoleHistory from "../features/system/api/console-history.ts";
import type * as consoleLogs from "../features/system/api/console-logs.ts";
import type * as consoleNetwork from "../features/system/api/console-network.ts";
import type * as consoleOverview from "../features/system/api/console-overview.ts";
import type * as consoleSystem from "../features/system/api/console-system.ts";
import type * as consoleWear from "../features/system/api/console-wear.ts";
import type * as health from "../features/system/api/health.ts";
import type * as stream from "../features/system/api/stream.ts";
import type * as telemetry from "../features/telemetry/api/telemetry.ts";
import type * as consoleUpdates from "../features/updates/api/console-updates.ts";
import type * as consoleListen from "../features/webhooks/api/console-listen.ts";
import type * as consoleWebhooks from "../features/webhooks/api/console-webhooks.ts";

/** The modules of the routes; a test compares them with the folder. */
type RouteModule =
  | typeof account
  | typeof audit
  | typeof authority
  | typeof automations
  | typeof commands
  | typeof consoleAutomations
  | typeof consoleBackups
  | typeof consoleBox
  | typeof consoleBridge
  | typeof consoleCameraView
  | typeof consoleCameras
  | typeof consoleDevices
  | typeof consoleEnergy
  | typeof consoleEstate
  | typeof consoleGate
  | typeof consoleHistory
  | typeof consoleKeys
  | typeof consoleListen
  | typeof consoleLogs
  | typeof consoleMatter
  | typeof consoleMatterJoins
  | typeof consoleMe
  | typeof consoleMqtt
  | typeof consoleNetwork
  | typeof consoleNotificationChannels
  | typeof consoleNotifications
  | typeof consoleOverview
  | typeof consolePasskeys
  | typeof consolePersons
  | typeof consolePlates
  | typeof consoleReset
  | typeof consoleRooms
  | typeof consoleScenes
  | typeof consoleSeries
  | typeof consoleSession
  | typeof consoleSite
  | typeof consoleStates
  | typeof consoleSystem
  | typeof consoleUpdates
  | typeof consoleWear
  | typeof consoleWebhooks
  | typeof devices
  | typeof estate
  | typeof events
  | typeof gateQuestions
  | typeof health
  | typeof pairing
  | typeof plateRules
  | typeof plates
  | typeof rooms
  | typeof scenes
  | typeof stream
  | typeof telemetry
  | typeof vehicles;

type RoutesOf<Module> = Module extends unknown
  ? Extract<Module[keyof Module], { readonly operationId: string }>
  : never;
type AnyRoute = RoutesOf<RouteModule>;

/** Paths with a method, written as in OpenAPI. */
export type PathOf<Verb extends Method> = Extract<AnyRoute, { readonly method: Verb }>["path"];

/** The route of a method and a path. */
type RouteAt<Verb extends Method, Path extends string> = Extract<
  AnyRoute,
  { readonly method: Verb; readonly path: Path }
>;

/** What a call of an operation takes. A route without a schema for its body takes a file or a form, or nothing. */
export type InputOf<Verb extends Method, Path extends string> =
  RouteAt<Verb, Path> extends RouteSpec<infer Params, infer Query, infer Body>
    ? Part<"params", Params> & Part<"query", Query> & BodyPart<Body>
    : never;

type Part<Name extends string, Schema extends TSchema> =
  unknown extends Static<Schema>
    ? { readonly [Key in Name]?: never }
    : object extends Static<Schema>
      ? { readonly [Key in Name]?: Json<Static<Schema>> }
      : { readonly [Key in Name]: Json<Static<Schema>> };

type BodyPart<Schema extends TSchema> =
  unknown extends Static<Schema> ? { readonly body?: Blob | FormData } : Part<"body", Schema>;

/** The JSON body that an operation answers with. */
export type AnswerTo<Verb extends Method, Path extends string> = BodyIn<RouteAt<Verb, Path>["responses"]>;

type BodyIn<Responses> = {
  [Status in keyof Responses]: Responses[Status] extends { readonly schema: infer Schema extends TSchema }
    ? Static<Schema>
    : never;
}[keyof Responses];
