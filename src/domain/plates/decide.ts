/** What a list entry does with a plate. */
export type RuleKind = "allow" | "deny" | "watch";

/** What is decided of a read. */
export type Decision = RuleKind | "unknown";

/** A plate rule, as far as it decides. */
export interface DecidingRule {
  readonly id: number;
  readonly kind: RuleKind;
  readonly deviceId: string | null;
  readonly validFrom: number | null;
  readonly validTo: number | null;
  readonly enabled: boolean;
}

/** A decision with the rule that made it, and every watch rule in force (they always notify). */
export interface Verdict<Rule extends DecidingRule> {
  readonly decision: Decision;
  readonly rule: Rule | null;
  readonly watching: readonly Rule[];
}

const ORDER: readonly RuleKind[] = ["deny", "allow", "watch"];

/**
 * Decides a plate by its rules: those enabled, in force at `at` (from inclusive, to exclusive) and for this camera or all.
 * Any deny wins, then any allow, then any watch. Of several rules of the winning kind the one for this camera decides, then the older.
 */
export function decide<Rule extends DecidingRule>(rules: readonly Rule[], deviceId: string, at: number): Verdict<Rule> {
  const standing = rules
    .filter((rule) => isInForce(rule, at) && (rule.deviceId === null || rule.deviceId === deviceId))
    .sort((a, b) => Number(a.deviceId === null) - Number(b.deviceId === null) || a.id - b.id);
  const watching = standing.filter((rule) => rule.kind === "watch");
  for (const kind of ORDER) {
    const rule = standing.find((candidate) => candidate.kind === kind);
    if (rule !== undefined) return { decision: kind, rule, watching };
  }
  return { decision: "unknown", rule: null, watching };
}

/** Whether a rule holds at a moment, for whichever camera. */
function isInForce(rule: DecidingRule, at: number): boolean {
  return rule.enabled && (rule.validFrom === null || rule.validFrom <= at) && (rule.validTo === null || at < rule.validTo);
}

/** The list a plate is on now, across all cameras: deny before allow before watch; null when it is on none in force. */
export function listOf<Rule extends DecidingRule>(rules: readonly Rule[], at: number): Rule | null {
  const standing = rules.filter((rule) => isInForce(rule, at)).sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || a.id - b.id);
  return standing[0] ?? null;
}
