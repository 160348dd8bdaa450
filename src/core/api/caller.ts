import type { Role } from "./roles.ts";
import type { Scope } from "./scopes.ts";

/** Which household a credential works on: the live one, or the simulated one behind test keys. */
export type Env = "live" | "test";

/** The author of a request, once the credential has been checked. Every read and write is confined to `siteId`. */
export interface Caller {
  /** `device`: a device by its own credential, on the few routes that take one (`device` in `core/api/route.ts`). */
  readonly method: "api_key" | "session" | "device";
  readonly accountId: number;
  /** The account that owns the household: the first owner's. Keys, webhooks and the audit list belong to it. */
  readonly householdId: number;
  /** The person's role; API keys are an owner's. */
  readonly role: Role;
  /** What the person may open and when, as it is stored; absent: everything, or not a session. */
  readonly limits?: string;
  /** The household of (account, env). */
  readonly siteId: number;
  readonly env: Env;
  readonly scopes: readonly Scope[];
  /** The key's name; `console` for a session. */
  readonly keyName: string;
  /** The name in audit and command rows: `api_key:12`, `session:3`, `device:camera-gate`. */
  readonly actor: string;
  /** Exact origins registered on the key; empty for a session. */
  readonly origins: readonly string[];
}

/** Row id of the key behind a caller; null for a person's session and for the host. */
export function keyIdOf({ method, actor }: Pick<Caller, "method" | "actor">): number | null {
  return method === "api_key" ? Number(actor.slice("api_key:".length)) : null;
}

/** What something requires of a caller: a scope, or being a signed-in owner (no key and no other person). */
export type Right = Scope | "owner";

/** The part of a caller on which rights depend. */
export type Holder = Pick<Caller, "method" | "role" | "scopes">;

/** Whether a caller has a right. */
export function holds({ method, role, scopes }: Holder, right: Right): boolean {
  return right === "owner" ? method === "session" && role === "owner" : scopes.includes(right);
}
