import type { Master } from "../../core/plates/masters.ts";
import type { PlateRuleRow, RuleDraft } from "./tables/plate-rule.ts";

/** Tells receivers outside of a read, or of a vehicle that followed another one. Called inside a job of the database. */
export type ReportRead = (report: {
  readonly siteId: number;
  readonly event: "plate.read" | "gate.followed";
  readonly deviceId: string;
  readonly data: object;
  readonly at: number;
}) => void;

/** What the gate asks about a device. */
interface KnownDevice {
  readonly id: string;
  readonly siteId: number;
  readonly name: string;
  readonly type: string;
}

/** A device of the hub, in any household; null if there is none. */
export type FindDevice = (deviceId: string) => KnownDevice | null;

/** Settings that may change while the hub runs. */
export interface GateSettings {
  /** Reads of one plate at one camera within this time are one pass. */
  readonly passMs: number;
  /** Least confidence, 0–100, of a read that may open a gate. */
  readonly minConfidence: number;
  /** 0: pictures are never stored. */
  readonly imageRetentionDays: number;
  readonly readRetentionDays: number;
  /** Whether the picture of a plate that a person corrects is kept with the right text, and for how long. */
  readonly keepCorrected: "never" | "with_picture" | "always";
}

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
}
