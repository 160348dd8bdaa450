import { isInWindow } from "../kernel/local-time.ts";

/** What a list entry does with a plate. */
export type RuleKind = "allow" | "deny" | "watch";

/**
 * A time of the week at which a rule holds, by the household's wall clock: [from, to); with `to` at or before `from` it
 * extends past midnight.
 */
export interface RuleWindow {
  /** ISO weekdays, 1 = Monday … 7 = Sunday, of the day on which the window opens. */
  readonly days: readonly number[];
  /** `HH:MM`. */
  readonly from: string;
  readonly to: string;
}

/** Characters that the label of a rule may have. */
export const LONGEST_LABEL = 80;
/** Most windows of one rule. */
export const MOST_WINDOWS = 14;

/** A moment at the household. */
export interface LocalMoment {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly timeZone: string;
}

/** What is decided about a read. */
export type Decision = RuleKind | "unknown";

/**
 * What an allowed plate earns at the gate, the least strict first. `open`: the gate opens. `confirm`: it opens after
 * somebody has confirmed, by a phone, a PIN, a tag or a button. `ask`: only a person decides, who sees the picture.
 * `note`: the read is noted, and the gate stays shut.
 */
export const EARNINGS = ["open", "confirm", "ask", "note"] as const;
/** See {@link EARNINGS}. */
export type Earns = (typeof EARNINGS)[number];

/** A plate rule, as far as it decides. */
export interface DecidingRule {
  readonly id: number;
  readonly kind: RuleKind;
  readonly deviceId: string | null;
  readonly validFrom: number | null;
  readonly validTo: number | null;
  /** Empty: at all times. */
  readonly windows: readonly RuleWindow[];
  readonly enabled: boolean;
  /** Of an allow rule: what the plate earns; null: what the defaults say. */
  readonly earns: Earns | null;
}

/** A decision with the rule that made it, and every watch rule in force (they always notify). */
export interface Verdict<Rule extends DecidingRule> {
  readonly decision: Decision;
  readonly rule: Rule | null;
  readonly watching: readonly Rule[];
}

const ORDER: readonly RuleKind[] = ["deny", "allow", "watch"];

/**
 * Decides a plate by its rules: those enabled, in force at that moment (from inclusive, to exclusive, and in one of
 * their windows if they have any) and for this camera or all. Any deny wins, then any allow, then any watch. Of several
 * rules of the winning kind the one for this camera decides, then the older.
 */
export function decide<Rule extends DecidingRule>(
  rules: readonly Rule[],
  deviceId: string,
  moment: LocalMoment,
): Verdict<Rule> {
  const standing = rules
    .filter((rule) => isInForce(rule, moment) && isFor(rule, deviceId))
    .sort((a, b) => Number(a.deviceId === null) - Number(b.deviceId === null) || a.id - b.id);
  const watching = standing.filter((rule) => rule.kind === "watch");
  for (const kind of ORDER) {
    const rule = standing.find((candidate) => candidate.kind === kind);
    if (rule !== undefined) return { decision: kind, rule, watching };
  }
  return { decision: "unknown", rule: null, watching };
}

/** Whether a rule holds at a moment, for whichever camera. */
export function isInForce(
  { enabled, validFrom, validTo, windows }: DecidingRule,
  { at, timeZone }: LocalMoment,
): boolean {
  if (!enabled || (validFrom !== null && at < validFrom) || (validTo !== null && at >= validTo)) return false;
  return windows.length === 0 || windows.some((window) => isInWindow(window, timeZone, at));
}

/** Whether `parts` hold at no time at which `wholes` do not, as far as single windows tell. */
export function areWithin(parts: readonly RuleWindow[], wholes: readonly RuleWindow[]): boolean {
  return parts.every((part) => wholes.some((whole) => lies(part, whole)));
}

function lies(part: RuleWindow, whole: RuleWindow): boolean {
  if (!part.days.every((day) => whole.days.includes(day))) return false;
  if (part.from === whole.from && part.to === whole.to) return true;
  return part.from < part.to && whole.from < whole.to && part.from >= whole.from && part.to <= whole.to;
}

function isFor(rule: DecidingRule, deviceId: string): boolean {
  return rule.deviceId === null || rule.deviceId === deviceId;
}

/** Whether an allow rule names the plate at this camera, even outside its times. */
export function isListed(rules: readonly DecidingRule[], deviceId: string): boolean {
  return rules.some((rule) => rule.kind === "allow" && rule.enabled && isFor(rule, deviceId));
}

/** The list a plate is on now, across all cameras: deny before allow before watch; null when it is on none in force. */
export function listOf<Rule extends DecidingRule>(rules: readonly Rule[], moment: LocalMoment): Rule | null {
  const standing = rules
    .filter((rule) => isInForce(rule, moment))
    .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || a.id - b.id);
  return standing[0] ?? null;
}
