import type { Clock } from "../kernel/clock.ts";

/** Maximum topics remembered while there is a reader; beyond it the longest quiet one is forgotten. */
const MOST_TOPICS = 2_000;
/** Bytes kept of a payload. */
const KEPT_BYTES = 1_024;
/** Maximum simultaneous readers. */
const MOST_READERS = 3;

/** The last message of a topic. */
export interface TappedMessage {
  readonly topic: string;
  /** Its beginning. */
  readonly payload: Buffer;
  /** The full length. */
  readonly bytes: number;
  readonly qos: number;
  /** Whether the broker keeps a message of this topic for who subscribes later. */
  readonly isRetained: boolean;
  /** Epoch ms; null: it was there before anybody looked. */
  readonly at: number | null;
  /** Messages since the first reader. */
  readonly count: number;
  /** Whether a client sent it or the hub. */
  readonly from: "client" | "hub";
}

/** What {@link MessageTap.note} takes. */
export interface PassingMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: number;
  readonly retain: boolean;
}

/** A reader of the tap. */
export interface TapReader {
  /** What changed since the last call, at most `most` topics. */
  take(most: number): TappedMessage[];
  /** Ends the look; with the last one everything is forgotten. */
  close(): void;
}

/**
 * The messages that pass through the broker, for people who watch them now: the last one of each topic, in memory,
 * bounded. Without a reader nothing is kept, and a message costs one comparison. It is not a subscriber: watching never
 * changes deliveries.
 */
export class MessageTap {
  readonly #clock: Clock;
  readonly #retained: () => readonly PassingMessage[];
  /** By topic, the longest quiet first. */
  readonly #last = new Map<string, TappedMessage>();
  readonly #waiting = new Set<Set<string>>();

  /** `retained`: the broker's retained messages now. */
  constructor(clock: Clock, retained: () => readonly PassingMessage[]) {
    this.#clock = clock;
    this.#retained = retained;
  }

  /** Topics that are remembered now. */
  get size(): number {
    return this.#last.size;
  }

  /** Whether there is a reader now. */
  get isOpen(): boolean {
    return this.#waiting.size > 0;
  }

  /** Whether no further reader is admitted now. */
  get isFull(): boolean {
    return this.#waiting.size >= MOST_READERS;
  }

  /** Notes a message that passes. */
  note({ topic, payload, qos, retain }: PassingMessage, from: "client" | "hub"): void {
    if (!this.isOpen) return;
    const known = this.#last.get(topic);
    const isRetained = retain ? payload.length > 0 : (known?.isRetained ?? false);
    this.#put({
      ...kept(topic, payload),
      qos,
      isRetained,
      at: this.#clock.now(),
      count: (known?.count ?? 0) + 1,
      from,
    });
  }

  /** Begins a look. Null where too many look already. */
  open(): TapReader | null {
    if (this.isFull) return null;
    for (const { topic, payload, qos } of this.#retained().slice(0, MOST_TOPICS)) {
      if (!this.#last.has(topic))
        this.#put({ ...kept(topic, payload), qos, isRetained: true, at: null, count: 0, from: "client" });
    }
    const waiting = new Set(this.#last.keys());
    this.#waiting.add(waiting);
    return {
      take: (most) => {
        const topics = [...waiting].slice(0, most);
        for (const topic of topics) waiting.delete(topic);
        return topics.flatMap((topic) => this.#last.get(topic) ?? []);
      },
      close: () => {
        this.#waiting.delete(waiting);
        if (this.#waiting.size === 0) this.#last.clear();
      },
    };
  }

  #put(message: TappedMessage): void {
    this.#last.delete(message.topic);
    this.#last.set(message.topic, message);
    for (const waiting of this.#waiting) waiting.add(message.topic);
    if (this.#last.size <= MOST_TOPICS) return;
    const [quietest = ""] = this.#last.keys();
    this.#last.delete(quietest);
    for (const waiting of this.#waiting) waiting.delete(quietest);
  }
}

/** A copy of the beginning of a payload: a slice would keep the whole alive. */
function kept(topic: string, payload: Buffer): Pick<TappedMessage, "topic" | "payload" | "bytes"> {
  return { topic, payload: Buffer.from(payload.subarray(0, KEPT_BYTES)), bytes: payload.length };
}
