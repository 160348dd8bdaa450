import { filterMatches } from "../kernel/topic-tree.js";
import type { MqttRetainedTable } from "../storage/tables/mqtt-retained.js";
import { payloadBytes, type StoredPacket } from "./stored-packet.js";
import type { WriteBehind } from "./write-behind.js";

/** What a {@link RetainedStore} needs. */
export interface RetainedStoreOptions {
  readonly table: MqttRetainedTable;
  readonly writes: WriteBehind;
  /** For messages that nobody waits for and that come often: QoS 0 of other makes' firmware, which retains every state. */
  readonly lazyWrites: WriteBehind;
  /** Whether a topic is one of the native protocol. */
  readonly isNative: (topic: string) => boolean;
}

/** Retained messages, in memory and on disk; the same message again changes nothing on disk. */
export class RetainedStore {
  readonly #options: RetainedStoreOptions;
  readonly #packets = new Map<string, StoredPacket>();
  #foreign = { topics: 0, bytes: 0 };

  constructor(options: RetainedStoreOptions) {
    this.#options = options;
  }

  /** Reads what the last run left. */
  load(): void {
    for (const { topic, payload, qos } of this.#options.table.all()) this.#set(topic, { cmd: "publish", topic, payload, qos, retain: true });
  }

  /** How many there are. */
  get size(): number {
    return this.#packets.size;
  }

  /** How many lie outside the native topics, and their bytes. */
  get foreign(): { readonly topics: number; readonly bytes: number } {
    return this.#foreign;
  }

  /** The message of a topic. */
  get(topic: string): StoredPacket | undefined {
    return this.#packets.get(topic);
  }

  /** Keeps a message; an empty one removes its topic. */
  put(packet: StoredPacket): void {
    const topic = packet.topic ?? "";
    const payload = payloadBytes(packet);
    const known = this.#packets.get(topic);
    this.#set(topic, payload.length === 0 ? null : { ...packet });
    const same = known ? payload.length > 0 && known.qos === packet.qos && payloadBytes(known).equals(payload) : payload.length === 0;
    if (same) return;
    const { table, writes, lazyWrites, isNative } = this.#options;
    const key = `retained ${topic}`;
    const apply = (): void => {
      const now = this.#packets.get(topic);
      if (now) table.put({ topic, payload: payloadBytes(now), qos: now.qos ?? 0 });
      else table.remove(topic);
    };
    (packet.qos === 0 && payload.length > 0 && !isNative(topic) ? lazyWrites : writes).mark(key, apply);
  }

  /** The messages that match a filter. */
  matching(filter: string): StoredPacket[] {
    const exact = this.#packets.get(filter);
    if (!/[+#]/.test(filter)) return exact ? [exact] : [];
    const start = filter.slice(0, filter.search(/[+#]/)).replace(/\/$/, ""); // `a/#` also matches `a`
    const found: StoredPacket[] = [];
    for (const [topic, packet] of this.#packets) if (topic.startsWith(start) && filterMatches(filter, topic)) found.push(packet);
    return found;
  }

  /** Topics and bytes below `prefix`, not counting `except`. */
  below(prefix: string, except: string): { topics: number; bytes: number } {
    let topics = 0;
    let bytes = 0;
    for (const [topic, packet] of this.#packets) {
      if (topic === except || !topic.startsWith(prefix)) continue;
      topics += 1;
      bytes += payloadBytes(packet).length;
    }
    return { topics, bytes };
  }

  /** The topics below `prefix`. */
  topics(prefix: string): string[] {
    return [...this.#packets.keys()].filter((topic) => topic.startsWith(prefix));
  }

  #set(topic: string, packet: StoredPacket | null): void {
    const known = this.#packets.get(topic);
    if (packet === null) this.#packets.delete(topic);
    else this.#packets.set(topic, packet);
    if (this.#options.isNative(topic)) return;
    const { topics, bytes } = this.#foreign;
    const before = known === undefined ? 0 : payloadBytes(known).length;
    const after = packet === null ? 0 : payloadBytes(packet).length;
    this.#foreign = { topics: topics + (packet === null ? 0 : 1) - (known === undefined ? 0 : 1), bytes: bytes + after - before };
  }
}
