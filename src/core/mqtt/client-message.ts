import type { PublishPacket } from "aedes";
import { ownCopy } from "../kernel/free-bytes.ts";
import type { NativeTopic } from "./authorise.ts";
import type { Acknowledgement, Sender } from "./connection.ts";

const NOTHING = Buffer.alloc(0);
/** The sender of a message until it is known. */
const NOBODY: Sender = { deviceId: "", clientId: "", isBridged: false, connection: null };

/** The fields of a PUBLISH packet other than its payload. */
export interface PublishHead {
  readonly topic: string;
  readonly qos: PublishPacket["qos"];
  readonly retain: boolean;
  readonly dup: boolean;
  /** Null for QoS 0. */
  readonly messageId: number | null;
}

/**
 * A message of a client, from the wire until its acknowledgement. One object for its whole life, and no view of its
 * payload's bytes before it is needed: thousands wait for the disk at once, and the collector moves everything they
 * hold.
 */
export class ClientMessage implements Acknowledgement, PublishHead {
  readonly topic: string;
  readonly qos: PublishPacket["qos"];
  readonly retain: boolean;
  readonly dup: boolean;
  readonly messageId: number | null;
  readonly send: ((isAnswered: boolean) => void) | null;
  isReady = false;
  sender: Sender = NOBODY;
  /** Set where a native device was allowed to publish to it. */
  native: NativeTopic | null = null;
  /** The position that must be on the medium before it is acknowledged; 0 for QoS 0 and for refused messages. */
  position = 0;
  /** Whether it counts among the unfinished messages of QoS 0. */
  isCounted = false;
  /** When it was accepted, epoch ms. */
  at = 0;
  readonly #bytes: Buffer;
  readonly #from: number;
  readonly #end: number;
  /** Whether its bytes have their memory to themselves. */
  isAlone = false;

  /** Its payload is `bytes` from `from` to `end`. `send`: see {@link Acknowledgement.send}. */
  constructor(head: PublishHead, bytes: Buffer, from: number, end: number, send: ClientMessage["send"] = null) {
    this.topic = head.topic;
    this.qos = head.qos;
    this.retain = head.retain;
    this.dup = head.dup;
    this.messageId = head.messageId;
    this.send = send;
    this.#bytes = bytes;
    this.#from = from;
    this.#end = end;
  }

  /** Bytes of the payload. */
  get size(): number {
    return this.#end - this.#from;
  }

  /** The payload; a view that is made at each call. Empty once the handler that took {@link ownPayload} has freed it. */
  get payload(): Buffer {
    return this.#bytes.length === 0 ? NOTHING : this.#bytes.subarray(this.#from, this.#end);
  }

  /** The payload in memory of its own; a large packet was assembled in such memory already. */
  ownPayload(): Buffer {
    return this.isAlone ? this.payload : ownCopy(this.payload);
  }

  /** The payload as UTF-8; invalid bytes are replaced. */
  text(): string {
    return this.#bytes.toString("utf8", this.#from, this.#end);
  }

  /** DUP, by the name that handlers know it by. */
  get duplicate(): boolean {
    return this.dup;
  }

  /** Identifies its connection for handlers; undefined for wills of an earlier run. */
  get connection(): { readonly mayRepeat: boolean } | undefined {
    return this.sender.connection?.origin;
  }
}
