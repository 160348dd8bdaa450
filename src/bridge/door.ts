import type { Clock } from "../kernel/clock.js";
import { filterMatches, TopicTree } from "../kernel/topic-tree.js";
import type { BridgeClient, BridgeClients, ClientLogin } from "./clients.js";

/** A connected client: its user name and the client id that it gave; null where it gave none. */
export interface ClientName {
  readonly username: string;
  readonly mqttClientId: string | null;
}

/** MQTT topic filters. */
export interface FilterRights {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** A message of a client. */
export interface ClientMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly durable: boolean;
}

/** What {@link BridgeDoor} needs. */
export interface BridgeDoorOptions {
  readonly clients: BridgeClients;
  /** Names of all families. */
  readonly families: () => readonly string[];
  /** Devices by family that speak through a client under this client id. */
  readonly devicesOf: (client: number, mqttClientId: string) => ReadonlyMap<string, readonly string[]>;
  /** What a client of these families may use; a family without devices stands for all of it. */
  readonly rights: (mqttClientId: string, families: ReadonlyMap<string, readonly string[]>) => FilterRights;
  readonly message: (client: BridgeClient, name: ClientName, message: ClientMessage) => Promise<void>;
  readonly attached: (client: BridgeClient, name: ClientName) => void;
  readonly detached: (client: BridgeClient, name: ClientName) => void;
  readonly isLarge: (topic: string) => boolean;
  readonly clock: Clock;
}

interface Rights {
  readonly publish: TopicTree<true>;
  readonly subscribe: TopicTree<true>;
  readonly filters: readonly string[];
  /** Monotonic time from which they are asked again; null: they are up to date. */
  staleFromMono: number | null;
}

const TOPICS_SHOWN = 8;
const MOST_CACHED = 2_000;
/** A gateway that announces hundreds of devices in a row has its rights worked out once for many of them. */
const STALE_MS = 1_000;

/**
 * What each client may do: one that waits may use what the families use; an accepted one what its family uses, and, once
 * devices are known that speak through its connection, what those need.
 */
export class BridgeDoor {
  readonly #options: BridgeDoorOptions;
  readonly #rights = new Map<string, Rights>();
  readonly #topics = new Map<string, Set<string>>();
  readonly #connected = new Map<string, number>();

  constructor(options: BridgeDoorOptions) {
    this.#options = options;
  }

  /** Why a client is not let in; null when it is. */
  admit(login: ClientLogin): string | null {
    return this.#options.clients.refusal(login);
  }

  /** Whether a client may publish to a topic. */
  mayPublish(name: ClientName, topic: string): boolean {
    return this.#ask(name, ({ publish }) => publish.has(topic));
  }

  /** Whether some topic that matches `filter` may reach a client. */
  maySubscribe(name: ClientName, filter: string): boolean {
    return this.#ask(name, ({ filters }) => filters.some((allowed) => overlap(allowed, filter)));
  }

  /** Whether a message of a topic may reach a client. */
  mayReceive(name: ClientName, topic: string): boolean {
    return this.#ask(name, ({ subscribe }) => subscribe.has(topic));
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
    await this.#options.message(client, name, message);
  }

  connected(name: ClientName): void {
    this.#connected.set(name.username, (this.#connected.get(name.username) ?? 0) + 1);
    const client = this.#options.clients.find(name.username);
    if (client !== null) this.#options.attached(client, name);
  }

  disconnected(name: ClientName): void {
    const left = (this.#connected.get(name.username) ?? 1) - 1;
    if (left > 0) this.#connected.set(name.username, left);
    else this.#connected.delete(name.username);
    const client = this.#options.clients.find(name.username);
    this.#options.clients.left(name.username);
    if (client !== null) this.#options.detached(client, name);
  }

  /** Whether some connection of a client is open. */
  isConnected(username: string): boolean {
    return this.#connected.has(username);
  }

  /** Some topics that a client used last. */
  topicsOf(username: string): string[] {
    return [...(this.#topics.get(username) ?? [])].reverse();
  }

  /** The rights of a client are to be worked out again: at once, or for one of its connections, whose devices are others now, soon. */
  changed(username: string, mqttClientId?: string | null): void {
    if (mqttClientId !== undefined) {
      const known = this.#rights.get(keyOf({ username, mqttClientId }));
      if (known !== undefined) known.staleFromMono ??= this.#options.clock.mono() + STALE_MS;
      return;
    }
    const start = keyOf({ username, mqttClientId: null });
    for (const key of this.#rights.keys()) if (key.startsWith(start)) this.#rights.delete(key);
  }

  /** What stale rights refuse is asked of fresh ones. */
  #ask(name: ClientName, isAllowed: (rights: Rights) => boolean): boolean {
    const rights = this.#of(name);
    if (rights === null) return false;
    if (isAllowed(rights)) return true;
    if (rights.staleFromMono === null) return false;
    this.#rights.delete(keyOf(name));
    const fresh = this.#of(name);
    return fresh !== null && isAllowed(fresh);
  }

  #of(name: ClientName): Rights | null {
    const key = keyOf(name);
    const known = this.#rights.get(key);
    if (known !== undefined && (known.staleFromMono === null || this.#options.clock.mono() < known.staleFromMono)) return known;
    const client = this.#options.clients.find(name.username);
    if (client === null || client.status === "refused") return null;
    const { publish, subscribe } = this.#options.rights(name.mqttClientId ?? "", this.#familiesOf(client, name));
    const rights: Rights = { publish: treeOf(publish), subscribe: treeOf(subscribe), filters: subscribe, staleFromMono: null };
    if (this.#rights.size >= MOST_CACHED) this.#rights.clear();
    this.#rights.set(key, rights);
    return rights;
  }

  #familiesOf(client: BridgeClient, { mqttClientId }: ClientName): ReadonlyMap<string, readonly string[]> {
    const known = client.status === "accepted" && mqttClientId !== null ? this.#options.devicesOf(client.id, mqttClientId) : new Map<string, string[]>();
    const isUnknown = client.status === "pending" || (client.family === null && known.size === 0);
    if (isUnknown) return new Map(this.#options.families().map((family) => [family, []]));
    const families = new Map(known);
    if (client.family !== null && !families.has(client.family)) families.set(client.family, []);
    return families;
  }

  #noteTopic(username: string, topic: string): void {
    const topics = this.#topics.get(username) ?? new Set();
    this.#topics.set(username, topics);
    topics.delete(topic);
    topics.add(topic);
    const [oldest] = topics;
    if (topics.size > TOPICS_SHOWN && oldest !== undefined) topics.delete(oldest);
    const [first] = this.#topics.keys();
    if (this.#topics.size > MOST_CACHED && first !== undefined) this.#topics.delete(first);
  }
}

function keyOf({ username, mqttClientId }: ClientName): string {
  return `${username}\n${mqttClientId ?? ""}`;
}

function treeOf(filters: readonly string[]): TopicTree<true> {
  const tree = new TopicTree<true>();
  for (const filter of filters) tree.add(filter, true);
  return tree;
}

/** Whether some topic matches both filters. */
function overlap(one: string, other: string): boolean {
  if (filterMatches(one, other) || filterMatches(other, one)) return true;
  const left = one.split("/");
  const right = other.split("/");
  for (let index = 0; ; index++) {
    const a = left[index];
    const b = right[index];
    if (a === "#" || b === "#") return true;
    if (a === undefined || b === undefined) return a === b;
    if (a !== b && a !== "+" && b !== "+") return false;
  }
}
