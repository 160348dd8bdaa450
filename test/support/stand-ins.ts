import type { Base } from "../../src/core/base.ts";
import { DeviceRecord, NEVER_SEEN } from "../../src/features/devices/device.ts";
import { DeviceRegistry } from "../../src/features/devices/registry.ts";
import type { WebhookReport } from "../../src/features/webhooks/events.ts";
import { Outbox } from "../../src/features/webhooks/outbox.ts";
import { WebhookRegistry } from "../../src/features/webhooks/registry.ts";
import { testAccess } from "./base.ts";

/** An outbox that lists what the reports of committed jobs have receivers sent, whatever webhooks there are. */
export class ListingOutbox extends Outbox {
  readonly reports: WebhookReport[] = [];
  /** The events that some webhook takes. */
  readonly taken = new Set<WebhookReport["event"]>();
  readonly #base: Base;

  constructor(base: Base) {
    const { feed, access } = testAccess(base);
    const targets = { allowLoopback: false, ownPorts: () => [], ownAddresses: () => [] };
    super(base, new WebhookRegistry(base, { feed: feed.feed, grants: access.grants, targets }));
    this.#base = base;
  }

  override enqueue(report: WebhookReport): void {
    const { database } = this.#base;
    const { plates: _plates, ...sent } = report;
    if (database.isInJob) database.committed(() => this.reports.push(sent));
    else this.reports.push(sent);
  }

  override wanted(_siteId: number, event: WebhookReport["event"]): boolean {
    return this.taken.has(event);
  }
}

/** A registry in which every device is there, in the household that `household` names; null: it is not. */
export class EveryDevice extends DeviceRegistry {
  readonly household: (id: string) => number | null;

  constructor(base: Base, household: (id: string) => number | null) {
    super(base, { feed: testAccess(base).feed.feed, outbox: new ListingOutbox(base) });
    this.household = household;
  }

  override siteOf(id: string): number | null {
    return this.household(id);
  }

  override record(id: string): DeviceRecord | null {
    const siteId = this.household(id);
    const row = { ...NEVER_SEEN, id, siteId: siteId ?? 0, name: id, type: "sensor", roomId: null, icon: null };
    return siteId === null
      ? null
      : new DeviceRecord({ ...row, favorite: 0, simulated: 0, passwordHash: null, createdAt: 0 });
  }
}
