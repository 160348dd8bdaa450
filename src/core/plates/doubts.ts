import type { NotToldReason } from "./opening.ts";

/** What speaks against opening for an allowed plate. */
const DOUBTS = ["presented", "already_inside", "elsewhere"] as const;
/**
 * `presented`: it seems not to come on a vehicle. `already_inside`: it came in and has not been seen to leave.
 * `elsewhere`: it was at another gate just now.
 */
export type Doubt = (typeof DOUBTS)[number];

/**
 * Why somebody is asked: the household chose so for this plate, something speaks against it, or it is on no list and a
 * listed one may be meant (`near_miss`).
 */
export const ASKED_FOR = ["earns", "near_miss", ...DOUBTS] as const;
/** See {@link ASKED_FOR}. */
export type AskedFor = (typeof ASKED_FOR)[number];

/** What follows from a doubt. */
export type OnDoubt = "open" | "ask" | "refuse";

/**
 * What becomes of a decision once what speaks against it is heard: a gate that stays shut anyway stays so for its own
 * reason; else one doubt that refuses suffices, and before that any that asks.
 * @param notTold the decision without them
 */
export function afterDoubts(
  notTold: NotToldReason | null,
  doubts: readonly { readonly doubt: Doubt; readonly follows: OnDoubt }[],
): { readonly notTold: NotToldReason | null; readonly askedFor: AskedFor } {
  if (notTold !== null && notTold !== "asked") return { notTold, askedFor: "earns" };
  const refused = doubts.find(({ follows }) => follows === "refuse");
  if (refused !== undefined) return { notTold: refused.doubt, askedFor: refused.doubt };
  const asked = doubts.find(({ follows }) => follows === "ask");
  return asked === undefined ? { notTold, askedFor: "earns" } : { notTold: "asked", askedFor: asked.doubt };
}
