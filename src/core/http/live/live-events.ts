import type { Caller } from "../../api/caller.ts";
import { audienceOf, isAddressed, mayHearKind } from "../../api/fact-rights.ts";
import type { Facts } from "../../api/facts.ts";
import { type GAP_REASONS, STREAM_EVENT_NAMES, STREAM_EVENTS, type StreamEventName } from "../../api/stream-event.ts";
import type { Bus } from "../../kernel/bus.ts";
import { type Clock, isoTime, type Timer } from "../../kernel/clock.ts";
import type { EventSink } from "../exchange.ts";
import { EventRing, LANES, type Lane, type LaneLimits, type Sent } from "./ring.ts";
import { linesOf, STREAMED_KINDS, streamedEvent } from "./translate.ts";

/** One reader's request. */
export interface StreamWish {
  /** Null: everything that it may receive. */
  readonly types: ReadonlySet<StreamEventName> | null;
  /** Null: of every device, and events of none. */
  readonly deviceId: string | null;
  /** The last id that it saw; null if it does not resume. */
  readonly lastEventId: string | null;
}

/** After this long without a reader, resuming is impossible. */
const IDLE_MS = 3_600_000;

/**
 * Sends events to the readers of `GET /v1/stream`. Each reader has a position in the ring and takes events from there
 * as fast as it reads, so that one that reconnects, one that is slow and one that is up to date are handled alike.
 * Rights are checked for each event when it is sent. Without a reader now or within the hour, the bus is not listened
 * to either.
 */
export class LiveEvents {
  readonly #options: ConstructorParameters<typeof LiveEvents>[0];
  readonly #ring: EventRing;
  readonly #readers = new Set<Reader>();
  #stops: readonly (() => void)[] | null = null;
  #idle: Timer | null = null;

  constructor(options: {
    readonly bus: Bus<Facts>;
    readonly clock: Clock;
    readonly limits?: Readonly<Record<Lane, LaneLimits>>;
  }) {
    this.#options = options;
    this.#ring = new EventRing(options.clock, options.limits);
  }

  /**
   * Begins a stream; `end` ends it, `position` is the id up to which the reader has been sent everything (null while it
   * has not).
   */
  open(
    caller: Caller,
    wish: StreamWish,
    sink: EventSink,
  ): { readonly end: () => void; readonly position: () => string | null } {
    this.#listen();
    const reader = new Reader({ caller, wish, sink, ring: this.#ring, clock: this.#options.clock });
    this.#readers.add(reader);
    reader.pump();
    return {
      end: () => {
        this.#readers.delete(reader);
        if (this.#readers.size === 0) this.#idle ??= this.#options.clock.after(IDLE_MS, () => this.#forget());
      },
      position: () => reader.position,
    };
  }

  #listen(): void {
    this.#idle?.stop();
    this.#idle = null;
    const { bus } = this.#options;
    this.#stops ??= STREAMED_KINDS.map((kind) => bus.on(kind, "stream", (fact) => this.#take(kind, fact)));
  }

  #take<Kind extends keyof Facts>(kind: Kind, fact: Facts[Kind]): void {
    const streamed = streamedEvent(kind, fact, this.#options.clock.now());
    if (streamed === null) return;
    const { event, deviceId } = streamed;
    const lane: Lane = kind === "device.telemetry" ? "telemetry" : "rest";
    this.#ring.add(lane, { event, deviceId, audience: audienceOf(kind, fact) }, (id) => linesOf(id, streamed));
    for (const reader of this.#readers) reader.pump();
  }

  #forget(): void {
    this.#idle = null;
    for (const stop of this.#stops ?? []) stop();
    this.#stops = null;
    this.#ring.clear();
  }
}

/** The events a caller asks for, reduced to those it may receive at all. */
export function audibleEvents(caller: Caller, types: ReadonlySet<StreamEventName> | null): StreamEventName[] {
  return STREAM_EVENT_NAMES.filter(
    (name) => (types === null || types.has(name)) && mayHearKind(caller, STREAM_EVENTS[name].fact),
  );
}

/** One open stream with its place in each lane. */
class Reader {
  readonly #options: ConstructorParameters<typeof Reader>[0];
  readonly #at: Record<Lane, number>;
  #foreignId: string | null = null;
  #isReady = false;

  constructor(options: {
    readonly caller: Caller;
    readonly wish: StreamWish;
    readonly sink: EventSink;
    readonly ring: EventRing;
    readonly clock: Clock;
  }) {
    this.#options = options;
    const { ring, wish } = options;
    const seen = wish.lastEventId === null ? ring.last : ring.positionOf(wish.lastEventId);
    if (seen === null) this.#foreignId = wish.lastEventId;
    this.#at = { telemetry: seen ?? ring.last, rest: seen ?? ring.last };
  }

  /** The id up to which everything has been sent; null while there is something to be sent. */
  get position(): string | null {
    const { ring } = this.#options;
    return this.#isReady && this.#next() === null ? ring.idOf(ring.last) : null;
  }

  /** Sends pending events, as far as the reader takes them. */
  pump(): void {
    while (this.#step());
  }

  /** Sends one item; false when there is nothing to send, or no room. */
  #step(): boolean {
    const { ring, wish } = this.#options;
    if (this.#foreignId !== null) {
      const reason =
        this.#foreignId.startsWith(`${ring.epoch}-`) || !/^[0-9a-f]{12}-\d+$/.test(this.#foreignId)
          ? "unknown_id"
          : "restarted";
      if (!this.#tellGap(LANES, reason)) return false;
      this.#foreignId = null;
      return true;
    }
    const lost = LANES.filter((lane) => ring.hasLost(this.#siteId, lane, this.#at[lane]));
    if (lost.length > 0) {
      if (!this.#tellGap(lost, "too_old")) return false;
      for (const lane of lost) this.#at[lane] = ring.last;
      return true;
    }
    const next = this.#next();
    if (next !== null) return this.#send(next.sent, next.lane);
    if (this.#isReady) return false;
    const data = { resumed: wish.lastEventId !== null };
    if (
      !this.#offer(
        linesOf(ring.idOf(ring.last), { event: "stream.ready", deviceId: null, data, at: this.#options.clock.now() }),
      )
    )
      return false;
    this.#isReady = true;
    return false;
  }

  #send(sent: Sent, lane: Lane): boolean {
    const { caller, wish } = this.#options;
    const isWanted =
      (wish.types === null || wish.types.has(sent.event)) &&
      (wish.deviceId === null || wish.deviceId === sent.deviceId);
    if (isWanted && isAddressed(caller, sent.audience) && !this.#offer(sent.lines)) return false;
    this.#at[lane] = sent.seq;
    return true;
  }

  /** The oldest event that has not been sent, of both lanes. */
  #next(): { readonly sent: Sent; readonly lane: Lane } | null {
    const found = LANES.flatMap((lane) => {
      const sent = this.#options.ring.after(this.#siteId, lane, this.#at[lane]);
      return sent === null ? [] : [{ sent, lane }];
    });
    const [one, other] = found;
    return one !== undefined && other !== undefined && other.sent.seq < one.sent.seq ? other : (one ?? null);
  }

  /** Reports that events of some lanes are missing, even if the reader would not have received any of them. */
  #tellGap(lanes: readonly Lane[], reason: (typeof GAP_REASONS)[number]): boolean {
    const { caller, wish, ring, clock } = this.#options;
    const types = audibleEvents(caller, wish.types).filter((name) =>
      lanes.includes(name === "device.telemetry" ? "telemetry" : "rest"),
    );
    if (types.length === 0) return true;
    const event = {
      id: ring.idOf(ring.last),
      event: "stream.gap",
      deviceId: null,
      data: { reason, types },
      at: isoTime(clock.now()),
    };
    // no id line: a client that is cut off here resumes from its last position
    return this.#offer(`event: stream.gap\ndata: ${JSON.stringify(event)}\n\n`);
  }

  #offer(lines: string): boolean {
    return this.#options.sink.offer(lines, () => this.pump());
  }

  get #siteId(): number {
    return this.#options.caller.siteId;
  }
}
