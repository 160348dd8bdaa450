/**
 * Sends the deliveries in the outbox: in order for each webhook, one at a time, several webhooks in parallel. Signs
 * every attempt separately, waits longer after each failure, and disables a webhook after 20 failed attempts in a row;
 * from then on it probes whether the receiver is back. A delivery that a receiver keeps refusing steps aside with all
 * later ones of the same device, so that no delivery overtakes another of its device (deliveries about no device count
 * as one device). Results are written back to the outbox, successes in batches: after a crash the last second's
 * successes may be sent again with the same ids, and nothing is left out. Must never know what a delivery reports.
 */
import { setMaxListeners } from "node:events";
import type { Base } from "../../core/base.ts";
import type { ReceiverResponse } from "../../core/kernel/post.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Service } from "../../core/kernel/service.ts";
import { Attempts, type Reach } from "./attempts.ts";
import { DeliveryQueue } from "./delivery-queue.ts";
import type { Outbox } from "./outbox.ts";
import type { Webhook, WebhookRegistry } from "./registry.ts";
import { afterRefusal, Results, resultOf } from "./results.ts";
import { anyShare, FAILURES_TO_DISABLE, gapAfter, probeGap, REFUSALS_TO_SLOW, retryAfterMs } from "./schedule.ts";
import { StoredDeliveries } from "./stored.ts";
import type { DeliveryResultRow, DeliveryRow } from "./tables/webhook-delivery.ts";

/** Maximum unrecorded successes; beyond it nothing is sent, since the disk refuses writes. */
const MOST_UNSAVED = 5_000;
/** Deliveries in a row before other webhooks get their turn. */
const TURN = 20;
/** Pause after the hub itself could not record a result. */
const TROUBLE_MS = 15_000;
const DRAIN_MS = 700;

/** Delivers to all webhooks. */
export class Deliverer implements Service {
  readonly name = "webhooks";
  readonly #base: Base;
  readonly #registry: WebhookRegistry;
  readonly #outbox: Outbox;
  readonly #parallel: number;
  readonly #drainMs: number;
  readonly #random: () => number;
  readonly #queues = new Map<number, DeliveryQueue>();
  readonly #waiting: DeliveryQueue[] = [];
  readonly #attempts: Attempts;
  readonly #results: Results;
  readonly #stored: StoredDeliveries;
  readonly #turns = new Set<Promise<void>>();
  #abort = new AbortController();
  #unsubscribe: (() => void)[] = [];
  #running = false;

  /** `drainMs`: how long attempts in flight may take when the hub stops; `random`: a number in [0, 1) that spreads gaps. */
  constructor(
    base: Base,
    {
      registry,
      outbox,
      drainMs = DRAIN_MS,
      random = anyShare,
      ...reach
    }: Reach & {
      readonly registry: WebhookRegistry;
      readonly outbox: Outbox;
      readonly drainMs?: number;
      readonly random?: () => number;
    },
  ) {
    this.#base = base;
    this.#registry = registry;
    this.#outbox = outbox;
    this.#parallel = base.settings().webhooks.parallel;
    this.#drainMs = drainMs;
    this.#random = random;
    this.#attempts = new Attempts(base, registry, outbox, reach);
    this.#results = new Results({ ...base, outbox });
    this.#stored = new StoredDeliveries(base.database, outbox);
  }

  /** Starts with pending deliveries of earlier runs. Registry and outbox have been started. */
  async start(): Promise<void> {
    const { bus } = this.#base;
    this.#running = true;
    this.#abort = new AbortController();
    setMaxListeners(0, this.#abort.signal); // one listener per attempt in flight
    this.#unsubscribe = [
      this.#outbox.onOwed((webhookId) => this.wake(webhookId)),
      bus.on("webhook.changed", "webhooks", ({ webhookId }) => this.#changed(webhookId)),
    ];
    for (const webhook of this.#registry.all()) {
      const queue = this.#queue(webhook.id);
      queue.failures = webhook.failures;
      if (webhook.pausedUntil !== null)
        this.#pause(queue, Math.min(webhook.pausedUntil - this.#base.clock.now(), 3_600_000));
      this.#changed(webhook.id);
    }
  }

  /** Lets attempts in flight finish for a moment, aborts the rest, and writes down what was done. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    const cut = setTimeout(() => this.#abort.abort(), this.#drainMs);
    await Promise.allSettled(this.#turns);
    clearTimeout(cut);
    this.#abort.abort();
    await this.#results.close();
    for (const queue of this.#queues.values()) queue.close();
    this.#queues.clear();
  }

  /** Attempts that succeeded and failed since the start; deliveries whose success is not written down yet. */
  get figures(): { sent: number; failed: number; unsaved: number } {
    return { ...this.#attempts.figures, unsaved: this.#results.size };
  }

  /** The result of a delivery that is not written down yet. */
  unsaved(seq: number): DeliveryResultRow | null {
    return this.#results.get(seq);
  }

  /** The earliest time of the webhook's next attempt (epoch ms); null: at once, or not at all. */
  resumesAt(webhookId: number): number | null {
    const queue = this.#queues.get(webhookId);
    return queue !== undefined && queue.resumeMono > this.#base.clock.mono() ? queue.resumeAt : null;
  }

  /** When a disabled webhook is probed next (epoch ms); null: it is not. */
  probesAt(webhookId: number): number | null {
    return this.#queues.get(webhookId)?.probeAt ?? null;
  }

  /** Looks for work for one webhook. Reads nothing that may fail: nobody would try again. */
  wake(webhookId: number): void {
    if (!this.#running || this.#registry.find(webhookId)?.active !== true) return;
    const queue = this.#queue(webhookId);
    queue.woken = true;
    if (queue.queued || this.#isPaused(queue)) return;
    queue.queued = true;
    this.#waiting.push(queue);
    this.#fillPlaces();
  }

  /** Starts again from the oldest undelivered one, without waiting; after old deliveries were made to wait again. */
  async rewind(webhookId: number): Promise<void> {
    await this.save();
    const queue = this.#queue(webhookId);
    queue.rewind();
    queue.resumeMono = Number.NEGATIVE_INFINITY; // a person asked for it now
    this.wake(webhookId);
  }

  /** See {@link Attempts.test}. */
  test(siteId: number, webhookId: number): Promise<ReceiverResponse> {
    return this.#attempts.test(siteId, webhookId, this.#abort.signal);
  }

  /**
   * Re-enables a webhook. Without `force` only after a signed test got 2xx. `kept`: whether the deliveries kept
   * meanwhile are sent in order, or dropped. `beside` writes in the same job.
   * @throws Problem `not_found`; `conflict` with the receiver's answer when the test failed
   */
  async enable(
    siteId: number,
    webhookId: number,
    choice: { readonly force: boolean; readonly kept: "send" | "drop" },
    beside: (webhook: Webhook) => void = () => {},
  ): Promise<Webhook> {
    const { database, clock } = this.#base;
    const webhook = this.#registry.get(siteId, webhookId);
    if (webhook.active) return webhook;
    if (!choice.force) {
      const answer = await this.test(siteId, webhookId);
      if (!answer.ok)
        throw new Problem(
          "conflict",
          { code: "conflict.receiverRefused", why: answer.error ?? "no answer" },
          {
            fields: { receiverStatus: answer.status },
          },
        );
    }
    await this.save();
    await database.write(() => {
      if (choice.kept === "drop") this.#outbox.table.drop(webhookId);
      else this.#outbox.table.dueNow(webhookId, REFUSALS_TO_SLOW, clock.now());
      this.#registry.table.clearDropped(webhookId);
      this.#registry.writeActive(webhookId, true, null);
      beside(webhook);
    });
    return this.#registry.get(siteId, webhookId);
  }

  /** Writes down the successes that are only in memory. @throws when the disk refuses; they stay in memory */
  async save(): Promise<void> {
    await this.#results.save();
  }

  #changed(webhookId: number): void {
    const webhook = this.#registry.find(webhookId);
    if (webhook === null) {
      this.#queues.get(webhookId)?.close();
      this.#queues.delete(webhookId);
      return;
    }
    const queue = this.#queue(webhookId);
    if (webhook.active) {
      queue.failures = webhook.failures;
      if (webhook.pausedUntil === null) queue.resumeMono = Number.NEGATIVE_INFINITY;
      queue.rewind();
      this.wake(webhookId);
    }
    queue.probes = 0;
    this.#armProbe(queue, webhook);
  }

  #queue(webhookId: number): DeliveryQueue {
    const known = this.#queues.get(webhookId);
    if (known !== undefined) return known;
    const queue = new DeliveryQueue(webhookId, this.#attempts.poster());
    this.#queues.set(webhookId, queue);
    return queue;
  }

  #fillPlaces(): void {
    while (this.#running && this.#turns.size < this.#parallel) {
      const queue = this.#waiting.shift();
      if (queue === undefined) return;
      queue.woken = false;
      const turn: Promise<void> = this.#turn(queue)
        .catch((error) => {
          this.#base.logger.error(
            { webhookId: queue.webhookId, err: error },
            "webhook deliveries are held up by the hub itself",
          );
          this.#pause(queue, TROUBLE_MS);
          return false;
        })
        .then((more) => {
          this.#turns.delete(turn);
          queue.queued = false;
          if (more || queue.woken) this.wake(queue.webhookId);
          this.#fillPlaces();
        });
      this.#turns.add(turn);
    }
  }

  /** Makes some deliveries of one webhook. Resolves with whether there may be more at once. */
  async #turn(queue: DeliveryQueue): Promise<boolean> {
    for (let sent = 0; sent < TURN; sent++) {
      if (this.#delivering(queue) === null) return false;
      if (this.#results.size >= MOST_UNSAVED) await this.save();
      const next = this.#next(queue);
      if (next === null) return false;
      await this.#stored.reached(next.seq);
      const row = this.#outbox.table.bySeq(next.seq);
      if (row === null) continue; // its vehicle was forgotten meanwhile
      const webhook = this.#delivering(queue); // it may have been edited since, or its right may have ended
      if (webhook === null) return false;
      if (!takes(webhook, row)) {
        await this.#base.database.write(() => this.#outbox.table.leaveOut(webhook.id, JSON.stringify(webhook.events)));
        continue;
      }
      const answer = await this.#attempts.make(webhook, row, queue.poster, this.#abort.signal);
      if (this.#abort.signal.aborted && !answer.ok) return false; // aborted by the hub, not the receiver's fault
      await (answer.ok ? this.#succeeded(queue, row, answer) : this.#refused(queue, webhook, row, answer));
    }
    return true;
  }

  /** The webhook of a queue as it is now; null: nothing is delivered to it at this moment. */
  #delivering(queue: DeliveryQueue): Webhook | null {
    const webhook = this.#registry.find(queue.webhookId);
    const isOn = this.#running && webhook !== null && this.#registry.delivers(webhook) && !this.#isPaused(queue);
    return isOn ? webhook : null;
  }

  /**
   * Due deliveries in the retry queue go first, since they are rare; then the oldest of the devices that have none
   * there. While the receiver accepts nothing at all, new arrivals in the retry queue are tried with the rest.
   */
  #next(queue: DeliveryQueue): DeliveryRow | null {
    const { clock } = this.#base;
    const rows = this.#outbox.table.slow(queue.webhookId);
    const aside = new Set(rows.map(({ deviceId }) => deviceId));
    for (const deviceId of queue.aside) if (!aside.has(deviceId)) queue.rewind(); // those behind it may continue
    queue.aside = aside;
    const slow = rows.filter(({ seq }) => this.#results.get(seq) === null); // the delivery's row may not be written yet
    const [first] = slow;
    if (first !== undefined && first.nextAt <= clock.now()) return this.#outbox.table.bySeq(first.seq);
    const waiting = this.#nextWaiting(queue);
    if (waiting !== null || first === undefined) return waiting;
    const unproved = queue.failures > 0 ? slow.find(({ refusals }) => refusals === REFUSALS_TO_SLOW) : undefined;
    if (unproved !== undefined) return this.#outbox.table.bySeq(unproved.seq);
    queue.arm(
      "slow",
      clock.atWall(first.nextAt, () => this.wake(queue.webhookId)),
    );
    return null;
  }

  #nextWaiting(queue: DeliveryQueue): DeliveryRow | null {
    const { table } = this.#outbox;
    for (;;) {
      const row = table.nextWaiting(queue.webhookId, queue.cursor);
      queue.cursor = row === null ? Math.max(queue.cursor, table.lastSeq()) : row.seq - 1;
      if (row === null || this.#results.get(row.seq) === null) return row;
      queue.cursor = row.seq; // it was delivered, and that is not written down yet
    }
  }

  async #succeeded(queue: DeliveryQueue, row: DeliveryRow, answer: ReceiverResponse): Promise<void> {
    const { database, clock } = this.#base;
    this.#results.add({ ...resultOf(row, answer, clock.now()), status: "delivered" });
    if (queue.failures > 0) {
      queue.failures = 0;
      await database.write(() => {
        this.#registry.table.setFailures(queue.webhookId, 0, null);
        this.#outbox.table.dueNow(queue.webhookId, REFUSALS_TO_SLOW, clock.now());
        this.#registry.refresh(queue.webhookId, this.#registry.find(queue.webhookId)?.siteId ?? 0);
      });
    }
    if (row.status === "slow") await this.save(); // the retry queue is read from the table again
  }

  async #refused(queue: DeliveryQueue, webhook: Webhook, row: DeliveryRow, answer: ReceiverResponse): Promise<void> {
    const { database, clock } = this.#base;
    const now = clock.now();
    const result = afterRefusal(row, answer, { now, takesOthers: queue.failures === 0 });
    queue.failures += 1;
    const isOver = queue.failures >= FAILURES_TO_DISABLE;
    const asked = retryAfterMs(answer.retryAfter, now) ?? 0;
    const pauseMs = Math.max(asked, gapAfter(queue.failures, this.#random()));
    await database.write(() => {
      this.#outbox.table.saveResult(result);
      this.#registry.table.setFailures(queue.webhookId, queue.failures, now + pauseMs);
      if (isOver) this.#registry.writeActive(queue.webhookId, false, "failures");
      else this.#registry.refresh(queue.webhookId, webhook.siteId);
    });
    if (!isOver) this.#pause(queue, pauseMs);
    this.#base.logger.debug(
      { webhookId: webhook.id, deliveryId: row.id, failures: queue.failures, error: answer.error },
      "webhook delivery failed",
    );
  }

  #pause(queue: DeliveryQueue, ms: number): void {
    if (ms <= 0) return;
    const { clock } = this.#base;
    queue.resumeMono = clock.mono() + ms;
    queue.resumeAt = clock.now() + ms;
    queue.arm(
      "resume",
      clock.at(queue.resumeMono, () => this.wake(queue.webhookId)),
    );
  }

  #isPaused(queue: DeliveryQueue): boolean {
    return queue.resumeMono > this.#base.clock.mono();
  }

  #armProbe(queue: DeliveryQueue, webhook: Webhook): void {
    const { clock, logger } = this.#base;
    queue.disarm("probe");
    queue.probeAt = null;
    if (webhook.active || !webhook.probe || webhook.disabledReason === "owner") return;
    const gap = probeGap(queue.probes);
    queue.probeAt = clock.now() + gap;
    queue.arm(
      "probe",
      clock.after(gap, () => {
        queue.probes += 1;
        this.#probe(queue).catch((error) =>
          logger.error({ webhookId: queue.webhookId, err: error }, "a disabled webhook could not be tried"),
        );
      }),
    );
  }

  async #probe(queue: DeliveryQueue): Promise<void> {
    const webhook = this.#registry.find(queue.webhookId);
    if (!this.#running || webhook === null || webhook.active) return;
    try {
      await this.enable(webhook.siteId, webhook.id, { force: false, kept: "send" });
    } catch (error) {
      const now = this.#registry.find(webhook.id);
      if (this.#running && now !== null) this.#armProbe(queue, now);
      if (!(error instanceof Problem) || error.code !== "conflict") throw error;
    }
  }
}

/** Whether a webhook still gets an event that was reported while it did; a test, whatever it is called. */
function takes({ events }: Webhook, { event, test }: DeliveryRow): boolean {
  return test === 1 || events.some((one) => one === event);
}
