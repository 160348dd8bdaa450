import type { JsMsg } from "@nats-io/jetstream";
import { LONGEST_LABEL, type RuleWindow } from "../../core/plates/decide.ts";
import { type Master, mayMake, outranks } from "../../core/plates/masters.ts";
import { storedJson } from "../../core/storage/stored-json.ts";
import { type PlateRuleRow, PlateRuleTable, type RuleDraft } from "../gate/tables/plate-rule.ts";
import { RuleBucket, takenAt } from "./bucket.ts";
import { isEstateName } from "./config.ts";
import {
  type Edit,
  type Entry,
  editOf,
  hubOf,
  isBan,
  isFromNow,
  isLater,
  isSameEdit,
  isSameRule,
  isUnaware,
  newEdit,
  ruleOf,
} from "./edits.ts";
import type { Follower } from "./follow.ts";
import type { EstateBase } from "./ports.ts";
import { RuleActivity } from "./rule-activity.ts";
import { EstateTable } from "./tables/estate.ts";
import { isCount, isText, objectOf } from "./wire.ts";

/** A part of the site. */
export interface SitePart {
  readonly part: string;
  readonly name: string;
  readonly capacity: number | null;
}

/** Replaces windows that cannot be read: such a rule must never hold, rather than always. */
const NEVER: readonly RuleWindow[] = [{ days: [8], from: "00:00", to: "00:01" }];
const RULE = "rule.";
const PART = "part.";
const CREATED = "rules.createdAt";
const MOST_AT_ONCE = 100;

/**
 * This hub's copy of the shared entries. The gate decides from the plate rules in its own tables; this class keeps them
 * in line with the latest edits, made here or received from the stream. The servers' revisions only determine what an
 * edit must be based on, since servers may number differently.
 */
export class Entries implements Follower {
  readonly stream: string;
  readonly hub: string;
  readonly bucket: RuleBucket;
  readonly table: EstateTable;
  readonly rules: PlateRuleTable;
  readonly activity: RuleActivity;
  /** This hub's rules on their way to the bucket, by key: the edit that comes back is this rule. */
  readonly offered = new Map<string, number>();
  readonly #base: EstateBase;
  readonly #ready: () => void;
  /** Whether the current changes come from the estate and not from this hub. */
  #isApplying = false;
  /** Until everything that the stream held at the beginning is taken. */
  #isBeginning = false;

  constructor(
    base: EstateBase,
    ports: { readonly ready: () => void; readonly deviceName: (deviceId: string) => string },
  ) {
    this.#base = base;
    this.#ready = ports.ready;
    this.table = new EstateTable(base.database);
    this.rules = new PlateRuleTable(base);
    this.activity = new RuleActivity(base, ports.deviceName);
    this.bucket = new RuleBucket(base.config.estate);
    this.stream = this.bucket.stream;
    this.hub = base.config.hub;
  }

  get isApplying(): boolean {
    return this.#isApplying;
  }

  /** The key of a plate's rule. */
  keyOf(plate: string): string {
    return `${RULE}${this.#base.tokenOf(plate)}`;
  }

  from(): null {
    return null;
  }

  batchSize(): number {
    return MOST_AT_ONCE;
  }

  async begun({ createdAt }: { readonly createdAt: string }): Promise<void> {
    this.#isBeginning = true;
    await this.#base.database.write(() => {
      if (this.table.state(CREATED) !== createdAt) this.#offerAll(createdAt);
      this.table.noteEnded();
    });
  }

  async take(messages: readonly JsMsg[]): Promise<void> {
    await this.#base.database.write(() => {
      for (const message of messages) {
        const entry = this.bucket.entryOf(message);
        if (this.isValid(entry, takenAt(message))) this.apply(entry);
        else this.#base.logger.warn({ key: entry.key, revision: entry.revision }, "an entry of the estate was skipped");
      }
    });
  }

  async caughtUp(): Promise<void> {
    // a deletion leaves a mark in the bucket: an entry that is missing was lost by a server, and stays
    if (this.#isBeginning) await this.#base.database.write(() => this.#noteUnshared());
    this.#isBeginning = false;
    this.#ready();
  }

  /** What this hub has for a key, including a deletion; null: unknown. */
  held(key: string): Edit | null {
    const entry = this.table.entry(key);
    if (entry !== null) return editOf(entry.value, false, null);
    const mark = this.table.goneEntry(key);
    return mark === null ? null : editOf(mark, true, null);
  }

  /** An edit made at this hub now, based on this hub's entry or on `from`. `value` null: a deletion. */
  edit(key: string, value: object | null, master: Master, from: Edit | null = this.held(key)): Edit {
    const now = this.#base.clock.now() - this.#base.clockOffMs();
    return newEdit(value, { from, now, by: this.hub, master });
  }

  /**
   * Takes an edit over, unless a later one stands. Called inside a job. Returns the id of the rule here; null: none.
   */
  apply(entry: Entry): number | null {
    const standing = this.table.entry(entry.key);
    const held = this.held(entry.key);
    if (held !== null && !isLater(entry, held)) {
      if (standing !== null && isSameEdit(entry, held) && standing.revision !== entry.revision)
        this.table.putEntry({ ...standing, revision: entry.revision });
      return standing?.ruleId ?? null;
    }
    this.#isApplying = true;
    try {
      const ruleId = this.#take(entry, standing?.ruleId ?? this.offered.get(entry.key) ?? null, held);
      if (held !== null && isUnaware(entry, held)) this.tellSettled(held, entry);
      return ruleId;
    } finally {
      this.#isApplying = false;
    }
  }

  /** Reports that one of two independent edits stands. Called inside a job. */
  tellSettled(undone: Edit, standing: Edit): void {
    const siteId = this.#base.siteId();
    if (siteId !== null && ![undone, standing].some((edit) => this.isForgotten(edit)))
      this.activity.settled(siteId, undone, standing);
  }

  /** Whether an edit is a rule from before its plate was forgotten. */
  isForgotten({ text, isGone }: Edit): boolean {
    const rule = isGone ? null : ruleOf(text);
    const order = rule === null ? null : this.table.forgotten(this.#base.tokenOf(rule.plate));
    return rule !== null && order !== null && rule.createdAt <= order.at;
  }

  /** Whether hubs accept such an edit, which the servers took at `at`. */
  isValid(entry: Entry, at: number): boolean {
    if (!isFromNow(entry, at)) return false;
    if (entry.isGone || entry.key.startsWith(PART)) return true;
    const rule = ruleOf(entry.text);
    return rule !== null && this.keyOf(rule.plate) === entry.key && mayMake(entry, rule.kind);
  }

  /** The value for the bucket of a rule. */
  valueOf({
    plate,
    formatted,
    kind,
    label,
    validFrom,
    validTo,
    windows,
    enabled,
    createdAt,
    earns,
  }: RuleDraft): object {
    return {
      plate,
      formatted,
      kind,
      label,
      validFrom,
      validTo,
      windows: windows === null ? null : storedJson<readonly RuleWindow[]>(windows, NEVER),
      enabled: enabled === 1,
      createdAt,
      ...(earns === null ? {} : { earns }), // hubs that do not know it yet compare rules by their text
    };
  }

  /** The described parts of the site. */
  parts(): SitePart[] {
    return this.table.entries(PART).flatMap(({ key, value }) => {
      const part = objectOf(new TextEncoder().encode(value));
      const id = key.slice(PART.length);
      if (part === null || !isEstateName(id) || !isText(part.name, LONGEST_LABEL)) return [];
      return [{ part: id, name: part.name, capacity: isCount(part.capacity) ? part.capacity : null }];
    });
  }

  /** The key of a part. */
  partKey(part: string): string {
    return `${PART}${part}`;
  }

  /** The bucket was recreated: it is offered this hub's entries, and none of them is deleted. */
  #offerAll(createdAt: string): void {
    this.table.setState(CREATED, createdAt);
    this.table.forgetRevisions();
    for (const { ruleId } of this.table.entries(RULE)) if (ruleId !== null) this.table.note(2, ruleId);
  }

  #noteUnshared(): void {
    const siteId = this.#base.siteId();
    if (siteId !== null) for (const id of this.table.rulesNotShared(siteId)) this.table.note(2, id);
  }

  #take(entry: Entry, known: number | null, held: Edit | null): number | null {
    if (entry.isGone) {
      this.#remove(entry, known);
      return null;
    }
    const ruleId = entry.key.startsWith(RULE) ? this.#takeRule(entry, known, held) : null;
    if (ruleId === null && !entry.key.startsWith(PART)) return null;
    // a rule of another key here, which a guest gave this plate just now: it is offered under this one
    const isOthers = ruleId !== null && (this.table.entryOfRule(ruleId)?.key ?? entry.key) !== entry.key;
    const { key, revision, text: value } = entry;
    this.table.putEntry({ key, revision, value, ruleId: isOthers ? null : ruleId });
    return ruleId;
  }

  #remove(entry: Entry, ruleId: number | null): void {
    const siteId = this.#base.siteId();
    const rule = ruleId === null || siteId === null ? null : this.rules.find(siteId, ruleId);
    // a rule that was given another plate here lives on under its new key
    if (rule !== null && this.keyOf(rule.plate) === entry.key && !this.#keeps(rule, entry))
      this.rules.remove(rule, { master: entry.master, passId: null });
    this.table.removeEntry(entry.key, entry.text);
  }

  /**
   * Whether a rule of this hub stays what it is, and is offered: the edit is of a lesser master than its own, who did
   * not know of it.
   */
  #keeps(rule: PlateRuleRow, { master }: Entry): boolean {
    const isKept =
      !this.rules.mayChange(rule, { master, passId: null }) ||
      (outranks(rule.master, master) && this.table.isNoted(2, rule.id));
    if (isKept) this.table.note(2, rule.id);
    return isKept;
  }

  /**
   * Whether a rule was switched off here, by a person or as its issuer fell, and the estate has yet to take that: of
   * what other hubs edited meanwhile, all but that stands. A gate that stays shut wrongly is complained about.
   */
  #isSwitchedOff(rule: PlateRuleRow, held: Edit | null): boolean {
    const was = held === null || held.isGone ? null : ruleOf(held.text);
    return rule.enabled === 0 && was?.enabled === true && was.plate === rule.plate && this.table.isNoted(2, rule.id);
  }

  #takeRule(entry: Entry, ruleId: number | null, held: Edit | null): number | null {
    const siteId = this.#base.siteId();
    const rule = ruleOf(entry.text);
    if (siteId === null || rule === null) return null;
    const isOwn = hubOf(entry) === this.hub;
    const known = ruleId === null ? null : this.rules.find(siteId, ruleId);
    // it was given another plate here meanwhile, which has not reached the bucket yet; another hub's entry for this
    // plate is a separate rule
    if (known !== null && known.plate !== rule.plate && isOwn) return known.id;
    const standing = this.rules.standing(siteId, rule.plate, null);
    const row = {
      siteId,
      plate: rule.plate,
      formatted: rule.formatted,
      kind: rule.kind,
      label: rule.label,
      deviceId: null,
      validFrom: rule.validFrom,
      validTo: rule.validTo,
      windows: rule.windows === null ? null : JSON.stringify(rule.windows),
      enabled: rule.enabled ? 1 : 0,
      createdAt: rule.createdAt,
      earns: rule.earns,
    } as const;
    const author = { master: entry.master, passId: null };
    if (standing === null) {
      if (isBan(row)) this.activity.lateBan(siteId, row, entry.at);
      return this.rules.insert(row, author);
    }
    if (isOwn && isSameRule(entry.text, JSON.stringify(this.valueOf(standing)))) return standing.id;
    if (this.#keeps(standing, entry)) return standing.id;
    if (isBan(row) && !isBan(standing)) this.activity.lateBan(siteId, row, entry.at);
    const isOff = row.kind === "allow" && this.#isSwitchedOff(standing, held);
    this.rules.update({ ...standing, ...row, ...(isOff ? { enabled: 0 } : {}) }, author);
    const other = this.table.entryOfRule(standing.id);
    if (other === null || other.key === entry.key) return standing.id;
    // a guest had just given it this plate: the deletion of its former key is yet to be offered, under its id
    this.rules.remove({ ...standing, ...row, master: entry.master }, author);
    this.table.note(2, standing.id);
    return this.rules.insert(row, author);
  }
}
