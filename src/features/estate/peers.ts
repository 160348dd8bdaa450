import type { JsMsg } from "@nats-io/jetstream";
import { isEstateName } from "./config.ts";
import type { Follower } from "./follow.ts";
import { estateNames, hubSubjects, speakerIn, streamOfBucket } from "./names.ts";
import type { EstateBase, EstateGate } from "./ports.ts";
import { digestIn } from "./rule-digest.ts";
import type { Session } from "./session.ts";
import { EstateTable } from "./tables/estate.ts";
import { type Lack, lacksIn, type Tally, talliesIn } from "./tallies.ts";
import { isCount, isText, objectOf } from "./wire.ts";

/** What a hub publishes about itself. */
interface Card {
  readonly name: string;
  readonly part: string;
  readonly role: "gate" | "manager";
  readonly version: string;
  readonly gates: readonly EstateGate[];
}

/** The state of a hub in its latest message. */
interface Pulse {
  /** Own reads that it had yet to send. */
  readonly waiting: number;
  /** Messages that it had yet to take. */
  readonly behind: number;
  readonly clockOffMs: number | null;
}

/** The same for this hub; null means not known yet, and others ignore it. */
type OwnPulse = Omit<Pulse, "behind"> & {
  readonly behind: number | null;
  /** Counts of its own reads in some ranges; none while some of them have yet to be sent. */
  readonly tallies: readonly Tally[];
  readonly lacks: readonly Lack[];
  /** Digest of its entries; null while it does not have all of them. */
  readonly rules: string | null;
};

/** Another hub of the estate. */
export interface PeerState extends Card {
  readonly hub: string;
  readonly heardAt: number | null;
  readonly online: boolean;
  readonly pulse: Pulse | null;
}

const HEARTBEAT_MS = 5_000;
/** A hub that was silent for this long is away. */
const AWAY_MS = 16_000;
/** How often to store when the hubs were last seen. */
const STORE_MS = 60_000;
/** How often a hub compares its clock with the servers', and publishes its card again. */
const CARD_MS = 600_000;
/** Only a servers' answer faster than this determines the clock's offset. */
const EXACT_MS = 500;
const MOST_GATES = 50;
const MOST_HUBS = 200;

/** The other hubs: their identity, when they were last seen, and this hub's clock offset from the estate's. */
export class Peers implements Follower {
  readonly stream: string;
  readonly hub: string;
  readonly #base: EstateBase;
  readonly #table: EstateTable;
  readonly #card: () => Card;
  readonly #pulse: () => OwnPulse;
  readonly #counted: ConstructorParameters<typeof Peers>[1]["counted"];
  readonly #cards = new Map<string, Card>();
  readonly #heardAt = new Map<string, number>();
  readonly #pulses = new Map<string, Pulse>();
  readonly #fresh = new Set<string>();
  #seen: Set<string> | null = null;
  #clockOffMs: number | null = null;

  constructor(
    base: EstateBase,
    ports: {
      readonly card: () => Card;
      readonly pulse: () => OwnPulse;
      /**
       * Called when another hub has reported which of its own reads it has, which it lacks, and the digest of its rules.
       */
      readonly counted: (
        hub: string,
        counted: { readonly tallies: Tally[]; readonly lacks: Lack[]; readonly rules: string | null },
      ) => void;
    },
  ) {
    this.#base = base;
    this.#table = new EstateTable(base.database);
    this.#card = ports.card;
    this.#pulse = ports.pulse;
    this.#counted = ports.counted;
    this.stream = streamOfBucket(estateNames(base.config.estate).hubs);
    this.hub = base.config.hub;
  }

  /** Loads what was known when the hub stopped. */
  load(): void {
    for (const { hub, card, heardAt } of this.#table.hubs()) {
      const known = cardOf(new TextEncoder().encode(card));
      if (known !== null) this.#cards.set(hub, known);
      if (heardAt !== null) this.#heardAt.set(hub, heardAt);
    }
  }

  /** How far this hub's clock is ahead of the servers'; null while that is not known. */
  get clockOffMs(): number | null {
    return this.#clockOffMs;
  }

  /** Whether this hub's clock was ever compared with the servers'. */
  get knowsClock(): boolean {
    return this.#clockOffMs !== null || this.#table.state("clockOff") !== null;
  }

  /** The name of a hub for people. */
  nameOf(hub: string): string {
    return hub === this.hub ? this.#base.config.name : (this.#cards.get(hub)?.name ?? hub);
  }

  list(): PeerState[] {
    const now = this.#base.clock.now();
    return [...this.#cards]
      .filter(([hub]) => hub !== this.hub)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([hub, card]) => {
        const heardAt = this.#heardAt.get(hub) ?? null;
        return {
          hub,
          ...card,
          heardAt,
          online: heardAt !== null && now - heardAt < AWAY_MS,
          pulse: this.#pulses.get(hub) ?? null,
        };
      });
  }

  /** Notes a message from a hub. */
  heard(hub: string, at: number): void {
    if (
      hub === this.hub ||
      at <= (this.#heardAt.get(hub) ?? 0) ||
      (!this.#heardAt.has(hub) && this.#heardAt.size >= MOST_HUBS)
    )
      return;
    this.#heardAt.set(hub, at);
    this.#fresh.add(hub);
  }

  from(): null {
    return null;
  }

  batchSize(): number {
    return MOST_HUBS;
  }

  async begun(): Promise<void> {
    this.#seen = new Set();
  }

  async take(messages: readonly JsMsg[]): Promise<void> {
    const bucket = estateNames(this.#base.config.estate).hubs;
    const cards = messages.map((message) => {
      const hub = message.subject.slice(`$KV.${bucket}.`.length);
      return { hub, card: message.headers?.has("KV-Operation") ? null : cardOf(message.data) };
    });
    await this.#base.database.write(() => {
      for (const { hub, card } of cards) {
        if (!isEstateName(hub)) continue;
        if (card === null || (this.#cards.size >= MOST_HUBS && !this.#cards.has(hub))) this.#forget(hub);
        else {
          this.#seen?.add(hub);
          this.#cards.set(hub, card);
          this.#table.putHub(hub, JSON.stringify(card));
        }
      }
    });
  }

  async caughtUp(): Promise<void> {
    const seen = this.#seen;
    this.#seen = null;
    if (seen === null) return;
    await this.#base.database.write(() => {
      for (const hub of this.#cards.keys()) if (!seen.has(hub)) this.#forget(hub);
    });
  }

  /** Publishes this hub's state, and follows the others', for as long as the session lasts. */
  async run(session: Session): Promise<void> {
    const { config, clock } = this.#base;
    const subscription = session.connection.subscribe(hubSubjects(config.estate, "*").health, {
      callback: (error, message) => {
        if (error === null) this.#hear(speakerIn(message.subject, config.estate, "health", null) ?? "", message.data);
      },
    });
    let cardAt = Number.NEGATIVE_INFINITY;
    let published = "";
    let storedAt = clock.mono();
    while (!session.isOver()) {
      try {
        const card = JSON.stringify(this.#card());
        if (card !== published || clock.mono() - cardAt > CARD_MS) {
          await this.tellCard(session);
          cardAt = clock.mono();
          published = card;
        }
      } catch (error) {
        if (!session.isOver()) this.#base.logger.debug({ err: error }, "the estate did not take this hub's card");
      }
      // also if the servers have no room for a card
      if (!session.isOver())
        session.connection.publish(hubSubjects(config.estate, config.hub).health, JSON.stringify(this.#pulse()));
      if (clock.mono() - storedAt > STORE_MS) {
        await this.store();
        storedAt = clock.mono();
      }
      await session.pause(HEARTBEAT_MS);
    }
    subscription.unsubscribe();
    await this.store();
  }

  /**
   * Stores the card, and learns this hub's clock offset from the moment at which the servers took it.
   * @throws when the servers do not answer, or return another card than they just took
   */
  async tellCard(session: Session): Promise<void> {
    const { clock, config, database } = this.#base;
    const known = this.#clockOffMs ?? Number(this.#table.state("clockOff") ?? 0);
    const before = clock.now();
    const revision = await session.cards.put(config.hub, JSON.stringify(this.#card()));
    const after = clock.now();
    const stored = await session.cards.get(config.hub);
    this.#clockOffMs = clockOff({ before, after, revision, stored }, known);
    const off = String(this.#clockOffMs);
    await database.write(() => this.#table.setState("clockOff", off));
  }

  /** Stores when the others were last seen. */
  async store(): Promise<void> {
    const fresh = [...this.#fresh];
    this.#fresh.clear();
    if (fresh.length === 0) return;
    await this.#base.database.writeIfPossible(() => {
      for (const hub of fresh) this.#table.heard(hub, this.#heardAt.get(hub) ?? 0);
    });
  }

  #hear(hub: string, data: Uint8Array): void {
    const pulse = objectOf(data);
    if (!isEstateName(hub) || hub === this.hub || pulse === null || !this.#cards.has(hub)) return;
    this.heard(hub, this.#base.clock.now());
    const { waiting, behind, clockOffMs } = pulse;
    if (!isCount(waiting) || !isCount(behind)) return;
    this.#pulses.set(hub, {
      waiting,
      behind,
      clockOffMs: Number.isSafeInteger(clockOffMs) ? Number(clockOffMs) : null,
    });
    this.#counted(hub, {
      tallies: talliesIn(pulse.tallies),
      lacks: lacksIn(pulse.lacks),
      rules: digestIn(pulse.rules),
    });
  }

  #forget(hub: string): void {
    this.#cards.delete(hub);
    this.#heardAt.delete(hub);
    this.#pulses.delete(hub);
    this.#table.removeHub(hub);
  }
}

/**
 * How far a clock is ahead of the servers', from its readings before and after they stored something. A slow answer
 * proves little: then the known offset stands as far as it can be true.
 * @param known the offset known so far
 * @throws Error if the servers return something other than they took: a former leader that is unaware of its loss
 * returns its old value
 */
export function clockOff(
  exchange: {
    readonly before: number;
    readonly after: number;
    readonly revision: number;
    readonly stored: { readonly revision: number; readonly created: Date } | null;
  },
  known: number,
): number {
  const { before, after, revision, stored } = exchange;
  if (stored?.revision !== revision) throw new Error("the servers gave back another card than they took");
  const at = stored.created.getTime();
  if (after - before <= EXACT_MS) return Math.round((before + after) / 2 - at);
  return Math.min(after - at, Math.max(before - at, known));
}

function cardOf(data: Uint8Array): Card | null {
  const card = objectOf(data);
  if (card === null || !isText(card.name, 80) || !isEstateName(card.part) || !isText(card.version, 40)) return null;
  const gates = Array.isArray(card.gates) ? card.gates.slice(0, MOST_GATES) : [];
  return {
    name: card.name,
    part: card.part,
    role: card.role === "manager" ? "manager" : "gate",
    version: card.version,
    gates: gates.flatMap((gate: unknown) => {
      if (typeof gate !== "object" || gate === null || !("deviceId" in gate) || !("name" in gate)) return [];
      const { deviceId, name } = gate;
      return isText(deviceId, 64) && isText(name, 200) ? [{ deviceId, name }] : [];
    }),
  };
}
