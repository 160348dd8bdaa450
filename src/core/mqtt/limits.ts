/** Bounds of the broker. Bytes are bytes, times milliseconds. */
export interface MqttLimits {
  readonly maxConnections: number;
  /**
   * Connections of one address that have not shown a credential yet and are served at a time; further ones wait for
   * their turn.
   */
  readonly maxUnauthenticatedPerAddress: number;
  /** A connection without a credential is cut after this time when others of its address wait. */
  readonly turnMs: number;
  /** Connections, and persistent sessions, of one device side by side. */
  readonly sessionsPerDevice: number;
  /** Time a connection has for its CONNECT and its answer. */
  readonly connectTimeoutMs: number;
  /** Answer to a wrong credential waits this long: with the sockets per address it bounds guessing. */
  readonly refusalDelayMs: number;
  /** Longest keep-alive that is honoured; 0 and longer ones count as this. */
  readonly keepAliveLimitSeconds: number;
  /** A client that takes nothing from its socket for this long is disconnected. */
  readonly drainTimeoutMs: number;
  readonly connectBytes: number;
  readonly packetBytes: number;
  /** Largest packet of a device of type `camera`. */
  readonly cameraPacketBytes: number;
  readonly topicBytes: number;
  readonly topicLevels: number;
  /** Pace of one device over all its connections; 0 = no limit. */
  readonly messagesPerSecond: number;
  readonly messageBurst: number;
  /**
   * Messages of one connection from the oldest unacknowledged one on; past it its socket is not read. That many
   * messages of QoS 1 are also handed on at once: fewer than {@link mostUnconfirmed} are ever without an
   * acknowledgement.
   */
  readonly unfinishedMessages: number;
  /** The same for the bytes of their payloads: pictures are large. */
  readonly unfinishedBytes: number;
  /** QoS 2 messages of one connection between PUBLISH and PUBREL. */
  readonly unreleasedMessages: number;
  readonly subscriptionsPerSession: number;
  readonly retainedTopicsPerDevice: number;
  readonly retainedBytesPerDevice: number;
  readonly queuedMessagesPerSession: number;
  readonly queuedBytesPerSession: number;
  /** All sessions together. */
  readonly queuedBytesTotal: number;
  /** Unsent bytes of one connection past which QoS 0 messages for it are dropped. */
  readonly slowClientBytes: number;
  /** Unsent bytes of one connection past which it is closed; its session keeps the pending messages. */
  readonly frozenClientBytes: number;
  readonly sessionExpiryMs: number;
  /** Connections of one user name of the bridge: many devices of a house often share one. */
  readonly connectionsPerBridgeUser: number;
  /** Largest packet on those topics of the bridge that are known to be large. */
  readonly bridgePacketBytes: number;
  readonly bridgeTopicLevels: number;
  readonly bridgeSubscriptionsPerSession: number;
  /** Pace of one user name of the bridge: a gateway speaks for many devices. */
  readonly bridgeMessagesPerSecond: number;
  readonly bridgeMessageBurst: number;
  /** Retained outside the native topics, all clients together. */
  readonly bridgeRetainedTopics: number;
  readonly bridgeRetainedBytes: number;
  /** After a start, clients have this long to reconnect before the wills of absent ones are published. */
  readonly willGraceMs: number;
  /** A connection whose message could not be stored is closed after this time, so that it sends it again. */
  readonly unstoredCloseMs: number;
  readonly heldCommandsPerDevice: number;
  readonly heldCommandsTotal: number;
  /** Time that messages under way have to be finished at a stop. */
  readonly stopDrainMs: number;
}

/** The defaults (docs/spec/interface.md §25–27). */
export const DEFAULT_LIMITS: MqttLimits = {
  maxConnections: 500,
  maxUnauthenticatedPerAddress: 10,
  turnMs: 2_000,
  sessionsPerDevice: 8,
  connectTimeoutMs: 10_000,
  refusalDelayMs: 500,
  keepAliveLimitSeconds: 3_600,
  drainTimeoutMs: 20_000,
  connectBytes: 4_096,
  packetBytes: 65_536,
  cameraPacketBytes: 1_048_576,
  topicBytes: 256,
  topicLevels: 8,
  messagesPerSecond: 50,
  messageBurst: 200,
  unfinishedMessages: 256,
  unfinishedBytes: 2_097_152,
  unreleasedMessages: 100,
  subscriptionsPerSession: 20,
  retainedTopicsPerDevice: 64,
  retainedBytesPerDevice: 65_536,
  queuedMessagesPerSession: 1_000,
  queuedBytesPerSession: 1_048_576,
  queuedBytesTotal: 33_554_432,
  slowClientBytes: 262_144,
  frozenClientBytes: 1_048_576,
  sessionExpiryMs: 7 * 86_400_000,
  connectionsPerBridgeUser: 250,
  bridgePacketBytes: 1_048_576,
  bridgeTopicLevels: 20,
  bridgeSubscriptionsPerSession: 1_000,
  bridgeMessagesPerSecond: 500,
  bridgeMessageBurst: 5_000,
  bridgeRetainedTopics: 20_000,
  bridgeRetainedBytes: 33_554_432,
  willGraceMs: 60_000,
  unstoredCloseMs: 15_000,
  heldCommandsPerDevice: 20,
  heldCommandsTotal: 1_000,
  stopDrainMs: 3_000,
};

/**
 * Above the messages that a connection has without an acknowledgement: as many may come at once as it takes to stop
 * reading.
 */
export function mostUnconfirmed({ unfinishedMessages }: Pick<MqttLimits, "unfinishedMessages">): number {
  return 2 * unfinishedMessages;
}
