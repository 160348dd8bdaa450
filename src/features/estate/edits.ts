/**
 * The entries that hubs edit together, one key at a time, and which of two edits stands. Every hub decides alike, in
 * whatever order it receives them and whatever numbers the servers assign.
 */
import { EARNINGS, type Earns, type RuleKind, type RuleWindow } from "../../core/plates/decide.ts";
import { MASTERS, type Master, outranks } from "../../core/plates/masters.ts";
import { isCount, isText, isTime, objectOf } from "./wire.ts";

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
  readonly earns: Earns | null;
}

/** An edit of a key. */
export interface Edit {
  /** JSON, as the bucket holds it; for a deletion, who deleted it and when. */
  readonly text: string;
  /** Whether the key was deleted. */
  readonly isGone: boolean;
  /** When it was made, by the estate's clock, epoch milliseconds; always later than the edit that it was made from. */
  readonly at: number;
  /** `at` of the edit that it was made from; 0: there was none. */
  readonly over: number;
  /** Who made it. */
  readonly master: Master;
  /**
   * For each master, the least first, `at` of the latest edit from which this one descends, itself included, unless a
   * greater master came after it; 0: none. See {@link isLater}.
   */
  readonly marks: readonly number[];
}

/** An edit of a key, with the servers' number for it; 0: they have none. */
export interface Entry extends Edit {
  readonly key: string;
  readonly revision: number;
}

const LONGEST_LABEL = 80;
const LONGEST_WINDOWS = 4_000;
/** An edit from further in the future is a mistake: until then nothing could replace it. */
const FUTURE_MS = 86_400_000;

/**
 * Whether an edit replaces another one. Masters are compared from the greatest down: the edit that knows the later edit
 * of that master stands. So an edit made from the other always stands, and of two independent ones the greater
 * master's, whenever it was made. Among edits of one master the later one stands. Of two edits made at the same moment
 * a ban stands: a person kept out wrongly complains at the gate, a person let in wrongly does not.
 * @param standing null: none
 */
export function isLater(edit: Edit, standing: Edit | null): boolean {
  if (standing === null) return true;
  for (let nth = MASTERS.length - 1; nth >= 0; nth--) {
    const [own = 0, theirs = 0] = [edit.marks[nth], standing.marks[nth]];
    if (own !== theirs) return own > theirs;
  }
  const isBanned = isBanEdit(edit);
  return isBanned === isBanEdit(standing) ? edit.text > standing.text : isBanned;
}

/** Whether an edit was made without knowing the one that it replaces. */
export function isUnaware(edit: Edit, replaced: Edit): boolean {
  return edit.over < replaced.at;
}

/** Whether both are the same edit. */
export function isSameEdit(one: Edit, other: Edit | null): boolean {
  return one.text === other?.text && one.isGone === other.isGone;
}

/**
 * An edit made now.
 * @param value null: a deletion
 * @param from the edit it is made from; null: none
 * @param now by the estate's clock
 * @param by the hub at which it is made
 */
export function newEdit(
  value: object | null,
  {
    from,
    now,
    by,
    master,
  }: { readonly from: Edit | null; readonly now: number; readonly by: string; readonly master: Master },
): Edit {
  const over = from?.at ?? 0;
  const at = Math.max(Math.floor(now), over + 1);
  const marks = MASTERS.map((one, nth) => {
    if (one === master) return at;
    return outranks(one, master) ? (from?.marks[nth] ?? 0) : 0;
  });
  const text = JSON.stringify({ ...value, by, at, over, master, marks });
  return { text, isGone: value === null, at, over, master, marks };
}

/**
 * An edit as stored or received. One from an earlier version has no time of its own: the servers' time counts, else the
 * time its rule was made. It names no author either: it counts as an owner's.
 */
export function editOf(text: string, isGone: boolean, takenAt: number | null): Edit {
  const value = objectOf(new TextEncoder().encode(text));
  if (value !== null && isCount(value.at) && isCount(value.over)) {
    const { at, over } = value;
    return { text, isGone, at, over, ...authorshipOf(value.master, value.marks, at) };
  }
  const at = takenAt ?? (isCount(value?.createdAt) ? value.createdAt : 0);
  return { text, isGone, at, over: at, ...anOwners(at) };
}

type Authorship = Pick<Edit, "master" | "marks">;

function anOwners(at: number): Authorship {
  return { master: "owner", marks: [0, 0, at] };
}

function authorshipOf(name: unknown, marks: unknown, at: number): Authorship {
  const master = MASTERS.find((one) => one === name);
  if (master === undefined || !Array.isArray(marks) || marks.length !== MASTERS.length) return anOwners(at);
  const isWellFormed = marks.every(
    (mark, nth) => isCount(mark) && (MASTERS[nth] === master ? mark === at : mark <= at),
  );
  return isWellFormed ? { master, marks } : anOwners(at);
}

/** The hub at which an edit was made; null if it does not name one. */
export function hubOf({ text }: Edit): string | null {
  const hub = objectOf(new TextEncoder().encode(text))?.by;
  return typeof hub === "string" ? hub : null;
}

/** Whether an edit that the servers took at `takenAt` can have been made by then. */
export function isFromNow({ at }: Edit, takenAt: number): boolean {
  return at <= takenAt + FUTURE_MS;
}

/** Whether a rule keeps its plate out. */
export function isBan(rule: { readonly kind: RuleKind; readonly enabled: boolean | 0 | 1 } | null): boolean {
  return rule !== null && rule.kind === "deny" && Boolean(rule.enabled);
}

/** Whether two texts are the same rule, regardless of author and time. */
export function isSameRule(a: string, b: string): boolean {
  const bare = (text: string): string => {
    const {
      by: _by,
      at: _at,
      over: _over,
      master: _master,
      marks: _marks,
      createdAt: _createdAt,
      ...rule
    } = JSON.parse(text);
    return JSON.stringify(rule);
  };
  return bare(a) === bare(b);
}

/** The rule in an entry; null if it is not one. */
export function ruleOf(text: string): SharedRule | null {
  const value = objectOf(new TextEncoder().encode(text));
  if (value === null) return null;
  const { plate, formatted, kind, label, validFrom, validTo, windows, enabled, createdAt } = value;
  if (!isText(plate, 32) || plate === "" || !isText(formatted, 64) || !isText(label, 2 * LONGEST_LABEL)) return null;
  if (kind !== "allow" && kind !== "deny" && kind !== "watch") return null;
  if (!isTimeOrNull(validFrom) || !isTimeOrNull(validTo) || !isTime(createdAt) || typeof enabled !== "boolean")
    return null;
  if (validFrom !== null && validTo !== null && validFrom >= validTo) return null;
  if (
    windows !== null &&
    (!Array.isArray(windows) || windows.length === 0 || JSON.stringify(windows).length > LONGEST_WINDOWS)
  )
    return null;
  const earns = value.earns === undefined || value.earns === null ? null : earningsOf(value.earns);
  return { plate, formatted, kind, label, validFrom, validTo, windows, enabled, createdAt, earns };
}

/** A newer hub's word that this one does not know opens nothing here. */
function earningsOf(word: unknown): Earns {
  return EARNINGS.find((earns) => earns === word) ?? "note";
}

function isBanEdit({ text, isGone }: Edit): boolean {
  return !isGone && isBan(ruleOf(text));
}

function isTimeOrNull(value: unknown): value is number | null {
  return value === null || isTime(value);
}
