import type { KvEntry } from "@nats-io/kv";
import { Problem } from "../kernel/problem.js";
import type { PlateRuleRow } from "../storage/tables/plate-rule.js";
import { type Entries, type Entry, isSameRule, type SitePart } from "./entries.js";
import type { EstateBase } from "./ports.js";
import type { Session } from "./session.js";

/** What came of an edit by compare-and-set. */
type Outcome = { readonly revision: number } | { readonly standing: Entry };

/** JetStream's answer to an edit that was not made from the latest revision. */
const WRONG_REVISION = new Set([10071, 10164]);
const MOST_AT_ONCE = 50;

/**
 * Rules for all gates, edited together: what this hub changes is offered to the bucket, which takes it or says that
 * somebody was faster.
 */
export class SharedRules {
  readonly #base: EstateBase;
  readonly #entries: Entries;
  #session: Session | null = null;

  constructor(base: EstateBase, entries: Entries) {
    this.#base = base;
    this.#entries = entries;
  }

  /** The copy is complete, and edits are possible. */
  begin(session: Session): void {
    this.#session = session;
  }

  end(): void {
    this.#session = null;
  }

  /** @throws Problem estate_unreachable; plate_already_listed (with `ruleId`) */
  async create(draft: Omit<PlateRuleRow, "id" | "hits">): Promise<number> {
    const key = this.#entries.keyOf(draft.plate);
    const outcome = await this.#set(key, this.#entries.encode(draft), null);
    if ("revision" in outcome)
      return (await this.#apply({ key, ...outcome, value: this.#entries.encode(draft), at: this.#now() })) ?? 0;
    const ruleId = await this.#apply(outcome.standing);
    throw new Problem("plate_already_listed", `${draft.formatted} was put on a list at another gate just now.`, {
      fields: ruleId === null ? {} : { ruleId },
    });
  }

  /**
   * Answers false for a rule that the estate has not heard of yet: it is this hub's to change.
   * @throws Problem estate_unreachable, conflict
   */
  async update(rule: PlateRuleRow): Promise<boolean> {
    const entry = this.#entries.table.entryOfRule(rule.id);
    if (entry === null) return false;
    const value = this.#entries.encode(rule);
    await this.#settle(entry.key, value, await this.#set(entry.key, value, entry.revision));
    return true;
  }

  /** As {@link update}. */
  async remove(ruleId: number): Promise<boolean> {
    const entry = this.#entries.table.entryOfRule(ruleId);
    if (entry === null) return false;
    await this.#settle(entry.key, null, await this.#set(entry.key, null, entry.revision));
    return true;
  }

  /** Names a part of the site, and how many vehicles fit in. @throws Problem estate_unreachable, conflict */
  async setPart({ part, name, capacity }: SitePart): Promise<void> {
    const key = this.#entries.partKey(part);
    const value = JSON.stringify({ name, capacity });
    await this.#settle(key, value, await this.#set(key, value, this.#entries.table.entry(key)?.revision ?? null));
  }

  /**
   * Offers what this hub changed by itself: a pass's rule, a set-up document, rules from before it joined. Where
   * somebody was faster, theirs stands.
   */
  async offer(): Promise<void> {
    if (this.#base.siteId() === null || this.#session === null) return;
    const { table } = this.#entries;
    for (let noted = table.noted(2, MOST_AT_ONCE); noted.length > 0; noted = table.noted(2, MOST_AT_ONCE))
      for (const id of noted) await this.#offerOne(id, this.#offerable(id));
  }

  async #offerOne(id: number, rule: PlateRuleRow | null): Promise<void> {
    const { table } = this.#entries;
    const entry = table.entryOfRule(id);
    const key = rule === null ? null : this.#entries.keyOf(rule.plate);
    let isToRepeat = false;
    if (entry !== null && entry.key !== key)
      isToRepeat = await this.#offerValue(entry.key, null, entry.revision, id, rule);
    if (rule !== null && key !== null) {
      const value = this.#entries.encode(rule);
      const isKnown = entry?.key === key;
      if (!isKnown || entry?.value !== value)
        isToRepeat = await this.#offerValue(key, value, isKnown ? (entry?.revision ?? null) : null, id, rule);
    }
    if (isToRepeat) return;
    await this.#base.database.write(() => {
      const now = this.#offerable(id);
      const isStill = now === null || rule === null ? now === rule : this.#isSame(now, rule);
      // what was changed meanwhile is offered once more; what another gate's rule has taken the place of is not
      const held = table.entryOfRule(id)?.value;
      const isHeld = now !== null && held !== undefined && isSameRule(held, this.#entries.encode(now));
      if (isStill || isHeld) table.unnote(2, id);
    });
  }

  /** The rule, if it is one for all cameras. */
  #offerable(id: number): PlateRuleRow | null {
    const siteId = this.#base.siteId();
    const rule = siteId === null ? null : this.#entries.rules.find(siteId, id);
    return rule === null || rule.deviceId !== null ? null : rule;
  }

  #isSame(one: PlateRuleRow, other: PlateRuleRow): boolean {
    return this.#entries.encode(one) === this.#entries.encode(other);
  }

  async #offerValue(
    key: string,
    value: string | null,
    revision: number | null,
    id: number,
    rule: PlateRuleRow | null,
  ): Promise<boolean> {
    const { offered } = this.#entries;
    if (value !== null) offered.set(key, id);
    try {
      const outcome = await this.#set(key, value, revision);
      return await this.#base.database.write(() => this.#offeredValue(outcome, { key, value, id, rule }));
    } finally {
      if (value !== null) offered.delete(key);
    }
  }

  /** Inside a job. Answers whether the bucket is to be asked again. */
  #offeredValue(
    outcome: Outcome,
    {
      key,
      value,
      id,
      rule,
    }: {
      readonly key: string;
      readonly value: string | null;
      readonly id: number;
      readonly rule: PlateRuleRow | null;
    },
  ): boolean {
    const { table } = this.#entries;
    if ("revision" in outcome) {
      // The rule is there already; a rule that got another plate lives on under its new key.
      if (value === null) table.removeEntry(key);
      else if ((table.entry(key)?.revision ?? 0) < outcome.revision)
        table.putEntry({ key, revision: outcome.revision, value, ruleId: id });
      return false;
    }
    const { standing } = outcome;
    const isSame = standing.value !== null && rule !== null && isSameRule(standing.value, this.#entries.encode(rule));
    this.#entries.apply(standing);
    if (standing.value === null && rule !== null && this.#offerable(id) !== null && table.entryOfRule(id) === null)
      return true;
    if (!isSame && rule !== null) this.#tellDropped(rule);
    return false;
  }

  #tellDropped({ siteId, plate, formatted, label }: PlateRuleRow): void {
    const labelled = label === "" ? "no" : "yes";
    const text = { code: "estate.rule_dropped", plate: formatted, labelled, label } as const;
    this.#base.recordFeed({
      siteId,
      kind: "estate.rule_dropped",
      deviceId: null,
      text,
      plates: [plate],
      aboutVehicles: true,
      at: this.#base.clock.now(),
    });
  }

  async #settle(key: string, value: string | null, outcome: Outcome): Promise<void> {
    if ("revision" in outcome) {
      await this.#apply({ key, revision: outcome.revision, value, at: this.#now() });
      return;
    }
    await this.#apply(outcome.standing);
    throw new Problem("conflict", { code: "conflict.ruleElsewhere" });
  }

  /** By the estate's clock. */
  #now(): number {
    return this.#base.clock.now() - this.#base.clockOffMs();
  }

  #apply(entry: Entry): Promise<number | null> {
    return this.#base.database.write(() => this.#entries.apply(entry));
  }

  /**
   * Sets an entry if its latest revision is the one named; null: if there is none. Servers of a cluster may number the
   * same entry differently, or have lost it: where the latest one is what stands here, or there is none and no mark of a
   * deletion, it is set from that. So it is where the latest is no rule.
   */
  async #set(key: string, value: string | null, revision: number | null): Promise<Outcome> {
    const known = this.#entries.table.entry(key); // as it was edited; another gate's word may come meanwhile
    const outcome = await this.#setFrom(key, value, revision);
    if ("revision" in outcome || (known?.revision ?? null) !== revision) return outcome;
    const { standing } = outcome;
    if (standing.revision === 0) return known === null ? outcome : this.#setFrom(key, value, null);
    const isOver = standing.value === known?.value || !this.#entries.isValid(key, standing.value);
    return isOver && standing.revision !== revision ? this.#setFrom(key, value, standing.revision) : outcome;
  }

  async #setFrom(key: string, value: string | null, revision: number | null): Promise<Outcome> {
    const session = this.#session;
    if (session === null || session.isOver()) throw unreachable();
    try {
      if (value === null) return await this.#unset(session, key, revision ?? 0);
      return {
        revision:
          revision === null ? await session.rules.create(key, value) : await session.rules.update(key, value, revision),
      };
    } catch (error) {
      if (!isWrongRevision(error)) throw unreachable(error);
    }
    return { standing: await this.#latest(session, key) };
  }

  async #unset(session: Session, key: string, revision: number): Promise<Outcome> {
    await session.rules.delete(key, { previousSeq: revision });
    const latest = await this.#latest(session, key);
    return latest.value === null ? { revision: latest.revision } : { standing: latest };
  }

  async #latest(session: Session, key: string): Promise<Entry> {
    try {
      return entryOf(key, await session.rules.get(key));
    } catch (error) {
      throw unreachable(error);
    }
  }
}

function entryOf(key: string, entry: KvEntry | null): Entry {
  if (entry === null) return { key, revision: 0, value: null, at: 0 };
  return {
    key,
    revision: entry.revision,
    value: entry.operation === "PUT" ? entry.string() : null,
    at: entry.created.getTime(),
  };
}

/** Whether the servers refused an edit since it was not made from the latest revision. */
export function isWrongRevision(error: unknown): boolean {
  return error instanceof Error && "code" in error && WRONG_REVISION.has(Number(error.code));
}

function unreachable(cause?: unknown): Problem {
  if (cause instanceof Problem) return cause;
  const hint = "A rule for one camera of this hub can be changed at any time.";
  return new Problem(
    "estate_unreachable",
    "This hub is cut off from its estate: a rule for all gates cannot be changed here now.",
    {
      hint,
      cause,
      headers: { "Retry-After": "15" },
    },
  );
}
