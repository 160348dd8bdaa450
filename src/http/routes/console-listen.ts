import type { Env } from "../../contract/caller.js";
import { WEBHOOKS } from "../../contract/resources/webhook-delivery.js";
import { listenToDeliveries, triggerEvent } from "../../contract/routes/console-listen.js";
import { WEBHOOK_EVENTS, type WebhookEvent } from "../../contract/webhook-events.js";
import { fieldRefused, Problem } from "../../kernel/problem.js";
import type { Outbox } from "../../webhooks/outbox.js";
import type { WebhookRegistry } from "../../webhooks/registry.js";
import { type BoundRoute, bind } from "../exchange.js";
import type { Audited } from "./console-audit.js";

/** What listening along asks of the hub. */
export interface ListenService {
  readonly outbox: Pick<Outbox, "overhear" | "enqueue">;
  readonly registry: Pick<WebhookRegistry, "list">;
  readonly siteIdOf: (accountId: number, env: Env) => number;
  readonly now: () => number;
  readonly audited: Audited;
}

/** For whoever writes a receiver: listening along, and events on demand. */
export function listenRoutes({ outbox, registry, siteIdOf, now, audited }: ListenService): BoundRoute[] {
  return [
    bind(listenToDeliveries, ({ caller, query }) => {
      const events = query.events === undefined ? WEBHOOK_EVENTS : namedEvents(query.events);
      const envs: readonly Env[] = query.env === undefined ? ["live", "test"] : [query.env];
      const sites = new Map(envs.map((env) => [siteIdOf(caller.householdId, env), env]));
      return {
        status: 200,
        stream: (sink) =>
          outbox.overhear({ sites, events, take: (delivery) => sink.send("delivery", delivery, delivery.id) }),
      };
    }),
    bind(triggerEvent, async ({ caller, body }) => {
      const { event, env = "test" } = body;
      const siteId = siteIdOf(caller.householdId, env);
      const example = WEBHOOKS.find((spec) => spec.event === event)?.example;
      if (example === undefined) throw new Error(`no example of ${event}`); // a test holds the list to the events
      const deviceId = example.deviceId === null ? null : (body.deviceId ?? example.deviceId);
      await audited.job(caller, (note) => {
        outbox.enqueue({ siteId, event, deviceId, data: { ...example.data, test: true }, at: now() });
        note("webhook.triggered", event, { env });
      });
      return {
        status: 202,
        body: { webhooks: registry.list(siteId).filter(({ events }) => events.includes(event)).length },
      };
    }),
  ];
}

function namedEvents(text: string): WebhookEvent[] {
  const names = text.split(",").map((name) => name.trim());
  const unknown = names.find((name) => !WEBHOOK_EVENTS.some((known) => known === name));
  if (unknown === undefined) return WEBHOOK_EVENTS.filter((event) => names.includes(event));
  const message = `There is no event '${unknown.slice(0, 50)}'; there are ${WEBHOOK_EVENTS.join(", ")}.`;
  throw new Problem("invalid_query", message, {
    details: [
      { ...fieldRefused("events", "unknown", { code: "refusal.noEvent", name: unknown.slice(0, 50) }), message },
    ],
  });
}
