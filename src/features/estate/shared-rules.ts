import { Problem } from "../../core/kernel/problem.ts";
import { type Master, outranks } from "../../core/plates/masters.ts";
import type { PlateRuleRow, RuleDraft } from "../gate/tables/plate-rule.ts";
import { type Edit, type Entry, editOf, isLater, isSameEdit, isSameRule, ruleOf } from "./edits.ts";
import type { Entries, SitePart } from "./entries.ts";
import type { EstateBase } from "./ports.ts";
import type { Session } from "./session.ts";

/** The outcome of an edit: it is made, or a later independent one stands. */
type Outcome = { readonly made: Entry } | { readonly standing: Entry };

/** A rule of this hub on its way to the bucket. */
interface Offer {
  readonly id: number;
  /** Null: it was deleted. */
  readonly rule: PlateRuleRow | null;
  /** Whether this hub changed it, rather than the servers having lost it. */
  readonly isOwn: boolean;
}

const OFFER_MS = 10_000;
const MOST_AT_ONCE = 50;
const RETRY = { "Retry-After": "15" };
/** How often an edit is tried over what the current leader has. */
const MOST_TRIES = 3;

/**
 * Rules for all gates, edited together: this hub offers its changes to the bucket, which takes them or reports that
 * another edit came first.
 */
export class SharedRules {
  readonly #base: EstateBase;
  readonly #entries: Entries;
  #session: Session | null = null;
  #offering: Promise<void> | null = null;
  #refusal: string | null = null;

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
    this.#refusal = null;
  }

  get isReached(): boolean {
    return this.#session !== null && !this.#session.isOver() && this.#refusal === null;
  }

  /** Why the servers refuse this hub's offers, in their words; null while they accept them. */
  get refusal(): string | null {
    return this.#refusal;
  }

  /** @throws Problem estate_unreachable; plate_already_listed (with `ruleId`) */
  async create(draft: RuleDraft, by: Master): Promise<number> {
    const key = this.#entries.keyOf(draft.plate);
    const outcome = await this.#set(key, this.#entries.edit(key, this.#entries.valueOf(draft), by));
    if ("made" in outcome) return (await this.#apply(outcome.made)) ?? 0;
    const ruleId = await this.#apply(outcome.standing);
    throw new Problem("plate_already_listed", `${draft.formatted} was put on a list at another gate just now.`, {
      fields: ruleId === null ? {} : { ruleId },
    });
  }

  /**
   * Returns false for a rule that the estate does not know yet: this hub may change it.
   * @throws Problem estate_unreachable, conflict
   */
  async update(rule: PlateRuleRow, by: Master): Promise<boolean> {
    const entry = this.#entries.table.entryOfRule(rule.id);
    if (entry === null) return false;
    await this.#make(entry.key, this.#entries.valueOf(rule), by);
    return true;
  }

  /** Like {@link update}. */
  async remove(ruleId: number, by: Master): Promise<boolean> {
    const entry = this.#entries.table.entryOfRule(ruleId);
    if (entry === null) return false;
    await this.#make(entry.key, null, by);
    return true;
  }

  /** Names a part of the site, and how many vehicles fit in. @throws Problem estate_unreachable, conflict */
  async setPart({ part, name, capacity }: SitePart): Promise<void> {
    await this.#make(this.#entries.partKey(part), { name, capacity }, "owner");
  }

  /** Offers repeatedly: servers without a quorum refuse for a while, and the connection lives on. */
  async keepOffering(session: Session): Promise<void> {
    while (!session.isOver()) {
      await session.pause(OFFER_MS);
      await this.offer();
    }
  }

  /**
   * Offers this hub's own changes: a pass's rule, one that ended with its issuer, a set-up document, rules from before it
   * joined. If another hub was faster, its edit stands. Edits that the servers refuse now are offered later.
   */
  offer(): Promise<void> {
    this.#offering ??= this.#offerAll()
      .then(() => {
        this.#refusal = null;
      })
      .catch((error: unknown) => {
        const isRefused = error instanceof Problem && error.code === "estate_unreachable" && this.#session !== null;
        this.#refusal = isRefused ? reasonOf(error) : null;
        this.#base.logger.debug({ err: error }, "rules are offered to the estate later");
      })
      .finally(() => {
        this.#offering = null;
      });
    return this.#offering;
  }

  async #offerAll(): Promise<void> {
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
    if (entry !== null && entry.key !== key) {
      // only its guest gives a rule another plate, and only its master removes one
      const master = rule === null ? editOf(entry.value, false, null).master : "guest";
      const gone = this.#entries.edit(entry.key, null, master);
      isToRepeat = await this.#offerEdit(entry.key, gone, { id, rule, isOwn: true });
    }
    if (rule !== null && key !== null) {
      const known = entry?.key === key ? entry : null;
      const isKnown = known !== null && this.#isHeld(known.value, rule);
      // an unchanged entry is offered as it is: to servers that have lost it
      const edit = isKnown
        ? editOf(known.value, false, null)
        : this.#entries.edit(key, this.#entries.valueOf(rule), rule.master);
      if (!isKnown || known.revision === 0)
        isToRepeat = await this.#offerEdit(key, edit, { id, rule, isOwn: !isKnown });
    }
    if (isToRepeat) return;
    await this.#base.database.write(() => {
      const now = this.#offerable(id);
      const isStill = now === null || rule === null ? now === rule : this.#isSame(now, rule);
      // an entry changed meanwhile is offered again; one replaced by another gate's rule is not
      const held = table.entryOfRule(id)?.value;
      if (isStill || (now !== null && held !== undefined && this.#isHeld(held, now))) table.unnote(2, id);
    });
  }

  /** The rule, if it is one for all cameras. */
  #offerable(id: number): PlateRuleRow | null {
    const siteId = this.#base.siteId();
    const rule = siteId === null ? null : this.#entries.rules.find(siteId, id);
    return rule === null || rule.deviceId !== null ? null : rule;
  }

  #isSame(one: PlateRuleRow, other: PlateRuleRow): boolean {
    return JSON.stringify(this.#entries.valueOf(one)) === JSON.stringify(this.#entries.valueOf(other));
  }

  #isHeld(held: string, rule: PlateRuleRow): boolean {
    return isSameRule(held, JSON.stringify(this.#entries.valueOf(rule)));
  }

  async #offerEdit(key: string, edit: Edit, offer: Offer): Promise<boolean> {
    const { offered } = this.#entries;
    if (!edit.isGone) offered.set(key, offer.id);
    try {
      const outcome = await this.#set(key, edit);
      return await this.#base.database.write(() => this.#offeredEdit(outcome, offer));
    } finally {
      if (!edit.isGone) offered.delete(key);
    }
  }

  /** Inside a job. Returns whether the bucket has to be asked again. */
  #offeredEdit(outcome: Outcome, { id, rule, isOwn }: Offer): boolean {
    const { table } = this.#entries;
    if ("made" in outcome) {
      // The rule exists already; one that was given another plate lives on under its new key.
      const { key, revision, text, isGone } = outcome.made;
      if (isGone) table.removeEntry(key, text);
      else if (!isLater(this.#entries.held(key) ?? outcome.made, outcome.made))
        table.putEntry({ key, revision, value: text, ruleId: id });
      return false;
    }
    const { standing } = outcome;
    const isSame = !standing.isGone && rule !== null && this.#isHeld(standing.text, rule);
    this.#entries.apply(standing);
    if (!standing.isGone && this.#offerable(id)?.enabled === 0 && ruleOf(standing.text)?.enabled === true) return true;
    if (standing.isGone && rule !== null && this.#offerable(id) !== null && table.entryOfRule(id) === null) return true;
    if (!isSame && isOwn && rule !== null) this.#entries.activity.dropped(rule);
    return false;
  }

  /** A person's edit; `value` null: a deletion. @throws Problem estate_unreachable, conflict */
  async #make(key: string, value: object | null, by: Master): Promise<void> {
    const outcome = await this.#set(key, this.#entries.edit(key, value, by));
    await this.#apply("made" in outcome ? outcome.made : outcome.standing);
    if ("made" in outcome) return;
    throw new Problem("conflict", { code: "conflict.ruleElsewhere" });
  }

  #apply(entry: Entry): Promise<number | null> {
    return this.#base.database.write(() => this.#entries.apply(entry));
  }

  /**
   * Puts an edit into the bucket, unless it holds a later one than this hub's. Servers may number the same entry
   * differently, or have lost it: then the edit replaces theirs. It also replaces an entry that is not a rule, a
   * deletion's mark if the key starts over, and a lesser master's edit made meanwhile.
   */
  async #set(key: string, edit: Edit): Promise<Outcome> {
    const { bucket } = this.#entries;
    const session = this.#session;
    if (session === null || session.isOver()) throw unreachable();
    // as it was edited: another gate's edit may arrive meanwhile
    const from = this.#entries.held(key);
    let revision = this.#entries.table.entry(key)?.revision ?? 0;
    try {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        const taken = await bucket.put(session, key, edit, revision);
        if (taken !== null) return { made: { key, revision: taken, ...edit } };
        const latest = await bucket.latest(session, key);
        if (latest === null) {
          revision = 0;
          continue;
        }
        const { entry, takenAt } = latest;
        if (isSameEdit(edit, entry) || (entry.isGone && edit.isGone)) return { made: entry };
        if (this.#entries.isValid(entry, takenAt) && isLater(entry, from)) {
          const isNewKey = entry.isGone && from?.isGone !== false;
          if (!isNewKey && !outranks(edit.master, entry.master)) return { standing: entry };
          edit = this.#entries.edit(key, edit.isGone ? null : JSON.parse(edit.text), edit.master, entry);
        }
        revision = entry.revision;
      }
    } catch (error) {
      throw session.isOver() ? unreachable(error) : notTaken(error);
    }
    throw unreachable();
  }
}

/** The servers were reached and refuse: they have no room, or no majority. */
function notTaken(cause: unknown): Problem {
  const words = { code: "refusal.estate.notTaken", reason: reasonOf(cause) } as const;
  return new Problem("estate_unreachable", words, { cause, headers: RETRY });
}

function reasonOf(error: unknown): string {
  if (error instanceof Problem && error.cause !== undefined) return reasonOf(error.cause);
  return error instanceof Error ? error.message : String(error);
}

function unreachable(cause?: unknown): Problem {
  const hint = "A rule for one camera of this hub can be changed at any time.";
  return new Problem(
    "estate_unreachable",
    "This hub is cut off from its estate: a rule for all gates cannot be changed here now.",
    { hint, cause, headers: RETRY },
  );
}
