/**
 * Sends what the outbox owes: for each webhook in order, one at a time, several webhooks side by side. Signs every
 * attempt anew, waits longer after each failure, moves what a receiver keeps refusing out of the way, and switches a
 * webhook off after 20 failed deliveries in a row; then it looks by itself whether the receiver is back. What it did is written back to the outbox, successes in batches: after a
 * crash the last second's successes may be sent again under their ids, and nothing is left out.
 * Must never know what a delivery reports.
 */
import { setMaxListeners } from "node:events";
import type { Facts } from "../contract/facts.js";
import type { Bus } from "../kernel/bus.js";
import type { Clock } from "../kernel/clock.js";
import { prefixedUlid } from "../kernel/ids.js";
import type { Logger } from "../kernel/logger.js";
import { Problem } from "../kernel/problem.js";
import type { Service } from "../kernel/service.js";
import type { Database } from "../storage/database.js";
import type { DeliveryResultRow, DeliveryRow } from "../storage/tables/webhook-delivery.js";
import { deliveryBody } from "./events.js";
import { Lane } from "./lane.js";
import type { Outbox } from "./outbox.js";
import { type Answer, Poster } from "../kernel/post.js";
import type { Webhook, WebhookRegistry } from "./registry.js";
import { afterRefusal, Results, resultOf } from "./results.js";
import { anyShare, FAILURES_TO_DISABLE, gapAfter, probeGap, retryAfterMs } from "./schedule.js";
import { deliveryHeaders } from "./sign.js";
import { StoredDeliveries } from "./stored.js";
import type { Resolve, TargetPolicy } from "../kernel/target.js";

/** What a {@link Deliverer} needs. */
export interface DelivererOptions {
  readonly database: Database;
  readonly registry: WebhookRegistry;
  readonly outbox: Outbox;
  readonly bus: Bus<Facts>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly targets: TargetPolicy;
  /** Webhooks served side by side. */
  readonly parallel: number;
  /** How long a receiver has for its answer; 5 s by contract. */
  readonly timeoutMs?: number;
  /** What attempts in flight get when the hub stops; 0.7 s unless given. */
  readonly drainMs?: number;
  /** In [0, 1), for the spread of gaps. */
  readonly random?: () => number;
  /** For tests: another resolver and further trusted authorities (PEM). */
  readonly resolve?: Resolve;
  readonly trusted?: string;
}

const TIMEOUT_MS = 5_000;
/** Unwritten successes past which nothing more is sent: the disk takes no writes. */
const MOST_UNSAVED = 5_000;
/** Deliveries in a row before other webhooks get the place. */
const TURN = 20;
/** After the hub itself could not note a result. */
const TROUBLE_MS = 15_000;
const DRAIN_MS = 700;

/** Delivers to all webhooks. */
export class Deliverer implements Service {
  readonly name = "webhooks";
  readonly #options: DelivererOptions;
  readonly #lanes = new Map<number, Lane>();
  readonly #waiting: Lane[] = [];
  readonly #results: Results;
  readonly #stored: StoredDeliveries;
  readonly #turns = new Set<Promise<void>>();
  #abort = new AbortController();
  #unsubscribe: (() => void)[] = [];
  #running = false;
  #sent = 0;
  #failed = 0;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#results = new Results(options);
    this.#stored = new StoredDeliveries(options);
  }

  /** Begins with what is owed from before. Registry and outbox are started already. */
  async start(): Promise<void> {
    const { registry, outbox, bus } = this.#options;
    this.#running = true;
    this.#abort = new AbortController();
    setMaxListeners(0, this.#abort.signal); // one listener per attempt in flight
    this.#unsubscribe = [
      outbox.onOwed((webhookId) => this.wake(webhookId)),
      bus.on("webhook.changed", "webhooks", ({ webhookId }) => this.#changed(webhookId)),
    ];
    for (const webhook of registry.all()) {
      const lane = this.#lane(webhook.id);
      lane.failures = webhook.failures;
      if (webhook.pausedUntil !== null) this.#pause(lane, Math.min(webhook.pausedUntil - this.#options.clock.now(), 3_600_000));
      this.#changed(webhook.id);
    }
  }

  /** Lets attempts in flight finish for a moment, ends the rest, and writes down what was done. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    const cut = setTimeout(() => this.#abort.abort(), this.#options.drainMs ?? DRAIN_MS);
    await Promise.allSettled(this.#turns);
    clearTimeout(cut);
    this.#abort.abort();
    await this.#results.close();
    for (const lane of this.#lanes.values()) lane.close();
    this.#lanes.clear();
  }

  /** Attempts that succeeded and failed since the start; deliveries whose success is not written down yet. */
  get figures(): { sent: number; failed: number; unsaved: number } {
    return { sent: this.#sent, failed: this.#failed, unsaved: this.#results.size };
  }

  /** The result of a delivery that is not written down yet. */
  unsaved(seq: number): DeliveryResultRow | null {
    return this.#results.get(seq);
  }

  /** When the webhook's next attempt is made at the earliest (epoch ms); null: at once, or not at all. */
  resumesAt(webhookId: number): number | null {
    const lane = this.#lanes.get(webhookId);
    return lane !== undefined && lane.resumeMono > this.#options.clock.mono() ? lane.resumeAt : null;
  }

  /** When a disabled webhook is tried again by itself (epoch ms); null: it is not. */
  probesAt(webhookId: number): number | null {
    return this.#lanes.get(webhookId)?.probeAt ?? null;
  }

  /** Looks for work of one webhook. */
  wake(webhookId: number): void {
    const webhook = this.#options.registry.find(webhookId);
    if (!this.#running || webhook === null || !webhook.active) return;
    const lane = this.#lane(webhookId);
    lane.woken = true;
    if (lane.queued || this.#isPaused(lane)) return;
    lane.queued = true;
    this.#waiting.push(lane);
    this.#fillPlaces();
  }

  /** Begins again from the oldest that is owed, without waiting; after old deliveries were made to wait again. */
  async rewind(webhookId: number): Promise<void> {
    await this.save();
    const lane = this.#lane(webhookId);
    lane.rewind();
    lane.resumeMono = Number.NEGATIVE_INFINITY; // somebody asked for it now
    this.wake(webhookId);
  }

  /** Posts a signed test, outside the order of deliveries; it stands in the log. @throws Problem `not_found`. */
  async test(siteId: number, webhookId: number): Promise<Answer> {
    const { registry, outbox, clock, database } = this.#options;
    const webhook = registry.get(siteId, webhookId);
    const now = clock.now();
    const id = prefixedUlid("dlv_", now);
    const event = webhook.events[0] ?? "device.state";
    const body = deliveryBody(id, { event, deviceId: "test", data: { message: "A test of this webhook." }, at: now }, true);
    const poster = this.#poster(); // of its own: it does not wait behind a delivery in flight
    const answer = await this.#attempt(webhook, { id, event, body, attempts: 0 }, poster).finally(() => poster.close());
    await database.write(() =>
      outbox.table.insertLogged({
        id,
        webhook_id: webhookId,
        event,
        device_id: "test",
        body,
        test: 1,
        created_at: now,
        status: answer.ok ? "delivered" : "failed",
        attempts: 1,
        refusals: 0,
        next_at: null,
        attempted_at: now,
        status_code: answer.status,
        took_ms: answer.tookMs,
        error: answer.error,
      }),
    );
    return answer;
  }

  /**
   * Switches a webhook on again. Without `force` only after a signed test got 2xx. `kept` says what becomes of the
   * deliveries kept meanwhile: sent in order, or dropped.
   * @throws Problem `not_found`; `conflict` with what the receiver did when the test failed.
   */
  async enable(siteId: number, webhookId: number, choice: { readonly force: boolean; readonly kept: "send" | "drop" }): Promise<Webhook> {
    const { registry, outbox, database } = this.#options;
    const webhook = registry.get(siteId, webhookId);
    if (webhook.active) return webhook;
    if (!choice.force) {
      const answer = await this.test(siteId, webhookId);
      if (!answer.ok)
        throw new Problem("conflict", `The receiver did not accept a test: ${answer.error ?? "no answer"}.`, { fields: { receiverStatus: answer.status } });
    }
    await this.save();
    await database.write(() => {
      if (choice.kept === "drop") outbox.table.drop(webhookId);
      registry.table.clearDropped(webhookId);
      registry.writeActive(webhookId, true, null);
    });
    return registry.get(siteId, webhookId);
  }

  /** Writes down the successes that are only in memory. @throws when the disk refuses; they stay in memory. */
  async save(): Promise<void> {
    await this.#results.save();
  }

  #changed(webhookId: number): void {
    const webhook = this.#options.registry.find(webhookId);
    if (webhook === null) {
      this.#lanes.get(webhookId)?.close();
      this.#lanes.delete(webhookId);
      return;
    }
    const lane = this.#lane(webhookId);
    if (webhook.active) {
      lane.failures = webhook.failures;
      if (webhook.pausedUntil === null) lane.resumeMono = Number.NEGATIVE_INFINITY;
      lane.rewind();
      this.wake(webhookId);
    }
    lane.probes = 0;
    this.#armProbe(lane, webhook);
  }

  #lane(webhookId: number): Lane {
    const known = this.#lanes.get(webhookId);
    if (known !== undefined) return known;
    const lane = new Lane(webhookId, this.#poster());
    this.#lanes.set(webhookId, lane);
    return lane;
  }

  #poster(): Poster {
    const { targets, timeoutMs = TIMEOUT_MS, resolve, trusted } = this.#options;
    return new Poster({ targets, timeoutMs, ...(resolve ? { resolve } : {}), ...(trusted === undefined ? {} : { trusted }) });
  }

  #fillPlaces(): void {
    while (this.#running && this.#turns.size < this.#options.parallel) {
      const lane = this.#waiting.shift();
      if (lane === undefined) return;
      lane.woken = false;
      const turn: Promise<void> = this.#turn(lane)
        .catch((error) => {
          this.#options.logger.error({ webhookId: lane.webhookId, err: error }, "webhook deliveries are held up by the hub itself");
          this.#pause(lane, TROUBLE_MS);
          return false;
        })
        .then((more) => {
          this.#turns.delete(turn);
          lane.queued = false;
          if (more || lane.woken) this.wake(lane.webhookId);
          this.#fillPlaces();
        });
      this.#turns.add(turn);
    }
  }

  /** Some deliveries of one webhook. Resolves with whether there may be more at once. */
  async #turn(lane: Lane): Promise<boolean> {
    for (let sent = 0; sent < TURN; sent++) {
      const webhook = this.#options.registry.find(lane.webhookId);
      if (!this.#running || webhook === null || !webhook.active || this.#isPaused(lane)) return false;
      if (this.#results.size >= MOST_UNSAVED) await this.save();
      const row = this.#next(lane);
      if (row === null) return false;
      await this.#stored.reached(row.seq);
      const answer = await this.#attempt(webhook, row, lane.poster);
      if (this.#abort.signal.aborted && !answer.ok) return false; // the hub's doing, not the receiver's
      await (answer.ok ? this.#succeeded(lane, row, answer) : this.#refused(lane, webhook, row, answer));
    }
    return true;
  }

  /** What is due in the slow lane goes first: it comes rarely, and never twice in a row. */
  #next(lane: Lane): DeliveryRow | null {
    const { outbox, clock } = this.#options;
    const now = clock.now();
    if (lane.slowDueAt <= now) {
      const [slow] = outbox.table.slow(lane.webhookId);
      lane.slowDueAt = slow === undefined ? Number.POSITIVE_INFINITY : (slow.next_at ?? 0);
      if (slow !== undefined && lane.slowDueAt <= now) return slow;
      this.#armSlow(lane);
    }
    return outbox.table.nextWaiting(lane.webhookId, lane.cursor);
  }

  async #attempt(webhook: Webhook, row: Pick<DeliveryRow, "id" | "event" | "body" | "attempts">, poster: Poster): Promise<Answer> {
    const { clock, registry } = this.#options;
    const headers = deliveryHeaders(row, registry.secrets(webhook.id), clock.now());
    const answer = await poster.post(webhook.url, headers, row.body, this.#abort.signal);
    if (answer.ok) this.#sent += 1;
    else this.#failed += 1;
    return answer;
  }

  async #succeeded(lane: Lane, row: DeliveryRow, answer: Answer): Promise<void> {
    const { registry, database, clock } = this.#options;
    this.#results.add({ ...resultOf(row, answer, clock.now()), status: "delivered" });
    if (row.status === "waiting") lane.cursor = Math.max(lane.cursor, row.seq);
    if (lane.failures > 0) {
      lane.failures = 0;
      await database.write(() => {
        registry.table.setFailures(lane.webhookId, 0, null);
        registry.refresh(lane.webhookId, registry.find(lane.webhookId)?.siteId ?? 0);
      });
    }
    if (row.status === "slow") await this.save(); // the slow lane is read from the table again
  }

  async #refused(lane: Lane, webhook: Webhook, row: DeliveryRow, answer: Answer): Promise<void> {
    const { registry, outbox, database, clock } = this.#options;
    const now = clock.now();
    const result = afterRefusal(row, answer, now);
    lane.failures += 1;
    const asked = retryAfterMs(answer.retryAfter, now) ?? 0;
    const pauseMs = Math.max(asked, gapAfter(lane.failures, (this.#options.random ?? anyShare)()));
    const isOver = await database.write(() => {
      outbox.table.saveResult(result);
      registry.table.setFailures(lane.webhookId, lane.failures, now + pauseMs);
      // As many deliveries, not only attempts: what waits behind one that the receiver does not take has failed with it.
      const failed = lane.failures < FAILURES_TO_DISABLE ? 0 : outbox.table.undelivered(lane.webhookId, FAILURES_TO_DISABLE);
      if (failed >= FAILURES_TO_DISABLE) registry.writeActive(lane.webhookId, false, "failures");
      else registry.refresh(lane.webhookId, webhook.siteId);
      return failed >= FAILURES_TO_DISABLE;
    });
    if (result.status !== "waiting" && row.status === "waiting") lane.cursor = Math.max(lane.cursor, row.seq);
    if (result.next_at !== null) {
      lane.slowDueAt = Math.min(lane.slowDueAt, result.next_at);
      this.#armSlow(lane);
    }
    if (!isOver) this.#pause(lane, pauseMs);
    this.#options.logger.debug({ webhookId: webhook.id, deliveryId: row.id, failures: lane.failures, error: answer.error }, "webhook delivery failed");
  }

  #pause(lane: Lane, ms: number): void {
    if (ms <= 0) return;
    const { clock } = this.#options;
    lane.resumeMono = clock.mono() + ms;
    lane.resumeAt = clock.now() + ms;
    lane.arm(
      "resume",
      clock.after(ms, () => this.wake(lane.webhookId)),
    );
  }

  #isPaused(lane: Lane): boolean {
    return lane.resumeMono > this.#options.clock.mono();
  }

  #armSlow(lane: Lane): void {
    if (lane.slowDueAt === Number.POSITIVE_INFINITY) return;
    const { clock } = this.#options;
    lane.arm(
      "slow",
      clock.after(Math.max(0, lane.slowDueAt - clock.now()), () => this.wake(lane.webhookId)),
    );
  }

  #armProbe(lane: Lane, webhook: Webhook): void {
    const { clock, logger } = this.#options;
    lane.disarm("probe");
    lane.probeAt = null;
    if (webhook.active || !webhook.probe || webhook.disabledReason === "owner") return;
    const gap = probeGap(lane.probes);
    lane.probeAt = clock.now() + gap;
    lane.arm(
      "probe",
      clock.after(gap, () => {
        lane.probes += 1;
        this.#probe(lane).catch((error) => logger.error({ webhookId: lane.webhookId, err: error }, "a disabled webhook could not be tried"));
      }),
    );
  }

  async #probe(lane: Lane): Promise<void> {
    const { registry } = this.#options;
    const webhook = registry.find(lane.webhookId);
    if (!this.#running || webhook === null || webhook.active) return;
    try {
      await this.enable(webhook.siteId, webhook.id, { force: false, kept: "send" });
    } catch (error) {
      const now = registry.find(webhook.id);
      if (this.#running && now !== null) this.#armProbe(lane, now);
      if (!(error instanceof Problem) || error.code !== "conflict") throw error;
    }
  }
}
