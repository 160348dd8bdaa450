/**
 * HTTP: one request and its response, as the checks in `middleware/` and the handlers in the features' `routes/` see
 * them.
 *
 * Joins a route's definition (`core/api/route.ts`) to its handler. Handlers get validated values and return plain
 * responses; they never see Koa, sockets or headers that they did not ask for.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Middleware } from "koa";
import type { TSchema } from "typebox";
import type { Caller } from "../api/caller.ts";
import type { Facts, ShownFact } from "../api/facts.ts";
import type { Json, ResponseSpecs, RouteSpec, Value } from "../api/route.ts";

/** Response headers by name; several lines of one name as a list. */
type HeaderValues = Readonly<Record<string, string | readonly string[]>>;

/** The source of a request and its transport; credentials are checked against this. */
export interface RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The peer's address without IPv6 mapping; `local` on the control socket. */
  readonly address: string;
  /** Host header as sent, checked. */
  readonly host: string;
  /** True over TLS. */
  readonly secure: boolean;
  /** True on the control socket: a process that can open it controls the host. */
  readonly box: boolean;
}

/** A handler's input: everything checked, in the types of the route's schemas. */
export interface HttpRequest<Params = unknown, Query = unknown, Body = unknown, Who = Caller> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** The JSON body as received, for forwarding it unchanged; empty without a JSON body. */
  readonly bodyText: string;
  /** The body's bytes when the route takes another media type. */
  readonly bytes: Buffer;
  readonly caller: Who;
  readonly facts: RequestFacts;
  readonly requestId: string;
  /** Scheme and host under which the client knows the hub, such as `http://gatehouse.local:8080`. */
  readonly baseUrl: string;
  /** Query string as sent, without `?`. */
  readonly search: string;
}

/** Writes one server-sent-event stream. */
export interface EventSink {
  /**
   * Sends one event; `data` becomes JSON. A reader that is too far behind is disconnected. Does nothing once the stream
   * is closed.
   */
  send<Kind extends keyof Facts>(event: Kind, data: ShownFact<Kind>, id?: string): void;
  /** Events of the console's own streams, whose shapes belong to their routes. */
  send(event: "stream.opened" | "log.line" | "messages" | "ended" | "delivery", data: object, id?: string): void;
  /**
   * Writes ready lines of the stream if the reader has taken what was written before. False when it has not: `onRoom`
   * is then called once it has. A reader that takes nothing for half a minute while something waits is disconnected.
   */
  offer(lines: string, onRoom: () => void): boolean;
  /** `comeAgainMs`: asks the reader not to reopen it before that time. */
  close(comeAgainMs?: number): void;
}

/** What is known of a request before its body is read. */
export interface RequestHead<Params = unknown, Query = unknown> {
  readonly params: Params;
  readonly query: Query;
  /** Declared size of the body; null when it comes in chunks without a declared size. */
  readonly bodyBytes: number | null;
}

/** A handler's response: a JSON `body`, ready `bytes`, a `file`, content in `pieces`, or a `stream` of events. */
export interface RouteResponse<Status extends number = number, Body = unknown> {
  readonly status: Status;
  readonly body?: Body;
  readonly bytes?: Buffer;
  /** A file of the hub that is sent as it is, in pieces: for content too large for memory. */
  readonly file?: { readonly path: string; readonly bytes: number };
  /**
   * Text or bytes that are generated while they are sent, each piece when the previous one has been taken; an empty
   * piece yields to other work.
   */
  readonly pieces?: AsyncIterable<string | Uint8Array>;
  /** Media type of `bytes`; JSON unless given. */
  readonly contentType?: string;
  /** Strong ETag of `bytes` with its quotes, where it is known already. */
  readonly etag?: string;
  readonly headers?: HeaderValues;
  /** Starts the stream; returns what undoes it when the client goes or the hub stops. */
  readonly stream?: (sink: EventSink) => () => void;
  /**
   * The position of a reader that has been sent everything; it is sent along with the heartbeat, so that the reader
   * resumes from there. Null: not that far.
   */
  readonly streamPosition?: () => string | null;
}

/**
 * The results that a route's responses allow: with a schema a JSON body of its shape (or that body's ready bytes),
 * without one anything but JSON.
 */
export type ResponseOf<Responses extends ResponseSpecs> = {
  [Status in keyof Responses & number]: Responses[Status] extends { readonly schema: infer Schema extends TSchema }
    ? JsonResponse<Status, Json<Value<Schema>>>
    : RouteResponse<Status, never>;
}[keyof Responses & number];

/** An answer with a JSON body, as an object or as its ready bytes. */
type JsonResponse<Status extends number, Body> = RouteResponse<Status, Body> &
  ({ readonly body: Body } | { readonly bytes: Buffer });

/** A handler with its types erased. */
type Handler = (
  request: HttpRequest<unknown, unknown, unknown, Caller | null>,
) => RouteResponse | Promise<RouteResponse>;

/** A route with its handler. */
export interface BoundRoute {
  readonly spec: RouteSpec;
  readonly handle: Handler;
  /** Looks up the object of a large body before the body is read; throws the Problem that the handler would throw. */
  readonly before?: ((head: RequestHead, caller: Caller | null) => void) | undefined;
}

/** Binds a handler to a route that needs a credential; the engine guarantees the caller. `before`: see {@link BoundRoute}. */
export function bind<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Responses extends ResponseSpecs,
  const Given extends ResponseOf<Responses>,
>(
  spec: RouteSpec<Params, Query, Body, Responses>,
  handle: (request: HttpRequest<Value<Params>, Value<Query>, Value<Body>>) => Given | Promise<Given>,
  before?: (head: RequestHead<Value<Params>, Value<Query>>, caller: Caller) => void,
): BoundRoute {
  // the engine validates against this very spec before it calls
  return { spec, handle: handle as Handler, before: before as BoundRoute["before"] };
}

/** Binds a handler to a route without a credential (`public`, `box`). `before`: see {@link BoundRoute}. */
export function bindOpen<
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Responses extends ResponseSpecs,
  const Given extends ResponseOf<Responses>,
>(
  spec: RouteSpec<Params, Query, Body, Responses>,
  handle: (request: HttpRequest<Value<Params>, Value<Query>, Value<Body>, Caller | null>) => Given | Promise<Given>,
  before?: (head: RequestHead<Value<Params>, Value<Query>>) => void,
): BoundRoute {
  // the engine validates against this very spec before it calls
  return { spec, handle: handle as Handler, before: before as BoundRoute["before"] };
}

/** What is known of a request so far (`context.state`): each check adds to it, and handlers get it as their request. */
export interface Exchange extends HttpRequest<object, unknown, unknown, Caller | null> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Response headers that the checks have set so far. */
  readonly headers: Record<string, string | readonly string[]>;
  operationId: string | null;
  /** Path parameters as sent, still percent-encoded. */
  rawParams: Readonly<Record<string, string>>;
  params: object;
  query: unknown;
  body: unknown;
  bodyText: string;
  bytes: Buffer;
  caller: Caller | null;
  /** What the request is answered with. */
  answer: RouteResponse | null;
}

/** What a request is answered with. @throws Error if nothing answered it: an error of the hub */
export function answerOf({ answer }: Exchange): RouteResponse {
  if (answer === null) throw new Error("no middleware has answered");
  return answer;
}

/** Koa's middleware, with the exchange as `context.state`. */
export type HubMiddleware = Middleware<Exchange>;
