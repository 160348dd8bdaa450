import type { EstateTable } from "../storage/tables/estate.js";
import { isLater, isSameEdit, isUnaware } from "./edits.js";
import type { Entries } from "./entries.js";
import { Patience } from "./patience.js";
import type { EstateBase } from "./ports.js";
import { differences, digestOf, groupOf, RuleDigest, rangeOf } from "./rule-digest.js";
import type { Session } from "./session.js";

/** How long a group that was looked at is not looked at once more, while nothing of it changes here. */
const PATIENCE = { firstMs: 30_000, most: 2_000 };
/** Between two looks at the servers. */
const REST_MS = 5_000;
const MOST_KEYS = 500;
const AT_ONCE = 10;
/** Entries that this hub writes anew in an hour. */
const MOST_WRITES = 500;
const HOUR_MS = 3_600_000;
const MOST_HUBS = 200;

/**
 * Whether every hub has the same rules. Servers of a cluster may end with different entries, or with other revisions
 * for the same ones, and then hubs differ for ever without a word. So every hub tells a digest of its entries with its
 * heartbeat. Where two of them stay different, each compares its own with what the stream's leader has. What another hub
 * says leads to nothing but this look; only who finds that the leader has something else than itself does anything: it
 * takes the leader's where that is the later edit, and writes its own anew where the leader has an earlier one or none.
 */
export class RuleCheck {
  readonly #base: EstateBase;
  readonly #entries: Entries;
  readonly #table: EstateTable;
  #digest: RuleDigest | null = null;
  #session: Session | null = null;
  /** Per hub, where it differed when it was heard last. */
  readonly #differing = new Map<string, ReadonlyMap<number, string>>();
  /** By group and what this hub has of it. */
  readonly #patience: Patience<string>;
  #restsUntil = 0;
  #isLooking = false;
  #looks = 0;
  #writes = { since: 0, count: 0 };

  constructor(base: EstateBase, entries: Entries) {
    this.#base = base;
    this.#entries = entries;
    this.#table = entries.table;
    this.#patience = new Patience(base.clock, PATIENCE);
  }

  /** This hub's copy is complete. */
  begin(session: Session): void {
    this.#session = session;
    this.#digest ??= new RuleDigest(this.#table);
  }

  end(): void {
    this.#session = null;
    this.#differing.clear();
  }

  /** The digest of this hub's entries; null while it has none to tell. */
  own(): string | null {
    return this.#session === null ? null : (this.#digest?.text() ?? null);
  }

  /** Another hub has told its digest. */
  heard(hub: string, theirs: string | null): void {
    const mine = this.own();
    const session = this.#session;
    if (mine === null || theirs === null || session === null) {
      this.#differing.delete(hub);
      return;
    }
    const before = this.#differing.get(hub);
    const now = differences(mine, theirs);
    if (this.#differing.size >= MOST_HUBS) this.#differing.clear();
    this.#differing.set(hub, now);
    const mono = this.#base.clock.mono();
    if (this.#isLooking || mono < this.#restsUntil) return;
    const due = [...now]
      .filter(
        ([group, both]) => before?.get(group) === both && this.#patience.isDue(`${group} ${digestOf(mine, group)}`),
      )
      .map(([group]) => group);
    if (due.length > 0) void this.#look(session, hub, due);
  }

  /** Compares entries of these groups with the leader's, as many groups as one look has room for. */
  async #look(session: Session, hub: string, groups: readonly number[]): Promise<void> {
    const { clock, logger } = this.#base;
    this.#isLooking = true;
    try {
      const keys = await this.#keysIn(session, groups);
      let mended = 0;
      for (let from = 0; from < keys.length && !session.isOver(); from += AT_ONCE) {
        const some = keys.slice(from, from + AT_ONCE);
        const done = await Promise.all(some.map((key) => this.#mend(session, key)));
        mended += done.filter(Boolean).length;
      }
      logger.info({ hub, looked: keys.length, mended }, "rules were compared with the servers': another hub differs");
    } catch (error) {
      logger.debug({ err: error }, "rules are compared with the servers' later");
    } finally {
      this.#isLooking = false;
      this.#looks += 1;
      this.#restsUntil = clock.mono() + REST_MS;
    }
  }

  /** What is here and what the leader has, of as many groups as one look has room for. */
  async #keysIn(session: Session, groups: readonly number[]): Promise<string[]> {
    const there = await this.#entries.bucket.keys(session);
    const digest = this.#digest?.text() ?? "";
    const found: string[] = [];
    for (const group of groups) {
      const here = this.#table.entriesIn(...rangeOf(group)).map(({ key }) => key);
      // most of these are gone for long; where there are too many, it is others' turn each time
      const isHere = new Set(here);
      const others = there.filter((key) => groupOf(key) === group && !isHere.has(key));
      const from = (this.#looks * MOST_KEYS) % Math.max(1, others.length);
      found.push(...here, ...others.slice(from), ...others.slice(0, from));
      this.#patience.tried(`${group} ${digestOf(digest, group)}`);
      if (found.length >= MOST_KEYS) break;
    }
    return found.slice(0, MOST_KEYS);
  }

  /** Answers whether the leader had something else. @throws where the servers do not answer */
  async #mend(session: Session, key: string): Promise<boolean> {
    const latest = await this.#entries.bucket.latest(session, key);
    const held = this.#entries.held(key);
    const theirs = latest !== null && this.#entries.isValid(latest.entry, latest.takenAt) ? latest.entry : null;
    if (theirs !== null && isSameEdit(theirs, held)) return false;
    if (theirs !== null && isLater(theirs, held)) {
      await this.#base.database.write(() => this.#entries.apply(theirs));
      return true;
    }
    // nobody deletes what nobody has, and of a forgotten plate nothing is written again
    if (held === null || (held.isGone && latest === null) || this.#entries.isForgotten(held) || !this.#mayWrite())
      return false;
    const revision = await this.#entries.bucket.put(session, key, held, latest?.entry.revision ?? 0);
    if (revision === null) return true; // somebody was faster: their word comes by the stream
    await this.#base.database.write(() => {
      this.#entries.apply({ key, revision, ...held });
      if (theirs !== null && isUnaware(held, theirs)) this.#entries.tellSettled(theirs, held);
    });
    return true;
  }

  #mayWrite(): boolean {
    const now = this.#base.clock.mono();
    if (now - this.#writes.since > HOUR_MS) this.#writes = { since: now, count: 0 };
    this.#writes.count += 1;
    return this.#writes.count <= MOST_WRITES;
  }
}
