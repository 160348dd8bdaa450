/** One device's refusals for one reason. */
export interface Refusal {
  readonly reason: string;
  readonly count: number;
  /** Time of the last one, epoch ms. */
  readonly lastAt: number;
  /** Topic of the last one, shortened. */
  readonly lastTopic: string;
  /** Start of the last one's payload as text, shortened; null when it has none worth showing. */
  readonly lastExample: string | null;
}

/** One refused message. */
export interface RefusedMessage {
  readonly reason: string;
  readonly topic: string;
  readonly payload?: Buffer | string;
  readonly at: number;
}

const MAX_DEVICES = 1_000;
const MAX_REASONS_PER_DEVICE = 32;
const MAX_TOPIC = 128;
const MAX_EXAMPLE = 200;

/**
 * Counts refusals by device and reason, with the last example of each; the device refused longest ago is forgotten
 * first.
 */
export class Refusals {
  readonly #devices = new Map<string, Map<string, Refusal>>();
  #total = 0;

  /** Refusals since start. */
  get total(): number {
    return this.#total;
  }

  /** Counts one refusal of a device; an empty `deviceId` stands for clients that never authenticated. */
  count(deviceId: string, message: RefusedMessage): void {
    this.#total += 1;
    const reasons = this.#devices.get(deviceId) ?? new Map<string, Refusal>();
    this.#devices.delete(deviceId);
    this.#devices.set(deviceId, reasons);
    if (this.#devices.size > MAX_DEVICES) this.#forgetOldest();
    const known = reasons.get(message.reason);
    if (known === undefined && reasons.size >= MAX_REASONS_PER_DEVICE) return;
    reasons.set(message.reason, {
      reason: message.reason,
      count: (known?.count ?? 0) + 1,
      lastAt: message.at,
      lastTopic: shortened(message.topic, MAX_TOPIC),
      lastExample: message.payload === undefined || message.payload.length === 0 ? null : example(message.payload),
    });
  }

  /** Refusals of `deviceId`, most frequent first. */
  of(deviceId: string): Refusal[] {
    return [...(this.#devices.get(deviceId)?.values() ?? [])].sort((a, b) => b.count - a.count);
  }

  /** Devices with refusals and what they were. */
  all(): ReadonlyMap<string, readonly Refusal[]> {
    return new Map([...this.#devices.keys()].map((deviceId) => [deviceId, this.of(deviceId)]));
  }

  #forgetOldest(): void {
    const oldest = this.#devices.keys().next();
    if (!oldest.done) this.#devices.delete(oldest.value);
  }
}

function example(payload: Buffer | string): string {
  const start = typeof payload === "string" ? payload : payload.toString("utf8", 0, MAX_EXAMPLE * 4);
  return shortened(start, MAX_EXAMPLE);
}

/** Cut to `limit` characters, as a copy: a slice would keep the whole payload alive. */
function shortened(text: string, limit: number): string {
  const printable = Array.from(text.slice(0, limit), (character) =>
    character < " " || character === "\u007f" ? "\ufffd" : character,
  );
  return printable.join("") + (text.length > limit ? "…" : "");
}
