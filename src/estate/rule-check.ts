import { EstateTable } from "../storage/tables/estate.js";
import { EDITED, type Entries, type Entry, editedAt, isBan, isSameRule, ruleOf } from "./entries.js";
import { estateNames, streamOfBucket } from "./names.js";
import type { EstateBase } from "./ports.js";
import { differences, digestOf, groupOf, RuleDigest, rangeOf } from "./rule-digest.js";
import type { Session } from "./session.js";
import { isWrongRevision } from "./shared-rules.js";

/** A group of entries that was looked at, and when it may be once more. */
interface Patience {
  /** What this hub had then. */
  readonly mine: string;
  readonly ms: number;
  readonly until: number;
}

/** What somebody holds for a key; `at` null: nobody knows since when. */
interface Held {
  readonly value: string | null;
  readonly at: number | null;
}

/** How long a group that was looked at is not looked at once more; doubled each time, while nothing changes here. */
const PATIENCE_MS = 30_000;
const MOST_PATIENT_MS = 3_600_000;
const FORGET_MS = 600_000;
/** Between two looks at the servers. */
const REST_MS = 5_000;
const MOST_KEYS = 500;
const AT_ONCE = 10;
/** Entries that this hub writes anew in an hour. */
const MOST_WRITES = 500;
const HOUR_MS = 3_600_000;
const MOST_HUBS = 200;
/** Servers' clocks, and this hub's for its own edits, say no closer which of two edits was later. */
const SURE_MS = 10_000;

/**
 * Whether every hub has the same rules. Servers of a cluster may end with different entries, or with other revisions
 * for the same ones, and then hubs differ for ever without a word. So every hub tells a digest of its entries with its
 * heartbeat. Where two of them stay different, each compares its own with what the stream's leader has. What another hub
 * says leads to nothing but this look; only who finds that the leader has something else than itself does anything:
 * it settles which of both stands, takes it, and writes it anew, so that every server and hub gets it.
 */
export class RuleCheck {
  readonly #base: EstateBase;
  readonly #entries: Entries;
  readonly #table: EstateTable;
  readonly #stream: string;
  readonly #subject: string;
  #digest: RuleDigest | null = null;
  #session: Session | null = null;
  /** Per hub, where it differed when it was heard last. */
  readonly #differing = new Map<string, ReadonlyMap<number, string>>();
  readonly #patience = new Map<number, Patience>();
  #restsUntil = 0;
  #isLooking = false;
  #looks = 0;
  #writes = { since: 0, count: 0 };

  constructor(base: EstateBase, entries: Entries) {
    this.#base = base;
    this.#entries = entries;
    this.#table = new EstateTable(base.database);
    const { rules } = estateNames(base.config.estate);
    this.#stream = streamOfBucket(rules);
    this.#subject = `$KV.${rules}.`;
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
      .filter(([group, both]) => before?.get(group) === both && this.#isDue(group, digestOf(mine, group)))
      .map(([group]) => group);
    if (due.length > 0) void this.#look(session, hub, due);
  }

  #isDue(group: number, mine: string): boolean {
    const known = this.#patience.get(group);
    return known === undefined || known.mine !== mine || this.#base.clock.mono() >= known.until;
  }

  #wait(group: number, mine: string): void {
    const now = this.#base.clock.mono();
    const known = this.#patience.get(group);
    const isNew = known === undefined || known.mine !== mine || now > known.until + FORGET_MS;
    const ms = isNew ? PATIENCE_MS : Math.min(MOST_PATIENT_MS, known.ms * 2);
    this.#patience.set(group, { mine, ms, until: now + ms });
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
    const { state } = await session.manager.streams.info(this.#stream, { subjects_filter: `${this.#subject}>` });
    const there = Object.keys(state.subjects ?? {}).map((subject) => subject.slice(this.#subject.length));
    const digest = this.#digest?.text() ?? "";
    const found: string[] = [];
    for (const group of groups) {
      const here = this.#table.entriesIn(...rangeOf(group)).map(({ key }) => key);
      // most of these are gone for long; where there are too many, it is others' turn each time
      const isHere = new Set(here);
      const others = there.filter((key) => groupOf(key) === group && !isHere.has(key));
      const from = (this.#looks * MOST_KEYS) % Math.max(1, others.length);
      found.push(...here, ...others.slice(from), ...others.slice(0, from));
      this.#wait(group, digestOf(digest, group));
      if (found.length >= MOST_KEYS) break;
    }
    return found.slice(0, MOST_KEYS);
  }

  /** Answers whether the leader had something else. @throws where the servers do not answer */
  async #mend(session: Session, key: string): Promise<boolean> {
    const theirs = await this.#latest(session, key);
    const ours = { value: this.#table.entry(key)?.value ?? null, at: this.#entries.timeOf(key) };
    if (theirs.value === ours.value) return false;
    if (ours.value === null && !this.#entries.isValid(key, theirs.value)) return false; // nobody takes it
    const isOurs = this.#isOursToStand(key, ours, theirs);
    const { value, at } = isOurs ? ours : theirs;
    const revision = this.#mayWrite() ? await this.#write(session, { ...theirs, value, at: at ?? theirs.at }) : null;
    if (revision === null && isOurs) return true; // somebody was faster: their word comes by the stream
    await this.#base.database.write(() => {
      if ((this.#table.entry(key)?.value ?? null) !== ours.value) return; // it was edited meanwhile
      this.#entries.apply({ key, revision: revision ?? theirs.revision, value, at: at ?? theirs.at }, true);
      if (this.#isToTell(ours, theirs, isOurs)) this.#tell(ours.value, theirs.value, value);
    });
    return true;
  }

  /**
   * The later edit stands. Where that cannot be told, a ban does: who is kept out wrongly says so, who is let in wrongly
   * does not. Otherwise what the leader has.
   */
  #isOursToStand(key: string, ours: Held, theirs: Entry): boolean {
    if (ours.value === null && ours.at === null) return false; // never heard of
    const rule = ours.value === null ? null : ruleOf(ours.value);
    if (rule !== null && this.#isForgotten(rule)) return false;
    // what somebody deleted leaves a mark, so this was lost; and what is no rule takes the place of none
    if (theirs.revision === 0 || !this.#entries.isValid(key, theirs.value)) return true;
    if (ours.at !== null && Math.abs(ours.at - theirs.at) > SURE_MS) return ours.at > theirs.at;
    return isBan(rule) && !isBan(theirs.value === null ? null : ruleOf(theirs.value));
  }

  /** Whether a person's edit may be undone by this, and not only a hub has heard late of a later one. */
  #isToTell(ours: Held, theirs: Entry, isOurs: boolean): boolean {
    if (!this.#entries.isValid(theirs.key, theirs.value) || (ours.value === null && ours.at === null)) return false;
    const isLater = !isOurs && ours.at !== null && theirs.at - ours.at > SURE_MS;
    return !isLater || isBan(ours.value === null ? null : ruleOf(ours.value));
  }

  #isForgotten({ plate, createdAt }: { readonly plate: string; readonly createdAt: number }): boolean {
    return createdAt <= (this.#table.forgotten(this.#base.tokenOf(plate))?.at ?? Number.NEGATIVE_INFINITY);
  }

  /** The leader's word of an entry; revision 0: it has none. */
  async #latest({ manager }: Session, key: string): Promise<Entry> {
    const message = await manager.streams.getMessage(this.#stream, { last_by_subj: this.#subject + key });
    if (message === null) return { key, revision: 0, value: null, at: 0 };
    const value = message.header?.has("KV-Operation") ? null : message.string();
    return { key, revision: message.seq, value, at: editedAt(message.header, message.time.getTime()) };
  }

  /** Writes an entry anew over the revision of the leader's; null: somebody was faster. */
  async #write({ stream }: Session, { key, value, revision, at }: Entry): Promise<number | null> {
    const { headers } = await import("@nats-io/transport-node");
    const said = headers();
    said.set("Nats-Expected-Last-Subject-Sequence", String(revision));
    said.set(EDITED, String(at));
    if (value === null) said.set("KV-Operation", "DEL");
    try {
      return (await stream.publish(this.#subject + key, value ?? "", { headers: said })).seq;
    } catch (error) {
      if (isWrongRevision(error)) return null;
      throw error;
    }
  }

  #mayWrite(): boolean {
    const now = this.#base.clock.mono();
    if (now - this.#writes.since > HOUR_MS) this.#writes = { since: now, count: 0 };
    this.#writes.count += 1;
    return this.#writes.count <= MOST_WRITES;
  }

  /** Gates had different rules: a person's edit is undone somewhere. Inside a job. */
  #tell(ours: string | null, theirs: string | null, standing: string | null): void {
    const siteId = this.#base.siteId();
    const rules = [ours, theirs].flatMap((value) => (value === null ? [] : (ruleOf(value) ?? [])));
    const [rule] = rules;
    if (siteId === null || rule === undefined || this.#isForgotten(rule)) return;
    if (rules.length === 2 && isSameRule(ours ?? "", theirs ?? "")) return;
    const now = standing === null ? null : ruleOf(standing);
    this.#base.recordFeed({
      siteId,
      kind: "estate.rule_settled",
      deviceId: null,
      text: {
        code: "estate.rule_settled",
        plate: rule.formatted,
        kind: now?.enabled === true ? now.kind : "none",
      },
      plates: [rule.plate],
      aboutVehicles: true,
      at: this.#base.clock.now(),
    });
  }
}
