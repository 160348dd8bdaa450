import type { OpeningReason } from "../../core/plates/opening.ts";
import type { FeedText } from "../../core/text/keys.ts";
import type { ListedOpening, OpenerKind } from "./tables/opening.ts";

/** What the feed last reported about an opening. */
export type Told = "opened" | "not_opened";

/** What the feed says of an opening. */
export interface OpeningToTell {
  readonly told: Told;
  /** The feed already reported that it did not open. */
  readonly isLate: boolean;
  /** Names of the gate or lock, and of who opened. */
  readonly gate: string;
  readonly isLock: boolean;
  readonly by: { readonly kind: OpenerKind; readonly name: string | null };
  /** As it is shown; null where no plate opened. */
  readonly plate: string | null;
  readonly reason: OpeningReason | null;
}

/** The item of the feed for an opening. */
export function openingText({ told, isLate, gate, isLock, by, plate, reason }: OpeningToTell): FeedText {
  const what = isLock ? "lock" : "gate";
  const who = by.name ?? plate ?? "";
  const kind = who === "" ? (by.kind === "device" ? "device" : "hub") : by.kind;
  const late = isLate ? "yes" : "no";
  if (told === "opened") return { code: "gate.opened", what, gate, kind, who, late };
  const why = { code: `opening.${reason ?? "no_answer"}` } as const;
  return { code: "gate.not_opened", what, gate, kind, who, why };
}

/** The item of the feed for a gate or lock that was told to close and did not. */
export function notClosedText({
  gate,
  isLock,
  by,
  reason,
}: Pick<OpeningToTell, "gate" | "isLock" | "by"> & { readonly reason: OpeningReason }): FeedText {
  const who = by.name ?? "";
  const kind = who === "" ? "hub" : by.kind;
  const why = { code: `opening.${reason}` } as const;
  return { code: "gate.not_closed", what: isLock ? "lock" : "gate", gate, kind, who, why };
}

/** Who opened, by name: of a plate the label of its rule, or the plate. */
export function openerName({ byKind, byName, label, formatted }: ListedOpening): string | null {
  return byKind === "plate" ? label || formatted : byName;
}
