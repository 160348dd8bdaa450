import { Backoff } from "./backoff.ts";
import { isLater, isSameEdit, isUnaware } from "./edits.ts";
import type { Entries } from "./entries.ts";
import type { EstateBase } from "./ports.ts";
import { differences, digestOf, groupOf, RuleDigest, rangeOf } from "./rule-digest.ts";
import type { Session } from "./session.ts";
import type { EstateTable } from "./tables/estate.ts";

/** How long a group is not compared again, as long as it does not change here. */
const BACKOFF = { firstMs: 30_000, most: 2_000 };
/** Pause between two comparisons with the servers. */
const REST_MS = 5_000;
const MOST_KEYS = 500;
const AT_ONCE = 10;
/** Most entries that this hub rewrites in an hour. */
const MOST_WRITES = 500;
const HOUR_MS = 3_600_000;
const MOST_HUBS = 200;

/**
 * Checks that every hub has the same rules. Servers of a cluster may end up with different entries, or with different
 * revisions of the same ones, and then hubs would differ forever without noticing. So every hub includes a digest of
 * its entries in its heartbeat. If two of them stay different, each compares its own entries with those of the stream's
 * leader. Another hub's message triggers nothing but this comparison; only a hub that finds the leader different from
 * itself acts: it takes the leader's entry if that is the later edit, and rewrites its own if the leader has an earlier
 * one or none.
 */
export class RuleCheck {
  readonly #base: EstateBase;
  readonly #entries: Entries;
  readonly #table: EstateTable;
  #digest: RuleDigest | null = null;
  #session: Session | null = null;
  /** Per hub, where it differed in its latest message. */
  readonly #differing = new Map<string, ReadonlyMap<number, string>>();
  /** By group and this hub's digest of it. */
  readonly #backoff: Backoff<string>;
  #restsUntil = 0;
  #isLooking = false;
  #looks = 0;
  #writes = { since: 0, count: 0 };

  constructor(base: EstateBase, entries: Entries) {
    this.#base = base;
    this.#entries = entries;
    this.#table = entries.table;
    this.#backoff = new Backoff(base.clock, BACKOFF);
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

  /** The digest of this hub's entries; null while it has none to publish. */
  own(): string | null {
    return this.#session === null ? null : (this.#digest?.text() ?? null);
  }

  /** Takes another hub's digest. */
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
        ([group, both]) => before?.get(group) === both && this.#backoff.isDue(`${group} ${digestOf(mine, group)}`),
      )
      .map(([group]) => group);
    if (due.length > 0) void this.#look(session, hub, due);
  }

  /** Compares entries of these groups with the leader's, in as many groups as one comparison has room for. */
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

  /** The keys that are here and those that the leader has, of as many groups as one comparison has room for. */
  async #keysIn(session: Session, groups: readonly number[]): Promise<string[]> {
    const there = await this.#entries.bucket.keys(session);
    const digest = this.#digest?.text() ?? "";
    const found: string[] = [];
    for (const group of groups) {
      const here = this.#table.entriesIn(...rangeOf(group)).map(({ key }) => key);
      // most of these were deleted long ago; if there are too many, others get their turn each time
      const isHere = new Set(here);
      const others = there.filter((key) => groupOf(key) === group && !isHere.has(key));
      const from = (this.#looks * MOST_KEYS) % Math.max(1, others.length);
      found.push(...here, ...others.slice(from), ...others.slice(0, from));
      this.#backoff.tried(`${group} ${digestOf(digest, group)}`);
      if (found.length >= MOST_KEYS) break;
    }
    return found.slice(0, MOST_KEYS);
  }

  /** Returns whether the leader had something else. @throws if the servers do not answer */
  async #mend(session: Session, key: string): Promise<boolean> {
    const latest = await this.#entries.bucket.latest(session, key);
    const held = this.#entries.held(key);
    const theirs = latest !== null && this.#entries.isValid(latest.entry, latest.takenAt) ? latest.entry : null;
    if (theirs !== null && isSameEdit(theirs, held)) return false;
    if (theirs !== null && isLater(theirs, held)) {
      await this.#base.database.write(() => this.#entries.apply(theirs));
      return true;
    }
    // a key that neither side has needs no deletion, and nothing is rewritten for a forgotten plate
    if (held === null || (held.isGone && latest === null) || this.#entries.isForgotten(held) || !this.#mayWrite())
      return false;
    const revision = await this.#entries.bucket.put(session, key, held, latest?.entry.revision ?? 0);
    if (revision === null) return true; // another hub was faster: its edit comes through the stream
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
