import type { Base } from "../../core/base.ts";
import { prefixedUlid } from "../../core/kernel/ids.ts";
import { Poster, type PosterOptions, type ReceiverResponse } from "../../core/kernel/post.ts";
import { deliveryBody } from "./events.ts";
import type { Outbox } from "./outbox.ts";
import type { Webhook, WebhookRegistry } from "./registry.ts";
import { deliveryHeaders } from "./sign.ts";
import type { DeliveryRow } from "./tables/webhook-delivery.ts";

/** How receivers are reached; their time limit (docs/spec/device-control-api.md §8) is 5 s unless given. */
export type Reach = Pick<PosterOptions, "targets"> & Partial<PosterOptions>;

const TIMEOUT_MS = 5_000;

/** Single posts to receivers: deliveries in turn, and tests out of turn. */
export class Attempts {
  readonly #base: Base;
  readonly #registry: WebhookRegistry;
  readonly #outbox: Outbox;
  readonly #reach: Reach;
  #sent = 0;
  #failed = 0;

  constructor(base: Base, registry: WebhookRegistry, outbox: Outbox, reach: Reach) {
    this.#base = base;
    this.#registry = registry;
    this.#outbox = outbox;
    this.#reach = reach;
  }

  /** Attempts that succeeded and failed since the start. */
  get figures(): { readonly sent: number; readonly failed: number } {
    return { sent: this.#sent, failed: this.#failed };
  }

  /** Posts one delivery, signed now. A failure is an answer too. */
  async make(
    webhook: Webhook,
    row: Pick<DeliveryRow, "id" | "event" | "body" | "attempts">,
    poster: Poster,
    signal: AbortSignal,
  ): Promise<ReceiverResponse> {
    const { clock } = this.#base;
    const headers = deliveryHeaders(row, this.#registry.secrets(webhook.id), clock.now());
    const answer = await poster.post(webhook.url, headers, row.body, signal);
    if (answer.ok) this.#sent += 1;
    else this.#failed += 1;
    return answer;
  }

  /** Posts a signed test, outside the order of deliveries; the log has it too. @throws Problem `not_found` */
  async test(siteId: number, webhookId: number, signal: AbortSignal): Promise<ReceiverResponse> {
    const { clock, database } = this.#base;
    const webhook = this.#registry.get(siteId, webhookId);
    const now = clock.now();
    const id = prefixedUlid("dlv_", now);
    const event = webhook.events[0] ?? "device.state";
    const body = deliveryBody(
      id,
      { event, deviceId: "test", data: { message: "A test of this webhook." }, at: now },
      true,
    );
    const poster = this.poster(); // a connection of its own: it does not wait behind a delivery in flight
    const answer = await this.make(webhook, { id, event, body, attempts: 0 }, poster, signal).finally(() =>
      poster.close(),
    );
    await database.write(() =>
      this.#outbox.table.insertLogged({
        id,
        webhookId,
        event,
        deviceId: "test",
        body,
        test: 1,
        createdAt: now,
        status: answer.ok ? "delivered" : "failed",
        attempts: 1,
        refusals: 0,
        nextAt: null,
        attemptedAt: now,
        statusCode: answer.status,
        tookMs: answer.tookMs,
        error: answer.error,
      }),
    );
    return answer;
  }

  /** The connections to one receiver; the caller has to close it. */
  poster(): Poster {
    return new Poster({ timeoutMs: TIMEOUT_MS, ...this.#reach });
  }
}
