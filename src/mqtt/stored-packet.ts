/** The part of Aedes' client that a persistence may look at. */
export interface SessionOwner {
  readonly id: string;
}

/** A packet as Aedes hands it to its persistence and wants it back. */
export interface StoredPacket {
  cmd?: string;
  topic?: string;
  /** Bytes from the wire; Aedes also allows text in packets that the process itself publishes. */
  payload?: Buffer | string;
  qos?: number;
  retain?: boolean;
  dup?: boolean;
  messageId?: number | undefined;
  brokerId?: string;
  brokerCounter?: number;
  /** The publisher: a client, or whoever the hub sends a command for. Carried along by aedes-packet, never sent. */
  clientId?: string;
  /** Monotonic time after which the message is not delivered any more; aedes-packet carries it along. */
  messageExpiry?: number;
}

/** A subscription as Aedes hands it over; rh, rap and nl are MQTT 5's and kept in memory only. */
export interface StoredSubscription {
  readonly topic: string;
  readonly qos: number;
  readonly rh?: number;
  readonly rap?: boolean;
  readonly nl?: boolean;
  readonly subscriptionIdentifier?: number;
}

/** The payload as bytes. */
export function payloadBytes(packet: StoredPacket): Buffer {
  return typeof packet.payload === "string" ? Buffer.from(packet.payload) : (packet.payload ?? Buffer.alloc(0));
}
