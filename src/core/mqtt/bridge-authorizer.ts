import type { Logger } from "../kernel/logger.ts";
import { type NativeTopics, topicWithin } from "./authorise.ts";
import { type BridgeAccessPolicy, type BridgeClientName, bridgeClientName } from "./bridge-access-policy.ts";
import type { MqttLimits } from "./limits.ts";

/** Why a message of a client of the bridge is refused. */
export type BridgeRefusal = "reserved_topic" | "foreign_topic" | "topic_too_long" | "oversize";

/**
 * Rights of the bridge's clients beyond the bridge's own decisions: never a native or reserved topic, and within
 * limits.
 */
export class BridgeAuthorizer {
  readonly #options: ConstructorParameters<typeof BridgeAuthorizer>[0];

  constructor(options: {
    /** Null: the hub speaks with native devices only. */
    readonly policy: BridgeAccessPolicy | null;
    readonly topics: NativeTopics;
    readonly limits: MqttLimits;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  /** Why a message is refused; null if it is accepted. */
  refusal(clientId: string, topic: string, bytes: number): BridgeRefusal | null {
    const { policy, limits } = this.#options;
    const client = bridgeClientName(clientId);
    if (topic.startsWith("$")) return "reserved_topic";
    if (!topicWithin(topic, this.#bounds)) return "topic_too_long";
    if (policy === null || client === null || this.#isNative(topic) || !policy.mayPublish(client, topic))
      return "foreign_topic";
    return bytes > limits.packetBytes && !(bytes <= limits.bridgePacketBytes && policy.isLarge(topic))
      ? "oversize"
      : null;
  }

  /**
   * Whether a session may hold a subscription. `#` and filters that begin with `+` would cover every client's topics.
   */
  subscribable(clientId: string, filter: string): boolean {
    const { policy } = this.#options;
    const client = bridgeClientName(clientId);
    const first = filter.slice(0, filter.indexOf("/") === -1 ? undefined : filter.indexOf("/"));
    if (
      policy === null ||
      client === null ||
      first.startsWith("$") ||
      first === "#" ||
      filter === "+" ||
      this.#isNative(filter)
    )
      return false;
    return topicWithin(filter, this.#bounds) && policy.maySubscribe(client, filter);
  }

  /** Whether a message may go out to a client. */
  receivable(clientId: string, topic: string): boolean {
    const client = bridgeClientName(clientId);
    return client !== null && this.receivableBy(client, topic);
  }

  /** Like {@link receivable}, for a client that is known. */
  receivableBy(client: BridgeClientName, topic: string): boolean {
    return (
      !topic.startsWith("$") && !this.#isNative(topic) && (this.#options.policy?.mayReceive(client, topic) ?? false)
    );
  }

  /** Whether a client awaits acceptance: its messages reach the hub and nobody else. */
  isWaiting(clientId: string): boolean {
    const client = bridgeClientName(clientId);
    return client === null || (this.#options.policy?.isWaiting(client) ?? true);
  }

  /** Keeps a retained message for the announcement that may give it a meaning; returns whether it did. */
  keepEarly(clientId: string, topic: string, payload: Buffer): boolean {
    const client = bridgeClientName(clientId);
    const fits = topic !== "" && !/[+#\0]/.test(topic) && payload.length <= this.#options.limits.packetBytes;
    return (
      client !== null &&
      fits &&
      !this.#isNative(topic) &&
      (this.#options.policy?.keepEarly(client, topic, payload) ?? false)
    );
  }

  /** Passes a message on; resolves once its effects are on disk. */
  async message(
    clientId: string,
    message: { readonly topic: string; readonly payload: Buffer; readonly durable: boolean },
  ): Promise<void> {
    const client = bridgeClientName(clientId);
    if (client !== null) await this.#options.policy?.message(client, message);
  }

  /** A client's connection began or ended. */
  connection(clientId: string, isOpen: boolean): void {
    const client = bridgeClientName(clientId);
    const { policy, logger } = this.#options;
    if (client === null || policy === null) return;
    try {
      if (isOpen) policy.connected(client);
      else policy.disconnected(client);
    } catch (error) {
      logger.error({ err: error }, "the bridge failed on a connection");
    }
  }

  /**
   * Whether the hub may publish to a topic that a bridged device named: its command topic must not make a command to a
   * native device.
   */
  publishable(topic: string): boolean {
    const may = this.isForeign(topic);
    if (!may) this.#options.logger.warn({ topic }, "a device named a command topic that is not its own");
    return may;
  }

  /** Whether a topic is for other makes: neither the hub's own nor a native device's. */
  isForeign(topic: string): boolean {
    return topic !== "" && !/^\$|[+#\0]/.test(topic) && !this.#isNative(topic) && topicWithin(topic, this.#bounds);
  }

  #isNative(topic: string): boolean {
    return topic === this.#options.topics.root || topic.startsWith(`${this.#options.topics.root}/`);
  }

  get #bounds(): { readonly topicBytes: number; readonly topicLevels: number } {
    const { topicBytes, bridgeTopicLevels } = this.#options.limits;
    return { topicBytes, topicLevels: bridgeTopicLevels };
  }
}
