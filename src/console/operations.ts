/**
 * Every operation of the hub by method and path, as types: the basis of a typed client (`console/api.ts`). None of it
 * exists at run time, so that no schema gets into a browser's bundle.
 */
import type { Static, TSchema } from "typebox";
import type { Json, Method, RouteSpec } from "../core/api/route.ts";
import type { Routes as Access } from "../features/access/api/index.ts";
import type { Routes as Automations } from "../features/automations/api/index.ts";
import type { Routes as Backups } from "../features/backups/api/index.ts";
import type { Routes as Bridge } from "../features/bridge/api/index.ts";
import type { Routes as Devices } from "../features/devices/api/index.ts";
import type { Routes as Energy } from "../features/energy/api/index.ts";
import type { Routes as Estate } from "../features/estate/api/index.ts";
import type { Routes as Feed } from "../features/feed/api/index.ts";
import type { Routes as Gate } from "../features/gate/api/index.ts";
import type { Routes as House } from "../features/house/api/index.ts";
import type { Routes as Matter } from "../features/matter/api/index.ts";
import type { Routes as Mqtt } from "../features/mqtt/api/index.ts";
import type { Routes as Notifications } from "../features/notifications/api/index.ts";
import type { Routes as Provision } from "../features/provision/api/index.ts";
import type { Routes as Scenes } from "../features/scenes/api/index.ts";
import type { Routes as Series } from "../features/series/api/index.ts";
import type { Routes as States } from "../features/states/api/index.ts";
import type { Routes as System } from "../features/system/api/index.ts";
import type { Routes as Telemetry } from "../features/telemetry/api/index.ts";
import type { Routes as Updates } from "../features/updates/api/index.ts";
import type { Routes as Webhooks } from "../features/webhooks/api/index.ts";

/** The modules of the routes, one line a feature; a test compares them with the folders. */
type RouteModule =
  | Access
  | Automations
  | Backups
  | Bridge
  | Devices
  | Energy
  | Estate
  | Feed
  | Gate
  | House
  | Matter
  | Mqtt
  | Notifications
  | Provision
  | Scenes
  | Series
  | States
  | System
  | Telemetry
  | Updates
  | Webhooks;

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
