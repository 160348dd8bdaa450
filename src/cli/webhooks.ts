import { CONTRACT_EVENTS, WEBHOOK_EVENTS } from "../core/api/webhook-events.ts";
import { type Command, columns, json, readArguments, UsageError, withHub } from "./command.ts";
import type { HubCalls } from "./control-socket.ts";

interface ShownWebhook {
  readonly id: number;
  readonly env: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly active: boolean;
  readonly failures: number;
  readonly nextProbeAt: string | null;
}

const ALL_EVENTS = CONTRACT_EVENTS.join(",");
const MORE_EVENTS = WEBHOOK_EVENTS.slice(CONTRACT_EVENTS.length).join(", ");
/** Verbs with their method and the rest of their path. */
const VERBS: Readonly<Record<string, readonly [method: string, path: string, body: object | undefined]>> = {
  rotate: ["POST", "/rotate", undefined],
  test: ["POST", "/test", undefined],
  disable: ["POST", "/disable", undefined],
  enable: ["POST", "/enable", {}],
  remove: ["DELETE", "", undefined],
  revoke: ["DELETE", "", undefined],
};

/** `gatehouse webhooks …`. */
export const webhooksCommand: Command = {
  name: "webhooks",
  summary: "list, create, test, rotate and remove webhooks",
  help: `Usage: gatehouse webhooks list
       gatehouse webhooks create --url URL [--events ${ALL_EVENTS}] [--env live|test] [--label TEXT] [--no-probe]
       gatehouse webhooks rotate ID    a new secret; the old one signs too for 24 hours
       gatehouse webhooks test ID      send a signed test now (the hub must run)
       gatehouse webhooks enable ID [--force] | disable ID
       gatehouse webhooks probe ID on|off   whether the hub tries it again by itself once 20 failed attempts in a row have disabled it
                                       (after 1, 2, 5, 10, 30 minutes, then hourly); on unless --no-probe
       gatehouse webhooks revoke ID    the webhook is removed with its log (also: remove)

Events that are taken only where they are named: ${MORE_EVENTS}.
create and rotate print the signing secret this once. list says when a disabled webhook is tried next.`,
  async run(args, io) {
    const options = {
      url: { type: "string" },
      events: { type: "string" },
      env: { type: "string" },
      label: { type: "string" },
      force: { type: "boolean" },
      "no-probe": { type: "boolean" },
    } as const;
    const { values, positionals } = readArguments(args, options);
    const [verb = "list", id, choice] = positionals;
    return withHub(io, values.data, async (hub) => {
      if (verb === "list") {
        // features/webhooks/api/console-webhooks.ts
        const { webhooks } = (await hub.call("GET", "/api/webhooks")) as { webhooks: ShownWebhook[] };
        io.out(
          values.json
            ? json({ webhooks })
            : columns(["id", "kind", "state", "failures", "events", "address"], webhooks.map(row)),
        );
        return 0;
      }
      const result =
        verb === "create"
          ? await create(hub, values)
          : verb === "probe"
            ? await setProbe(hub, id, choice)
            : await change(hub, verb, id, values.force === true);
      io.out(values.json || result.secret === undefined ? json(result) : `${result.secret}\n`);
      return 0;
    });
  },
};

async function create(
  hub: HubCalls,
  values: {
    readonly url?: string | undefined;
    readonly events?: string | undefined;
    readonly env?: string | undefined;
    readonly label?: string | undefined;
    readonly "no-probe"?: boolean | undefined;
  },
): Promise<{ secret?: string }> {
  if (values.url === undefined) throw new UsageError("create needs --url.");
  const events = (values.events ?? ALL_EVENTS).split(",").map((event) => event.trim());
  const label = values.label === undefined ? {} : { label: values.label };
  return (await hub.call("POST", "/api/webhooks", {
    url: values.url,
    events,
    env: values.env ?? "live",
    ...label,
    probe: values["no-probe"] !== true,
  })) as {
    secret: string;
  }; // features/webhooks/api/console-webhooks.ts
}

async function setProbe(
  hub: HubCalls,
  id: string | undefined,
  choice: string | undefined,
): Promise<{ secret?: string }> {
  if (choice !== "on" && choice !== "off") throw new UsageError("probe needs the id of a webhook, and on or off.");
  return (await hub.call("PATCH", `/api/webhooks/${idOf("probe", id)}`, { probe: choice === "on" })) as object;
}

function idOf(verb: string, id: string | undefined): string {
  if (id === undefined || !/^\d+$/.test(id))
    throw new UsageError(`${verb} needs the id of a webhook (see: gatehouse webhooks list).`);
  return id;
}

async function change(
  hub: HubCalls,
  verb: string,
  id: string | undefined,
  force: boolean,
): Promise<{ secret?: string }> {
  const known = VERBS[verb];
  if (known === undefined) throw new UsageError(`There is no 'webhooks ${verb}'.`);
  const number = idOf(verb, id);
  const [method, path, body] = known;
  if ((verb === "test" || (verb === "enable" && !force)) && !hub.running)
    throw new UsageError(`${verb} sends a delivery: the hub must run.`);
  return (await hub.call(
    method,
    `/api/webhooks/${number}${path}`,
    body === undefined ? undefined : { ...body, force },
  )) as object;
}

function row(webhook: ShownWebhook): string[] {
  return [
    String(webhook.id),
    webhook.env,
    stateOf(webhook),
    String(webhook.failures),
    webhook.events.join(","),
    webhook.url,
  ];
}

function stateOf({ active, nextProbeAt }: ShownWebhook): string {
  if (active) return "active";
  return nextProbeAt === null ? "disabled" : `disabled, tried again at ${nextProbeAt}`;
}
