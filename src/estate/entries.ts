import type { JsMsg } from "@nats-io/jetstream";
import type { MsgHdrs } from "@nats-io/transport-node";
import type { RuleKind, RuleWindow } from "../domain/plates/decide.js";
import { storedJson } from "../storage/stored-json.js";
import { EstateTable } from "../storage/tables/estate.js";
import { PlateReadTable } from "../storage/tables/plate-read.js";
import { type PlateRuleRow, PlateRuleTable } from "../storage/tables/plate-rule.js";
import { isEstateName } from "./config.js";
import type { Follower } from "./follow.js";
import { estateNames, streamOfBucket } from "./names.js";
import type { EstateBase } from "./ports.js";
import { serverTime } from "./read-intake.js";
import { isCount, isText, objectOf } from "./wire.js";

/** A rule for all gates as the bucket holds it. */
interface SharedRule {
  readonly plate: string;
  readonly formatted: string;
  readonly kind: RuleKind;
  readonly label: string;
  readonly validFrom: number | null;
  readonly validTo: number | null;
  readonly windows: readonly RuleWindow[] | null;
  readonly enabled: boolean;
  readonly createdAt: number;
}

/** An entry of the bucket at one revision; `value` null: it is gone. */
export interface Entry {
  readonly key: string;
  readonly revision: number;
  readonly value: string | null;
  /** When it was edited: when the servers took it, unless it was written anew since. */
  readonly at: number;
}

/** A part of the site. */
export interface SitePart {
  readonly part: string;
  readonly name: string;
  readonly capacity: number | null;
}

/** In place of windows that cannot be read: such a rule must hold never, not always. */
const NEVER: readonly RuleWindow[] = [{ days: [8], from: "00:00", to: "00:01" }];
/** Header of an entry that was written anew: when it was edited, epoch milliseconds. */
export const EDITED = "Gatehouse-Edited";
const RULE = "rule.";
const PART = "part.";
const CREATED = "rules.createdAt";
const LONGEST_LABEL = 80;
const LONGEST_WINDOWS = 4_000;
const MOST_GONE = 5_000;
const MOST_TIMES = 20_000;
const MOST_AT_ONCE = 100;
/** A ban that this hub hears of within this time came as fast as the network goes. */
const LATE_MS = 2_000;
/** Reads in between that Activity tells of. */
const MOST_TOLD = 5;
/** A pass that began before the ban may have gone on after it. */
const LONGEST_PASS_MS = 3_600_000;

/**
 * This hub's copy of what is edited together. The gate decides from the plate rules in its own tables; this part keeps
 * them as the bucket has them, in the order of revisions, whichever way an entry comes: by its own edit or from the
 * stream.
 */
export class Entries implements Follower {
  readonly stream: string;
  readonly hub: string;
  readonly table: EstateTable;
  readonly rules: PlateRuleTable;
  /** Rules of this hub that are on their way to the bucket, by key: what comes back from there is this rule. */
  readonly offered = new Map<string, number>();
  readonly #base: EstateBase;
  readonly #reads: PlateReadTable;
  readonly #ready: () => void;
  readonly #deviceName: (deviceId: string) => string;
  /** Whether the changes of this moment came from the estate; then they are not this hub's own. */
  #isApplying = false;
  /** What is gone and when, so that an older entry does not bring it back. */
  readonly #gone = new Map<string, number>();
  /** When what stands here was edited, by the servers' clock; also of what is gone. */
  readonly #times = new Map<string, number>();
  /** Until everything that there was is taken. */
  #isBeginning = false;
  #isNew = false;

  constructor(
    base: EstateBase,
    ports: { readonly ready: () => void; readonly deviceName: (deviceId: string) => string },
  ) {
    this.#base = base;
    this.#ready = ports.ready;
    this.#deviceName = ports.deviceName;
    this.table = new EstateTable(base.database);
    this.rules = new PlateRuleTable(base.database);
    this.#reads = new PlateReadTable(base.database);
    this.stream = streamOfBucket(estateNames(base.config.estate).rules);
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
    const known = this.table.state(CREATED);
    this.#isNew = known !== createdAt;
    if (this.#isNew) await this.#base.database.write(() => this.#forgetRevisions(createdAt));
  }

  async take(messages: readonly JsMsg[]): Promise<void> {
    const bucket = estateNames(this.#base.config.estate).rules;
    const entries = messages.map((message): Entry => {
      const key = message.subject.slice(`$KV.${bucket}.`.length);
      const isGone = message.headers?.has("KV-Operation") ?? false;
      return {
        key,
        revision: message.info.streamSequence,
        value: isGone ? null : message.string(),
        at: editedAt(message.headers, serverTime(message)),
      };
    });
    await this.#base.database.write(() => {
      for (const entry of entries) this.apply(entry);
    });
  }

  async caughtUp(): Promise<void> {
    // what is deleted leaves a mark in the bucket: an entry that is not there was lost by a server, and stays
    if (this.#isBeginning) await this.#base.database.write(() => this.#noteUnshared());
    this.#isBeginning = false;
    this.#ready();
  }

  /**
   * Takes an entry over, unless a later one is there; `isSettled`: whatever is there. Called inside a job. Answers the
   * rule's id here; null for what is none.
   */
  apply(entry: Entry, isSettled = false): number | null {
    const standing = this.table.entry(entry.key);
    const latest = standing?.revision ?? this.#gone.get(entry.key) ?? 0;
    if (latest < entry.revision || isSettled || (standing?.value ?? null) === entry.value) this.#noteTime(entry);
    if (latest >= entry.revision && !isSettled) return standing?.ruleId ?? null;
    this.#isApplying = true;
    try {
      if (entry.value === null) {
        this.#remove(entry, standing?.ruleId ?? null);
        return null;
      }
      const known = standing?.ruleId ?? this.offered.get(entry.key) ?? null;
      const ruleId = entry.key.startsWith(RULE) ? this.#applyRule(entry, known) : null;
      if (ruleId === null && !entry.key.startsWith(PART)) return null;
      this.table.putEntry({ key: entry.key, revision: entry.revision, value: entry.value, ruleId });
      return ruleId;
    } finally {
      this.#isApplying = false;
    }
  }

  /** When what stands here for a key was edited, or deleted; null: not known. */
  timeOf(key: string): number | null {
    return this.#times.get(key) ?? null;
  }

  /** Whether hubs take such a value for a key; null: that it is gone. */
  isValid(key: string, value: string | null): boolean {
    if (value === null || !key.startsWith(RULE)) return true;
    const rule = ruleOf(value);
    return rule !== null && this.keyOf(rule.plate) === key;
  }

  /** A rule as the bucket is to hold it. */
  encode({
    plate,
    formatted,
    kind,
    label,
    validFrom,
    validTo,
    windows,
    enabled,
    createdAt,
  }: Omit<PlateRuleRow, "id" | "hits">): string {
    const rule: SharedRule = {
      plate,
      formatted,
      kind,
      label,
      validFrom,
      validTo,
      windows: windows === null ? null : storedJson<readonly RuleWindow[]>(windows, NEVER),
      enabled: enabled === 1,
      createdAt,
    };
    return JSON.stringify({ ...rule, by: this.hub });
  }

  /** Parts of the site that somebody has described. */
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

  /** The bucket was made anew: what this hub has is offered again, and nothing of it goes. */
  #forgetRevisions(createdAt: string): void {
    this.table.setState(CREATED, createdAt);
    for (const { key } of this.table.entries("")) this.table.removeEntry(key);
    this.#gone.clear();
    this.#times.clear();
  }

  #noteTime({ key, at }: Entry): void {
    if (this.#times.size >= MOST_TIMES && !this.#times.has(key)) this.#times.clear();
    this.#times.set(key, at);
  }

  #noteUnshared(): void {
    const siteId = this.#base.siteId();
    if (siteId !== null) for (const id of this.table.rulesNotShared(siteId)) this.table.note(2, id);
  }

  #remove(entry: Entry, ruleId: number | null): void {
    if (this.#gone.size >= MOST_GONE) this.#gone.clear();
    this.#gone.set(entry.key, entry.revision);
    const siteId = this.#base.siteId();
    const rule = ruleId === null || siteId === null ? null : this.rules.find(siteId, ruleId);
    // a rule that has got another plate here lives on under its new key
    if (rule !== null && this.keyOf(rule.plate) === entry.key) this.rules.remove(rule.id);
    this.table.removeEntry(entry.key);
  }

  #applyRule(entry: Entry, ruleId: number | null): number | null {
    const siteId = this.#base.siteId();
    const rule = ruleOf(entry.value ?? "");
    if (siteId === null || rule === null || !this.isValid(entry.key, entry.value)) {
      this.#base.logger.warn(
        { key: entry.key, revision: entry.revision },
        "an entry of the estate is no rule; it is passed over",
      );
      return null;
    }
    const known = ruleId === null ? null : this.rules.find(siteId, ruleId);
    // it has got another plate here meanwhile, which the bucket is yet to hear
    if (known !== null && known.plate !== rule.plate) return known.id;
    const standing = known ?? this.rules.standing(siteId, rule.plate, null);
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
    } as const;
    if (isBan(row) && !isBan(standing)) this.#tellLate(siteId, row, entry.at);
    if (standing === null) return this.rules.insert(row);
    this.rules.update({ ...standing, ...row });
    return standing.id;
  }

  /** Who was let in here between the ban at another gate and now. */
  #tellLate(
    siteId: number,
    { plate, formatted }: { readonly plate: string; readonly formatted: string },
    bannedAt: number,
  ): void {
    const now = this.#base.clock.now();
    if (now - bannedAt < LATE_MS) return;
    const reads = this.#reads.list(siteId, { plate, decision: "allow", since: bannedAt - LONGEST_PASS_MS }, MOST_TOLD);
    for (const read of reads.filter(({ lastAt }) => lastAt >= bannedAt)) {
      const minutes = Math.max(1, Math.round((now - bannedAt) / 60_000));
      const text = {
        code: "estate.late_ban",
        plate: formatted,
        minutes,
        camera: this.#deviceName(read.deviceId),
      } as const;
      this.#base.recordFeed({
        siteId,
        kind: "estate.late_ban",
        deviceId: read.deviceId,
        text,
        plates: [plate],
        aboutVehicles: true,
        at: now,
      });
    }
  }
}

/** Whether a rule keeps its plate out. */
export function isBan(rule: { readonly kind: RuleKind; readonly enabled: boolean | 0 | 1 } | null): boolean {
  return rule !== null && rule.kind === "deny" && Boolean(rule.enabled);
}

/** When an entry was edited that the servers took at `at`: it may have been written anew since. */
export function editedAt(headers: MsgHdrs | undefined, at: number): number {
  const edited = Number(headers?.get(EDITED) || Number.NaN);
  return isCount(edited) ? Math.min(edited, at) : at;
}

/** Rules are the same whoever wrote them, and whenever. */
export function isSameRule(a: string, b: string): boolean {
  const bare = (text: string): string => {
    const { by: _by, createdAt: _createdAt, ...rule } = JSON.parse(text);
    return JSON.stringify(rule);
  };
  return bare(a) === bare(b);
}

/** A rule out of an entry; null where it is none. */
export function ruleOf(text: string): SharedRule | null {
  const value = objectOf(new TextEncoder().encode(text));
  if (value === null) return null;
  const { plate, formatted, kind, label, validFrom, validTo, windows, enabled, createdAt } = value;
  if (!isText(plate, 32) || plate === "" || !isText(formatted, 64) || !isText(label, 2 * LONGEST_LABEL)) return null;
  if (kind !== "allow" && kind !== "deny" && kind !== "watch") return null;
  if (!isTimeOrNull(validFrom) || !isTimeOrNull(validTo) || !isCount(createdAt) || typeof enabled !== "boolean")
    return null;
  if (validFrom !== null && validTo !== null && validFrom >= validTo) return null;
  if (
    windows !== null &&
    (!Array.isArray(windows) || windows.length === 0 || JSON.stringify(windows).length > LONGEST_WINDOWS)
  )
    return null;
  return { plate, formatted, kind, label, validFrom, validTo, windows, enabled, createdAt };
}

function isTimeOrNull(value: unknown): value is number | null {
  return value === null || isCount(value);
}
