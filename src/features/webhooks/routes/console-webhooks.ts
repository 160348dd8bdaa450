import { type BoundRoute, bind } from "../../../core/http/exchange.ts";
import { isoTime, isoTimeOrNull } from "../../../core/kernel/clock.ts";
import type { Accounts } from "../../access/accounts.ts";
import type { Audited } from "../../access/routes/console-audit.ts";
import {
  createWebhook,
  disableWebhook,
  editWebhook,
  enableWebhook,
  getDelivery,
  listDeliveries,
  listWebhooks,
  redeliver,
  redeliverFailed,
  removeWebhook,
  rotateWebhookSecret,
  testWebhook,
} from "../api/console-webhooks.ts";
import type { Deliverer } from "../deliver.ts";
import type { Deliveries, Delivery } from "../deliveries.ts";
import type { Webhook, WebhookRegistry } from "../registry.ts";

/** What the routes call. */
interface Webhooks {
  readonly registry: WebhookRegistry;
  readonly deliverer: Deliverer;
  readonly deliveries: Deliveries;
  readonly accounts: Accounts;
  readonly audited: Audited;
}

/** Registering receivers, their secrets, their log, sending again. */
export function webhookRoutes(webhooks: Webhooks): BoundRoute[] {
  return [...registrationRoutes(webhooks), ...operationRoutes(webhooks), ...logRoutes(webhooks)];
}

/** An account's webhooks are those of both its households; ids are unique on the hub. */
function siteOf({ registry, accounts }: Webhooks, accountId: number, id: number): number {
  const test = accounts.siteIdOf(accountId, "test");
  return registry.list(test).some((webhook) => webhook.id === id) ? test : accounts.siteIdOf(accountId, "live");
}

function registrationRoutes(webhooks: Webhooks): BoundRoute[] {
  const { registry, deliverer, accounts, audited } = webhooks;
  const shown = (webhook: Webhook) => shownWebhook(webhook, deliverer.probesAt(webhook.id));
  return [
    bind(listWebhooks, ({ caller }) => {
      const both = (["live", "test"] as const).flatMap((env) =>
        registry.list(accounts.siteIdOf(caller.householdId, env)),
      );
      return { status: 200, body: { webhooks: both.sort((a, b) => a.id - b.id).map(shown) } };
    }),
    bind(createWebhook, async ({ caller, body }) => {
      const { env = "live", ...input } = body;
      const siteId = accounts.siteIdOf(caller.householdId, env);
      const { id, secret } = await audited.job(caller, (note) => {
        const made = registry.insert(siteId, input);
        note("webhook.created", input.url, { id: made.id, env, events: input.events });
        return made;
      });
      return { status: 201, body: { webhook: shown(registry.get(siteId, id)), secret } };
    }),
    bind(editWebhook, async ({ caller, params, body }) => {
      const siteId = siteOf(webhooks, caller.householdId, params.id);
      await audited.job(caller, (note) => {
        const { url, moved, widened } = registry.update(siteId, params.id, body);
        const more = { ...(moved ? { moved } : {}), ...(widened.length > 0 ? { widened } : {}) };
        note("webhook.edited", url, { id: params.id, ...body, ...more });
      });
      return { status: 200, body: { webhook: shown(registry.get(siteId, params.id)) } };
    }),
    bind(removeWebhook, async ({ caller, params }) => {
      const siteId = siteOf(webhooks, caller.householdId, params.id);
      await audited.job(caller, (note) => note("webhook.removed", registry.drop(siteId, params.id), { id: params.id }));
      return { status: 200, body: { done: true } };
    }),
    bind(rotateWebhookSecret, async ({ caller, params }) => {
      const siteId = siteOf(webhooks, caller.householdId, params.id);
      const secret = await audited.job(caller, (note) => {
        const turned = registry.turn(siteId, params.id);
        note("webhook.secret_rotated", turned.url, { id: params.id });
        return turned.secret;
      });
      return { status: 200, body: { webhook: shown(registry.get(siteId, params.id)), secret } };
    }),
  ];
}

function operationRoutes(webhooks: Webhooks): BoundRoute[] {
  const { registry, deliverer, audited } = webhooks;
  const shown = (webhook: Webhook) => shownWebhook(webhook, deliverer.probesAt(webhook.id));
  return [
    bind(testWebhook, async ({ caller, params }) => {
      const { ok, status, tookMs, error } = await deliverer.test(
        siteOf(webhooks, caller.householdId, params.id),
        params.id,
      );
      return { status: 200, body: { ok, status, tookMs: Math.round(tookMs), error } };
    }),
    bind(disableWebhook, async ({ caller, params }) => {
      const siteId = siteOf(webhooks, caller.householdId, params.id);
      await audited.job(caller, (note) =>
        note("webhook.disabled", registry.switchOff(siteId, params.id), { id: params.id }),
      );
      return { status: 200, body: { webhook: shown(registry.get(siteId, params.id)) } };
    }),
    bind(enableWebhook, async ({ caller, params, body }) => {
      const { force = false, kept = "send" } = body;
      const siteId = siteOf(webhooks, caller.householdId, params.id);
      const note = audited.line(caller);
      const webhook = await deliverer.enable(siteId, params.id, { force, kept }, ({ id, url }) =>
        note("webhook.enabled", url, { id, force, kept }),
      );
      return { status: 200, body: { webhook: shown(webhook) } };
    }),
  ];
}

function logRoutes(webhooks: Webhooks): BoundRoute[] {
  const { deliveries } = webhooks;
  return [
    bind(listDeliveries, ({ caller, params, query }) => {
      const siteId = siteOf(webhooks, caller.householdId, params.id);
      const { items, next } = deliveries.list(siteId, params.id, {
        limit: query.limit ?? 50,
        before: query.before,
        status: query.status,
      });
      return {
        status: 200,
        body: { deliveries: items.map(shownDelivery), next, owed: deliveries.pendingOf(siteId, params.id).count },
      };
    }),
    bind(getDelivery, ({ caller, params }) => {
      const { body, ...delivery } = deliveries.get(
        siteOf(webhooks, caller.householdId, params.id),
        params.id,
        params.deliveryId,
      );
      return { status: 200, body: { delivery: shownDelivery(delivery), body } };
    }),
    bind(redeliver, async ({ caller, params }) => {
      await deliveries.redeliver(siteOf(webhooks, caller.householdId, params.id), params.id, params.deliveryId);
      return { status: 202, body: { done: true } };
    }),
    bind(redeliverFailed, async ({ caller, params, body }) => ({
      status: 202,
      body: {
        count: await deliveries.redeliverFailed(
          siteOf(webhooks, caller.householdId, params.id),
          params.id,
          Date.parse(body.since),
        ),
      },
    })),
  ];
}

/** A webhook as the console shows it; never its secret. */
function shownWebhook({ siteId: _own, ...webhook }: Webhook, probesAt: number | null) {
  const { disabledAt, pausedUntil, rotatesUntil, dropped, createdAt, updatedAt } = webhook;
  return {
    ...webhook,
    disabledAt: isoTimeOrNull(disabledAt),
    nextProbeAt: isoTimeOrNull(probesAt),
    pausedUntil: isoTimeOrNull(pausedUntil),
    rotatesUntil: isoTimeOrNull(rotatesUntil),
    dropped: dropped && { count: dropped.count, from: isoTime(dropped.from), to: isoTime(dropped.to) },
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

function shownDelivery({ at, attemptedAt, nextAttemptAt, ...delivery }: Delivery) {
  return {
    ...delivery,
    at: isoTime(at),
    attemptedAt: isoTimeOrNull(attemptedAt),
    nextAttemptAt: isoTimeOrNull(nextAttemptAt),
  };
}
