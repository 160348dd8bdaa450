/**
 * Who has made a plate rule what it is, and who may change it after that. A guest's link is master of the rule of its
 * own pass until anybody else edits it; what others have set, a guest never changes. An API key or anybody else who was
 * given `plates:write` acts with an owner's leave (docs/spec/device-control-api.md §5) and may change what an owner has
 * set; where both edit at once, not knowing of each other, the owner's edit stands.
 */
import type { RuleKind } from "./decide.ts";

/** Masters of a rule, the least first. */
export const MASTERS = ["guest", "key", "owner"] as const;
/** See {@link MASTERS}. */
export type Master = (typeof MASTERS)[number];

/** Who edits a rule. */
export interface RuleAuthor {
  readonly master: Master;
  /** Of a guest, the pass; null for everybody else, and for a guest of another hub of the estate. */
  readonly passId: number | null;
}

/** The author by the name that audit rows have: `session:3`, `api_key:12`, `guest_pass:5`, a command line's, a hub's. */
export function authorOf(actor: string): RuleAuthor {
  const [kind = "", id = ""] = actor.split(":");
  if (kind === "guest_pass") return { master: "guest", passId: Number(id) };
  return { master: kind === "api_key" ? "key" : "owner", passId: null };
}

/** Whether a master is greater than another one. */
export function outranks(one: Master, other: Master): boolean {
  return MASTERS.indexOf(one) > MASTERS.indexOf(other);
}

/** Whether an author may make a rule of this kind: a guest lets in, and does nothing else. */
export function mayMake({ master }: Pick<RuleAuthor, "master">, kind: RuleKind): boolean {
  return master !== "guest" || kind === "allow";
}

/**
 * Whether an author may change or remove a rule. A guest may while the rule is a guest's still, of the guest's own pass.
 * @param rule what stands, with the pass that owns it; null: none
 */
export function mayChange(
  { master, passId }: RuleAuthor,
  rule: { readonly kind: RuleKind; readonly master: Master; readonly passId: number | null },
): boolean {
  if (master !== "guest") return true;
  return rule.master === "guest" && rule.kind === "allow" && (passId === null || passId === rule.passId);
}
