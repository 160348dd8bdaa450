/**
 * Shared parts of the session-only API's definitions. `/api` is the console's: it may change with any release, while
 * /v1 is stable. Everything a person can do in the console is here or in /v1.
 */
import { Type } from "typebox";
import { closed, integerId } from "./fields.ts";

/** Only a signed-in owner, or the host over its control socket. */
export const session = { kind: "session" } as const;

/** A signed-in gatekeeper, or an owner. */
export const gatekeeper = { kind: "session", least: "gatekeeper" } as const;

/** Every signed-in person of the household, members too. */
export const person = { kind: "session", least: "member" } as const;

/** Path parameters with an integer id. */
export const IdParams = Type.Object({ id: integerId() });

/** Path parameters with a device id. */
export const DeviceIdParams = Type.Object({ id: Type.String({ minLength: 1, description: "Device id." }) });

/** Text that is never trimmed or shown. */
export function password(description?: string) {
  return Type.String({ minLength: 1, maxLength: 1024, format: "password", ...(description ? { description } : {}) });
}

/** `{name: value}` as the only member of an answer. */
export function answer<Name extends string, Schema extends import("typebox").TSchema>(
  name: Name,
  schema: Schema,
  title: string,
) {
  // a computed key loses its literal type
  return Type.Object({ [name]: schema } as { [Key in Name]: Schema }, { title });
}

/** A body without members of its own. */
export const Done = Type.Object({ done: Type.Boolean() }, { ...closed, title: "Done" });
