import type { RecordFeedItem } from "../../core/api/feed-kinds.ts";
import type { Base } from "../../core/base.ts";
import type { HubKey } from "../../core/platform/hub-key.ts";
import { localAddresses } from "../../core/platform/network.ts";
import { Deliverer } from "./deliver.ts";
import { Deliveries } from "./deliveries.ts";
import { Outbox } from "./outbox.ts";
import { WebhookRegistry } from "./registry.ts";

/** Webhooks from the outbox to the delivery log. */
export interface WebhookParts {
  readonly registry: WebhookRegistry;
  readonly outbox: Outbox;
  readonly deliverer: Deliverer;
  readonly deliveries: Deliveries;
}

/** Builds the webhooks. `ownPorts`: those the hub listens on, which no webhook may call. */
export function buildWebhooks(
  base: Base,
  ports: {
    readonly hubKey: HubKey;
    readonly recordFeed: RecordFeedItem;
    readonly issuerStands: (webhookId: number) => boolean;
    readonly ownPorts: () => readonly number[];
  },
): WebhookParts {
  const { database, bus, clock, logger } = base;
  const { webhooks: settings } = base.settings();
  const targets = { allowLoopback: settings.allowLoopback, ownPorts: ports.ownPorts, ownAddresses: localAddresses };
  const registry = new WebhookRegistry({
    database,
    bus,
    clock,
    secrets: ports.hubKey,
    targets,
    recordFeed: ports.recordFeed,
    issuerStands: ports.issuerStands,
  });
  const outbox = new Outbox({
    database,
    registry,
    clock,
    limits: {
      keepMs: settings.keepHours * 3_600_000,
      keepRows: settings.keepRows,
      get logMs() {
        return base.settings().webhooks.logDays * 86_400_000; // needs no restart
      },
    },
  });
  const deliverer = new Deliverer({
    database,
    registry,
    outbox,
    bus,
    clock,
    logger,
    targets,
    parallel: settings.parallel,
  });
  const deliveries = new Deliveries({ database, registry, outbox, deliverer });
  return { registry, outbox, deliverer, deliveries };
}
