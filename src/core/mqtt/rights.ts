import { deviceOfClient, type NativeTopics, topicWithin } from "./authorise.ts";
import { isBridged } from "./bridge-access-policy.ts";
import type { BridgeAuthorizer } from "./bridge-authorizer.ts";
import type { MqttLimits } from "./limits.ts";

/**
 * What a client may subscribe to and how much of it, whether a native device or a client of the bridge. Clients are
 * named by their id within the broker.
 */
export class Rights {
  readonly #options: { readonly topics: NativeTopics; readonly bridge: BridgeAuthorizer; readonly limits: MqttLimits };

  constructor(options: {
    readonly topics: NativeTopics;
    readonly bridge: BridgeAuthorizer;
    readonly limits: MqttLimits;
  }) {
    this.#options = options;
  }

  /** Whether a session may hold this subscription. */
  subscribable(clientId: string, filter: string): boolean {
    const { topics, bridge, limits } = this.#options;
    if (isBridged(clientId)) return bridge.subscribable(clientId, filter);
    return topics.subscribable(deviceOfClient(clientId), filter) && topicWithin(filter, limits);
  }

  /**
   * Whether messages of this topic may be queued for a session; a native device's subscriptions lie in its own branch.
   */
  receivable(clientId: string, topic: string): boolean {
    return !isBridged(clientId) || this.#options.bridge.receivable(clientId, topic);
  }

  /** How many subscriptions a session may hold. */
  subscriptionsOf(clientId: string): number {
    const { subscriptionsPerSession, bridgeSubscriptionsPerSession } = this.#options.limits;
    return isBridged(clientId) ? bridgeSubscriptionsPerSession : subscriptionsPerSession;
  }

  /** How many connections, and persistent sessions, a device or a user name of the bridge may have. */
  sessionsOf(subject: string): number {
    const { sessionsPerDevice, connectionsPerBridgeUser } = this.#options.limits;
    return isBridged(subject) ? connectionsPerBridgeUser : sessionsPerDevice;
  }
}
