import type { BridgeClient } from "./client.ts";
import type { BridgeClients, ClientLogin } from "./clients.ts";

/** A connected client: its user name and the client id that it gave; null if it gave none. */
export interface ClientName {
  readonly username: string;
  readonly mqttClientId: string | null;
}

/** A message of a client. */
export interface ClientMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly durable: boolean;
}

/** Accepted clients' rights, by the id of their credential; and those of a waiting one. */
interface ClientRights {
  mayAnnounce(topic: string): boolean;
  mayPublish(client: number, topic: string): boolean;
  mayHear(client: number, topic: string): boolean;
  maySubscribe(client: number, filter: string): boolean;
}

const TOPICS_SHOWN = 8;
const MOST_NOTED = 2_000;

/**
 * Answers the broker's questions about clients of other makes by their credential: a waiting one may announce itself
 * while the window is open and receives nothing; an accepted one has its credential's rights; any other client,
 * nothing. The MQTT client id decides nothing.
 */
export class BridgeClientAccess {
  readonly #options: ConstructorParameters<typeof BridgeClientAccess>[0];
  readonly #topics = new Map<string, Set<string>>();
  readonly #connected = new Map<string, number>();

  constructor(options: {
    readonly clients: Pick<BridgeClients, "find" | "left" | "pairingUntil" | "refusal">;
    readonly rights: () => ClientRights;
    /** A message of an accepted client; resolves once its effects are on disk. */
    readonly message: (client: BridgeClient, name: ClientName, message: ClientMessage) => Promise<void>;
    /** An announcement of a waiting client. */
    readonly announced: (client: BridgeClient, message: ClientMessage) => void;
    /** An accepted client wanted to publish where it may not. */
    readonly refused: (client: BridgeClient, topic: string) => void;
    /** See the broker's `keepEarly`. */
    readonly early: (client: BridgeClient, topic: string, payload: Uint8Array) => boolean;
    readonly attached: (client: BridgeClient) => void;
    readonly detached: (client: BridgeClient, name: ClientName) => void;
    readonly isLarge: (topic: string) => boolean;
  }) {
    this.#options = options;
  }

  /** Why a client is refused; null if it is admitted. */
  admit(login: ClientLogin): string | null {
    return this.#options.clients.refusal(login);
  }

  /** Whether a client waits to be accepted, or is unknown by now. */
  isWaiting({ username }: ClientName): boolean {
    return this.#options.clients.find(username)?.status !== "accepted";
  }

  /** Whether a client may publish to a topic. */
  mayPublish({ username }: ClientName, topic: string): boolean {
    const { clients, rights } = this.#options;
    const client = clients.find(username);
    if (client?.status === "pending") return clients.pairingUntil !== null && rights().mayAnnounce(topic);
    if (client?.status !== "accepted") return false;
    const may = rights().mayPublish(client.id, topic);
    if (!may) this.#options.refused(client, topic);
    return may;
  }

  /** Whether a client may hold a subscription. */
  maySubscribe({ username }: ClientName, filter: string): boolean {
    const client = this.#accepted(username);
    return client !== null && this.#options.rights().maySubscribe(client.id, filter);
  }

  /** Whether a message of a topic may reach a client. */
  mayReceive({ username }: ClientName, topic: string): boolean {
    const client = this.#accepted(username);
    return client !== null && this.#options.rights().mayHear(client.id, topic);
  }

  /**
   * Keeps a message that {@link mayPublish} refused for the announcement that may give it a meaning; returns whether it
   * was kept.
   */
  keepEarly({ username }: ClientName, topic: string, payload: Uint8Array): boolean {
    const client = this.#accepted(username);
    return client !== null && this.#options.early(client, topic, payload);
  }

  /** Whether messages of a topic may be larger than others. */
  isLarge(topic: string): boolean {
    return this.#options.isLarge(topic);
  }

  /** Hands a message to the families. */
  async message(name: ClientName, message: ClientMessage): Promise<void> {
    const client = this.#options.clients.find(name.username);
    if (client === null || client.status === "refused") return;
    this.#noteTopic(name.username, message.topic);
    if (client.status === "pending") this.#options.announced(client, message);
    else await this.#options.message(client, name, message);
  }

  connected(name: ClientName): void {
    this.#connected.set(name.username, (this.#connected.get(name.username) ?? 0) + 1);
    const client = this.#accepted(name.username);
    if (client !== null) this.#options.attached(client);
  }

  disconnected(name: ClientName): void {
    const left = (this.#connected.get(name.username) ?? 1) - 1;
    if (left > 0) this.#connected.set(name.username, left);
    else this.#connected.delete(name.username);
    const client = this.#accepted(name.username);
    this.#options.clients.left(name.username);
    if (client !== null) this.#options.detached(client, name);
  }

  /** Whether a client has an open connection. */
  isConnected(username: string): boolean {
    return this.#connected.has(username);
  }

  /** Some topics that a client used recently. */
  topicsOf(username: string): string[] {
    return [...(this.#topics.get(username) ?? [])].reverse();
  }

  #accepted(username: string): BridgeClient | null {
    const client = this.#options.clients.find(username);
    return client?.status === "accepted" ? client : null;
  }

  #noteTopic(username: string, topic: string): void {
    const topics = this.#topics.get(username) ?? new Set();
    this.#topics.set(username, topics);
    topics.delete(topic);
    topics.add(topic);
    const [oldest] = topics;
    if (topics.size > TOPICS_SHOWN && oldest !== undefined) topics.delete(oldest);
    const [first] = this.#topics.keys();
    if (this.#topics.size > MOST_NOTED && first !== undefined) this.#topics.delete(first);
  }
}
