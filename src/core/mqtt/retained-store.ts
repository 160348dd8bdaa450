import { filterMatches } from "../kernel/topic-tree.ts";
import type { NativeTopics } from "./authorise.ts";
import { belongingTo, payloadBytes, type StoredPacket, subjectOf } from "./stored-packet.ts";
import type { MqttRetainedTable } from "./tables/mqtt-retained.ts";
import type { WriteBehind } from "./write-behind.ts";

const NOTHING = { topics: 0, bytes: 0 };

/** Retained messages, in memory and on disk; the same message again changes nothing on disk. */
export class RetainedStore {
  readonly #options: ConstructorParameters<typeof RetainedStore>[0];
  readonly #packets = new Map<string, StoredPacket>();
  readonly #bySubject = new Map<string, { readonly topics: number; readonly bytes: number }>();
  #foreign = { topics: 0, bytes: 0 };

  constructor(options: {
    readonly table: MqttRetainedTable;
    readonly writes: WriteBehind;
    /** For frequent unacknowledged messages: QoS 0 of other makes' firmware, which retains every state. */
    readonly lazyWrites: WriteBehind;
    readonly topics: Pick<NativeTopics, "isNative">;
  }) {
    this.#options = options;
  }

  /** Reads what the last run left. */
  load(): void {
    for (const { topic, payload, qos, publisher } of this.#options.table.all()) {
      this.#set(topic, {
        cmd: "publish",
        topic,
        payload,
        qos,
        retain: true,
        ...(publisher === null ? {} : belongingTo(publisher)),
      });
    }
  }

  /** How many there are. */
  get size(): number {
    return this.#packets.size;
  }

  /** Number of those outside the native topics, and their bytes. */
  get foreign(): { readonly topics: number; readonly bytes: number } {
    return this.#foreign;
  }

  /** How many of those a client of the bridge left, and their bytes. */
  foreignOf(subject: string): { readonly topics: number; readonly bytes: number } {
    return this.#bySubject.get(subject) ?? NOTHING;
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
    const same = known
      ? payload.length > 0 &&
        known.qos === packet.qos &&
        subjectOf(known) === subjectOf(packet) &&
        payloadBytes(known).equals(payload)
      : payload.length === 0;
    if (same) return;
    const { table, writes, lazyWrites, topics } = this.#options;
    const key = `retained ${topic}`;
    const apply = (): void => {
      const now = this.#packets.get(topic);
      if (now) table.put({ topic, payload: payloadBytes(now), qos: now.qos ?? 0, publisher: subjectOf(now) });
      else table.remove(topic);
    };
    (packet.qos === 0 && payload.length > 0 && !topics.isNative(topic) ? lazyWrites : writes).mark(key, apply);
  }

  /** The messages that match a filter. */
  matching(filter: string): StoredPacket[] {
    const exact = this.#packets.get(filter);
    if (!/[+#]/.test(filter)) return exact ? [exact] : [];
    const start = filter.slice(0, filter.search(/[+#]/)).replace(/\/$/, ""); // `a/#` also matches `a`
    const found: StoredPacket[] = [];
    for (const [topic, packet] of this.#packets)
      if (topic.startsWith(start) && filterMatches(filter, topic)) found.push(packet);
    return found;
  }

  /** The topics of the messages that a device left below `branch`, or a client of the bridge anywhere. */
  leftBy(subject: string, branch: string): string[] {
    return [...this.#packets].flatMap(([topic, packet]) =>
      subjectOf(packet) === subject || topic.startsWith(branch) ? [topic] : [],
    );
  }

  /** The messages outside the native topics that match a filter, each with the client of the bridge that left it. */
  foreignMatching(filter: string): { topic: string; payload: Buffer; subject: string | null }[] {
    return this.matching(filter).flatMap(({ topic = "", ...packet }) =>
      this.#options.topics.isNative(topic)
        ? []
        : [{ topic, payload: payloadBytes(packet), subject: subjectOf(packet) }],
    );
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

  #set(topic: string, packet: StoredPacket | null): void {
    const known = this.#packets.get(topic);
    if (packet === null) this.#packets.delete(topic);
    else this.#packets.set(topic, packet);
    if (this.#options.topics.isNative(topic)) return;
    this.#count(known, -1);
    this.#count(packet ?? undefined, 1);
    const { topics, bytes } = this.#foreign;
    const before = known === undefined ? 0 : payloadBytes(known).length;
    const after = packet === null ? 0 : payloadBytes(packet).length;
    this.#foreign = {
      topics: topics + (packet === null ? 0 : 1) - (known === undefined ? 0 : 1),
      bytes: bytes + after - before,
    };
  }

  #count(packet: StoredPacket | undefined, sign: 1 | -1): void {
    const subject = packet === undefined ? null : subjectOf(packet);
    if (packet === undefined || subject === null) return;
    const { topics, bytes } = this.foreignOf(subject);
    if (topics + sign === 0) this.#bySubject.delete(subject);
    else this.#bySubject.set(subject, { topics: topics + sign, bytes: bytes + sign * payloadBytes(packet).length });
  }
}
