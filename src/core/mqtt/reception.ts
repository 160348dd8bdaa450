import type { Duplex } from "node:stream";
import type { Aedes, Client } from "aedes";
import type { Ticket } from "../kernel/admission.ts";
import type { Clock } from "../kernel/clock.ts";
import { Inflow } from "../kernel/inflow.ts";
import { acknowledge, live } from "./aedes/client.ts";
import { readPublishes } from "./aedes/publish-reader.ts";
import type { ClientMessage } from "./client-message.ts";
import { type Connection, OrderedAcks } from "./connection.ts";
import { FrameGuard, guardReads, type SkippedPublish } from "./frame-guard.ts";
import type { MqttLimits } from "./limits.ts";
import type { Refusals } from "./refusals.ts";

/** Hands new connections to Aedes, with a frame guard before its parser, and remembers what belongs to each. */
export class Reception {
  readonly #options: ConstructorParameters<typeof Reception>[0];
  readonly #connections = new WeakMap<Client, Connection>();
  readonly #inflow = new Inflow();

  constructor(options: {
    readonly limits: Pick<MqttLimits, "connectBytes" | "unfinishedMessages">;
    /** A message of QoS 0 or 1 of an accepted client. */
    readonly onMessage: (connection: Connection, message: ClientMessage) => void;
    readonly refusals: Refusals;
    readonly clock: Clock;
  }) {
    this.#options = options;
  }

  /** What is known about the connection of `client`. */
  connectionOf(client: Client): Connection | undefined {
    return this.#connections.get(client);
  }

  /** Takes in a new connection; without a broker it is cut. */
  welcome(stream: Duplex, ticket: Ticket, aedes: Aedes | null): void {
    if (aedes === null) {
      stream.destroy();
      return;
    }
    const guard = new FrameGuard({
      connectBytes: this.#options.limits.connectBytes,
      messagesAtOnce: this.#options.limits.unfinishedMessages,
      onSkipped: (publish) => this.#skipped(connection, stream, publish),
      onViolation: (reason) => {
        this.#count(connection, reason, ticket.address);
        stream.destroy();
      },
    });
    const client = live(aedes.handle(stream)); // reads nothing before this turn ends
    const connection: Connection = {
      client,
      address: ticket.address,
      guard,
      valve: guardReads(stream, guard, this.#inflow),
      acks: new OrderedAcks((messageIds) => acknowledge(client, messageIds)),
      accepted: ticket.accepted,
      identity: null,
      sender: null,
      reason: null,
      namelessSession: false,
      origin: { mayRepeat: true },
      granted: new Set(),
      unfinished: 0,
      unfinishedBytes: 0,
      passed: 0,
      isTouched: false,
      topics: new Map(),
      closing: false,
    };
    this.#connections.set(client, connection);
    readPublishes(client, (message) => this.#options.onMessage(connection, message));
  }

  /** An oversize message never reached the parser: it is counted, and acknowledged so that it does not come again. */
  #skipped(connection: Connection, stream: Duplex, publish: SkippedPublish): void {
    this.#count(connection, "oversize", publish.topic, `${publish.bytes} bytes`);
    if (publish.packetId === null) return;
    // PUBACK or PUBREC
    const answer = Buffer.from([publish.qos === 1 ? 0x40 : 0x50, 2, publish.packetId >> 8, publish.packetId & 0xff]);
    connection.acks.reserve({
      isReady: true,
      messageId: null,
      send: () => void (stream.writable && stream.write(answer)),
    });
    connection.acks.flush();
  }

  #count(connection: Connection, reason: string, topic: string, payload = ""): void {
    this.#options.refusals.count(connection.identity?.deviceId ?? "", {
      reason,
      topic,
      payload,
      at: this.#options.clock.now(),
    });
  }
}
