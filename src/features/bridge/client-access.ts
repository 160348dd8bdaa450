import type { Bridge } from "../../../firmware-bridge/bridge.ts";
import type { PairingCandidates } from "../../../firmware-bridge/pairing-candidates.ts";
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
    readonly clients: Pick<BridgeClients, "find" | "left" | "pairingUntil" | "refusal" | "showed">;
    readonly waiting: Pick<PairingCandidates, "heard">;
    readonly bridge: Pick<Bridge, "rights" | "message" | "refused" | "early" | "attached" | "detached" | "isLarge">;
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
    const { clients, bridge } = this.#options;
    const client = clients.find(username);
    if (client?.status === "pending") return clients.pairingUntil !== null && bridge.rights.mayAnnounce(topic);
    if (client?.status !== "accepted") return false;
    const may = bridge.rights.mayPublish(client.id, topic);
    if (!may) bridge.refused(client.id, topic);
    return may;
  }

  /** Whether a client may hold a subscription. */
  maySubscribe({ username }: ClientName, filter: string): boolean {
    const client = this.#accepted(username);
    return client !== null && this.#options.bridge.rights.maySubscribe(client.id, filter);
  }

  /** Whether a message of a topic may reach a client. */
  mayReceive({ username }: ClientName, topic: string): boolean {
    const client = this.#accepted(username);
    return client !== null && this.#options.bridge.rights.mayHear(client.id, topic);
  }

  /**
   * Keeps a message that {@link mayPublish} refused for the announcement that may give it a meaning; returns whether it
   * was kept.
   */
  keepEarly({ username }: ClientName, topic: string, payload: Uint8Array): boolean {
    const client = this.#accepted(username);
    return client !== null && this.#options.bridge.early(client.id, topic, payload);
  }

  /** Whether messages of a topic may be larger than others. */
  isLarge(topic: string): boolean {
    return this.#options.bridge.isLarge(topic);
  }

  /** Hands a message to the families. */
  async message(name: ClientName, message: ClientMessage): Promise<void> {
    const { clients, waiting, bridge } = this.#options;
    const { username, mqttClientId } = name;
    const { topic, payload } = message;
    const client = clients.find(username);
    if (client === null || client.status === "refused") return;
    this.#noteTopic(username, topic);
    if (client.status === "accepted")
      return bridge.message({ ...message, speaker: { client: client.id, mqttClientId } });
    const family = waiting.heard(client.id, topic, payload);
    if (family !== null) clients.showed(client.id, family);
  }

  connected(name: ClientName): void {
    this.#connected.set(name.username, (this.#connected.get(name.username) ?? 0) + 1);
    const client = this.#accepted(name.username);
    if (client !== null) this.#options.bridge.attached(client.id);
  }

  disconnected(name: ClientName): void {
    const left = (this.#connected.get(name.username) ?? 1) - 1;
    if (left > 0) this.#connected.set(name.username, left);
    else this.#connected.delete(name.username);
    const client = this.#accepted(name.username);
    this.#options.clients.left(name.username);
    if (client !== null) this.#options.bridge.detached({ client: client.id, mqttClientId: name.mqttClientId });
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
