import { ALL_SCOPES } from "../core/api/scopes.ts";
import { type Command, columns, json, readArguments, UsageError, withHub } from "./command.ts";
import type { HubCalls } from "./control-socket.ts";

interface ShownKey {
  readonly id: number;
  readonly name: string;
  readonly env: string;
  readonly prefix: string;
  readonly lastFour: string;
  readonly status: string;
  readonly scopes: readonly string[];
  readonly lastUsedAt: string | null;
}

const OPTIONS = {
  name: { type: "string" },
  env: { type: "string" },
  scopes: { type: "string" },
  origin: { type: "string", multiple: true },
  expires: { type: "string" },
} as const;

/** `gatehouse keys …`. */
export const keysCommand: Command = {
  name: "keys",
  summary: "list, create, rotate and revoke API keys",
  help: `Usage: gatehouse keys list
       gatehouse keys create --name NAME --scopes devices:read,…|all [--env live|test] [--origin https://app.example.org]… [--expires 2027-01-01T00:00:00Z]
       gatehouse keys rotate ID      a successor with the same rights; the old key works for 24 hours more
       gatehouse keys revoke ID

Scopes must be named; they are those of /v1 (GET /v1 lists them). create and rotate print the key's text this once.`,
  async run(args, io) {
    const { values, positionals } = readArguments(args, OPTIONS);
    const [verb = "list", id] = positionals;
    return withHub(io, values.data, async (hub) => {
      if (verb === "list") {
        // features/access/api/console-keys.ts
        const { keys } = (await hub.call("GET", "/api/keys")) as { keys: ShownKey[] };
        io.out(
          values.json ? json({ keys }) : columns(["id", "kind", "key", "status", "last used", "name"], keys.map(row)),
        );
        return 0;
      }
      const result = await change(hub, verb, id, values);
      io.out(values.json || result.secret === undefined ? json(result) : `${result.secret}\n`);
      return 0;
    });
  },
};

type Values = { readonly [Name in keyof typeof OPTIONS]?: string | string[] | undefined };

async function change(
  hub: HubCalls,
  verb: string,
  id: string | undefined,
  values: Values,
): Promise<{ secret?: string }> {
  const call = (method: string, path: string, body?: unknown) =>
    hub.call(method, path, body) as Promise<{ secret?: string }>; // features/access/api/console-keys.ts
  if (verb === "create") {
    if (typeof values.name !== "string") throw new UsageError("create needs --name.");
    if (typeof values.scopes !== "string")
      throw new UsageError("create needs --scopes: their names with commas between them, or all.");
    const scopes = ["all", "*"].includes(values.scopes)
      ? ALL_SCOPES
      : values.scopes.split(",").map((scope) => scope.trim());
    const expiry = values.expires === undefined ? {} : { expiresAt: values.expires };
    return call("POST", "/api/keys", {
      name: values.name,
      env: values.env ?? "live",
      scopes,
      origins: values.origin ?? [],
      ...expiry,
    });
  }
  if (id === undefined || !/^\d+$/.test(id))
    throw new UsageError(`${verb} needs the id of a key (see: gatehouse keys list).`);
  if (verb === "rotate") return call("POST", `/api/keys/${id}/rotate`);
  if (verb === "revoke") return call("DELETE", `/api/keys/${id}`);
  throw new UsageError(`There is no 'keys ${verb}'.`);
}

function row(key: ShownKey): string[] {
  return [String(key.id), key.env, `${key.prefix}…${key.lastFour}`, key.status, key.lastUsedAt ?? "never", key.name];
}
