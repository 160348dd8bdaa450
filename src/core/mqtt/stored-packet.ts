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
  /**
   * The publisher: a client, or the sender of the command that the hub publishes. Carried along by aedes-packet, never
   * sent.
   */
  clientId?: string;
  /** Monotonic time after which the message is no longer delivered; aedes-packet carries it along. */
  messageExpiry?: number;
  /**
   * The client of the bridge that a message belongs to; aedes-packet carries it along, MQTT 3.1.1 has no place for it
   * on the wire.
   */
  properties?: PacketProperties;
}

/** See {@link StoredPacket.properties}. */
export interface PacketProperties {
  readonly userProperties?: Readonly<Record<string, unknown>>;
}

/** Marks a message as one from or for a client of the bridge: no other client ever receives it. */
export function belongingTo(subject: string): {
  readonly properties: { readonly userProperties: { readonly subject: string } };
} {
  return { properties: { userProperties: { subject } } };
}

/** The client that {@link belongingTo} assigned a message to; null: none in particular. */
export function subjectOf(packet: { readonly properties?: PacketProperties }): string | null {
  const subject = packet.properties?.userProperties?.subject;
  return typeof subject === "string" ? subject : null;
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

/** A packet as message-tap.ts notes it. */
export function passing(packet: StoredPacket): { topic: string; payload: Buffer; qos: number; retain: boolean } {
  return {
    topic: packet.topic ?? "",
    payload: payloadBytes(packet),
    qos: packet.qos ?? 0,
    retain: packet.retain === true,
  };
}
