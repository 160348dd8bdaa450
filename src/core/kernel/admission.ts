import { isIPv6 } from "node:net";
import type { Clock, Timer } from "./clock.ts";

/** Bounds of an {@link Admission}. */
export interface AdmissionLimits {
  /** Connections with a valid credential; the same number of unauthenticated clients have room of their own. */
  readonly maxConnections: number;
  /** Unauthenticated clients served at a time per address; the others wait for their turn. */
  readonly turnsPerAddress: number;
  /** How long an unauthenticated client keeps its turn while others of its address wait. */
  readonly turnMs: number;
}

/** A connection that was admitted. */
export interface Ticket {
  readonly address: string;
  /** The client presented a valid credential: it no longer counts as unauthenticated. */
  accepted(): void;
  /** The connection has closed. */
  closed(): void;
}

/** A connection that asks for admission. */
export interface Visit {
  /** Its turn has come: before {@link Admission.admit} returns, or later. */
  readonly begin: (ticket: Ticket) => void;
  /** It is evicted, before its turn or after: destroy the connection, then call `closed`. */
  readonly end: () => void;
}

interface Visitor extends Visit {
  readonly ticket: Ticket;
  /** Monotonic time of its arrival, then of its turn. */
  sinceMono: number;
}

/** All connections from one address, in order of arrival. */
interface Place {
  readonly waiting: Set<Visitor>;
  readonly unauthenticated: Set<Visitor>;
  readonly known: Set<Visitor>;
}

const SWEEP_MS = 250;
/** The longest wait for a turn. */
const LONGEST_WAIT_MS = 60_000;
/** An address whose clients showed credentials is preferred for this long. */
const REMEMBER_MS = 24 * 3_600_000;
const REMEMBERED = 1_000;

/**
 * Decides who may connect under load. Authenticated and unauthenticated clients have room of their own, so the latter
 * cannot shut anybody out. When the unauthenticated room is full, the address with most connections loses one,
 * addresses without any known client first: one host, or fifty, delay only themselves. Unauthenticated clients of one
 * address are served a few at a time: a storm behind one address is paced, not dropped.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #clock: Clock;
  readonly #places = new Map<string, Place>();
  /** Addresses with known clients by the time of the last one. */
  readonly #familiar = new Map<string, number>();
  readonly #sweeper: Timer;
  #unauthenticated = 0;
  #known = 0;
  #turnedAway = 0;

  constructor(limits: AdmissionLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#sweeper = clock.every(SWEEP_MS, () => this.#sweep());
  }

  /** Open connections, the unauthenticated among them, and connections turned away since start. */
  get figures(): { open: number; unauthenticated: number; turnedAway: number } {
    return {
      open: this.#unauthenticated + this.#known,
      unauthenticated: this.#unauthenticated,
      turnedAway: this.#turnedAway,
    };
  }

  /** Whether there is room for one more client with a valid credential. */
  get hasRoom(): boolean {
    return this.#known < this.#limits.maxConnections;
  }

  /** Admits one more connection, ending another if there is no room; null if this one is refused. */
  admit(from: string, visit: Visit): Ticket | null {
    const address = shareOf(from);
    if (this.#unauthenticated >= this.#limits.maxConnections && !this.#makeRoom(address)) {
      this.#turnedAway += 1;
      visit.end();
      return null;
    }
    const place = this.#places.get(address) ?? { waiting: new Set(), unauthenticated: new Set(), known: new Set() };
    this.#places.set(address, place);
    const visitor: Visitor = {
      ...visit,
      sinceMono: this.#clock.mono(),
      ticket: {
        address: from,
        accepted: () => this.#accepted(visitor, place),
        closed: () => this.#closed(visitor, place),
      },
    };
    this.#unauthenticated += 1;
    place.waiting.add(visitor);
    this.#next(place);
    return visitor.ticket;
  }

  /**
   * Ends the oldest unauthenticated connections of each address that has more than `most`, if they are older than
   * `olderThanMs`.
   */
  trim(most: number, olderThanMs: number): void {
    const limit = this.#clock.mono() - olderThanMs;
    for (const { unauthenticated } of this.#places.values()) {
      let surplus = unauthenticated.size - most;
      for (const visitor of unauthenticated) {
        if (surplus-- <= 0 || visitor.sinceMono > limit) break;
        this.#turnAway(visitor);
      }
    }
  }

  /** Stops the timer. */
  stop(): void {
    this.#sweeper.stop();
  }

  #next(place: Place): void {
    for (const visitor of place.waiting) {
      if (place.unauthenticated.size >= this.#limits.turnsPerAddress) return;
      place.waiting.delete(visitor);
      place.unauthenticated.add(visitor);
      visitor.sinceMono = this.#clock.mono();
      visitor.begin(visitor.ticket);
    }
  }

  #accepted(visitor: Visitor, place: Place): void {
    if (!place.unauthenticated.delete(visitor)) return;
    this.#unauthenticated -= 1;
    this.#known += 1;
    place.known.add(visitor);
    const address = shareOf(visitor.ticket.address);
    this.#familiar.delete(address);
    this.#familiar.set(address, this.#clock.mono());
    const [oldest] = this.#familiar.size > REMEMBERED ? this.#familiar.keys() : [];
    if (oldest !== undefined) this.#familiar.delete(oldest);
    this.#next(place);
  }

  #closed(visitor: Visitor, place: Place): void {
    if (place.waiting.delete(visitor) || place.unauthenticated.delete(visitor)) this.#unauthenticated -= 1;
    else if (place.known.delete(visitor)) this.#known -= 1;
    else return;
    this.#next(place);
    if (place.waiting.size + place.unauthenticated.size + place.known.size === 0)
      this.#places.delete(shareOf(visitor.ticket.address));
  }

  /**
   * Ends one unauthenticated connection of the address with most; false when that is the newcomer's own with others
   * waiting already.
   */
  #makeRoom(newcomer: string): boolean {
    let most: [string, Place] | null = null;
    let weight = -1;
    for (const entry of this.#places) {
      const count = entry[1].waiting.size + entry[1].unauthenticated.size + (entry[0] === newcomer ? 1 : 0);
      // every unfamiliar address ranks before a familiar one
      const own = count + (this.#isFamiliar(entry[0]) ? 0 : this.#limits.maxConnections + 1);
      if (count > 0 && own > weight) [most, weight] = [entry, own];
    }
    if (most === null) return false;
    const [address, { waiting, unauthenticated }] = most;
    if (address === newcomer && waiting.size > 0) return false;
    const victim = [...waiting].at(-1) ?? unauthenticated.values().next().value;
    if (victim === undefined) return false;
    this.#turnAway(victim);
    return true;
  }

  #isFamiliar(address: string): boolean {
    const last = this.#familiar.get(address);
    return (
      (this.#places.get(address)?.known.size ?? 0) > 0 ||
      (last !== undefined && this.#clock.mono() - last < REMEMBER_MS)
    );
  }

  #turnAway(visitor: Visitor): void {
    this.#turnedAway += 1;
    visitor.ticket.closed();
    visitor.end();
  }

  /** Turns that are over, and visitors that have waited too long. */
  #sweep(): void {
    const now = this.#clock.mono();
    for (const { waiting, unauthenticated } of this.#places.values()) {
      if (waiting.size === 0) continue;
      for (const visitor of waiting) if (now - visitor.sinceMono > LONGEST_WAIT_MS) this.#turnAway(visitor);
      for (const visitor of unauthenticated)
        if (waiting.size > 0 && now - visitor.sinceMono > this.#limits.turnMs) this.#turnAway(visitor);
    }
  }
}

/**
 * Whose share an address counts in. A host has as many IPv6 addresses as it likes: those of one network of 64 bits,
 * which is the least that a home is given, count as one. An address as {@link plainAddress} gives it; anything else is
 * a share of its own.
 */
export function shareOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::");
  const groups = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = tail === undefined ? 0 : 8 - groups.length - last.length;
  const whole = [...groups, ...Array<string>(Math.max(0, missing)).fill("0"), ...last];
  return `${whole
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}

/** An address without the IPv4-in-IPv6 prefix. */
export function plainAddress(address: string | undefined): string {
  return (address ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
}
