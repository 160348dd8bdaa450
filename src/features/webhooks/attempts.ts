import type { Clock } from "../../core/kernel/clock.ts";
import { prefixedUlid } from "../../core/kernel/ids.ts";
import { Poster, type ReceiverResponse } from "../../core/kernel/post.ts";
import type { Resolve, TargetPolicy } from "../../core/kernel/target.ts";
import type { Database } from "../../core/storage/database.ts";
import { deliveryBody } from "./events.ts";
import type { Outbox } from "./outbox.ts";
import type { Webhook, WebhookRegistry } from "./registry.ts";
import { deliveryHeaders } from "./sign.ts";
import type { DeliveryRow } from "./tables/webhook-delivery.ts";

/** What {@link Attempts} needs. */
export interface AttemptsOptions {
  readonly database: Database;
  readonly registry: WebhookRegistry;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly targets: TargetPolicy;
  /** A receiver's time limit for its response (docs/spec/device-control-api.md §8). */
  readonly timeoutMs?: number;
  /** For tests: another resolver and further trusted authorities (PEM). */
  readonly resolve?: Resolve;
  readonly trusted?: string;
}

const TIMEOUT_MS = 5_000;

/** Single posts to receivers: deliveries in turn, and tests out of turn. */
export class Attempts {
  readonly #options: AttemptsOptions;
  #sent = 0;
  #failed = 0;

  constructor(options: AttemptsOptions) {
    this.#options = options;
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
    const { clock, registry } = this.#options;
    const headers = deliveryHeaders(row, registry.secrets(webhook.id), clock.now());
    const answer = await poster.post(webhook.url, headers, row.body, signal);
    if (answer.ok) this.#sent += 1;
    else this.#failed += 1;
    return answer;
  }

  /** Posts a signed test, outside the order of deliveries; the log has it too. @throws Problem `not_found` */
  async test(siteId: number, webhookId: number, signal: AbortSignal): Promise<ReceiverResponse> {
    const { registry, outbox, clock, database } = this.#options;
    const webhook = registry.get(siteId, webhookId);
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
      outbox.table.insertLogged({
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
    const { targets, timeoutMs = TIMEOUT_MS, resolve, trusted } = this.#options;
    return new Poster({
      targets,
      timeoutMs,
      ...(resolve ? { resolve } : {}),
      ...(trusted === undefined ? {} : { trusted }),
    });
  }
}
