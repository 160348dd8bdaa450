import type { Env } from "../../../core/api/caller.ts";
import { WEBHOOKS } from "../../../core/api/resources/webhook-delivery.ts";
import { WEBHOOK_EVENTS, type WebhookEvent } from "../../../core/api/webhook-events.ts";
import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import type { Clock } from "../../../core/kernel/clock.ts";
import { fieldRefused, Problem } from "../../../core/kernel/problem.ts";
import type { Accounts } from "../../access/accounts.ts";
import type { Audited } from "../../access/routes/console-audit.ts";
import { listenToDeliveries, triggerEvent } from "../api/console-listen.ts";
import type { Outbox } from "../outbox.ts";
import type { WebhookRegistry } from "../registry.ts";

/** For developers of receivers: listening along, and events on demand. */
export function listenRoutes({
  outbox,
  registry,
  accounts,
  clock,
  audited,
}: {
  readonly outbox: Outbox;
  readonly registry: WebhookRegistry;
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly audited: Audited;
}): BoundRoute[] {
  return [
    bind(listenToDeliveries, ({ caller, query }) => {
      const events = query.events === undefined ? WEBHOOK_EVENTS : namedEvents(query.events);
      const envs: readonly Env[] = query.env === undefined ? ["live", "test"] : [query.env];
      const sites = new Map(envs.map((env) => [accounts.siteIdOf(caller.householdId, env), env]));
      return {
        status: 200,
        stream: (sink) =>
          outbox.overhear({ sites, events, take: (delivery) => sink.send("delivery", delivery, delivery.id) }),
      };
    }),
    bind(triggerEvent, async ({ caller, body }) => {
      const { event, env = "test" } = body;
      const siteId = accounts.siteIdOf(caller.householdId, env);
      const example = WEBHOOKS.find((spec) => spec.event === event)?.example;
      if (example === undefined) throw new Error(`no example of ${event}`); // a test holds the list to the events
      const deviceId = example.deviceId === null ? null : (body.deviceId ?? example.deviceId);
      await audited.job(caller, (note) => {
        outbox.enqueue({ siteId, event, deviceId, data: { ...example.data, test: true }, at: clock.now() });
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
