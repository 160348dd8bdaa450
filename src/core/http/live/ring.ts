/**
 * Recent events of the streams of /v1, so that a reader that reconnects misses nothing. Kept in memory, by household
 * and by lane: samples are so frequent that they would push everything else out.
 */
import { randomBytes } from "node:crypto";
import type { Audience } from "../../api/fact-rights.ts";
import type { StreamEventName } from "../../api/stream-event.ts";
import type { Clock } from "../../kernel/clock.ts";

/** Lanes of one household: samples, and everything else. */
export const LANES = ["telemetry", "rest"] as const;

/** Name of a lane. */
export type Lane = (typeof LANES)[number];

/** Limits of one lane. */
export interface LaneLimits {
  readonly entries: number;
  /** Of text, in UTF-16 units. */
  readonly chars: number;
}

/** One event that was sent. */
export interface Sent {
  readonly seq: number;
  readonly event: StreamEventName;
  readonly deviceId: string | null;
  readonly audience: Audience;
  /** Its lines in the stream. */
  readonly lines: string;
}

/** How long an event is kept. */
const KEPT_MS = 3_600_000;
const LIMITS: Readonly<Record<Lane, LaneLimits>> = {
  telemetry: { entries: 5_000, chars: 1_000_000 },
  rest: { entries: 10_000, chars: 2_000_000 },
};
/** Freed places before the list is moved up. */
const SLACK = 1_024;

/** One lane of one household, oldest first. */
class LaneRing {
  readonly #limits: LaneLimits;
  #entries: (Sent & { readonly atMono: number })[] = [];
  #first = 0;
  #chars = 0;
  /** Nothing up to here is kept for certain. */
  lostUpTo: number;

  constructor(limits: LaneLimits, lostUpTo: number) {
    this.#limits = limits;
    this.lostUpTo = lostUpTo;
  }

  add(sent: Sent, atMono: number): void {
    this.#entries.push({ ...sent, atMono });
    this.#chars += sent.lines.length;
    this.trim(atMono);
  }

  trim(nowMono: number): void {
    const { entries, chars } = this.#limits;
    for (;;) {
      const oldest = this.#entries[this.#first];
      if (oldest === undefined) break;
      const isKept =
        this.#entries.length - this.#first <= entries && this.#chars <= chars && nowMono - oldest.atMono < KEPT_MS;
      if (isKept) break;
      this.lostUpTo = oldest.seq;
      this.#chars -= oldest.lines.length;
      this.#first += 1;
    }
    if (this.#first < SLACK && this.#first < this.#entries.length) return;
    this.#entries.splice(0, this.#first);
    this.#first = 0;
  }

  /** The first entry after `seq`; null when there is none. */
  after(seq: number): Sent | null {
    let [low, high] = [this.#first, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle]?.seq ?? 0) > seq) high = middle;
      else low = middle + 1;
    }
    return this.#entries[low] ?? null;
  }
}

/** Bounded by count, size and age. Positions are numbers that grow with every event, regardless of its audience. */
export class EventRing {
  /** Changes with every start: a position of an earlier run is invalid in this one. */
  readonly epoch = randomBytes(6).toString("hex");
  readonly #clock: Clock;
  readonly #limits: Readonly<Record<Lane, LaneLimits>>;
  readonly #lanes = new Map<string, LaneRing>();
  #last = 0;
  #emptiedAt = 0;

  constructor(clock: Clock, limits: Readonly<Record<Lane, LaneLimits>> = LIMITS) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Position of the newest event. */
  get last(): number {
    return this.#last;
  }

  /** The id that stands for a position. */
  idOf(seq: number): string {
    return `${this.epoch}-${seq}`;
  }

  /** The position that an id of this run stands for; null for any other text. */
  positionOf(id: string): number | null {
    const [epoch, number = ""] = id.split("-");
    const seq = /^\d{1,15}$/.test(number) ? Number(number) : Number.NaN;
    return id === this.idOf(seq) && epoch === this.epoch && seq <= this.#last ? seq : null;
  }

  /** Keeps an event; `lines` makes its text from its id. */
  add(lane: Lane, sent: Omit<Sent, "seq" | "lines">, lines: (id: string) => string): void {
    this.#last += 1;
    const seq = this.#last;
    this.#laneOf(sent.audience.siteId, lane).add({ ...sent, seq, lines: lines(this.idOf(seq)) }, this.#clock.mono());
  }

  /** The first event of a household's lane after a position. */
  after(siteId: number, lane: Lane, seq: number): Sent | null {
    return this.#laneOf(siteId, lane).after(seq);
  }

  /** Whether a lane may have lost events after a position. */
  hasLost(siteId: number, lane: Lane, seq: number): boolean {
    const ring = this.#laneOf(siteId, lane);
    ring.trim(this.#clock.mono());
    return ring.lostUpTo > seq;
  }

  /** Forgets everything: further events are not recorded until the next one is added. */
  clear(): void {
    this.#lanes.clear();
    this.#last += 1; // a reader at the end has missed the event that was not recorded
    this.#emptiedAt = this.#last;
  }

  #laneOf(siteId: number, lane: Lane): LaneRing {
    const key = `${siteId} ${lane}`;
    const found = this.#lanes.get(key) ?? new LaneRing(this.#limits[lane], this.#emptiedAt);
    this.#lanes.set(key, found);
    return found;
  }
}
