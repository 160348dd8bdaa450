import type { Static, TSchema } from "typebox";
import type { ProblemCode } from "./problems.ts";
import type { Role } from "./roles.ts";
import type { Scope } from "./scopes.ts";

/**
 * Who may call a route: anybody (with `anyOrigin`, pages of every origin too), a credential with a scope (none named:
 * any credential; its scopes decide what it receives), the console session of a person who has the role `least` or a
 * higher one (unless given, of an owner; with `device`, also the device that the path names, by Basic authentication with
 * its MQTT user name and password), or only the host (control socket).
 */
export type Access =
  | { readonly kind: "public"; readonly anyOrigin?: boolean }
  | { readonly kind: "scope"; readonly scope?: Scope }
  | { readonly kind: "session"; readonly least?: Role; readonly device?: boolean }
  | { readonly kind: "box" };

/** How recent a proof must be where one is always needed. */
export type ProofAge = "fresh" | "set-up";

/**
 * Whether the person of a session must have proved their identity within the last five minutes: never, always
 * (`fresh`), or for certain bodies (`when` describes them; `now` is epoch ms). `set-up`: always, except that the session in
 * which a new hub was claimed need not for an hour: only for what adds a device. API keys can never prove anything; the
 * host (control socket) need not.
 */
type Proof<Body extends TSchema = TSchema> =
  | "none"
  | ProofAge
  | { readonly when: string; needed(body: Static<Body>, now: number): boolean };

/** A route's response with one status; no schema means a body of another media type (`contentType`) or none. */
export interface ResponseSpec {
  readonly description: string;
  readonly schema?: TSchema;
  readonly contentType?: string;
  /** The events of a stream, by name. */
  readonly events?: Readonly<Record<string, TSchema>>;
}

/**
 * One worked call of a route, for the docs and for testers that read them. Calls with the same name belong together.
 */
export interface RouteExample {
  readonly name: string;
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  readonly status: number;
  readonly answer?: unknown;
}

/** A route's responses, by status. */
export type ResponseSpecs = Readonly<Record<number, ResponseSpec>>;

/** Methods that operations have; HEAD and OPTIONS follow from them. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * One operation, the single source of its router entry, validators, handler types, the console's calls, OpenAPI
 * description and docs. `path` is written as in OpenAPI (`/v1/devices/{id}`). Query schemas are objects of optional
 * members; bodies are validated without coercion.
 */
export interface RouteSpec<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Responses extends ResponseSpecs = ResponseSpecs,
  Verb extends Method = Method,
  Path extends string = string,
> {
  readonly method: Verb;
  readonly path: Path;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  /** Every session route states it ({@link defineRoute}); a route without sessions has none. */
  readonly proof?: Proof<Body>;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** Schemas that the body refers to by name (`{ $ref: "AutomationAction" }`). */
  readonly definitions?: Readonly<Record<string, TSchema>>;
  /** The body is only passed on, as it was sent: members of any name are accepted. */
  readonly forwardsBody?: boolean;
  /** Largest body in bytes; default 64 KiB. */
  readonly maxBodyBytes?: number;
  /**
   * Media type of the body when it is not JSON (`image/jpeg`, `multipart/form-data`); such bodies reach the handler as
   * bytes.
   */
  readonly bodyType?: string;
  /** Takes `If-Match`; its answers carry an ETag. */
  readonly ifMatch?: boolean;
  /** Extra rate limit besides the per-key one. */
  readonly rate?: "command" | "scene" | "image";
  /** Beyond the contract's 24 operations: an addition of our own API. */
  readonly addition?: boolean;
  readonly responses: Responses;
  /** Problems beyond those that every route shares (credential, scope, rate, media type, internal); none unless given. */
  readonly problems?: readonly ProblemCode[];
  readonly examples?: readonly RouteExample[];
}

/** A session route must state whether it needs a fresh proof. */
type Declared<Body extends TSchema> =
  | { readonly access: Extract<Access, { kind: "session" }>; readonly proof: Proof<Body> }
  | { readonly access: Exclude<Access, { kind: "session" }> };

/** Keeps the literal types of a route's method, path and schemas. */
export function defineRoute<
  const Params extends TSchema,
  const Query extends TSchema,
  const Body extends TSchema,
  const Responses extends ResponseSpecs,
  const Verb extends Method,
  const Path extends string,
>(
  route: RouteSpec<Params, Query, Body, Responses, Verb, Path> & Declared<Body>,
): RouteSpec<Params, Query, Body, Responses, Verb, Path> {
  return route;
}

/** The value that a handler gets for a schema. */
export type Value<Schema extends TSchema> = Static<Schema>;

/**
 * What `JSON.stringify` turns into a `Shape`: lists and objects may be read-only, optional members undefined, and any
 * object counts as a free one.
 */
export type Json<Shape> = Shape extends readonly (infer Item)[]
  ? readonly Json<Item>[]
  : Shape extends object
    ? string extends keyof Shape
      ? object
      : JsonMembers<Shape>
    : Shape;

type JsonMembers<Shape> = {
  readonly [Key in keyof Shape]: Json<Shape[Key]> | (undefined extends Shape[Key] ? undefined : never);
};
