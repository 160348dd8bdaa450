/**
 * Every operation of the hub by method and path, as types: the basis of a typed client (`console/api.ts`). None of it
 * exists at run time, so that no schema gets into a browser's bundle.
 */
import type { Static, TSchema } from "typebox";
import type { Json, Method, RouteSpec } from "./route.js";
import type * as account from "./routes/account.js";
import type * as authority from "./routes/authority.js";
import type * as automations from "./routes/automations.js";
import type * as commands from "./routes/commands.js";
import type * as consoleAutomations from "./routes/console-automations.js";
import type * as consoleBackups from "./routes/console-backups.js";
import type * as consoleBox from "./routes/console-box.js";
import type * as consoleBridge from "./routes/console-bridge.js";
import type * as consoleCameraView from "./routes/console-camera-view.js";
import type * as consoleCameras from "./routes/console-cameras.js";
import type * as consoleDevices from "./routes/console-devices.js";
import type * as consoleEnergy from "./routes/console-energy.js";
import type * as consoleEstate from "./routes/console-estate.js";
import type * as consoleGate from "./routes/console-gate.js";
import type * as consoleHistory from "./routes/console-history.js";
import type * as consoleKeys from "./routes/console-keys.js";
import type * as consoleListen from "./routes/console-listen.js";
import type * as consoleLogs from "./routes/console-logs.js";
import type * as consoleMatter from "./routes/console-matter.js";
import type * as consoleMatterJoins from "./routes/console-matter-joins.js";
import type * as consoleMe from "./routes/console-me.js";
import type * as consoleMqtt from "./routes/console-mqtt.js";
import type * as consoleNetwork from "./routes/console-network.js";
import type * as consoleNotificationChannels from "./routes/console-notification-channels.js";
import type * as consoleNotifications from "./routes/console-notifications.js";
import type * as consoleOverview from "./routes/console-overview.js";
import type * as consolePasskeys from "./routes/console-passkeys.js";
import type * as consolePersons from "./routes/console-persons.js";
import type * as consolePlates from "./routes/console-plates.js";
import type * as consoleReset from "./routes/console-reset.js";
import type * as consoleRooms from "./routes/console-rooms.js";
import type * as consoleScenes from "./routes/console-scenes.js";
import type * as consoleSeries from "./routes/console-series.js";
import type * as consoleSession from "./routes/console-session.js";
import type * as consoleSite from "./routes/console-site.js";
import type * as consoleSystem from "./routes/console-system.js";
import type * as consoleUpdates from "./routes/console-updates.js";
import type * as consoleWebhooks from "./routes/console-webhooks.js";
import type * as devices from "./routes/devices.js";
import type * as estate from "./routes/estate.js";
import type * as events from "./routes/events.js";
import type * as gateQuestions from "./routes/gate-questions.js";
import type * as health from "./routes/health.js";
import type * as pairing from "./routes/pairing.js";
import type * as plateRules from "./routes/plate-rules.js";
import type * as plates from "./routes/plates.js";
import type * as rooms from "./routes/rooms.js";
import type * as scenes from "./routes/scenes.js";
import type * as stream from "./routes/stream.js";
import type * as telemetry from "./routes/telemetry.js";
import type * as vehicles from "./routes/vehicles.js";

/** The modules of the routes; a test compares them with the folder. */
type RouteModule =
  | typeof account
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
  | typeof consoleSystem
  | typeof consoleUpdates
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
