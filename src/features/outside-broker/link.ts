import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { IClientOptions, IPublishPacket, MqttClient } from "mqtt";
import type { Logger } from "../../core/kernel/logger.ts";
import { expectSmallFile } from "../../core/kernel/small-file.ts";
import { DescribedError, reasonOf } from "../../core/text/described-error.ts";
import type { Detail } from "../../core/text/keys.ts";
import { LargePackets, TOO_LARGE } from "./large-packets.ts";
import { OrderedAcks } from "./ordered-acks.ts";
import type { Outcome, OutgoingMessage } from "./outbox.ts";

/** The broker's address and the hub's identity there. */
export interface LinkAddress {
  /** mqtt://, mqtts://, ws:// or wss://. */
  readonly url: string;
  readonly clientId: string;
  readonly username: string | null;
  /** File with the password; null for none. Read at each connection. */
  readonly passwordFile: string | null;
  /** PEM file of the authority of the broker's certificate; null: the system's authorities. */
  readonly caFile: string | null;
  readonly protocol: "5" | "3.1.1";
  /** The broker keeps nothing for the hub while it is away: late messages are unwanted. */
  readonly isForgotten?: boolean;
  /** What the broker publishes, retained, when the connection ends without a DISCONNECT. */
  readonly will?: { readonly topic: string; readonly payload: string };
}

/** A message that has arrived. */
export interface LinkMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: 0 | 1;
  /** It was kept by the broker and comes with a subscription. */
  readonly retained: boolean;
  readonly duplicate: boolean;
  readonly messageId: number | null;
  /** One object per connection. */
  readonly connection: { readonly mayRepeat: boolean };
}

const CONNECT_TIMEOUT_MS = 10_000;
const KEEPALIVE_S = 30;
/** A running broker acknowledges a message within this time, however busy it is. */
const LEAST_DEADLINE_MS = 5_000;
/** How long closing a connection may take. */
const FAREWELL_MS = 1_000;
/** How long the broker keeps the hub's session, and its undelivered messages. */
const SESSION_S = 7 * 86_400;
/** Maximum unacknowledged messages. MQTT 3.1.1 cannot limit what a broker sends at once: reading stops here. */
const RECEIVE_MAXIMUM = 256;
/** More than a device may send to the embedded broker: pictures. */
const LARGEST_PACKET = 9 * 1_048_576;
const NO_SUBSCRIBERS = 0x10;
/** Error codes of brokers that do not know the version: those of 3.1.1, and those of 5. */
const OTHER_VERSION: ReadonlySet<number> = new Set([1, 0x84]);
/**
 * One connection to the broker, from start to end; another one is made after it. Nothing is left to the client library
 * between connections: the outbox, which knows their expiry, sends unacknowledged messages again.
 */
export class Link {
  readonly #options: ConstructorParameters<typeof Link>[0];
  readonly #acks = new OrderedAcks();
  #client: MqttClient | null = null;
  #open = false;
  #over = false;
  #paused = false;
  #reason: string | Detail | null = null;
  #connection = { mayRepeat: false };
  #unfinished = 0;
  /** Whether the broker has answered the CONNECT, and whether it refused this version of MQTT. */
  #greeting: "none" | "answered" | "other version" = "none";
  /** Sendings without an answer. */
  readonly #pending = new Set<(outcome: Outcome) => void>();
  /**
   * Packet identifiers of messages that the broker took and nobody subscribes to; the library does not pass the reason
   * code on.
   */
  readonly #unheard = new Set<number>();

  constructor(options: {
    readonly address: LinkAddress;
    readonly filters: readonly string[];
    /** `again`: it could not be stored; the broker has to send it again. */
    readonly message: (message: LinkMessage) => Promise<"taken" | "again">;
    readonly opened: () => void;
    /**
     * Called once, even if it never opened. `speaksAnother`: the broker indicated that it speaks another version of MQTT.
     */
    readonly closed: (reason: string | Detail, speaksAnother: boolean) => void;
    readonly logger: Logger;
  }) {
    this.#options = options;
  }

  /** It is connected and subscribed. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** Begins to connect. */
  open(): void {
    void this.#connect();
  }

  async #connect(): Promise<void> {
    let client: MqttClient;
    try {
      const { connect } = await import("mqtt"); // most hubs join no broker, and the library is large
      if (this.#over) return;
      client = connect(this.#options.address.url, this.#clientOptions());
      leaveOutLarge(client, this.#options.address.protocol);
    } catch (error) {
      this.#ended(reasonOf(error));
      return;
    }
    this.#client = client;
    client.handleMessage = (packet, done) => this.#received(packet, done);
    client.on("connect", (connack) => {
      this.#connection = { mayRepeat: connack.sessionPresent };
      void this.#subscribe(client);
    });
    client.on("packetreceive", (packet) => {
      if (packet.cmd === "connack")
        this.#greeting = OTHER_VERSION.has(packet.reasonCode ?? packet.returnCode ?? 0) ? "other version" : "answered";
      if (packet.cmd === "puback" && packet.reasonCode === NO_SUBSCRIBERS && packet.messageId !== undefined)
        this.#unheard.add(packet.messageId);
    });
    client.on("error", (error) => {
      this.#reason ??= reasonOf(error);
    });
    client.on("disconnect", (packet) => {
      this.#reason ??= { code: "outside.ended", reason: packet.reasonCode ?? "?" };
    });
    client.on("close", () => this.#ended(this.#reason ?? { code: "outside.closed" }));
    try {
      client.connect();
    } catch (error) {
      this.#ended(reasonOf(error));
    }
  }

  /**
   * Takes no further messages: the broker keeps them for the next connection. Acknowledgements of the hub's own packets
   * still count.
   */
  pause(): void {
    this.#paused = true;
  }

  /**
   * Sends a message; resolves with the outcome, at the latest when the connection ends. Never rejects. A retained one
   * does not expire.
   */
  publish(message: Pick<OutgoingMessage, "topic" | "payload">, ttlMs: number, retain = false): Promise<Outcome> {
    const client = this.#client;
    if (client === null || !this.#open) return Promise.resolve("lost");
    const expiry =
      this.#isFive && !retain ? { properties: { messageExpiryInterval: Math.max(1, Math.ceil(ttlMs / 1000)) } } : {};
    return new Promise((resolve) => {
      // A stalled connection would deliver the message whenever it recovers: a cut one does not.
      const closeTimer = setTimeout(
        () => {
          this.#reason ??= "the broker does not answer";
          // the system would otherwise keep sending queued data
          if (client.stream instanceof Socket) client.stream.resetAndDestroy();
          client.end(true);
        },
        Math.min(Math.max(ttlMs, LEAST_DEADLINE_MS), KEEPALIVE_S * 1_000),
      );
      const settle = (outcome: Outcome): void => {
        clearTimeout(closeTimer);
        this.#pending.delete(settle);
        resolve(outcome);
      };
      this.#pending.add(settle);
      client.publish(message.topic, message.payload, { qos: 1, retain, ...expiry }, (error) => {
        if (error) settle(this.#open ? "refused" : "lost");
        else settle(this.#unheard.delete(messageId) ? "unheard" : "sent");
      });
      const messageId = client.getLastMessageId();
    });
  }

  /** Ends the connection, with a DISCONNECT if the broker still answers. Its `closed` is not called. */
  async end(): Promise<void> {
    this.#over = true;
    this.#open = false;
    const client = this.#client;
    if (client === null) return;
    await new Promise<void>((resolve) => {
      // The library waits without limit for a broker that has stopped responding.
      const closeTimer = setTimeout(() => {
        client.stream?.destroy();
        resolve();
      }, FAREWELL_MS);
      const gone = (): void => {
        clearTimeout(closeTimer);
        resolve();
      };
      client.once("close", gone);
      client.end(!client.connected, {}, gone);
    });
  }

  get #isFive(): boolean {
    return this.#options.address.protocol === "5";
  }

  #clientOptions(): IClientOptions {
    const { clientId, username, passwordFile, caFile, isForgotten = false, will } = this.#options.address;
    const sessionExpiryInterval = isForgotten ? 0 : SESSION_S;
    return {
      clientId,
      clean: isForgotten,
      ...(will === undefined
        ? {}
        : { will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1 as const, retain: true } }),
      protocolVersion: this.#isFive ? 5 : 4,
      keepalive: KEEPALIVE_S,
      connectTimeout: CONNECT_TIMEOUT_MS,
      reconnectPeriod: 0, // a new link is made instead
      manualConnect: true,
      queueQoSZero: false,
      resubscribe: false,
      rejectUnauthorized: true,
      ...(username === null ? {} : { username }),
      ...(passwordFile === null ? {} : { password: expectSmallFile(passwordFile).toString("utf8").trim() }),
      ...(caFile === null ? {} : { ca: expectSmallFile(caFile) }),
      ...(this.#isFive
        ? { properties: { sessionExpiryInterval, receiveMaximum: RECEIVE_MAXIMUM, maximumPacketSize: LARGEST_PACKET } }
        : {}),
    };
  }

  async #subscribe(client: MqttClient): Promise<void> {
    const { filters, opened } = this.#options;
    try {
      // Retained messages come with it each time: changes during an interruption are known at once.
      const options = this.#isFive ? { qos: 1 as const, nl: true, rap: false, rh: 0 as const } : { qos: 1 as const };
      if (filters.length > 0) {
        const granted = await client.subscribeAsync(Object.fromEntries(filters.map((filter) => [filter, options])));
        const refused = granted.filter(({ qos }) => qos >= 128).map(({ topic }) => topic);
        if (refused.length > 0)
          throw new DescribedError({ code: "outside.noSubscription", topics: refused.slice(0, 3).join(", ") });
      }
      if (this.#over) return;
      this.#open = true;
      opened();
    } catch (error) {
      this.#reason ??= reasonOf(error);
      client.end(true);
    }
  }

  /**
   * Takes a message and reads on at once; the acknowledgement follows when the message is on disk, in the order in
   * which the messages came (MQTT-4.6.0-2). The library would acknowledge when `done` is called without an error, and
   * read nothing until then.
   */
  #received(packet: IPublishPacket, done: (error?: Error) => void): void {
    const { payload, qos, messageId } = packet;
    const message: LinkMessage = {
      topic: packet.topic,
      payload: typeof payload === "string" ? Buffer.from(payload) : payload,
      qos: qos === 0 ? 0 : 1,
      retained: packet.retain,
      duplicate: packet.dup,
      messageId: qos === 0 ? null : (messageId ?? null),
      connection: this.#connection,
    };
    const client = this.#client;
    if (this.#paused) {
      done(qos === 0 ? undefined : LATER);
      return;
    }
    if (message.topic.startsWith(TOO_LARGE)) {
      this.#options.logger.warn(
        { topic: message.topic.slice(TOO_LARGE.length), mostBytes: LARGEST_PACKET },
        "a message of the outside broker is too large",
      );
      done(qos === 0 ? undefined : LATER);
      if (qos !== 0 && messageId !== undefined) this.#acks.reserve(() => acknowledge(client, messageId))();
      return;
    }
    const work = this.#options.message(message);
    this.#unfinished += 1;
    const isFull = this.#unfinished >= RECEIVE_MAXIMUM;
    if (!isFull) done(qos === 0 ? undefined : LATER);
    const place =
      qos === 0 || messageId === undefined ? null : this.#acks.reserve(() => acknowledge(client, messageId));
    void work.then((verdict) => {
      this.#unfinished -= 1;
      if (isFull) done(qos === 0 ? undefined : LATER);
      if (verdict === "taken") place?.();
      else {
        this.#reason ??= { code: "outside.cannotStore" };
        client?.end(true); // unacknowledged messages come again with the next connection
      }
    });
  }

  #ended(reason: string | Detail): void {
    this.#open = false;
    for (const settle of [...this.#pending]) settle("lost");
    if (this.#over) return;
    this.#over = true;
    this.#client?.end(true);
    // Some brokers silently hang up on a version that they do not know.
    const hungUp = this.#greeting === "none" && typeof reason !== "string" && reason.code === "outside.closed";
    this.#options.closed(reason, hungUp || this.#greeting === "other version");
  }
}

/** Keeps the library from acknowledging; it continues reading all the same. */
const LATER = new Error("acknowledged later");

/** The library has no public way to acknowledge a message after resuming reading. */
function acknowledge(client: MqttClient | null, messageId: number): void {
  if (client === null || !client.connected) return;
  // biome-ignore lint/complexity/useLiteralKeys: its own way of sending a PUBACK is private
  client["_sendPacket"]({ cmd: "puback", messageId, reasonCode: 0 });
}

/** The library does not limit the size of a packet and offers no way to set up its parser. */
function leaveOutLarge(client: MqttClient, version: LinkAddress["protocol"]): void {
  // biome-ignore-start lint/complexity/useLiteralKeys: what makes the connection that is piped into the parser is private
  const build: (its: MqttClient) => Duplex = client["streamBuilder"];
  client["streamBuilder"] = (its: MqttClient) => {
    const stream = build(its);
    const pipe = stream.pipe.bind(stream);
    stream.pipe = <Parser extends NodeJS.WritableStream>(parser: Parser) =>
      pipe(new LargePackets(LARGEST_PACKET, version)).pipe(parser);
    return stream;
  };
  // biome-ignore-end lint/complexity/useLiteralKeys: as above
}
