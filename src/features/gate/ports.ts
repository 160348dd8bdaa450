import type { Master } from "../../core/plates/masters.ts";
import type { PicturePart } from "../../core/plates/reading.ts";
import type { PlateRuleRow, RuleDraft } from "./tables/plate-rule.ts";

/** A frame or picture of this device, or a part of it, as JPEG; `width`: made small. Null when it cannot be decoded. */
export type EncodeImage = (
  image: Uint8Array,
  deviceId: string,
  part?: PicturePart | null,
  width?: number,
) => Promise<Uint8Array | null>;

/**
 * Plate rules for all cameras where several hubs edit them together. A method settles when the rule is in this hub's
 * own table too.
 * @throws Problem estate_unreachable while this hub is cut off; plate_already_listed, conflict where another hub was
 *   faster
 */
export interface SharedRules {
  /** Answers the rule's id on this hub. */
  create(draft: RuleDraft, by: Master): Promise<number>;
  /** Answers false for a rule that is still this hub's alone. */
  update(rule: PlateRuleRow, by: Master): Promise<boolean>;
  /** As {@link update}. */
  remove(ruleId: number, by: Master): Promise<boolean>;
  /** Whether the estate is reached now; else what this hub changes by itself reaches the others later. */
  readonly isReached: boolean;
}
