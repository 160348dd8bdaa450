/**
 * The hub as a client of the site's MQTT broker: Mosquitto, EMQX, HiveMQ. In: messages below the hub's prefix there,
 * acknowledged only once their effects are on disk. Out: messages with an expiry, kept across an interruption. It owns
 * the connection, reconnecting, and the messages waiting meanwhile; it must never know what a message means, or where
 * the embedded broker is.
 */

import type { Clock, Timer } from "../../core/kernel/clock.ts";
import type { Logger } from "../../core/kernel/logger.ts";
import { Problem } from "../../core/kernel/problem.ts";
import type { Service } from "../../core/kernel/service.ts";
import { reasonEnglish } from "../../core/text/described-error.ts";
import type { Detail } from "../../core/text/keys.ts";
import { uncovered } from "./filters.ts";
import { Link, type LinkAddress, type LinkMessage } from "./link.ts";
import { Outbox, type Outcome, type OutgoingMessage } from "./outbox.ts";
import { RetainedCache } from "./retained-cache.ts";

/** A message that has arrived; its topic is without the hub's prefix. */
export type ArrivedMessage = LinkMessage;

/** Dependencies of {@link OutsideBroker}. */
export interface OutsideBrokerOptions {
  /** `auto`: MQTT 5, and 3.1.1 with a broker that does not know it. */
  readonly address: Omit<LinkAddress, "protocol"> & { readonly protocol: LinkAddress["protocol"] | "auto" };
  /** Prefix of every topic, with its slash; empty: none. */
  readonly prefix: string;
  /** Filters of the topics to subscribe to, without the prefix. Read at each connection. */
  readonly filters: () => readonly string[];
  /**
   * Takes a message; resolves once its effects are on disk. A Problem `storage_full` or `unavailable` means that the
   * message should come again; any other failure is due to the message itself.
   */
  readonly message: (message: ArrivedMessage) => Promise<void>;
  /** The connection is open (again). */
  readonly connected: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
}

/** Figures for health and metrics. */
export interface OutsideFigures {
  readonly connected: boolean;
  /** Since when it is connected, or disconnected; epoch ms. */
  readonly since: number;
  /** Why it is disconnected; null while connected or before the first attempt has ended. */
  readonly reason: string | Detail | null;
  readonly connections: number;
  readonly received: number;
  readonly unfinished: number;
  readonly sent: number;
  readonly waiting: number;
  readonly expired: number;
  readonly dropped: number;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 60_000;
/** A connection that lasted this long was a good one: the next retry is a short one again. */
const GOOD_MS = 30_000;
const SWEEP_MS = 2_000;
const DRAIN_MS = 1_000;
const LEAVE_MS = 10_000;
const POLL_MS = 20;

/** See the head of the file. */
export class OutsideBroker implements Service {
  readonly name = "outside broker";
  readonly #options: OutsideBrokerOptions;
  readonly #outbox: Outbox;
  readonly #retained = new RetainedCache();
  #link: Link | null = null;
  #retry: Timer | null = null;
  #sweep: Timer | null = null;
  #running = false;
  #failures = 0;
  #version: LinkAddress["protocol"];
  /** Number of connections that have ended. */
  #connectionsBefore = 0;
  #figures = {
    since: 0,
    connectedMono: 0,
    reason: null as string | Detail | null,
    connections: 0,
    received: 0,
    unfinished: 0,
  };

  constructor(options: OutsideBrokerOptions) {
    this.#options = options;
    this.#version = options.address.protocol === "auto" ? "5" : options.address.protocol;
    this.#outbox = new Outbox(options.clock);
  }

  /** Starts to connect without waiting for it: a hub serves its house while the site's broker is away. */
  async start(): Promise<void> {
    const { clock } = this.#options;
    if (this.#running) return;
    this.#running = true;
    this.#figures.since = clock.now();
    this.#sweep = clock.every(SWEEP_MS, () => this.#send());
    this.#connect();
  }

  /** Finishes the messages under way and disconnects cleanly; the session stays at the broker. */
  async stop(): Promise<void> {
    if (!this.#running) return;
    this.#running = false;
    this.#retry?.stop();
    this.#sweep?.stop();
    const link = this.#link;
    link?.pause();
    const deadline = this.#options.clock.mono() + DRAIN_MS;
    while (this.#figures.unfinished > 0 && this.#options.clock.mono() < deadline)
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    this.#link = null;
    await link?.end();
  }

  /** How it is. */
  get figures(): OutsideFigures {
    const { since, reason, connections, received, unfinished } = this.#figures;
    return { connected: this.isConnected, since, reason, connections, received, unfinished, ...this.#outbox.figures };
  }

  /** The connection is there and subscribed. */
  get isConnected(): boolean {
    return this.#link?.isOpen ?? false;
  }

  /**
   * Sends a message, now or when the connection is back, never later than `ttlMs` from now; QoS 1, not retained.
   * `isThere`: it needs a present receiver, and waits for one. Returns whether it went out now.
   */
  publish(
    message: {
      readonly topic: string;
      readonly payload: string;
      readonly from?: string;
      readonly isThere?: () => boolean;
      readonly onSent?: () => void;
    },
    ttlMs: number,
  ): "sent" | "queued" {
    const { clock, prefix } = this.#options;
    this.#outbox.add({
      topic: prefix + message.topic,
      payload: message.payload,
      from: message.from ?? "",
      isThere: message.isThere ?? null,
      onSent: message.onSent ?? null,
      deadlineMono: clock.mono() + ttlMs,
    });
    this.#send();
    return this.isConnected && (message.isThere?.() ?? true) ? "sent" : "queued";
  }

  /**
   * Leaves a retained message at the broker, without the prefix; an empty one clears. Does not wait for a connection.
   * Never rejects.
   */
  leaveRetained(topic: string, payload: string): Promise<Outcome> {
    return this.#link?.publish({ topic, payload }, LEAVE_MS, true) ?? Promise.resolve("lost");
  }

  /** The version of MQTT in use, or tried next. */
  get version(): LinkAddress["protocol"] {
    return this.#version;
  }

  /** Signals that the receiver of a waiting message may be present now. */
  nudge(): void {
    this.#send();
  }

  /** Retained messages that came with the subscriptions, below the prefix. */
  retained(filter: string): readonly { readonly topic: string; readonly payload: Buffer }[] {
    return this.#retained.matching(filter);
  }

  #connect(): void {
    const { clock, logger } = this.#options;
    const address: LinkAddress = { ...this.#options.address, protocol: this.#version };
    this.#retry = null;
    const link: Link = new Link({
      address,
      filters: uncovered(this.#options.filters()).map((filter) => this.#options.prefix + filter),
      message: (message) => this.#arrived(message),
      opened: () => {
        if (this.#link !== link) return;
        this.#figures.connections += 1;
        this.#figures.since = clock.now();
        this.#figures.connectedMono = clock.mono();
        this.#figures.reason = null;
        logger.info({ url: address.url, mqtt: address.protocol }, "joined the outside broker");
        this.#send();
        this.#options.connected();
      },
      closed: (reason, speaksAnother) => this.#closed(link, reason, speaksAnother),
      logger,
    });
    this.#link = link;
    link.open();
  }

  #closed(link: Link, reason: string | Detail, speaksAnother: boolean): void {
    if (this.#link !== link) return;
    const { clock, logger, random } = this.#options;
    const wasGood = this.#figures.connectedMono > 0 && clock.mono() - this.#figures.connectedMono >= GOOD_MS;
    if (wasGood) this.#failures = 0;
    if (this.#figures.connectedMono > 0 || this.#failures === 0) this.#figures.since = clock.now();
    this.#figures.connectedMono = 0;
    this.#figures.reason = reason;
    this.#outbox.cut();
    this.#link = null;
    if (!this.#running) return;
    if (this.#changesVersion(speaksAnother)) {
      logger.info({ url: this.#options.address.url, mqtt: this.#version }, "the outside broker does not speak MQTT 5");
      this.#retry = clock.after(0, () => this.#connect());
      return;
    }
    // Half of the wait is random: hubs that lost the same broker do not reconnect together.
    const step = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(this.#failures, 10));
    const waitMs = Math.round(step * (0.5 + random() / 2));
    this.#failures += 1;
    logger.warn(
      { url: this.#options.address.url, reason: reasonEnglish(reason), retryMs: waitMs },
      "the outside broker is unreachable",
    );
    this.#retry = clock.after(waitMs, () => this.#connect());
  }

  /**
   * Whether the other version of MQTT should be tried at once. If that fails too, it starts with 5 again, after a
   * while.
   */
  #changesVersion(speaksAnother: boolean): boolean {
    if (this.#options.address.protocol !== "auto") return false;
    const next =
      speaksAnother && this.#version === "5"
        ? "3.1.1"
        : this.#figures.connections > this.#connectionsBefore
          ? this.#version
          : "5";
    const isChanged = next === "3.1.1" && this.#version === "5";
    this.#version = next;
    this.#connectionsBefore = this.#figures.connections;
    return isChanged;
  }

  async #arrived(message: LinkMessage): Promise<"taken" | "again"> {
    const { prefix, logger } = this.#options;
    if (!message.topic.startsWith(prefix)) return "taken";
    const topic = message.topic.slice(prefix.length);
    this.#figures.received += 1;
    this.#figures.unfinished += 1;
    this.#retained.note({ topic, payload: message.payload, retained: message.retained });
    try {
      await this.#options.message({ ...message, topic });
      return "taken";
    } catch (error) {
      const passing = error instanceof Problem && (error.code === "storage_full" || error.code === "unavailable");
      if (!passing) logger.error({ err: error, topic }, "a message of the outside broker could not be handled");
      return passing ? "again" : "taken";
    } finally {
      this.#figures.unfinished -= 1;
    }
  }

  #send(): void {
    const link = this.#link;
    this.#outbox.sweep();
    if (link === null || !link.isOpen) return;
    for (const message of this.#outbox.due()) void this.#sendOne(link, message);
  }

  async #sendOne(link: Link, message: OutgoingMessage): Promise<void> {
    const ttlMs = message.deadlineMono - this.#options.clock.mono();
    const outcome = await link.publish(message, ttlMs);
    this.#outbox.done(message, outcome);
  }
}
