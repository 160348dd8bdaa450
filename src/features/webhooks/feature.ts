import type { Base } from "../../core/base.ts";
import { type Feature, job, type PlacedService } from "../../core/feature.ts";
import { HOUR_MS } from "../../core/kernel/clock.ts";
import { localAddresses } from "../../core/platform/network.ts";
import type { AccessFeature } from "../access/feature.ts";
import { partOf } from "../access/tables/issued.ts";
import type { FeedFeature } from "../feed/feature.ts";
import { Deliverer } from "./deliver.ts";
import { Deliveries, type PendingDeliveries } from "./deliveries.ts";
import { webhooksCheck } from "./health.ts";
import { webhookSecretsCheck } from "./health-secrets.ts";
import { Outbox } from "./outbox.ts";
import { WebhookRegistry } from "./registry.ts";
import { listenRoutes } from "./routes/console-listen.ts";
import { webhookRoutes } from "./routes/console-webhooks.ts";

/** Webhooks from the outbox to the delivery log. */
export class WebhooksFeature implements Feature {
  readonly registry: WebhookRegistry;
  readonly outbox: Outbox;
  readonly deliverer: Deliverer;
  readonly deliveries: Deliveries;
  readonly services: readonly PlacedService[];
  readonly #base: Base;
  readonly #access: AccessFeature;

  constructor(base: Base, { feed, access }: { readonly feed: FeedFeature; readonly access: AccessFeature }) {
    this.#base = base;
    this.#access = access;
    const targets = {
      allowLoopback: base.settings().webhooks.allowLoopback,
      ownPorts: base.address.ports,
      ownAddresses: localAddresses,
    };
    const registry = new WebhookRegistry(base, { feed: feed.feed, grants: access.grants, targets });
    const outbox = new Outbox(base, registry);
    const deliverer = new Deliverer(base, { registry, outbox, targets });
    this.registry = registry;
    this.outbox = outbox;
    this.deliverer = deliverer;
    this.deliveries = new Deliveries(base, { registry, outbox, deliverer });
    this.services = [
      { service: registry, start: "load", stop: "outbox" },
      { service: outbox, start: "load", stop: "outbox" },
      { service: deliverer, start: "serve", stop: "outbox" },
    ];
    access.grants.endsBy("webhook_event", ({ id }) => {
      const { row, part } = partOf(id);
      registry.narrow(row, part);
    });
    access.grants.endsBy("webhook", ({ row }) => registry.writeActive(row, false, "owner"));
  }

  get console() {
    const { accounts, audited } = this.#access;
    const { clock } = this.#base;
    const { registry, outbox, deliverer, deliveries } = this;
    return [
      ...webhookRoutes({ registry, deliverer, deliveries, accounts, audited }),
      ...listenRoutes({ outbox, registry, accounts, clock, audited }),
    ];
  }

  get jobs() {
    return [job("sweep-webhooks", HOUR_MS, () => this.outbox.sweep())];
  }

  get checks() {
    return [webhookSecretsCheck(this.registry), webhooksCheck(this.deliveries, this.#base.clock)];
  }

  get metrics() {
    const byWebhook = (figure: (pending: PendingDeliveries) => number) =>
      Object.fromEntries(this.deliveries.pending().map((pending) => [String(pending.webhookId), figure(pending)]));
    return [
      {
        name: "webhooks_sent",
        help: "Deliveries made since start.",
        kind: "counter" as const,
        read: () => this.deliverer.figures.sent,
      },
      {
        name: "webhooks_failed",
        help: "Deliveries that failed since start.",
        kind: "counter" as const,
        read: () => this.deliverer.figures.failed,
      },
      {
        name: "webhooks_disabled",
        help: "Webhooks of the household that are off because their receivers failed.",
        read: () =>
          this.registry
            .all()
            .filter(({ env, active, disabledReason }) => env === "live" && !active && disabledReason !== "owner")
            .length,
      },
      {
        name: "webhook_pending",
        help: "Deliveries that a webhook of the household has not been able to make yet, by its id.",
        label: "webhook",
        readAll: () => byWebhook(({ count }) => count),
      },
      {
        name: "webhook_pending_since_timestamp_seconds",
        help: "When the oldest pending delivery of a webhook was enqueued, by its id.",
        label: "webhook",
        readAll: () => byWebhook(({ since }) => Math.round(since / 1_000)),
      },
    ];
  }
}
