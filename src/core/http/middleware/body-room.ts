import type { Clock } from "../../kernel/clock.ts";
import { Inflow } from "../../kernel/inflow.ts";

/**
 * Bytes of bodies held at a time: of callers with a credential (or whose object was found before), and of
 * unauthenticated clients.
 */
const ROOM = { known: 33_554_432, unauthenticated: 8_388_608 };
/** Maximum bytes that one caller with a credential may hold in several bodies. */
const MOST_OF_CALLER = 16_777_216;
/** A body has this long, and longer the larger it is declared to be: slow networks count, not slow attackers. */
const LEAST_MS = 10_000;
const LEAST_BYTES_PER_MS = 32;

/** The sender of a body. */
export interface Sender {
  /** Senders of one name share what they may hold: an address, a session, a key. */
  readonly name: string;
  readonly isKnown: boolean;
}

/** A body that is being read, or was read and is in use. */
export interface HeldBody {
  /** Counts bytes that have come. */
  add(bytes: number): void;
  /** All of it has come. */
  complete(): void;
  /** Its bytes are no longer in use. */
  release(): void;
}

interface Held {
  bytes: number;
  isComplete: boolean;
  readonly abandon: () => void;
}

/**
 * Counts the bytes of all bodies in memory. When there is no room, the sender holding the most loses its largest body:
 * many large bodies at once delay their senders, never somebody who signs in.
 */
export class BodyRoom {
  readonly #clock: Clock;
  readonly #pools = { known: new Map<string, Set<Held>>(), unauthenticated: new Map<string, Set<Held>>() };
  readonly #sums = { known: 0, unauthenticated: 0 };
  readonly #inflow = new Inflow();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Bytes that are held now. */
  get bytes(): number {
    return this.#sums.known + this.#sums.unauthenticated;
  }

  /**
   * Opens an account for one body of at most `most` bytes. `abandon`: the body is evicted, `late` because it took too
   * long.
   */
  open(sender: Sender, most: number, abandon: (late: boolean) => void): HeldBody {
    const kind = sender.isKnown ? "known" : "unauthenticated";
    const pool = this.#pools[kind];
    const held: Held = { bytes: 0, isComplete: false, abandon: () => abandon(false) };
    const own = pool.get(sender.name) ?? new Set();
    pool.set(sender.name, own);
    own.add(held);
    const timer = this.#clock.after(LEAST_MS + most / LEAST_BYTES_PER_MS, () => abandon(true));
    return {
      add: (bytes) => {
        held.bytes += bytes;
        this.#inflow.add(bytes);
        this.#sums[kind] += bytes;
        if (sender.isKnown && own.size > 1 && sumOf(own) > MOST_OF_CALLER)
          largestOf(new Map([[sender.name, own]]))?.abandon();
        if (this.#sums[kind] > ROOM[kind]) largestOf(pool)?.abandon();
      },
      complete: () => {
        held.isComplete = true;
        timer.stop();
      },
      release: () => {
        timer.stop();
        if (!own.delete(held)) return;
        this.#sums[kind] -= held.bytes;
        if (own.size === 0 && pool.get(sender.name) === own) pool.delete(sender.name);
      },
    };
  }
}

function sumOf(bodies: Iterable<Held>): number {
  let sum = 0;
  for (const { bytes } of bodies) sum += bytes;
  return sum;
}

function largestOf(pool: ReadonlyMap<string, ReadonlySet<Held>>): Held | null {
  let most = -1;
  let largest: Held | null = null;
  for (const bodies of pool.values()) {
    const sum = sumOf(bodies);
    let own: Held | null = null;
    for (const held of bodies) {
      if (!held.isComplete && (own === null || held.bytes > own.bytes)) own = held;
    }
    if (own !== null && sum > most) [most, largest] = [sum, own];
  }
  return largest;
}
